// The machine code of CUDA kernels inside a library, read from the ELF images that nvcc embeds uncompressed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

using Code = std::vector<std::uint8_t>;

/// A kernel, by architecture (90 for sm_90a) and mangled name; a file-local namespace, whose name depends on the
/// file's path, is left out of the name.
struct KernelId {
  int architecture = 0;
  std::string name;
  friend auto operator<=>(const KernelId&, const KernelId&) = default;
};

/// All kernels in the file. Throws std::runtime_error when the file or an image cannot be read.
std::map<KernelId, Code> kernels_in(const std::string& path);

/// The operation codes of 16-byte instructions: their lowest 12 bits.
std::vector<int> opcodes(const Code& code);

/// Operation codes (sm_80 and later) of loads from and stores to local memory, which is where spilled registers go.
inline constexpr int local_load = 0x983;
inline constexpr int local_store = 0x387;

/// Of products on the tensor cores: mma.sync, and Hopper's wgmma with its first operand in shared memory or registers.
inline constexpr int tensor = 0x23c;
inline constexpr int tensor_from_shared = 0x9f0;
inline constexpr int tensor_from_registers = 0xdf0;
/// The same of 8-bit operands.
inline constexpr int tensor8_from_shared = 0x9f3;
inline constexpr int tensor8_from_registers = 0xdf3;
