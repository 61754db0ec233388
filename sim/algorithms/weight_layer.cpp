// A layer with weights of a type of their own: tiles of Y stay on chip, W is dequantised where it is used.
#include "model/closed_form/weight_layer.hpp"

#include <optional>

#include "model/closed_form/bill.hpp"
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/rectangles.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

template <class P>
class WeightLayerKernel {
 public:
  WeightLayerKernel(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        point_(point),
        problem_(point.problem),
        walk_(weight_walk_of(point)),
        tokens_(all_tiles(point.shapes.tokens, point.tiling.block_m)),
        features_(all_tiles(point.shapes.d_out, point.tiling.block_n)),
        spans_(all_tiles(point.shapes.d_in, walk_.span)),
        x_(declare(TensorName::X, tokens_.extent, spans_.extent)),
        w_(declare(TensorName::W, features_.extent, spans_.extent)),
        y_(declare(TensorName::Y, tokens_.extent, features_.extent)) {}

  void run() {
    const Grid grid = {.streams = problem_.batch, .rows = runs_of(tokens_), .cols = runs_of(features_)};
    gpu_.launch("weight_layer", grid, [&](Block<P>& block, const Place& at) {
      SharedTile<P> x = block.shared("X", {tokens_.size, walk_.step}, problem_.dtype);
      SharedTile<P> w = block.shared("W", {features_.size, walk_.step}, w_.dtype);
      std::optional<SharedTile<P>> scales;
      if (walk_.groups > 0) scales = block.shared("scales", {features_.size, walk_.groups}, scale_type());
      RegisterTile<P> y = block.registers("Y", {tokens_.size, features_.size}, accumulator_of(problem_));
      const TileSlot rows = slot_of(tokens_, at.row.index);
      const TileSlot cols = slot_of(features_, at.col.index);
      block.fill(y, {rows.size, cols.size}, 0);
      block.tiles(spans_, [&](const TileSlot& span) {
        if (scales) load_scales(block, *scales, at.stream, cols, span);
        block.tiles(all_tiles(span.size, walk_.step), [&](const TileSlot& within) {
          const TileSlot part = {.begin = span.begin + within.begin, .size = within.size};
          block.load(Phase::load_q, x, rectangle(x_, at.stream, rows, part));
          block.load(Phase::load_k, w, rectangle(w_, at.stream, cols, part));
          dequantise(block, w, scales);
          block.add_scores(y, x, w);
          block.visit_tile();
        });
      });
      block.store(Phase::store, rectangle(y_, at.stream, rows, cols), y);
    });
  }

 private:
  DType scale_type() const { return dtype_of(TensorName::scales, point_); }

  Tensor<P>& declare(TensorName name, Count rows, Count cols) {
    return gpu_.tensor(name, problem_.batch, {rows, cols}, dtype_of(name, point_));
  }

  void load_scales(Block<P>& block, SharedTile<P>& scales, Count stream, const TileSlot& cols, const TileSlot& span) {
    const Count group = point_.options.group_size;
    Tensor<P>& memory = declare(TensorName::scales, features_.extent, ceil_div(spans_.extent, group));
    const TileSlot groups = {.begin = span.begin / group, .size = ceil_div(span.size, group)};
    block.load(Phase::load_state, scales, rectangle(memory, stream, cols, groups));
  }

  void dequantise(Block<P>& block, SharedTile<P>& w, const std::optional<SharedTile<P>>& scales) const {
    if (scales) {
      block.dequantise(w, *scales, point_.options.group_size, problem_.dtype);
    } else if (point_.options.weight_type != WeightType::bf16) {
      block.dequantise(w, whole_scale(point_.options.weight_type), problem_.dtype);
    }
  }

  Gpu<P>& gpu_;
  const Case& point_;
  const Problem& problem_;
  WeightWalk walk_;
  TileRange tokens_;
  TileRange features_;
  TileRange spans_;
  Tensor<P>& x_;
  Tensor<P>& w_;
  Tensor<P>& y_;
};

struct WeightLayer {
  static constexpr std::string_view name = "weight_layer";
  static constexpr std::string_view idea =
      "Y = X W with weights in bf16, int8 or int4 and scales a group; tiles of Y stay on chip, so weights are read "
      "once "
      "for every tile of tokens.";
  static constexpr std::string_view source =
      "weight-only quantised layers of language models (GPTQ, AWQ: scales a group)";
  static constexpr std::string_view options = "--tokens --d-in --d-out --weight-dtype --group-size --block-m --block-n";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    WeightLayerKernel<P>(gpu, point).run();
  }
};

}  // namespace

Algorithm weight_layer() { return describe<WeightLayer>(); }

}  // namespace tilemeter
