#include "tools/hints.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/closed_form/gradients.hpp"
#include "model/tiling_rule.hpp"
#include "sim/catalog.hpp"
#include "tools/output/number.hpp"
#include "tools/point.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

constexpr Count largest_index = std::numeric_limits<std::int32_t>::max();
constexpr Count largest_grid_axis = 65535;  // y and z axes of a CUDA grid
constexpr Count vector_bytes = 16;          // of one load instruction
constexpr Count sector_bytes = 32;          // of the L2

using Hints = std::vector<std::string>;

/// Sums `rows(seq_q, seq_k)` over the segments, or takes it once for a batch.
template <class Rows>
Count over_batch(const PointResult& result, Rows rows) {
  const Problem& problem = result.problem;
  if (!result.request.segments) return checked::multiply(problem.batch, rows(problem.seq_q, problem.seq_k));
  Count sum = 0;
  for (const Segment& segment : *result.request.segments) sum = checked::add(sum, rows(segment.seq_q, segment.seq_k));
  return sum;
}

/// Buffers of dQacc.
Count dq_buffers(const PointResult& result) {
  return accumulation_buffers({.problem = result.problem, .tiling = {}, .options = result.options});
}

/// Elements of a tensor that holds `width(keys)` elements a row of one query chunk, over all heads; the chunk is used
/// again for the next.
template <class Width>
Count elements_of_chunk(const PointResult& result, Width width) {
  return over_batch(result, [&](Count q, Count k) {
    const Count rows = checked::multiply(result.problem.heads, std::min(result.tiling->block_q, q));
    return checked::multiply(rows, width(k));
  });
}

/// Elements of the tensors of the computations without sequences.
Count neighbour_elements(TensorName tensor, const PointResult& result) {
  const Shapes& shapes = result.shapes;
  const Computation computation = result.request.algorithm->computation();
  const auto sized = [&](Count rows, Count cols) {
    return checked::multiply(result.problem.batch, checked::multiply(rows, cols));
  };
  const auto vector_or_matrix = [&] {
    return computation == Computation::chain ? sized(1, shapes.length) : sized(shapes.rows, shapes.cols);
  };
  switch (tensor) {
    case TensorName::A:
      return sized(shapes.m, shapes.k);
    case TensorName::B:
      return sized(shapes.k, shapes.n);
    case TensorName::C:
      return sized(shapes.m, shapes.n);
    case TensorName::W:
      return sized(shapes.d_in, shapes.d_out);
    case TensorName::side:
      return sized(result.options.side_inputs, shapes.length);
    case TensorName::X:
      return computation == Computation::layer ? sized(shapes.tokens, shapes.d_in) : vector_or_matrix();
    case TensorName::Y:
      return computation == Computation::layer ? sized(shapes.tokens, shapes.d_out) : vector_or_matrix();
    default:
      return 0;
  }
}

