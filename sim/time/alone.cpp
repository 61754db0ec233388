#include "sim/time/alone.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "sim/time/engine.hpp"
#include "sim/time/timed_program.hpp"

namespace tilemeter {
namespace {

constexpr Count most_ops = 10'000;
constexpr Count fewest_iterations = 4;  // of a loop that is cut short: the last ones are what its later ones would be

Count ops_of(const Program& program) {
  Count ops = 0;
  for_each_op(program, [&](std::size_t, Count times) { ops += times; });
  return ops;
}

/// The program with loops of at most as many iterations as leave `most_ops` ops, if `fewest_iterations` of each do.
Program cut_short(Program program) {
  Count longest = 1;
  for (const ProgramStep& step : program.steps) longest = std::max(longest, step.length > 0 ? step.times : 1);
  while (ops_of(program) > most_ops && longest > fewest_iterations) {
    longest = std::max(fewest_iterations, longest / 2);
    for (ProgramStep& step : program.steps) {
      if (step.length > 0) step.times = std::min(step.times, longest);
    }
  }
  program.ops = ops_of(program);
  return program;
}

/// How many areas a block of `program` has.
int areas_of(const Program& program) {
  int areas = 0;
  for (const ProgramStep& step : program.steps) areas = std::max(areas, step.area + 1);
  return areas;
}

struct Longest {
  const BlockInstance* block = nullptr;
  Picoseconds length = 0;
};

Longest longest_block(const RecordedLaunch& launch, const Execution& execution, const MachineRates& rates) {
  std::vector<Picoseconds> lengths;
  for (const Program& program : launch.programs) {
    lengths.push_back(length_of(timed(program, execution, rates), rates));
  }
  const auto length = [&](const BlockInstance& block) { return lengths[static_cast<std::size_t>(block.program)]; };
  const auto longest = std::max_element(launch.blocks.begin(), launch.blocks.end(),
                                        [&](const auto& a, const auto& b) { return length(a) < length(b); });
  return {.block = &*longest, .length = length(*longest)};
}

/// A launch of one block, cut short.
RecordedLaunch block_of(const RecordedLaunch& launch, const BlockInstance& block) {
  const Program& whole = launch.programs[static_cast<std::size_t>(block.program)];
  const auto areas = launch.areas.begin() + block.first_area;
  return {.kernel = launch.kernel,
          .streams = 1,
          .blocks = {BlockInstance{}},
          .programs = {cut_short(whole)},
          .areas = {areas, areas + areas_of(whole)}};
}

/// A kernel, the length of its longest block and its ops: launches that are alike in these take equally long.
using Seen = std::tuple<std::string, Picoseconds, Count>;

}  // namespace

std::vector<double> clocks_alone(const Recording& recording, const Execution& execution, const Device& device,
                                 const MachineRates& rates) {
  MachineRates idle = rates;
  idle.sms = 1;
  idle.launch = 0;
  Execution single = execution;
  single.blocks_per_sm.reset();
  std::vector<double> clocks;
  std::map<Seen, double> seen;
  for (const RecordedLaunch& launch : recording.launches) {
    if (launch.blocks.empty()) {
      clocks.push_back(0);
      continue;
    }
    const Longest longest = longest_block(launch, execution, rates);
    const Program& whole = launch.programs[static_cast<std::size_t>(longest.block->program)];
    const auto [found, unseen] = seen.try_emplace({launch.kernel, longest.length, whole.ops}, 0);
    if (unseen) {
      const Recording one{.tensors = recording.tensors, .launches = {block_of(launch, *longest.block)}};
      const Program& cut = one.launches.front().programs.front();
      const double rest = cut.ops > 0 ? static_cast<double>(whole.ops) / static_cast<double>(cut.ops) : 1;
      const Picoseconds time = simulate(one, single, device, idle, {}).time;
      found->second = static_cast<double>(time) * 1e-12 * rates.clock_hz * rest;
    }
    clocks.push_back(found->second);
  }
  return clocks;
}

}  // namespace tilemeter
