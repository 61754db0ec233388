#include "sim/time/memory_steps.hpp"

#include <algorithm>
#include <numeric>

namespace tilemeter {
namespace {

/// Copies the steps first ... last - 1 without ops that touch no memory and loops that are empty then.
void copy_steps(const Program& from, std::size_t first, std::size_t last, Program& to) {
  for (std::size_t at = first; at < last; ++at) {
    const ProgramStep& step = from.steps[at];
    if (step.length == 0) {
      if (step.area >= 0) to.steps.push_back(step);
      continue;
    }
    const std::size_t loop = to.steps.size();
    to.steps.push_back(step);
    copy_steps(from, at + 1, at + 1 + static_cast<std::size_t>(step.length), to);
    to.steps[loop].length = static_cast<int>(to.steps.size() - loop - 1);
    if (to.steps[loop].length == 0) to.steps.pop_back();
    at += static_cast<std::size_t>(step.length);
  }
}

void add_steps(const Program& program, std::size_t first, std::size_t last, Count times, ProgramTraffic& sum) {
  for (std::size_t at = first; at < last; ++at) {
    const ProgramStep& step = program.steps[at];
    if (step.length > 0) {
      const std::size_t end = at + 1 + static_cast<std::size_t>(step.length);
      add_steps(program, at + 1, end, checked::multiply(times, step.times), sum);
      at = end - 1;
    } else if (step.area >= 0) {
      sum += ProgramTraffic{.traffic = step.op.traffic, .accesses = 1} * times;
    }
  }
}

}  // namespace

ProgramTraffic& ProgramTraffic::operator+=(const ProgramTraffic& other) {
  traffic += other.traffic;
  accesses = checked::add(accesses, other.accesses);
  return *this;
}

ProgramTraffic ProgramTraffic::operator*(Count times) const {
  return {
      .traffic = {traffic.read * times, traffic.write * times, traffic.read_bytes * times, traffic.write_bytes * times},
      .accesses = checked::multiply(accesses, times)};
}

ProgramTraffic traffic_of(const Program& program) {
  ProgramTraffic sum;
  named("the traffic of a block", [&] { add_steps(program, 0, program.steps.size(), 1, sum); });
  return sum;
}

RecordedLaunch memory_steps(const RecordedLaunch& launch) {
  RecordedLaunch memory{
      .kernel = launch.kernel, .streams = launch.streams, .blocks = launch.blocks, .areas = launch.areas};
  for (const Program& program : launch.programs) {
    Program& kept = memory.programs.emplace_back();
    copy_steps(program, 0, program.steps.size(), kept);
    kept.ops = traffic_of(program).accesses;
  }
  return memory;
}

BlockSequence::BlockSequence(const RecordedLaunch& launch, RowOrder order, FastestIndex fastest)
    : streams_(launch.streams), fastest_(fastest), blocks_(launch.blocks.size()) {
  std::iota(blocks_.begin(), blocks_.end(), 0);
  if (order == RowOrder::descending) std::reverse(blocks_.begin(), blocks_.end());
  if (order != RowOrder::longest_first) return;
  const auto length = [&](int block) {
    return launch.programs[static_cast<std::size_t>(launch.blocks[static_cast<std::size_t>(block)].program)].ops;
  };
  std::stable_sort(blocks_.begin(), blocks_.end(), [&](int a, int b) { return length(a) > length(b); });
}

BlockSequence::Place BlockSequence::operator[](Count number) const {
  const auto blocks = static_cast<Count>(blocks_.size());
  const bool by_stream = fastest_ == FastestIndex::blocks;
  const Count block = by_stream ? number % blocks : number / streams_;
  return {.stream = by_stream ? number / blocks : number % streams_, .block = blocks_[static_cast<std::size_t>(block)]};
}

}  // namespace tilemeter