Count elements_of(TensorName tensor, const PointResult& result) {
  const Problem& problem = result.problem;
  const bool in_chunks = result.request.algorithm->order() == LoopOrder::chunks;
  const auto rows = [&](Count heads, Count width, auto length, Count copies = 1) {
    return checked::multiply(copies, over_batch(result, [&](Count q, Count k) {
                               return checked::multiply(checked::multiply(heads, width), length(q, k));
                             }));
  };
  const auto queries = [](Count q, Count) { return q; };
  const auto keys = [](Count, Count k) { return k; };
  const auto scores = [](Count q, Count k) { return checked::multiply(q, k); };
  switch (tensor) {
    case TensorName::Q:
    case TensorName::dQ:
      return rows(problem.heads, problem.head_dim, queries);
    case TensorName::dQacc:
      return rows(problem.heads, problem.head_dim, queries, dq_buffers(result));
    case TensorName::K:
    case TensorName::dK:
      return rows(problem.kv_heads, problem.head_dim, keys);
    case TensorName::V:
    case TensorName::dV:
      return rows(problem.kv_heads, problem.head_dim_v, keys);
    case TensorName::dKx:
      return rows(problem.heads, problem.head_dim, keys);
    case TensorName::dVx:
      return rows(problem.heads, problem.head_dim_v, keys);
    case TensorName::O:
    case TensorName::dO:
      return rows(problem.heads, problem.head_dim_v, queries);
    case TensorName::part:
      return elements_of_chunk(result, [&](Count k) {
        return checked::multiply(ceil_div(k, result.tiling->block_k), checked::add(problem.head_dim_v, 2));
      });
    case TensorName::KV:
      return rows(problem.heads, problem.head_dim, [&](Count, Count) { return problem.head_dim_v; });
    case TensorName::S:
    case TensorName::E:
      if (in_chunks) return elements_of_chunk(result, [&](Count k) { return std::min(k, result.tiling->block_k); });
      return rows(problem.heads, 1, scores);
    case TensorName::P:
    case TensorName::dP:
    case TensorName::dS:
    case TensorName::Z:
    case TensorName::Pd:
      return rows(problem.heads, 1, scores);
    case TensorName::mask:
      return result.counted[tensor].read.value();
    case TensorName::l:
    case TensorName::m:
    case TensorName::LSE:
    case TensorName::D:
      return rows(problem.heads, 1, queries);
    case TensorName::Oacc:
      return checked::multiply(result.options.splits.value_or(1), rows(problem.heads, problem.head_dim_v, queries));
    case TensorName::LSEacc:
      return checked::multiply(result.options.splits.value_or(1), rows(problem.heads, 1, queries));
    case TensorName::block_table:
      return over_batch(result, [&](Count, Count k) { return ceil_div(k, result.options.page_size); });
    default:
      return neighbour_elements(tensor, result);
  }
}

void hint_at_index_overflow(const PointResult& result, Hints& hints) {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (result.counted.tensors[i].empty()) continue;
    const Count elements = named("a tensor's size", [&] { return elements_of(static_cast<TensorName>(i), result); });
    if (elements <= largest_index) continue;
    hints.push_back(std::string(tensor_names[i]) + " has " + std::to_string(elements) +
                    " elements: a 32-bit index overflows (2^31 - 1)");
  }
}

void hint_at_accumulation(const PointResult& result, Hints& hints) {
  if (result.counted[TensorName::dQacc].empty()) return;
  const Count buffers = dq_buffers(result);
  if (buffers == 1) return;
  const Count elements = elements_of(TensorName::dQacc, result);
  hints.push_back("deterministic: dQ is accumulated in " + std::to_string(buffers) +
                  " buffers (SMs / (batch x heads), " + "rounded up), " + std::to_string(elements) +
                  " elements in all, each zeroed and read once more");
}

void hint_at_layout(const Problem& problem, Hints& hints) {
  for (const auto& [name, value] : {std::pair{"heads", problem.heads}, std::pair{"batch", problem.batch}}) {
    if (value <= largest_grid_axis) continue;
    hints.push_back(std::string(name) + " " + std::to_string(value) +
                    " > 65535: the y and z axes of a grid end there; " +
                    "is the layout (B, H, N, d) mixed up with (B, N, H, d)?");
  }
}

void hint_at_swapped_sizes(const PointResult& result, Hints& hints) {
  if (result.refusal || result.request.segments) return;
  const std::string hint = swapped_sizes_hint(result.problem);
  const std::size_t begin = hint.find_first_not_of("; ");
  if (begin != std::string::npos) hints.push_back(hint.substr(begin));
}

