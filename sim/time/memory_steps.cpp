#include "sim/time/memory_steps.hpp"

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

}  // namespace

ProgramTraffic& ProgramTraffic::operator+=(const ProgramTraffic& other) {
  traffic += other.traffic;
  accesses = checked::add(accesses, other.accesses);
  return *this;
}

ProgramTraffic ProgramTraffic::operator*(Count times) const {
  return {.traffic = traffic * times, .accesses = checked::multiply(accesses, times)};
}

ProgramTraffic traffic_of(const Program& program) {
  ProgramTraffic sum;
  named("the traffic of a block", [&] {
    for_each_op(program, [&](std::size_t at, Count times) {
      const ProgramStep& step = program.steps[at];
      if (step.area >= 0) sum += ProgramTraffic{.traffic = step.op.traffic, .accesses = 1} * times;
    });
  });
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

}  // namespace tilemeter
