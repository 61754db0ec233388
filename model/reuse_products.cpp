#include "model/reuse_products.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/closed_form/catalog.hpp"
#include "model/reuse_walks.hpp"

namespace tilemeter {
namespace {

double area(Count a, Count b) { return static_cast<double>(a) * static_cast<double>(b); }
double output_bytes(const Work& work) { return static_cast<double>(work.total().write_bytes.value()); }
double bytes_read(const Work& work, TensorName name) { return static_cast<double>(work[name].read_bytes.value()); }
double bytes_written(const Work& work, TensorName name) { return static_cast<double>(work[name].write_bytes.value()); }
Bytes whole_bytes(double bytes) { return Bytes(static_cast<Count>(std::llround(bytes))); }

/// Wave ends that lie inside a row of blocks.
double ends_in_rows(const ProductGrid& grid, Count resident) {
  const double blocks = area(grid.batch, grid.rows) * static_cast<double>(grid.cols);
  const double ends = std::ceil(blocks / static_cast<double>(resident)) - 1;
  const Count period = grid.cols / std::gcd(resident, grid.cols);  // every so many ends are that of a row too
  return ends - std::floor(ends / static_cast<double>(period));
}

DramEstimate products_estimate(double reads, double writes, double left) {
  return {.read = whole_bytes(reads), .write = whole_bytes(writes - left), .left_dirty = whole_bytes(left)};
}

}  // namespace

PanelsAgain panels_again(const ProductGrid& grid, Count resident, double capacity) {
  const double cols = static_cast<double>(grid.cols);
  const double at_once = std::min(static_cast<double>(resident), area(grid.batch, grid.rows) * cols);
  const double rows_of_wave = std::max(1.0, at_once / cols);
  const double wave = rows_of_wave * grid.a_panel + std::min(cols, at_once) * grid.b_panel + at_once * grid.c_tile;
  PanelsAgain again;
  if (wave > capacity) again.a = ends_in_rows(grid, std::max<Count>(1, resident)) * grid.a_panel;
  // Columns come back with the next wave, or, where a wave is less than a row, with the next row.
  const bool whole_rows = at_once >= cols;
  const double between = whole_rows ? wave : cols * (grid.b_panel + grid.c_tile) + grid.a_panel;
  if (between <= capacity) return again;
  const double rows = static_cast<double>(grid.rows);
  const double passes = whole_rows ? std::max(1.0, rows * cols / at_once) : rows;
  again.b = static_cast<double>(grid.batch) * (passes - 1) * cols * grid.b_panel;
  return again;
}

namespace {

/// Rows and columns of C, or of a tile of it.
struct ProductSize {
  Count rows = 1;
  Count cols = 1;
};

/// The blocks of `batch` products of rows x depth by depth x cols, all in elements of so many bytes.
ProductGrid product_grid(Count batch, ProductSize whole, Count depth, ProductSize tile, double element) {
  const Count tile_rows = std::min(tile.rows, whole.rows);
  const Count tile_cols = std::min(tile.cols, whole.cols);
  return {.batch = batch,
          .rows = ceil_div(whole.rows, tile_rows),
          .cols = ceil_div(whole.cols, tile_cols),
          .a_panel = area(tile_rows, depth) * element,
          .b_panel = area(depth, tile_cols) * element,
          .c_tile = area(tile_rows, tile_cols) * element};
}

/// One product whose operands are read and whose result is written; `edge` is what its blocks read, `inputs` what of it
/// is compulsory.
DramEstimate product_dram(const ProductGrid& grid, double edge, double inputs, double output, Count resident,
                          double capacity) {
  const PanelsAgain again = panels_again(grid, resident, capacity);
  const double reads = std::min(edge, inputs + again.a + again.b);
  return products_estimate(reads, output, output * std::min(1.0, capacity / (reads + output)));
}

}  // namespace

DramEstimate gemm_dram(const Case& point, const Concurrency& concurrency, double capacity) {
  const Work bill = closed_form("gemm", point);
  const Work once = compulsory("gemm", point);
  const ProductGrid grid =
      product_grid(point.problem.batch, {point.shapes.m, point.shapes.n}, point.shapes.k,
                   {point.tiling.block_m, point.tiling.block_n}, static_cast<double>(size_of(point.problem.dtype)));
  const double inputs = bytes_read(once, TensorName::A) + bytes_read(once, TensorName::B);
  const double edge = bytes_read(bill, TensorName::A) + bytes_read(bill, TensorName::B);
  return product_dram(grid, edge, inputs, output_bytes(bill), concurrency.resident, capacity);
}

DramEstimate weight_layer_dram(const Case& point, const Concurrency& concurrency, double capacity) {
  const Work bill = closed_form("weight_layer", point);
  const Work once = compulsory("weight_layer", point);
  const Count d_out = point.shapes.d_out;
  ProductGrid grid =
      product_grid(point.problem.batch, {point.shapes.tokens, d_out}, point.shapes.d_in,
                   {point.tiling.block_m, point.tiling.block_n}, static_cast<double>(size_of(point.problem.dtype)));
  // Weights have a type of their own, and scales.
  const double weights = bytes_read(once, TensorName::W) + bytes_read(once, TensorName::scales);
  grid.b_panel = weights / static_cast<double>(point.problem.batch) *
                 static_cast<double>(std::min(point.tiling.block_n, d_out)) / static_cast<double>(d_out);
  const double edge = static_cast<double>(bill.total().read_bytes.value());
  const double inputs = static_cast<double>(once.total().read_bytes.value());
  return product_dram(grid, edge, inputs, output_bytes(bill), concurrency.resident, capacity);
}

DramEstimate standard_tiled_dram(const Case& point, const Concurrency& concurrency, double capacity) {
  const Work bill = closed_form("standard_tiled", point);
  const Work once = compulsory("standard_tiled", point);
  const Problem& problem = point.problem;
  const double element = static_cast<double>(size_of(problem.dtype));
  const double score = static_cast<double>(size_of(problem.score_dtype));
  const Count rows = std::min(point.tiling.block_q, problem.rows());
  const Count keys = std::min(point.tiling.block_k, problem.seq_k);
  const Count columns =
      point.tiling.block_d == 0 ? problem.head_dim_v : std::min(point.tiling.block_d, problem.head_dim_v);
  const ProductGrid scores{.batch = problem.streams(),
                           .rows = ceil_div(problem.rows(), point.tiling.block_q),
                           .cols = ceil_div(problem.seq_k, point.tiling.block_k),
                           .a_panel = area(rows, problem.head_dim) * element,
                           .b_panel = area(keys, problem.head_dim) * element,
                           .c_tile = area(rows, keys) * score};
  const ProductGrid output{.batch = problem.streams(),
                           .rows = scores.rows,
                           .cols = ceil_div(problem.head_dim_v, columns),
                           .a_panel = area(rows, problem.seq_k) * score,
                           .b_panel = area(problem.seq_k, columns) * element,
                           .c_tile = area(rows, columns) * element};
  const PanelsAgain s_again = panels_again(scores, concurrency.resident, capacity);
  const PanelsAgain o_again = panels_again(output, concurrency.resident, capacity);
  const double s = bytes_written(bill, TensorName::S);
  const double p = bytes_written(bill, TensorName::P);
  const double o = bytes_written(bill, TensorName::O);
  // Between a row's scores and its softmax lie the later rows of S, then the earlier ones of S and P; likewise for P.
  const double s_lost = s * share_above(s, s + p, capacity);
  const double p_lost = p * share_above(s + p, p + o, capacity);
  const double inputs =
      bytes_read(once, TensorName::Q) + bytes_read(once, TensorName::K) + bytes_read(once, TensorName::V);
  const double again = s_again.a + s_again.b + o_again.a + o_again.b;
  const double edge = static_cast<double>(bill.total().read_bytes.value());
  const double reads = std::min(edge, inputs + s_lost + p_lost + again);
  const double writes = output_bytes(bill);
  const double left = inputs + writes <= capacity ? writes : o * std::min(1.0, capacity / (p + o));
  return products_estimate(reads, writes, left);
}

}  // namespace tilemeter
