#include "model/tile_search.hpp"

#include "model/capacity_message.hpp"
#include "model/closed_form/catalog.hpp"
#include "model/footprint.hpp"

namespace tilemeter {

TileSearch::TileSearch(std::string_view algorithm, const Case& point, const Budget& budget, TileGranularity granularity)
    : algorithm_(algorithm),
      point_(point),
      budget_(budget),
      step_(granularity.rows),
      row_limit_(rounded_up(point.problem.rows())),
      key_limit_(rounded_up(point.problem.seq_k)) {}

Count TileSearch::rounded_up(Count size) const {
  return named("a tile size", [&] { return checked::multiply(std::max(Count{1}, ceil_div(size, step_)), step_); });
}

Count TileSearch::rounded_down(Count size) const { return std::max(Count{1}, size / step_) * step_; }

Case TileSearch::with(Count block_q, Count block_k) const { return with(block_q, block_k, point_.tiling.block_d); }

Case TileSearch::with(Count block_q, Count block_k, Count block_d) const {
  Case other = point_;
  other.tiling.block_q = block_q;
  other.tiling.block_k = block_k;
  other.tiling.block_d = block_d;
  return other;
}

bool TileSearch::fits(const Case& point) const {
  try {
    return overflow_of(algorithm_, point, budget_) == 0;
  } catch (const FigureOverflow&) {
    return false;  // a footprint past 2^63 passes every limit
  }
}

void TileSearch::require_smallest(const Case& smallest) const {
  if (fits(smallest)) return;
  throw InputError("not even the smallest tiling fits: " + kernel_capacity_message(algorithm_, smallest, budget_) +
                   swapped_sizes_hint(smallest.problem));
}

Count TileSearch::traffic(const Case& point) const {
  const Traffic total = closed_form(algorithm_, point).total();
  return named("the total traffic",
               [&] { return budget_.elements ? total.total().value() : total.total_bytes().value(); });
}

std::string shape_text(std::string_view algorithm, const Case& point) {
  const Tiling& tiling = point.tiling;
  const LoopOrder order = formula_of(algorithm).order;
  const std::string keys = std::to_string(tiling.block_k);
  if (order == LoopOrder::recurrent) {
    return std::string(name_of(accepted(formula_of(algorithm), point).options.variant.value())) + " --chunk " +
           std::to_string(point.options.chunk);
  }
  if (order == LoopOrder::pieces) return keys;
  if (order == LoopOrder::product) {
    return std::to_string(tiling.block_m) + "x" + std::to_string(tiling.block_n) + "x" + keys;
  }
  const std::string shape = std::to_string(tiling.block_q) + "x" + keys;
  if (order != LoopOrder::gemm) return shape;
  const Count whole = std::max(point.problem.head_dim, point.problem.head_dim_v);
  return shape + "x" + std::to_string(tiling.block_d == 0 ? whole : tiling.block_d);
}

namespace {

/// What the capacity of attention depends on beside the tiling.
std::string sequence_sizes(const Case& point) {
  const Problem& problem = point.problem;
  std::string text = point.tiling.stages > 1 ? ", " + std::to_string(point.tiling.stages) + " stages" : "";
  text += ", d=" + std::to_string(problem.head_dim);
  if (problem.head_dim_v != problem.head_dim) text += ", d_v=" + std::to_string(problem.head_dim_v);
  return text;
}

}  // namespace

std::string capacity_subject(std::string_view algorithm, const Case& point, const Budget& budget) {
  const Problem& problem = point.problem;
  const Formula& formula = formula_of(algorithm);
  std::string text = std::string(algorithm);
  if (formula.computation == Computation::softmax && point.options.variant == Variant::resident) {
    text += " resident, rows of " + std::to_string(point.shapes.cols);
  } else {
    text += " " + shape_text(algorithm, point);
  }
  if (has_sequences(formula.computation)) text += sequence_sizes(point);
  const bool in_elements = budget.placement == Placement::sram && budget.elements;
  return in_elements ? text : text + ", " + std::string(name_of(problem.dtype));
}

std::string kernel_capacity_message(std::string_view algorithm, const Case& point, const Budget& budget) {
  const std::vector<KernelTiles> kernels = on_chip_tiles_by_kernel(algorithm, point);
  const KernelTiles* worst = nullptr;
  Count most = -1;
  for (const KernelTiles& kernel : kernels) {
    const Count overflow = overflow_of(footprint_of(kernel.tiles), budget);
    if (overflow <= most) continue;
    worst = &kernel;
    most = overflow;
  }
  std::string subject = capacity_subject(algorithm, point, budget);
  if (worst == nullptr) return subject + " fits " + budget.owner;
  if (kernels.size() > 1) subject += ", its " + std::string(worst->kernel) + " kernel";
  return capacity_message(subject, worst->tiles, budget);
}

}  // namespace tilemeter
