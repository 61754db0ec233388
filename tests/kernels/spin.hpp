// Kernels that do a known thing, to test the timer with.
#pragma once

#include "kernels/tensors.hpp"

/// Enqueues a kernel of one thread that ends `nanoseconds` of the GPU's global timer after it began.
void launch_spin(long long nanoseconds, tilemeter::kernels::Stream stream);

/// Enqueues a kernel that adds up `words` 16-byte words into `sink`, which has an element for each of its 132 x 512
/// threads.
void launch_read(const void* from, std::size_t words, unsigned* sink, tilemeter::kernels::Stream stream);
inline constexpr std::size_t read_threads = 132 * 512;
