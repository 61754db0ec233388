// The launcher: device memory, and grids of blocks over it.
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/block.hpp"

namespace tilemeter {

/// The blocks of a launch: every stream, every row step and every column step. Columns are the fastest, streams the
/// slowest.
struct Grid {
  Count streams = 1;
  std::vector<Run> rows{};
  std::vector<Run> cols = {Run{}};
  /// The same row steps in the runs that are alike for the columns of one run, where that differs between columns.
  std::function<std::vector<Run>(const Slot& col)> rows_of{};
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

  /// Calls body(slot) for every step of `runs`, one after the other, to launch what the step needs; for like steps
  /// once, as far as the sink folds them.
  template <class Body>
  void in_turn(const std::vector<Run>& runs, Body body);

 private:
  template <class Body>
  void run_block(const BlockInfo& info, const Place& place, Body& body);
  template <class Visit>
  void for_each_step(const std::vector<Run>& runs, Fold fold, Visit visit);

  Sink& sink_;
  const Budget& budget_;
  std::deque<Tensor<P>> tensors_;
  Count launches_ = 1;  // equal launches that one stands for
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
  sink_.tensor({.name = name, .streams = streams, .rows = shape.rows, .cols = shape.cols, .dtype = dtype});
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
void Gpu<P>::in_turn(const std::vector<Run>& runs, Body body) {
  for_each_step(runs, P::has_numbers ? Fold::none : sink_.fold(), [&](const Slot& slot) {
    const Count times = named("the number of launches", [&] { return checked::multiply(launches_, slot.run.count); });
    const Count outer = std::exchange(launches_, times);
    body(slot);
    launches_ = outer;
  });
}

template <class P>
template <class Body>
void Gpu<P>::launch(std::string_view kernel, const Grid& grid, Body&& body) {
  const Fold fold = P::has_numbers ? Fold::none : sink_.fold();
  const Count cols = steps_of(grid.cols);
  const Count per_stream = named("the number of blocks", [&] { return checked::multiply(steps_of(grid.rows), cols); });
  const Count all = named("the number of blocks", [&] { return checked::multiply(per_stream, grid.streams); });
  named("the number of blocks", [&] { return checked::multiply(all, launches_); });
  sink_.begin_launch({.kernel = kernel, .streams = grid.streams, .blocks_per_stream = per_stream});
  const Count visited_streams = fold == Fold::none ? grid.streams : 1;
  for (Count stream = 0; stream < visited_streams; ++stream) {
    const auto run_at = [&](const Slot& row, const Slot& col) {
      const BlockInfo info = {
          .kernel = kernel,
          .grid_blocks = all,
          .first = stream * per_stream + row.index * cols + col.index,
          .stride = per_stream,
          .copies = launches_ * row.run.count * col.run.count * (fold == Fold::none ? 1 : grid.streams)};
      run_block(info, Place{.stream = stream, .row = row, .col = col}, body);
    };
    if (fold == Fold::all && grid.rows_of) {
      for_each_step(grid.cols, fold, [&](const Slot& col) {
        for_each_step(grid.rows_of(col), fold, [&](const Slot& row) { run_at(row, col); });
      });
    } else {
      for_each_step(grid.rows, fold, [&](const Slot& row) {
        for_each_step(grid.cols, fold, [&](const Slot& col) { run_at(row, col); });
      });
    }
  }
}

// What does not depend on a kernel's body is compiled once, in block.cpp.
extern template class Gpu<Ghost>;
extern template class Gpu<Real<float>>;
extern template class Gpu<Real<double>>;

}  // namespace tilemeter
