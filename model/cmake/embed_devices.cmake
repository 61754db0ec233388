# Writes OUTPUT, a C++ source that defines shipped_devices() from the device files in the list FILES.
# cmake -D OUTPUT=... -D FILES=a.toml;b.toml -P embed_devices.cmake
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WLE)
  file(READ "${file}" text)
  string(FIND "${text}" ")toml\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file}: contains the end of a C++ raw string")
  endif()
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"model/shipped_devices.hpp\"

namespace tilemeter {
namespace {

constexpr ShippedDevice devices[] = {
${entries}};

}  // namespace

std::span<const ShippedDevice> shipped_devices() { return devices; }

}  // namespace tilemeter
")
