// Bodies of Block's members: allocation, loops and transfers. The arithmetic verbs are in block_verbs.inl.
#pragma once

#include <algorithm>

#include "sim/block.hpp"

namespace tilemeter {

template <class P>
template <Space S>
Tile<P, S> Block<P>::make(Shape shape, DType dtype) {
  Tile<P, S> tile{.allocated = shape, .shape = shape, .dtype = dtype, .id = next_id_++, .data = {}};
  if constexpr (real) tile.data.resize(shape.rows, shape.cols);
  return tile;
}

template <class P>
template <Space S>
Tile<P, S> Block<P>::allocate(std::string name, Shape shape, DType dtype) {
  tiles_.push_back({.name = std::move(name), .space = S, .rows = shape.rows, .cols = shape.cols, .dtype = dtype});
  room_checked_ = false;
  return make<S>(shape, dtype);
}

template <class P>
SharedTile<P> Block<P>::shared(std::string name, Shape shape, DType dtype) {
  return allocate<Space::shared>(std::move(name), shape, dtype);
}

template <class P>
RegisterTile<P> Block<P>::registers(std::string name, Shape shape, DType dtype) {
  return allocate<Space::registers>(std::move(name), shape, dtype);
}

template <class P>
Ring<P> Block<P>::ring(const std::string& name, Count stages, Shape shape, DType dtype) {
  tiles_.push_back(
      {.name = name, .space = Space::shared, .rows = shape.rows, .cols = shape.cols, .copies = stages, .dtype = dtype});
  room_checked_ = false;
  check_room();
  std::vector<SharedTile<P>> tiles;
  const Count held = real || sink_.fold() == Fold::none ? stages : 1;  // a folded loop sees one tile, once
  for (Count stage = 0; stage < held; ++stage) tiles.push_back(make<Space::shared>(shape, dtype));
  if (announces_loops()) sink_.ring(tiles.front().id, stages);
  return Ring<P>(std::move(tiles));
}

template <class P>
Copies<P> Block<P>::copies(const std::string& name, Count copies, Shape shape, DType dtype) {
  tiles_.push_back({.name = name,
                    .space = Space::registers,
                    .rows = shape.rows,
                    .cols = shape.cols,
                    .copies = copies,
                    .dtype = dtype});
  room_checked_ = false;
  check_room();
  std::vector<RegisterTile<P>> tiles;
  const Count held = real || sink_.fold() == Fold::none ? copies : 1;  // a folded loop sees one tile, once
  for (Count copy = 0; copy < held; ++copy) tiles.push_back(make<Space::registers>(shape, dtype));
  if (announces_loops()) sink_.ring(tiles.front().id, copies);
  return Copies<P>(std::move(tiles));
}

template <class P>
RowFactors<P> Block<P>::row_factors(Count rows) {
  RowFactors<P> factors;
  factors.id = next_id_++;
  if constexpr (real) {
    factors.rescale.resize(rows, 1);
    factors.carried.resize(rows, 1);
  }
  return factors;
}

template <class P>
void Block<P>::check_room() {
  if (room_checked_) return;
  room_checked_ = true;
  if (budget_.overflowing == Overflowing::refused && !fits(footprint_of(tiles_), budget_))
    throw OverCapacity(tiles_, budget_);
}

template <class P>
void Block<P>::report(const Op& op) {
  check_room();
  sink_.op(op, times_);
}

template <class P>
void Block<P>::report_load(Phase phase, TileId to, const View<P>& from, Shape shape) {
  report({.phase = phase,
          .unit = Unit::memory,
          .tensor = from.tensor->name,
          .traffic = {.read = shape.elements(), .read_bytes = bytes_of(shape.rows, shape.cols, from.tensor->dtype)},
          .matrix = static_cast<Count>(from.stream),
          .area = {.row = from.row, .col = from.col, .rows = shape.rows, .cols = shape.cols},
          .writes = {to, no_tile, no_tile, no_tile}});
}

template <class P>
void Block<P>::finish() {
  check_room();
  sink_.end_block(tiles_);
}

template <class P>
template <class Body>
void Block<P>::repeated(Count times, Body body) {
  const Count outer = std::exchange(times_, times);
  body();
  times_ = outer;
}

template <class P>
void Block<P>::announce_iteration(TileId first_own) {
  sink_.iteration();
  next_id_ = first_own;
}

template <class P>
template <class Body>
void Block<P>::announced_loop(Count times, Body body) {
  if (times == 0) return;
  sink_.begin_loop();
  const TileId first_own = next_id_;
  for (Count step = 0; step < std::min<Count>(times, 2); ++step) {
    announce_iteration(first_own);
    body(step);
  }
  sink_.end_loop(times);
}

template <class P>
template <class Body>
void Block<P>::runs(const std::vector<Run>& runs, Body body, Walk walk) {
  if (announces_loops()) sink_.begin_loop();
  if (!folds()) {
    const TileId first_own = next_id_;
    const std::vector<Count> steps = steps_in_order(runs, walk);
    for (const Count index : steps) {
      if (announces_loops()) announce_iteration(first_own);
      body(Slot{.index = index, .run = {.first = index}});
    }
    if (announces_loops()) sink_.end_loop(static_cast<Count>(steps.size()));
    return;
  }
  for (const Run& run : runs) {
    const Count times = named("the number of loop steps", [&] { return checked::multiply(times_, run.count); });
    repeated(times, [&] { body(Slot{.index = run.last(), .run = run}); });
  }
}

template <class P>
template <class Body>
void Block<P>::tiles(const TileRange& range, Body body) {
  tiles(
      Slot{}, [&](Count) { return range; }, body);
}

template <class P>
template <class RangeOf, class Body>
void Block<P>::tiles(const Slot& slot, RangeOf range_of, Body body, Walk walk) {
  const auto visit = [&](const TileRange& range, Count step) { body(slot_of(range, step)); };
  if (!folds()) {
    const TileSteps steps(range_of(slot.index), walk);
    if (!announces_loops()) {
      for (Count step = 0; step < steps.count(); ++step) body(steps[step]);
      return;
    }
    for (Count step = 0; step < steps.first_full(); ++step) body(steps[step]);
    announced_loop(steps.full(), [&](Count step) { body(steps[steps.first_full() + step]); });
    for (Count step = steps.first_full() + steps.full(); step < steps.count(); ++step) body(steps[step]);
    return;
  }
  // Lengths along a run are an arithmetic progression, so their sum follows from its ends.
  const TileRange first = range_of(slot.run.first);
  const TileRange last = range_of(slot.run.last());
  const TileRange& longest = first.full_length() > last.full_length() ? first : last;
  const Count outer = times_ / slot.run.count;
  const Count full = named("the number of visited tiles", [&] {
    const Wide ends = Wide(first.full_length()) + Wide(last.full_length());
    return (floor_div(Wide(slot.run.count) * ends, 2) * Wide(outer)).narrow();
  });
  if (full > 0) repeated(full, [&] { visit(longest, longest.full_length() - 1); });
  if (last.length() > last.full_length()) {
    repeated(outer * slot.run.count, [&] { visit(last, last.length() - 1); });
  }
}

template <class P>
template <class RangeOf, class Body>
void Block<P>::pipelined_tiles(const Slot& slot, RangeOf range_of, Body body, Walk walk) {
  if (folds()) {
    constexpr const TileSlot* nothing = nullptr;
    tiles(slot, range_of, [&](const TileSlot& tile) {
      body(&tile, nothing);
      body(nothing, &tile);
    });
    return;
  }
  const TileSteps steps(range_of(slot.index), walk);
  const auto turn = [&](Count step) {  // of `count` + 1: tile `step` enters, the one before it leaves
    const std::optional<TileSlot> next = step < steps.count() ? std::optional(steps[step]) : std::nullopt;
    const std::optional<TileSlot> before = step > 0 ? std::optional(steps[step - 1]) : std::nullopt;
    body(next ? &*next : nullptr, before ? &*before : nullptr);
  };
  if (steps.count() == 0) return;
  // Turns of two full tiles are alike, by twos: a body may exchange two of its tiles at every turn.
  const Count first = steps.first_full() + 1;
  const Count pairs = announces_loops() ? std::max<Count>(steps.full() - 1, 0) / 2 : 0;
  for (Count step = 0; step < first; ++step) turn(step);
  announced_loop(pairs, [&](Count pair) {
    turn(first + 2 * pair);
    turn(first + 2 * pair + 1);
  });
  for (Count step = first + 2 * pairs; step <= steps.count(); ++step) turn(step);
}

template <class P>
template <Space S>
void Block<P>::gather(Phase phase, Tile<P, S>& to, const std::vector<View<P>>& from) {
  Shape shape{.rows = 0, .cols = from.front().shape.cols};
  for (const View<P>& view : from) shape.rows += view.shape.rows;
  to.resize(shape);
  if constexpr (real) {
    Count row = 0;
    for (const View<P>& view : from) {
      numerics::copy<typename P::Scalar>(to.numbers().middleRows(row, view.shape.rows), view.numbers());
      row += view.shape.rows;
    }
  }
  report_load(phase, to.id, from.front(), shape);
}

template <class P>
template <Space S>
void Block<P>::load(Phase phase, Tile<P, S>& to, const View<P>& from) {
  to.resize(from.shape);
  if constexpr (real) numerics::copy<typename P::Scalar>(to.numbers(), from.numbers());
  report_load(phase, to.id, from, from.shape);
}

template <class P>
template <Space S>
void Block<P>::store(Phase phase, const View<P>& to, const Tile<P, S>& from) {
  if (from.shape != to.shape) throw std::logic_error("a store of another shape than its target");
  if constexpr (real) {
    numerics::copy<typename P::Scalar>(to.numbers(), from.numbers());
    numerics::round_all<typename P::Scalar>(to.tensor->dtype, to.numbers());
  }
  const Elements elements = to.shape.elements();
  report({.phase = phase,
          .unit = Unit::memory,
          .tensor = to.tensor->name,
          .traffic = {.write = elements, .write_bytes = bytes_of(to.shape.rows, to.shape.cols, to.tensor->dtype)},
          .matrix = static_cast<Count>(to.stream),
          .area = {.row = to.row, .col = to.col, .rows = to.shape.rows, .cols = to.shape.cols},
          .reads = {from.id, no_tile, no_tile, no_tile}});
}

template <class P>
template <Space S>
void Block<P>::atomic_add(Phase phase, const View<P>& to, const Tile<P, S>& from) {
  if (from.shape != to.shape) throw std::logic_error("an atomic add of another shape than its target");
  if constexpr (real) {
    numerics::add<typename P::Scalar>(to.numbers(), from.numbers());
    numerics::round_all<typename P::Scalar>(to.tensor->dtype, to.numbers());
  }
  const Elements elements = to.shape.elements();
  const Bytes bytes = bytes_of(to.shape.rows, to.shape.cols, to.tensor->dtype);
  report({.phase = phase,
          .unit = Unit::memory,
          .tensor = to.tensor->name,
          .traffic = {.read = elements, .write = elements, .read_bytes = bytes, .write_bytes = bytes},
          .matrix = static_cast<Count>(to.stream),
          .area = {.row = to.row, .col = to.col, .rows = to.shape.rows, .cols = to.shape.cols},
          .reads = {from.id, no_tile, no_tile, no_tile}});
}

}  // namespace tilemeter

#include "sim/block_verbs.inl"
#include "sim/elementwise_verbs.inl"
//
#include "sim/block_instances.inl"
