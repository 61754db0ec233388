// Registers of a block: what its threads hold, and how many blocks the register file serves.
#pragma once

#include <optional>

#include "model/device.hpp"

namespace tilemeter {

inline constexpr Count warp_threads = 32;
/// Limits of CUDA on every GPU since compute capability 5.0 (CUDA C++ Programming Guide 12.9, technical
/// specifications).
inline constexpr Count most_block_threads = 1024;
inline constexpr Count most_thread_registers = 255;
inline constexpr Count most_block_registers = 65536;

/// 32-bit registers that one warp takes: 32 times the registers of a thread, in whole units of 256 (CUDA Toolkit 13.0,
/// cuda_occupancy.h, for compute capability 3.0 to 12.x). 232 a thread take 7424, 65 take 2304.
Count registers_of_warp(Count per_thread);

/// The most registers a thread can have in a block of `threads`: at most 255, and so few that its warps, rounded up to
/// a multiple of the SM's partitions, fit 65536 and the register file. 0 when not even one fits. 128 threads can have
/// 255, 384 have 168, 512 have 128.
Count registers_per_thread_limit(Count threads, const Device& device);

/// Resident blocks of `threads` threads by registers alone: each partition of the SM (4; 2 on compute capability 6.0)
/// gives registers to whole warps. 0 when a thread has more than `registers_per_thread_limit`.
Count blocks_by_registers(Count per_thread, Count threads, const Device& device);

/// Where a number of registers per thread comes from.
enum class RegisterSource {
  unknown,       ///< nothing is known: no tile in registers, no number given
  accumulators,  ///< the tiles in registers alone: a lower bound of what a kernel takes
  given          ///< as the compiler reports it
};

/// Registers of one thread of a block.
struct RegisterUse {
  Bytes accumulators{};               ///< of a block: every tile in registers
  Count accumulators_per_thread = 0;  ///< spread evenly over the threads, rounded up
  Count limit = 0;                    ///< registers_per_thread_limit
  std::optional<Count> per_thread{};  ///< what occupancy is computed with; absent when nothing is known
  RegisterSource source = RegisterSource::unknown;

  /// Whether the accumulators alone pass what a thread can hold, or what it was given: some then live in local memory.
  bool spills() const { return accumulators_per_thread > (source == RegisterSource::given ? *per_thread : limit); }
};

/// The use of `accumulators` bytes of tiles by `threads` threads; `given` is the number per thread where it is known.
/// Without it the accumulators stand in, cut to the limit.
RegisterUse register_use(Bytes accumulators, std::optional<Count> given, Count threads, const Device& device);

}  // namespace tilemeter
