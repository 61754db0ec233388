#include "model/traffic_front.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"
#include "model/pareto.hpp"
#include "model/streaming_sizes.hpp"

namespace tilemeter {
namespace {

/// The most sizes along each axis of the candidates, by how many axes there are.
constexpr std::size_t most_of_one_axis = 4096;
constexpr std::size_t most_of_two_axes = 160;
constexpr std::size_t most_of_three_axes = 24;

/// Sizes of one axis, ascending.
struct Axis {
  std::vector<Count> sizes;
  bool complete = true;
};

Axis thinned(std::vector<Count> sizes, std::size_t most) {
  if (sizes.size() <= most) return {std::move(sizes), true};
  const double range = static_cast<double>(sizes.back()) / static_cast<double>(sizes.front());
  const double ratio = std::pow(range, 1.0 / static_cast<double>(most - 1));
  std::vector<Count> kept;
  for (const Count size : sizes) {
    const bool last = size == sizes.back();
    if (!kept.empty() && !last && static_cast<double>(size) < static_cast<double>(kept.back()) * ratio) continue;
    kept.push_back(size);
  }
  return {std::move(kept), false};
}

/// With a mask every multiple of the step, else the smallest size of each number of tiles.
Axis axis_of(const TileCounts& counts, Count step, Count limit, MaskKind mask, std::size_t most) {
  constexpr Count most_listed = Count{1} << 20;
  std::vector<Count> sizes;
  const bool all = mask != MaskKind::none && limit / step <= most_listed;
  for (Count size = counts.smallest_like(limit); size > 0;) {
    sizes.push_back(size);
    const Count below = all ? size - step : counts.largest_below(size);
    size = below == 0 ? 0 : all ? below : counts.smallest_like(below);
  }
  std::reverse(sizes.begin(), sizes.end());
  Axis axis = thinned(std::move(sizes), most);
  axis.complete = axis.complete && (all || mask == MaskKind::none);
  return axis;
}

class FrontSearch {
 public:
  FrontSearch(std::string_view algorithm, const Case& point, const Budget& budget, TileGranularity granularity)
      : algorithm_(algorithm), point_(point), budget_(budget), search_(algorithm, point, budget, granularity) {}

  TrafficFront front() {
    const LoopOrder order = formula_of(algorithm_).order;
    if (order == LoopOrder::gemm) {
      try_products();
    } else if (order == LoopOrder::kv_outer || order == LoopOrder::q_outer) {
      try_streams(StreamingSizes(search_, order));
    } else {
      try_budgets();
    }
    const auto costs = [](const TilingCosts& tiling) { return std::array{tiling.on_chip, tiling.traffic}; };
    return {pareto_front(tilings_, costs), complete_};
  }

 private:
  Axis axis(const TileCounts& counts, Count limit, std::size_t most) const {
    return axis_of(counts, search_.step(), limit, point_.problem.mask.kind, most);
  }

  void try_streams(const StreamingSizes& sizes) {
    const bool free = sizes.companion_is_free();
    const std::size_t most = free ? most_of_one_axis : most_of_two_axes;
    const Axis main = axis(sizes.size_counts(), sizes.size_limit(), most);
    const Axis companions =
        free ? Axis{{sizes.step()}, true} : axis(sizes.companion_counts(), sizes.companion_limit(), most);
    complete_ = free && main.complete;
    for (const Count size : main.sizes) {
      for (const Count companion : companions.sizes) add(sizes.with(size, companion));
    }
  }

  /// Tiles block_q x block_k x block_d, the softmax with a resident row and in two passes.
  void try_products() {
    complete_ = false;
    const Axis rows = axis(search_.row_counts(), search_.row_limit(), most_of_three_axes);
    const Axis keys = axis(search_.key_counts(), search_.key_limit(), most_of_three_axes);
    for (const Count depth : depths()) {
      for (const Count block_q : rows.sizes) {
        for (const Count block_k : keys.sizes) {
          for (const RowSoftmax softmax : {RowSoftmax::resident, RowSoftmax::online}) {
            Case candidate = search_.with(block_q, block_k, depth);
            candidate.options.row_softmax = softmax;
            add(candidate);
          }
        }
      }
    }
  }

  /// The optimum of budgets four to an octave, from the smallest that any tiling fits until more memory saves nothing.
  void try_budgets() {
    constexpr double per_octave = 4;
    constexpr int most_budgets = 200;
    complete_ = false;
    Count last = std::numeric_limits<Count>::max();
    int unchanged = 0;
    for (int i = 0; i < most_budgets && unchanged <= 3 * per_octave; ++i) {
      const auto least = best_within(static_cast<Count>(std::ceil(std::pow(2.0, i / per_octave))));
      if (!least) continue;
      unchanged = least->traffic < last ? 0 : unchanged + 1;
      last = least->traffic;
      Case candidate = point_;
      candidate.tiling = least->tiling;
      tilings_.push_back({least->tiling, on_chip_use(algorithm_, candidate, budget_), least->traffic});
    }
  }

  std::optional<RankedTiling> best_within(Count capacity) const {
    Budget budget = budget_;
    if (budget.elements) {
      budget.elements = Elements(capacity);
    } else {
      budget.bytes = Bytes(capacity);
    }
    try {
      return best_tilings(algorithm_, point_, budget, {search_.step()}, 1).best.front();
    } catch (const FigureOverflow&) {
      throw;
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  std::vector<Count> depths() const {
    if (point_.tiling.block_d != 0) return {point_.tiling.block_d};
    const TileCounts counts(point_.problem.head_dim_v, search_.step());
    return axis_of(counts, search_.step(), search_.rounded_up(point_.problem.head_dim_v), MaskKind::none,
                   most_of_three_axes)
        .sizes;
  }

  void add(const Case& candidate) {
    if (!within_registers(candidate)) return;
    tilings_.push_back({candidate.tiling, on_chip_use(algorithm_, candidate, budget_), search_.traffic(candidate)});
  }

  bool within_registers(const Case& candidate) const {
    if (!budget_.registers) return true;
    Budget registers = budget_;
    registers.bytes.reset();
    return overflow_of(algorithm_, candidate, registers) == 0;
  }

  std::string_view algorithm_;
  const Case& point_;
  const Budget& budget_;
  TileSearch search_;
  std::vector<TilingCosts> tilings_;
  bool complete_ = true;
};

}  // namespace

Count on_chip_use(std::string_view algorithm, const Case& point, const Budget& budget) {
  Count most = 0;
  for (const KernelTiles& kernel : on_chip_tiles_by_kernel(algorithm, point)) {
    const Footprint use = footprint_of(kernel.tiles);
    const Count bytes = budget.placement == Placement::gpu ? use.shared.value() : use.bytes().value();
    most = std::max(most, budget.elements ? use.elements.value() : bytes);
  }
  return most;
}

TrafficFront traffic_front(std::string_view algorithm, const Case& point, const Budget& budget,
                           TileGranularity granularity) {
  return FrontSearch(algorithm, point, budget, granularity).front();
}

}  // namespace tilemeter
