// Softmax of the rows of a matrix: three passes, two, two without the maximum, or one with the row on chip.
#include <limits>

#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/rectangles.hpp"

namespace tilemeter {
namespace {

template <class P>
class SoftmaxKernel {
 public:
  SoftmaxKernel(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        variant_(*point.options.variant),
        rows_(all_tiles(point.shapes.rows, 1)),
        pieces_(all_tiles(point.shapes.cols, variant_ == Variant::resident ? point.shapes.cols : point.tiling.block_k)),
        x_(gpu.tensor(TensorName::X, problem_.batch, {rows_.extent, pieces_.extent}, problem_.dtype)),
        y_(gpu.tensor(TensorName::Y, problem_.batch, {rows_.extent, pieces_.extent}, problem_.dtype)) {}

  /// A block a row.
  void run() {
    gpu_.launch("softmax", {.streams = problem_.batch, .rows = runs_of(rows_)}, [&](Block<P>& block, const Place& at) {
      variant_ == Variant::naive ? naive(block, at) : with_maximum(block, at);
    });
  }

 private:
  RegisterTile<P> statistic(Block<P>& block, const char* name) const {
    return block.registers(name, {1, 1}, accumulator_of(problem_));
  }
  RegisterTile<P> piece(Block<P>& block) const {
    return block.registers("X", {1, pieces_.size}, accumulator_of(problem_));
  }

  /// One pass over the tiles of a range: each is loaded, and stored where `writes` says so.
  enum class Writes { nothing, quotients };
  template <class Body>
  void pass(Block<P>& block, const Place& at, RegisterTile<P>& x, const TileRange& range, Writes writes, Body body) {
    const TileSlot row = slot_of(rows_, at.row.index);
    block.tiles(range, [&](const TileSlot& cols) {
      block.load(Phase::load_state, x, rectangle(x_, at.stream, row, cols));
      body();
      if (writes == Writes::quotients) block.store(Phase::store, rectangle(y_, at.stream, row, cols), x);
    });
  }

  void naive(Block<P>& block, const Place& at) {
    RegisterTile<P> x = piece(block);
    RegisterTile<P> l = statistic(block, "l");
    block.fill(l, {1, 1}, 0);
    pass(block, at, x, pieces_, Writes::nothing, [&] {
      block.exponentiate(x);
      block.add_row_sums(l, x);
    });
    pass(block, at, x, pieces_, Writes::quotients, [&] {
      block.exponentiate(x);
      block.divide_rows(x, l);
    });
  }

  void with_maximum(Block<P>& block, const Place& at) {
    RegisterTile<P> x = piece(block);
    RegisterTile<P> l = statistic(block, "l");
    RegisterTile<P> m = statistic(block, "m");
    if (variant_ == Variant::resident) {
      return pass(block, at, x, pieces_, Writes::quotients, [&] { block.softmax(x); });
    }
    block.fill(l, {1, 1}, 0);
    block.fill(m, {1, 1}, -std::numeric_limits<double>::infinity());
    if (variant_ == Variant::safe) {
      pass(block, at, x, pieces_, Writes::nothing, [&] { block.row_maximum(m, x); });
      pass(block, at, x, pieces_, Writes::nothing, [&] {
        block.exponentiate(x, m);
        block.add_row_sums(l, x);
      });
    } else {
      const auto take_in = [&](RowStart start) { return [&, start] { block.online_normaliser(m, l, x, start); }; };
      pass(block, at, x, first_of(pieces_), Writes::nothing, take_in(RowStart::here));
      pass(block, at, x, after_first(pieces_), Writes::nothing, take_in(RowStart::earlier));
    }
    pass(block, at, x, pieces_, Writes::quotients, [&] { block.normalise(x, m, l); });
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  Variant variant_;
  TileRange rows_;
  TileRange pieces_;
  Tensor<P>& x_;
  Tensor<P>& y_;
};

struct Softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr std::string_view idea =
      "The softmax of every row in three passes, in two with an online normaliser, in two without the maximum, or in "
      "one with the row on chip.";
  static constexpr std::string_view source =
      "Milakov & Gimelshein, Online normalizer calculation for softmax, 2018, Algorithms 1 to 3";
  static constexpr std::string_view options = "--rows --cols --variant";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    SoftmaxKernel<P>(gpu, point).run();
  }
};

}  // namespace

Algorithm softmax() { return describe<Softmax>(); }

}  // namespace tilemeter
