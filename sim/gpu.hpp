// The launcher: device memory, and grids of blocks over it.
#pragma once

#include <deque>
#include <string_view>
#include <vector>

#include "sim/block.hpp"

namespace tilemeter {

/// The blocks of a launch: every stream, every row step and every column step. Columns are the fastest, streams the
/// slowest.
struct Grid {
  Count streams = 1;
  std::vector<Run> rows{};
  std::vector<Run> cols = {Run{}};
};

/// Where a block stands in its grid.
struct Place {
  Count stream = 0;
  Slot row{};
  Slot col{};
};

template <class P>
class Gpu {
 public:
  /// Ops go to `sink`; blocks must fit `budget`. Both must outlive the Gpu.
  Gpu(Sink& sink, const Budget& budget) : sink_(sink), budget_(budget) {}

  /// The tensor called `name`, made with zeros if it does not exist yet.
  Tensor<P>& tensor(TensorName name, Count streams, Shape shape, DType dtype);
  /// An existing tensor; nullptr if there is none.
  Tensor<P>* find(TensorName name);

  /// Runs body(block, place) for every block of the grid; for like blocks once, as far as the sink folds them.
  template <class Body>
  void launch(std::string_view kernel, const Grid& grid, Body&& body);

 private:
  template <class Body>
  void run_block(const BlockInfo& info, const Place& place, Body& body);
  template <class Visit>
  void for_each_step(const std::vector<Run>& runs, Fold fold, Visit visit);

  Sink& sink_;
  const Budget& budget_;
  std::deque<Tensor<P>> tensors_;
};

/// Steps of all runs.
inline Count steps_of(const std::vector<Run>& runs) {
  Count steps = 0;
  for (const Run& run : runs) steps += run.count;
  return steps;
}

template <class P>
Tensor<P>& Gpu<P>::tensor(TensorName name, Count streams, Shape shape, DType dtype) {
  if (Tensor<P>* existing = find(name)) return *existing;
  Tensor<P>& made = tensors_.emplace_back(Tensor<P>{.name = name, .shape = shape, .dtype = dtype, .streams = {}});
  if constexpr (P::has_numbers) {
    made.streams.assign(static_cast<std::size_t>(streams), P::Storage::Zero(shape.rows, shape.cols));
  }
  return made;
}

template <class P>
Tensor<P>* Gpu<P>::find(TensorName name) {
  for (Tensor<P>& tensor : tensors_) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

template <class P>
template <class Visit>
void Gpu<P>::for_each_step(const std::vector<Run>& runs, Fold fold, Visit visit) {
  for (const Run& run : runs) {
    if (fold == Fold::all) {
      visit(Slot{.index = run.last(), .run = run});
    } else {
      for (Count k = 0; k < run.count; ++k) {
        const Count index = run.first + k * run.step;
        visit(Slot{.index = index, .run = {.first = index}});
      }
    }
  }
}

template <class P>
template <class Body>
void Gpu<P>::run_block(const BlockInfo& info, const Place& place, Body& body) {
  sink_.begin_block(info);
  Block<P> block(sink_, budget_, info.copies);
  body(block, place);
  block.finish();
}

template <class P>
template <class Body>
void Gpu<P>::launch(std::string_view kernel, const Grid& grid, Body&& body) {
  const Fold fold = P::has_numbers ? Fold::none : sink_.fold();
  const Count cols = steps_of(grid.cols);
  const Count per_stream = named("the number of blocks", [&] { return checked::multiply(steps_of(grid.rows), cols); });
  const Count all = named("the number of blocks", [&] { return checked::multiply(per_stream, grid.streams); });
  const Count visited_streams = fold == Fold::none ? grid.streams : 1;
  for (Count stream = 0; stream < visited_streams; ++stream) {
    for_each_step(grid.rows, fold, [&](const Slot& row) {
      for_each_step(grid.cols, fold, [&](const Slot& col) {
        const BlockInfo info = {.kernel = kernel,
                                .grid_blocks = all,
                                .first = stream * per_stream + row.index * cols + col.index,
                                .stride = per_stream,
                                .copies = row.run.count * col.run.count * (fold == Fold::none ? 1 : grid.streams)};
        run_block(info, Place{.stream = stream, .row = row, .col = col}, body);
      });
    });
  }
}

// What does not depend on a kernel's body is compiled once, in block.cpp.
extern template class Gpu<Ghost>;
extern template class Gpu<Real<float>>;
extern template class Gpu<Real<double>>;

}  // namespace tilemeter
