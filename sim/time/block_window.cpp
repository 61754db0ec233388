#include "sim/time/block_window.hpp"

#include <algorithm>
#include <bit>

namespace tilemeter {
namespace {

std::size_t index_of(OpQueue queue) { return static_cast<std::size_t>(queue); }

constexpr std::uint64_t bit_of(std::uint32_t slot) { return std::uint64_t{1} << slot; }

}  // namespace

void BlockWindow::start(const RecordedLaunch& launch, const BlockInstance& block, const TimedProgram& program,
                        Overlap overlap, Picoseconds now) {
  program_ = &program;
  overlap_ = overlap;
  stream_.emplace(launch, block);
  stages_.assign(static_cast<std::size_t>(program.all_stages), Stage{.written = now, .read = now});
  current_.resize(program.stages.size());
  for (std::size_t tile = 0; tile < current_.size(); ++tile) current_[tile] = program.stages[tile] - 1;
  free_ = ~std::uint64_t{0} >> (window_size - program.look_ahead);
  oldest_ = newest_ = 0;
  issued_ = {false, true};
  open_ = {};
  ends_.fill(now);
  last_.fill(-1);
  last_begin_.fill(now);
  before_ = -1;
  before_end_ = now;
  before_source_ = Wait::order;
}

void BlockWindow::continue_with(const RecordedLaunch& launch, const BlockInstance& block, const TimedProgram& program,
                                Picoseconds now) {
  program_ = &program;
  stream_.emplace(launch, block);
  newest_ = 1 - oldest_;
  issued_[newest_] = false;
  open_[newest_] = 0;
  ends_[newest_] = now;
}

void BlockWindow::fill(EventQueue& events, std::uint32_t worker, Picoseconds now) {
  IssuedOp issued;
  while (free_ != 0 && !issued_[newest_]) {
    if (!stream_->next(issued)) {
      issued_[newest_] = true;
      return;
    }
    const auto slot = static_cast<std::uint32_t>(std::countr_zero(free_));
    free_ &= free_ - 1;
    take(slot, issued);
    const WindowOp& it = slots_[slot];
    if (it.missing == 0) events.push({.time = std::max(now, it.ready), .worker = worker, .slot = slot});
  }
}

void BlockWindow::take(std::uint32_t slot, const IssuedOp& issued) {
  WindowOp& it = slots_[slot];
  it.op = &program_->ops[static_cast<std::size_t>(issued.step)];
  it.ready = 0;
  it.dependents = 0;
  it.successor = -1;
  it.missing = 0;
  it.piece = static_cast<std::uint8_t>(newest_);
  it.cause = Wait::order;
  it.source = Wait::order;
  ++open_[newest_];
  if (it.op->queue == OpQueue::load || it.op->queue == OpQueue::store) places_[slot] = issued.place;
  place_stages(it);
  wait_for_tiles(slot);
  enter_tiles(slot);
  wait_for_queue(slot, it.ready);
}

void BlockWindow::place_stages(WindowOp& it) {
  const TimedOp& op = *it.op;
  const auto stage_of = [&](std::int16_t tile) {
    return static_cast<std::int16_t>(program_->first[static_cast<std::size_t>(tile)] +
                                     current_[static_cast<std::size_t>(tile)]);
  };
  for (std::size_t i = 0; i < op.reads; ++i) it.read[i] = stage_of(op.read[i]);
  for (std::size_t i = 0; i < op.writes; ++i) {
    const auto tile = static_cast<std::size_t>(op.write[i]);
    if (op.queue == OpQueue::load && ++current_[tile] >= program_->stages[tile]) current_[tile] = 0;
    it.write[i] = stage_of(op.write[i]);
  }
}

void BlockWindow::wait_until(WindowOp& it, Picoseconds time, Wait cause) {
  if (time < it.ready) return;
  it.ready = time;
  it.cause = cause;
}

void BlockWindow::wait_for_end(std::uint32_t slot, std::uint32_t of) {
  if (of == slot || (slots_[of].dependents & bit_of(slot)) != 0) return;
  slots_[of].dependents |= bit_of(slot);
  ++slots_[slot].missing;
}

void BlockWindow::wait_for_tiles(std::uint32_t slot) {
  WindowOp& it = slots_[slot];
  const auto wait_for_writer = [&](const Stage& stage) {
    if (stage.writer >= 0) {
      wait_for_end(slot, static_cast<std::uint32_t>(stage.writer));
    } else {
      wait_until(it, stage.written, stage.written_by);
    }
  };
  for (std::size_t i = 0; i < it.op->reads; ++i) wait_for_writer(stages_[static_cast<std::size_t>(it.read[i])]);
  for (std::size_t i = 0; i < it.op->writes; ++i) {
    const Stage& stage = stages_[static_cast<std::size_t>(it.write[i])];
    wait_for_writer(stage);
    wait_until(it, stage.read, stage.read_by);
    for (std::uint64_t readers = stage.readers; readers != 0; readers &= readers - 1)
      wait_for_end(slot, static_cast<std::uint32_t>(std::countr_zero(readers)));
  }
}

void BlockWindow::enter_tiles(std::uint32_t slot) {
  const WindowOp& it = slots_[slot];
  for (std::size_t i = 0; i < it.op->reads; ++i) stages_[static_cast<std::size_t>(it.read[i])].readers |= bit_of(slot);
  for (std::size_t i = 0; i < it.op->writes; ++i) {
    Stage& stage = stages_[static_cast<std::size_t>(it.write[i])];
    stage.readers = 0;
    stage.writer = static_cast<std::int8_t>(slot);
  }
}

void BlockWindow::wait_for_queue(std::uint32_t slot, Picoseconds& ready) {
  const std::size_t queue = index_of(slots_[slot].op->queue);
  if (last_[queue] >= 0) {
    slots_[static_cast<std::size_t>(last_[queue])].successor = static_cast<std::int8_t>(slot);
    ++slots_[slot].missing;
  } else {
    ready = std::max(ready, last_begin_[queue]);
  }
  last_[queue] = static_cast<std::int8_t>(slot);
  if (overlap_ != Overlap::serial) return;
  if (before_ >= 0) {
    wait_for_end(slot, static_cast<std::uint32_t>(before_));
  } else {
    wait_until(slots_[slot], before_end_, before_source_);
  }
  before_ = static_cast<std::int8_t>(slot);
}

void BlockWindow::notice(std::uint32_t slot, EventQueue& events, std::uint32_t worker, Picoseconds now) {
  WindowOp& it = slots_[slot];
  if (--it.missing == 0) events.push({.time = std::max(now, it.ready), .worker = worker, .slot = slot});
}

void BlockWindow::started(std::uint32_t slot, Picoseconds begin, EventQueue& events, std::uint32_t worker,
                          Picoseconds now) {
  const WindowOp& it = slots_[slot];
  const std::size_t queue = index_of(it.op->queue);
  last_begin_[queue] = begin;
  if (last_[queue] == static_cast<std::int8_t>(slot)) last_[queue] = -1;
  if (it.successor < 0) return;
  const auto next = static_cast<std::uint32_t>(it.successor);
  slots_[next].ready = std::max(slots_[next].ready, begin);
  notice(next, events, worker, now);
}

void BlockWindow::ended(std::uint32_t slot, Picoseconds end, EventQueue& events, std::uint32_t worker,
                        Picoseconds now) {
  const WindowOp& it = slots_[slot];
  for (std::size_t i = 0; i < it.op->reads; ++i) {
    Stage& stage = stages_[static_cast<std::size_t>(it.read[i])];
    stage.readers &= ~bit_of(slot);
    if (end < stage.read) continue;
    stage.read = end;
    stage.read_by = it.source;
  }
  for (std::size_t i = 0; i < it.op->writes; ++i) {
    Stage& stage = stages_[static_cast<std::size_t>(it.write[i])];
    if (stage.writer != static_cast<std::int8_t>(slot)) continue;
    stage.writer = -1;
    stage.written = end;
    stage.written_by = it.source;
  }
  for (std::uint64_t waiting = it.dependents; waiting != 0; waiting &= waiting - 1) {
    const auto next = static_cast<std::uint32_t>(std::countr_zero(waiting));
    wait_until(slots_[next], end, it.source);
    notice(next, events, worker, now);
  }
  if (before_ == static_cast<std::int8_t>(slot)) {
    before_ = -1;
    before_end_ = end;
    before_source_ = it.source;
  }
  ends_[it.piece] = std::max(ends_[it.piece], end);
  --open_[it.piece];
  free_ |= bit_of(slot);
}

bool same_tiles(const TimedProgram& a, const TimedProgram& b) {
  return a.stages == b.stages && a.look_ahead == b.look_ahead && a.shared == b.shared;
}

}  // namespace tilemeter
