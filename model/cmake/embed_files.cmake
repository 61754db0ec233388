# Writes OUTPUT, a C++ source that defines FUNCTION of model/FUNCTION.hpp: a TYPE for each of the TOML files in the list
# FILES.
# cmake -D OUTPUT=... -D FUNCTION=shipped_devices -D TYPE=ShippedDevice -D FILES=a.toml;b.toml -P embed_files.cmake
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
file(WRITE "${OUTPUT}" "#include \"model/${FUNCTION}.hpp\"

namespace tilemeter {
namespace {

constexpr ${TYPE} files_of_${FUNCTION}[] = {
${entries}};

}  // namespace

std::span<const ${TYPE}> ${FUNCTION}() { return files_of_${FUNCTION}; }

}  // namespace tilemeter
")
