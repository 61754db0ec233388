// More small kernels around one wrapper each: what blocks of a cluster exchange, additions in memory, transposed
// matrices, and products of other shapes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/kernels/hopper_probe.hpp"

/// The tiles of two blocks of a cluster, in the order of addresses, after block i has copied panel i of `matrix` (64 x
/// 128 words) to both.
std::array<std::vector<std::uint16_t>, 2> multicast_tiles(const WordMatrix& matrix);

/// `memory` (rows x 64 numbers) after 64 rows of `sums` (64 x 64) have been added from `row` on, a panel of 32 columns
/// at a time.
std::vector<float> added_panels(const std::vector<float>& memory, const std::vector<float>& sums, int rows, int row);

/// Four 8 x 8 matrices one behind the other, of which word 64 m + 8 r + c is element (c, r) of matrix m as a warp holds
/// it: 64 m + 8 c + r where every matrix was transposed.
std::vector<std::uint16_t> transposed_matrices();

/// What block 0 of a cluster of two reads in the shared memory of block 1: 128 numbers 1000 + i.
std::vector<float> read_remotely();

/// a b^T, of 64 x 64 and n x 64 elements of bf16, by wgmma with a in registers, or in shared memory.
std::vector<float> narrow_product(const std::vector<float>& a, const std::vector<float>& b);
inline constexpr int narrow_width = 16;

/// a b^T, of 64 x 128 and n x 128 elements of e4m3, by wgmma with a in registers or in shared memory.
std::vector<float> e4m3_product(int n, bool from_registers, const std::vector<float>& a, const std::vector<float>& b);
inline constexpr int e4m3_widths[] = {64, 128, 192};           ///< a in shared memory
inline constexpr int e4m3_register_widths[] = {64, 128, 256};  ///< a in registers