std::string sectors_text(Count bytes) {
  std::string text = std::to_string(static_cast<double>(bytes) / static_cast<double>(sector_bytes));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Bytes to copy Q, K and V into rows of the padded length: read the old, write the new.
Count pad_copies(const PointResult& result, Count multiple) {
  const Problem& problem = result.problem;
  const auto moved = [&](Count width) { return width + ceil_div(width, multiple) * multiple; };
  const Count elements = over_batch(result, [&](Count q, Count k) {
    const Count queries = checked::multiply(checked::multiply(problem.heads, q), moved(problem.head_dim));
    const Count keys = checked::multiply(checked::multiply(problem.kv_heads, k),
                                         checked::add(moved(problem.head_dim), moved(problem.head_dim_v)));
    return checked::add(queries, keys);
  });
  return checked::multiply(elements, size_of(problem.dtype));
}

/// The columns of the kernel of FlashAttention-2 that a head dimension runs in: HEADDIM_SWITCH of
/// csrc/flash_attn/src/static_switch.h, without 160 and 224 in versions that have dropped those kernels.
std::string library_columns(Count head_dim) {
  constexpr std::array<Count, 8> older = {32, 64, 96, 128, 160, 192, 224, 256};
  constexpr std::array<Count, 6> newer = {32, 64, 96, 128, 192, 256};
  const auto next = [&](const auto& columns) { return std::lower_bound(columns.begin(), columns.end(), head_dim); };
  if (next(older) == older.end()) return "";
  const auto text = [&](Count columns) {
    return std::to_string(columns) + " columns, " +
           fixed(static_cast<double>(columns) / static_cast<double>(head_dim), 2) + " times the FLOPs and the tiles";
  };
  const Count first = *next(older);
  const Count second = *next(newer);
  return "; FlashAttention-2 runs its kernel for " + text(first) +
         (second == first ? "" : " (versions without that one: " + text(second) + ")") + ": --head-dim " +
         std::to_string(first) + " counts that";
}

void hint_at_padding(const PointResult& result, Hints& hints) {
  const Problem& problem = result.problem;
  const Count size = size_of(problem.dtype);
  const Count multiple = vector_bytes / size;
  const bool aligned = problem.head_dim % multiple == 0 && problem.head_dim_v % multiple == 0;
  if (aligned) return;
  const Count dim = problem.head_dim % multiple != 0 ? problem.head_dim : problem.head_dim_v;
  const Count row = named("a row's bytes", [&] { return checked::multiply(dim, size); });
  const Count copies = named("the bytes of padding", [&] { return pad_copies(result, multiple); });
  hints.push_back("a row of " + std::to_string(dim) + " " + std::string(name_of(problem.dtype)) + " elements is " +
                  std::to_string(row) + " B, " + sectors_text(row) +
                  " sectors of 32 B and no multiple of 16 B: " + "libraries pad the head dimension to " +
                  std::to_string(ceil_div(dim, multiple) * multiple) + ", and copies of Q, K, V to that would move " +
                  std::to_string(copies) + " B more" + library_columns(dim));
}

void hint_at_empty_splits(const PointResult& result, Hints& hints) {
  const auto& splits = result.request.options.splits;
  if (!splits || !result.tiling || result.tiling->block_k == 0) return;
  const Count tiles = std::max<Count>(1, ceil_div(result.problem.seq_k, result.tiling->block_k));
  if (*splits <= tiles) return;
  hints.push_back("--splits " + std::to_string(*splits) + " of " + std::to_string(tiles) +
                  (tiles == 1 ? " key tile: " : " key tiles: ") + std::to_string(*splits - tiles) +
                  " have no keys, and their partial results are written and read all the same");
}

void hint_at_unused_tiles(const PointResult& result, Hints& hints) {
  if (has_tile_sizes(*result.request.algorithm)) return;
  if (!result.request.block_q && !result.request.rule) return;
  const bool recurrent = has_tiles(*result.request.algorithm);
  hints.push_back(std::string(result.request.algorithm->name) +
                  (recurrent ? " takes --chunk in the place of tile sizes: " : " has no tiles: ") +
                  (result.request.rule ? "--blocks" : "--block-q and --block-k") + " do not change it");
}

}  // namespace

Count elements_in_memory(TensorName tensor, const PointResult& result) {
  return named("a tensor's size", [&] { return elements_of(tensor, result); });
}

std::vector<std::string> hints_of(const PointResult& result) {
  Hints hints;
  hint_at_index_overflow(result, hints);
  hint_at_accumulation(result, hints);
  if (has_sequences(result.request.algorithm->computation())) {
    hint_at_layout(result.problem, hints);
    hint_at_swapped_sizes(result, hints);
    hint_at_padding(result, hints);
    hint_at_empty_splits(result, hints);
  }
  hint_at_unused_tiles(result, hints);
  return hints;
}

}  // namespace tilemeter
