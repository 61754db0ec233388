#include "sim/time/launch_run.hpp"

#include <algorithm>

namespace tilemeter {
namespace {

constexpr int slot_bits = 6;
constexpr auto shared_index = static_cast<std::size_t>(SmUnit::shared);

std::uint32_t tag_of(std::uint32_t worker, std::uint32_t slot) { return worker << slot_bits | slot; }

Wait wait_of(std::size_t unit) { return static_cast<Wait>(static_cast<std::size_t>(Wait::tensor) + unit); }
static_assert(static_cast<std::size_t>(Wait::shared) - static_cast<std::size_t>(Wait::tensor) == shared_index);

}  // namespace

std::vector<TimedProgram> timed_programs(const RecordedLaunch& launch, const Execution& execution,
                                         const MachineRates& rates) {
  std::vector<TimedProgram> programs;
  for (const Program& program : launch.programs) programs.push_back(timed(program, execution, rates));
  return programs;
}

LaunchRun::LaunchRun(const RecordedLaunch& launch, Count resident, Picoseconds begin, Machine& machine)
    : launch_(launch),
      machine_(machine),
      programs_(timed_programs(launch, machine.execution, machine.rates)),
      order_(launch, programs_, machine.execution, machine.rates),
      resident_(resident * machine.rates.sms),
      begin_(begin),
      end_(begin),
      l2_latency_(to_picoseconds(machine.rates.l2_latency, machine.rates)),
      hbm_latency_(to_picoseconds(machine.rates.hbm_latency, machine.rates)),
      barrier_(to_picoseconds(machine.rates.barrier, machine.rates)),
      transfers_(machine.rates, static_cast<int>(machine.rates.sms)) {
  const auto sms = static_cast<std::size_t>(machine.rates.sms);
  // What a resident block was dealt beforehand depends on its place: unequal blocks that were left out would shift it.
  const bool shifts = is_dealt(machine.execution.scheduling) && order_.period() != 1;
  if (machine.options.waves == Waves::folded && !shifts) folding_ = folding_of(order_, resident_, aim());
  simulated_ = order_.size() - folding_.skipped;
  require_affordable();
  continues_ = machine.execution.scheduling != Scheduling::grid && machine.execution.overlap == Overlap::pipelined &&
               std::all_of(programs_.begin(), programs_.end(),
                           [&](const TimedProgram& program) { return same_tiles(program, programs_.front()); });
  workers_.resize(static_cast<std::size_t>(std::min(resident_, simulated_)));
  free_.assign(sms, SmClocks{});
  shared_.resize(sms);
  window_.times.resize(sms);
  window_.ports.resize(sms);
}

Picoseconds LaunchRun::run() {
  next_ = static_cast<Count>(workers_.size());
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    workers_[worker].sm = static_cast<int>(worker % static_cast<std::uint32_t>(machine_.rates.sms));
    start_block(worker, worker,
                begin_ + to_picoseconds(machine_.rates.block_start * workers_[worker].sm * machine_.rates.clock_hz,
                                        machine_.rates));
  }
  Served done;
  for (;;) {
    const Picoseconds transfer = transfers_.next();
    const Picoseconds event = events_.next();
    if (transfer == never && event == never) break;
    if (transfer <= event) {
      if (transfers_.step(done)) served(done);
      continue;
    }
    const Event next = events_.pop();
    if (next.slot == block_end) {
      end_block(next.worker, next.time);
    } else {
      start_op(next.worker, next.slot, next.time);
    }
  }
  if (folding_.skipped > 0) add_folded();
  return end_;
}

const TimedProgram& LaunchRun::program_of(const DealtBlock& dealt) const {
  return programs_[static_cast<std::size_t>(dealt.block->program)];
}

LaunchRun::Piece& LaunchRun::deal(Worker& it, std::size_t piece, Count simulated) {
  it.pieces[piece] = {.dealt = order_.at(folding_.number_of(simulated)), .simulated = simulated};
  add_block(machine_.sums.sms[static_cast<std::size_t>(it.sm)], program_of(it.pieces[piece].dealt), 1);
  return it.pieces[piece];
}

