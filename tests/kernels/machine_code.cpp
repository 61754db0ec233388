#include "tests/kernels/machine_code.hpp"

#include <elf.h>

#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace {

constexpr int machine_cuda = 190;
constexpr std::string_view text_prefix = ".text.";

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) throw std::runtime_error("a CUDA image is cut off");
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view content(std::string_view image, const Elf64_Shdr& section) {
  if (section.sh_offset > image.size() || image.size() - section.sh_offset < section.sh_size) {
    throw std::runtime_error("a section of a CUDA image is cut off");
  }
  return image.substr(section.sh_offset, section.sh_size);
}

/// Mangled as <length>_GLOBAL__N__...; `length` counts the characters after it.
std::string without_local_namespace(std::string name) {
  const std::size_t begin = name.find("_GLOBAL__N_");
  if (begin == std::string::npos) return name;
  std::size_t digits = begin;
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  const std::size_t length = std::stoul(name.substr(digits, begin - digits));
  return name.erase(digits, begin - digits + length);
}

void add_kernels(std::string_view image, const Elf64_Ehdr& header, std::map<KernelId, Code>& kernels) {
  const auto section = [&](std::size_t i) {
    return read_at<Elf64_Shdr>(image, header.e_shoff + i * header.e_shentsize);
  };
  const std::string_view names = content(image, section(header.e_shstrndx));
  const int architecture = static_cast<int>(header.e_flags >> 8 & 0xFF);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr candidate = section(i);
    const std::string name(names.substr(candidate.sh_name).data());
    if (candidate.sh_type != SHT_PROGBITS || name.rfind(text_prefix, 0) != 0) continue;
    const std::string_view code = content(image, candidate);
    kernels[{architecture, without_local_namespace(name.substr(text_prefix.size()))}] = Code(code.begin(), code.end());
  }
}

}  // namespace

std::map<KernelId, Code> kernels_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::map<KernelId, Code> kernels;
  for (std::size_t at = bytes.find(ELFMAG); at != std::string::npos; at = bytes.find(ELFMAG, at + 1)) {
    const std::string_view image = std::string_view(bytes).substr(at);
    if (image.size() < sizeof(Elf64_Ehdr)) break;
    const auto header = read_at<Elf64_Ehdr>(image, 0);
    if (header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine_cuda) add_kernels(image, header, kernels);
  }
  return kernels;
}

std::vector<int> opcodes(const Code& code) {
  constexpr std::size_t instruction = 16;
  std::vector<int> found;
  for (std::size_t at = 0; at + instruction <= code.size(); at += instruction) {
    found.push_back(code[at] | (code[at + 1] & 0x0F) << 8);
  }
  return found;
}
