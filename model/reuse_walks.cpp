#include "model/reuse_walks.hpp"

#include <algorithm>
#include <numeric>

#include "model/split_heuristic.hpp"
#include "model/working_set.hpp"

namespace tilemeter {
namespace {

double bytes_moved(Bytes bytes) { return static_cast<double>(bytes.value()); }

/// What the formulas of model/reuse.hpp are about.
struct Walks {
  Count resident = 1;  ///< R
  Count streams = 1;
  Count groups = 1;           ///< G: matrices of K
  Count blocks_of_group = 1;  ///< n
  double group_bytes = 0;     ///< B: K and V of a group, as far as they are needed
  double edge = 0;            ///< read at the edge of the SMs, all of them
  double block_bytes = 0;     ///< q + o
  double tile_bytes = 0;      ///< t
  double capacity = 0;        ///< C

  Count blocks() const { return groups * blocks_of_group; }
  double once() const { return static_cast<double>(groups) * group_bytes; }
};

Walks walks_of(const Case& point, const Work& bill, const Work& once, const Concurrency& concurrency, Count splits,
               double capacity) {
  const Problem& problem = point.problem;
  const Count query_tiles = std::max<Count>(1, ceil_div(problem.rows(), point.tiling.block_q));
  Walks walks{.streams = problem.streams(), .groups = problem.batch * problem.kv_heads, .capacity = capacity};
  walks.blocks_of_group = walks.streams / walks.groups * query_tiles * splits;
  walks.resident = std::min(concurrency.resident, walks.blocks());
  const auto blocks = static_cast<double>(walks.blocks());
  walks.group_bytes =
      bytes_moved(once[TensorName::K].read_bytes + once[TensorName::V].read_bytes) / static_cast<double>(walks.groups);
  walks.edge = bytes_moved(bill[TensorName::K].read_bytes + bill[TensorName::V].read_bytes);
  walks.block_bytes = (bytes_moved(once[TensorName::Q].read_bytes) + bytes_moved(bill.total().write_bytes)) / blocks;
  walks.tile_bytes = walks.edge / std::max(1.0, static_cast<double>(bill.tiles));
  return walks;
}

/// Full walks, blocks of a group one after the other. The pattern of waves on groups repeats after whole groups.
double read_again_at_wave_ends(const Walks& walks) {
  const Count n = walks.blocks_of_group;
  const Count waves = ceil_div(walks.blocks(), walks.resident);
  const Count period = n / std::gcd(walks.resident, n);
  const auto keys_of_wave = [&](Count wave) {
    const Count first = wave * walks.resident;
    const Count last = std::min(walks.blocks(), first + walks.resident) - 1;
    return static_cast<double>(last / n - first / n + 1) * walks.group_bytes;
  };
  const auto read_behind = [&](Count wave) {
    if ((wave + 1) * walks.resident % n == 0) return 0.0;
    const double between = static_cast<double>(walks.resident) * walks.block_bytes;
    return walks.group_bytes *
           share_above(keys_of_wave(wave) + between, keys_of_wave(wave + 1) + between, walks.capacity);
  };
  const Count ends = waves - 1;
  const Count last_period = ends - ends % period;  // the last wave may be smaller
  double in_period = 0;
  for (Count wave = 0; wave < std::min(period, last_period); ++wave) in_period += read_behind(wave);
  double again = in_period * static_cast<double>(last_period / period);
  for (Count wave = last_period; wave < ends; ++wave) again += read_behind(wave);
  return again;
}

/// Full walks, all streams before the next block of one. The streams of a group are neighbours and find each other's
/// tiles.
double read_again_by_interleaved(const Walks& walks) {
  const double step = static_cast<double>(std::min(walks.groups, walks.resident)) * walks.tile_bytes;
  if (step >= walks.capacity) {
    return walks.edge * static_cast<double>(walks.groups) / static_cast<double>(walks.streams) - walks.once();
  }
  const Count of_stream = walks.blocks() / walks.streams;
  const Count passes = walks.streams <= walks.resident ? ceil_div(walks.blocks(), walks.resident) : of_stream;
  const double distance =
      walks.once() + static_cast<double>(std::max(walks.resident, walks.streams)) * walks.block_bytes;
  return distance <= walks.capacity ? 0 : static_cast<double>(passes - 1) * walks.once();
}

/// The blocks of a stream in the order of their launch.
std::vector<KeyWalk> ordered(std::vector<KeyWalk> blocks, RowOrder rows) {
  if (rows == RowOrder::descending) std::reverse(blocks.begin(), blocks.end());
  if (rows == RowOrder::longest_first) {
    std::stable_sort(blocks.begin(), blocks.end(),
                     [](const KeyWalk& a, const KeyWalk& b) { return a.last - a.first > b.last - b.first; });
  }
  return blocks;
}

}  // namespace

double share_above(double first, double last, double limit) {
  if (first > limit && last > limit) return 1;
  if (first <= limit && last <= limit) return 0;
  const double crossing = (limit - first) / (last - first);
  return first > limit ? crossing : 1 - crossing;
}

double keys_read(const Case& point, const Work& bill, const Work& once, const Concurrency& concurrency,
                 double capacity) {
  const Count splits = bill[TensorName::Oacc].empty() ? 1 : splits_of(point);
  const Walks walks = walks_of(point, bill, once, concurrency, splits, capacity);
  if (walks.edge == 0) return 0;
  double read = 0;
  if (point.problem.mask.kind != MaskKind::none || !bill[TensorName::Oacc].empty()) {
    const WalkOrder order = {.streams = walks.streams,
                             .groups = walks.groups,
                             .resident = walks.resident,
                             .fastest = concurrency.fastest,
                             .blocks = ordered(blocks_of_stream(point, splits), concurrency.rows)};
    read = walks.once() +
           read_again_beyond(order, {.block = walks.block_bytes, .tile = walks.tile_bytes, .once = walks.once()},
                             capacity);
  } else if (concurrency.fastest == FastestIndex::blocks) {
    read = walks.once() + read_again_at_wave_ends(walks);
  } else {
    read = walks.once() + read_again_by_interleaved(walks);
  }
  return std::min(read, std::max(walks.edge, walks.once()));
}

}  // namespace tilemeter
