// A tiled matrix product with C, A or B stationary on chip, or nothing.
#include "model/closed_form/gemm.hpp"
#include "sim/algorithms/describe.hpp"
#include "sim/algorithms/rectangles.hpp"

namespace tilemeter {
namespace {

/// Where C is when a step begins: nowhere yet, or in memory.
enum class PartialSum { none, in_memory };

template <class P>
class GemmKernel {
 public:
  GemmKernel(Gpu<P>& gpu, const Case& point)
      : gpu_(gpu),
        problem_(point.problem),
        rows_(all_tiles(point.shapes.m, point.tiling.block_m)),
        cols_(all_tiles(point.shapes.n, point.tiling.block_n)),
        depth_(all_tiles(point.shapes.k, point.tiling.block_k)),
        stages_(point.tiling.stages),
        a_(gpu.tensor(TensorName::A, problem_.batch, {rows_.extent, depth_.extent}, problem_.dtype)),
        b_(gpu.tensor(TensorName::B, problem_.batch, {depth_.extent, cols_.extent}, problem_.dtype)),
        c_(gpu.tensor(TensorName::C, problem_.batch, {rows_.extent, cols_.extent}, problem_.dtype)) {}

  /// A block a tile of C, which stays on chip while tiles of A and B pass by.
  void c_stationary() {
    gpu_.launch("gemm", grid_of(runs_of(rows_), runs_of(cols_)), [&](Block<P>& block, const Place& at) {
      Tiles tiles(block, *this);
      const TileSlot row = slot_of(rows_, at.row.index);
      const TileSlot col = slot_of(cols_, at.col.index);
      block.fill(tiles.c, {row.size, col.size}, 0);
      block.tiles(depth_, [&](const TileSlot& part) {
        load_a(block, tiles, rectangle(a_, at.stream, row, part));
        load_b(block, tiles, rectangle(b_, at.stream, part, col));
        multiply(block, tiles);
      });
      block.store(Phase::store, rectangle(c_, at.stream, row, col), tiles.c);
    });
  }

  /// A block a row of tiles of A; each of them meets all of B's tiles that it needs.
  void a_stationary() {
    gpu_.launch("gemm", grid_of(runs_of(rows_), {Run{}}), [&](Block<P>& block, const Place& at) {
      Tiles tiles(block, *this);
      const TileSlot row = slot_of(rows_, at.row.index);
      for_each_part(block, [&](const TileSlot& part, PartialSum sum) {
        load_a(block, tiles, rectangle(a_, at.stream, row, part));
        block.tiles(cols_, [&](const TileSlot& col) {
          load_b(block, tiles, rectangle(b_, at.stream, part, col));
          add_to_memory(block, tiles, rectangle(c_, at.stream, row, col), sum);
        });
      });
    });
  }

  /// A block a column of tiles of B.
  void b_stationary() {
    gpu_.launch("gemm", grid_of(runs_of(cols_), {Run{}}), [&](Block<P>& block, const Place& at) {
      Tiles tiles(block, *this);
      const TileSlot col = slot_of(cols_, at.row.index);
      for_each_part(block, [&](const TileSlot& part, PartialSum sum) {
        load_b(block, tiles, rectangle(b_, at.stream, part, col));
        block.tiles(rows_, [&](const TileSlot& row) {
          load_a(block, tiles, rectangle(a_, at.stream, row, part));
          add_to_memory(block, tiles, rectangle(c_, at.stream, row, col), sum);
        });
      });
    });
  }

  /// A block a tile of C, which goes through memory at every step; C starts as zeros there.
  void no_reuse() {
    gpu_.launch("gemm", grid_of(runs_of(rows_), runs_of(cols_)), [&](Block<P>& block, const Place& at) {
      Tiles tiles(block, *this);
      const TileSlot row = slot_of(rows_, at.row.index);
      const TileSlot col = slot_of(cols_, at.col.index);
      block.tiles(depth_, [&](const TileSlot& part) {
        load_a(block, tiles, rectangle(a_, at.stream, row, part));
        load_b(block, tiles, rectangle(b_, at.stream, part, col));
        add_to_memory(block, tiles, rectangle(c_, at.stream, row, col), PartialSum::in_memory);
      });
    });
  }

 private:
  struct Tiles {
    Ring<P> a;
    Ring<P> b;
    RegisterTile<P> c;

    Tiles(Block<P>& block, const GemmKernel& kernel)
        : a(block.ring("A", kernel.stages_, {kernel.rows_.size, kernel.depth_.size}, kernel.problem_.dtype)),
          b(block.ring("B", kernel.stages_, {kernel.depth_.size, kernel.cols_.size}, kernel.problem_.dtype)),
          c(block.registers("C", {kernel.rows_.size, kernel.cols_.size}, accumulator_of(kernel.problem_))) {}
  };

  Grid grid_of(std::vector<Run> rows, std::vector<Run> cols) const {
    return {.streams = problem_.batch, .rows = std::move(rows), .cols = std::move(cols)};
  }

  /// The tiles along k, of which the first finds no partial sum in memory.
  template <class Body>
  void for_each_part(Block<P>& block, Body body) const {
    block.tiles(first_of(depth_), [&](const TileSlot& part) { body(part, PartialSum::none); });
    block.tiles(after_first(depth_), [&](const TileSlot& part) { body(part, PartialSum::in_memory); });
  }

  static void load_a(Block<P>& block, Tiles& tiles, const View<P>& from) {
    block.load(Phase::load_q, tiles.a.next(), from);
  }
  static void load_b(Block<P>& block, Tiles& tiles, const View<P>& from) {
    block.load(Phase::load_k, tiles.b.next(), from);
  }

  void multiply(Block<P>& block, Tiles& tiles) const {
    block.accumulate(tiles.c, tiles.a.current(), tiles.b.current(), problem_.dtype);
    block.visit_tile();
  }

  /// c = c + a b, where c is in memory.
  void add_to_memory(Block<P>& block, Tiles& tiles, const View<P>& c, PartialSum sum) const {
    if (sum == PartialSum::in_memory) {
      block.load(Phase::load_state, tiles.c, c);
    } else {
      block.fill(tiles.c, c.shape, 0);
    }
    multiply(block, tiles);
    block.store(Phase::store, c, tiles.c);
  }

  Gpu<P>& gpu_;
  const Problem& problem_;
  TileRange rows_;
  TileRange cols_;
  TileRange depth_;
  Count stages_;
  Tensor<P>& a_;
  Tensor<P>& b_;
  Tensor<P>& c_;
};

struct Gemm {
  static constexpr std::string_view name = "gemm";
  static constexpr std::string_view idea =
      "A tiled matrix product C = A B in which C, A, B or nothing stays on chip while the rest passes by.";
  static constexpr std::string_view source =
      "the classical tiled product; bounds by Hong & Kung, 1981, and COSMA, 2019";
  static constexpr std::string_view options = "--m --n --k --block-m --block-n --stages --order";

  template <class P>
  static void run(Gpu<P>& gpu, const Case& point) {
    GemmKernel<P> kernel(gpu, point);
    switch (gemm_order_of(point)) {
      case GemmOrder::c_stationary:
        return kernel.c_stationary();
      case GemmOrder::a_stationary:
        return kernel.a_stationary();
      case GemmOrder::b_stationary:
        return kernel.b_stationary();
      case GemmOrder::no_reuse:
        return kernel.no_reuse();
    }
  }
};

}  // namespace

Algorithm gemm() { return describe<Gemm>(); }

}  // namespace tilemeter