void LaunchRun::start_block(std::uint32_t worker, Count simulated, Picoseconds now) {
  Worker& it = workers_[worker];
  const DealtBlock& dealt = deal(it, 0, simulated).dealt;
  it.begin = now;
  it.ends = false;
  it.queue_end.fill(now);
  const TimedProgram& program = program_of(dealt);
  const auto sm = static_cast<std::size_t>(it.sm);
  shared_[sm] += program.shared;
  machine_.sums.sms[sm].shared_peak = std::max(machine_.sums.sms[sm].shared_peak, shared_[sm]);
  it.clock.start(now, barrier_);
  it.window.start(launch_, *dealt.block, program, machine_.execution.overlap, now);
  settle(worker, now);
}

std::optional<Count> LaunchRun::next_block(const Worker& it) {
  const Scheduling scheduling = machine_.execution.scheduling;
  const bool dealt = is_dealt(scheduling);
  const Count next =
      dealt ? next_dealt(scheduling, it.pieces[it.window.newest()].simulated, static_cast<Count>(workers_.size()))
            : next_;
  if (next >= simulated_) return std::nullopt;
  if (!dealt) ++next_;
  return next;
}

void LaunchRun::continue_block(std::uint32_t worker, Picoseconds now) {
  Worker& it = workers_[worker];
  const std::optional<Count> next = next_block(it);
  if (!next) return;
  const DealtBlock& dealt = deal(it, 1 - it.window.oldest(), *next).dealt;
  it.window.continue_with(launch_, *dealt.block, program_of(dealt), now);
  it.window.fill(events_, worker, now);
}

void LaunchRun::end_block(std::uint32_t worker, Picoseconds now) {
  Worker& it = workers_[worker];
  const auto sm = static_cast<std::size_t>(it.sm);
  const Piece& piece = it.pieces[it.window.oldest()];
  const BlockTime time = it.clock.finish(now, piece.last);
  SmTime& sums = machine_.sums.sms[sm];
  sums.resident += now - it.begin;
  sums.working += time.working;
  for (std::size_t i = 0; i < wait_count; ++i) sums.waits[i] += time.waits[i];
  if (folding_.in_window(piece.simulated)) window_.times[sm] += time;
  end_ = std::max(end_, now);
  it.begin = now;
  it.ends = false;
  if (it.window.oldest() != it.window.newest()) {
    it.window.retire();
    settle(worker, now);
    return;
  }
  shared_[sm] = shared_[sm] - program_of(piece.dealt).shared;
  if (const auto next = next_block(it)) start_block(worker, *next, now);
}

void LaunchRun::start_op(std::uint32_t worker, std::uint32_t slot, Picoseconds now) {
  Worker& it = workers_[worker];
  ++machine_.sums.events;
  const OpQueue queue = it.window[slot].op->queue;
  if (queue == OpQueue::load || queue == OpQueue::store) {
    transfer(it, worker, slot, now);
  } else {
    compute(it, worker, slot, now);
  }
  settle(worker, now);
}

LaunchRun::Reserved LaunchRun::reserve(Worker& it, const WindowOp& op, Picoseconds now) {
  SmClocks& free = free_[static_cast<std::size_t>(it.sm)];
  Reserved reserved = {.begin = never, .end = now};
  for (std::size_t unit = 0; unit < inner_unit_count; ++unit) {
    const Picoseconds time = op.op->units[unit];
    if (time == 0) continue;
    const Picoseconds begin = std::max(now, free[unit]);
    free[unit] = begin + time;
    reserved.end = std::max(reserved.end, free[unit]);
    if (traced(it.sm)) span(it, op, sm_units[unit], begin, free[unit], begin > now ? wait_of(unit) : op.cause);
    if (begin >= reserved.begin) continue;
    reserved.begin = begin;
    reserved.unit = wait_of(unit);
  }
  if (reserved.begin == never) reserved.begin = now;
  for (std::size_t unit = 0; unit < inner_unit_count; ++unit) {
    if (op.op->stalls[unit] > 0) free[unit] = std::max(free[unit], reserved.begin) + op.op->stalls[unit];
  }
  return reserved;
}

