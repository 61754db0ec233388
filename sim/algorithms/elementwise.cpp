// A chain of elementwise operations: a kernel an operation, or one kernel for all.
#include <optional>

#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/rectangles.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

template <class P>
class ElementwiseKernel {
 public:
  ElementwiseKernel(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        options_(point.options),
        pieces_(all_tiles(point.shapes.length, point.tiling.block_k)),
        x_(gpu.tensor(TensorName::X, problem_.batch, {1, pieces_.extent}, problem_.dtype)),
        side_(gpu.tensor(TensorName::side, problem_.batch, {options_.side_inputs, pieces_.extent}, problem_.dtype)),
        y_(gpu.tensor(TensorName::Y, problem_.batch, {1, pieces_.extent}, problem_.dtype)) {}

  /// A kernel an operation: the first reads X, the others Y in place.
  void unfused() {
    for (Count op = 0; op < options_.ops; ++op) launch(op == 0 ? x_ : y_, op, op + 1);
  }

  void fused() { launch(x_, 0, options_.ops); }

 private:
  /// One kernel: operations [first, last) on every piece of `from`.
  void launch(Tensor<P>& from, Count first, Count last) {
    gpu_.launch("elementwise", {.streams = problem_.batch, .rows = runs_of(pieces_)},
                [&](Block<P>& block, const Place& at) {
                  const Shape shape = {1, pieces_.size};
                  RegisterTile<P> y = block.registers("Y", shape, accumulator_of(problem_));
                  std::optional<RegisterTile<P>> side;
                  if (first < options_.side_inputs) side = block.registers("side", shape, accumulator_of(problem_));
                  const TileSlot cols = slot_of(pieces_, at.row.index);
                  block.load(Phase::load_state, y, rectangle(from, at.stream, whole_row, cols));
                  for (Count op = first; op < last; ++op) step(block, at.stream, cols, op, y, side);
                  block.store(Phase::store, rectangle(y_, at.stream, whole_row, cols), y);
                });
  }

  void step(Block<P>& block, Count stream, const TileSlot& cols, Count op, RegisterTile<P>& y,
            std::optional<RegisterTile<P>>& side) {
    const ChainStep kind = chain_step(options_.side_inputs, op);
    if (kind != ChainStep::side) return block.apply(kind, y);
    block.load(Phase::load_state, *side, rectangle(side_, stream, TileSlot{.begin = op, .size = 1}, cols));
    block.apply(kind, y, *side);
  }

  static constexpr TileSlot whole_row = {.size = 1};

  Gpu<P>& gpu_;
  const Problem& problem_;
  const Options& options_;
  TileRange pieces_;
  Tensor<P>& x_;
  Tensor<P>& side_;
  Tensor<P>& y_;
};

struct Elementwise {
  static constexpr std::string_view name = "elementwise";
  static constexpr std::string_view idea =
      "A chain of elementwise operations, each a kernel that reads and writes the whole tensor, or all fused in one.";
  static constexpr std::string_view source =
      "kernel fusion as compilers do it; Williams et al., Roofline, 2009, for its use";
  static constexpr std::string_view options = "--length --ops --side-inputs --variant";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    ElementwiseKernel<P> kernel(gpu, point);
    if (point.options.variant == Variant::fused) {
      kernel.fused();
    } else {
      kernel.unfused();
    }
  }
};

}  // namespace

Algorithm elementwise() { return describe<Elementwise>(); }

}  // namespace tilemeter