void LaunchRun::compute(Worker& it, std::uint32_t worker, std::uint32_t slot, Picoseconds now) {
  const WindowOp& op = it.window[slot];
  const Reserved at = reserve(it, op, now);
  const std::size_t queue = op.op->queue == OpQueue::tensor ? 0 : 1;
  it.queue_end[static_cast<std::size_t>(op.op->queue)] = at.end;
  it.clock.add(now, queue, {.ready = now, .cause = op.cause, .begin = at.begin, .unit = at.unit, .end = at.end});
  it.window.started(slot, at.begin, events_, worker, now);
  it.window.ended(slot, at.end, events_, worker, now);
}

void LaunchRun::transfer(Worker& it, std::uint32_t worker, std::uint32_t slot, Picoseconds now) {
  WindowOp& op = it.window[slot];
  const DramTraffic dram =
      machine_.l2.access(*op.op->op, it.window.place(slot), piece_of(it, op).dealt.stream, launch_.streams);
  LevelTraffic& levels = machine_.sums.levels;
  levels.dram_read += dram.read;
  levels.dram_write += dram.write;
  levels.l2_hits += dram.hit;
  if (folding_.in_window(piece_of(it, op).simulated)) window_.dram += dram;
  const bool store = op.op->queue == OpQueue::store;
  op.source = store ? Wait::store : dram.read.value() > 0 ? Wait::hbm : Wait::l2;
  transfers_.ask(now, {.edge = static_cast<double>(op.op->edge),
                       .hbm = static_cast<double>((dram.read + dram.write).value()),
                       .tag = tag_of(worker, slot),
                       .sm = it.sm,
                       .port = store ? Port::store : Port::load});
  it.window.started(slot, now, events_, worker, now);
}

void LaunchRun::served(const Served& served) {
  ++machine_.sums.events;
  const std::uint32_t worker = served.transfer.tag >> slot_bits;
  const std::uint32_t slot = served.transfer.tag & ((1u << slot_bits) - 1);
  Worker& it = workers_[worker];
  const WindowOp& op = it.window[slot];
  const auto sm = static_cast<std::size_t>(it.sm);
  const bool store = op.op->queue == OpQueue::store;
  Picoseconds end = served.end;
  if (store) {
    end_ = std::max(end_, end + l2_latency_);
  } else {
    end += op.source == Wait::hbm ? hbm_latency_ : l2_latency_;
    if (const Picoseconds time = op.op->units[shared_index]; time > 0) {
      const Picoseconds begin = std::max(served.begin, free_[sm][shared_index]);
      free_[sm][shared_index] = begin + time;
      if (traced(it.sm)) span(it, op, SmUnit::shared, begin, begin + time, op.source);
      end = std::max(end, begin + time) + barrier_;
    }
  }
  const SmUnit unit = store ? SmUnit::store : SmUnit::load;
  machine_.sums.sms[sm].busy[static_cast<std::size_t>(unit)] += served.end - served.begin;
  Piece& piece = piece_of(it, op);
  if (folding_.in_window(piece.simulated)) window_.ports[sm][store ? 1 : 0] += served.end - served.begin;
  if (traced(it.sm)) span(it, op, unit, served.begin, served.end, served.begin > served.asked ? Wait::l2 : op.cause);
  it.queue_end[static_cast<std::size_t>(op.op->queue)] = served.end;
  if (end >= it.window.end(op.piece)) piece.last = op.source;
  it.window.ended(slot, end, events_, worker, served.end);
  settle(worker, served.end);
}

void LaunchRun::settle(std::uint32_t worker, Picoseconds now) {
  Worker& it = workers_[worker];
  it.window.fill(events_, worker, now);
  if (continues_ && it.window.may_continue()) continue_block(worker, now);
  if (!it.window.done() || it.ends) return;
  it.ends = true;
  events_.push({.time = std::max(it.window.end(it.window.oldest()), now), .worker = worker, .slot = block_end});
}

void LaunchRun::span(const Worker& it, const WindowOp& op, SmUnit unit, Picoseconds begin, Picoseconds end,
                     Wait after) {
  const Picoseconds before = it.queue_end[static_cast<std::size_t>(op.op->queue)];
  machine_.sums.timeline.spans.push_back({.sm = it.sm,
                                          .unit = unit,
                                          .phase = op.op->phase,
                                          .block = it.pieces[op.piece].dealt.number,
                                          .begin = begin,
                                          .end = end,
                                          .after = after,
                                          .waited = std::max(Picoseconds{0}, begin - before)});
}

}  // namespace tilemeter
