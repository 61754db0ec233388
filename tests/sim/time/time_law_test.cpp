// Laws 3 and 4 for every algorithm: time lies between its bounds, is the same again, and every picosecond has a name.
#include <algorithm>
#include <map>
#include <random>

#include "sim/catalog.hpp"
#include "sim/run.hpp"
#include "sim/time/cost.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/recorder.hpp"
#include "tests/sim/unlimited.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/repetitions.hpp"

using namespace tilemeter;
using namespace tilemeter::testing;

namespace {

constexpr std::uint64_t seed = 20261201;

/// A GPU of three SMs with the rates of an H200's, and a kernel of any kind on it.
struct Trial {
  Case point;
  Execution execution;
  MachineRates rates;
  Recording recording;
};

template <class Choices>
auto pick(std::mt19937_64& random, const Choices& choices) {
  return choices[random() % std::size(choices)];
}

Execution random_execution(std::mt19937_64& random) {
  Execution execution;
  execution.matrix = pick(random, std::array{MatrixPath::scalar, MatrixPath::mma, MatrixPath::wgmma});
  execution.overlap = pick(random, std::array{Overlap::serial, Overlap::pipelined});
  execution.scheduling = pick(random, std::array{Scheduling::grid, Scheduling::static_persistent,
                                                 Scheduling::forth_and_back, Scheduling::counter});
  execution.rows = pick(random, std::array{RowOrder::ascending, RowOrder::descending, RowOrder::longest_first});
  execution.fastest = pick(random, std::array{FastestIndex::blocks, FastestIndex::streams});
  execution.blocks_per_sm = 1 + static_cast<Count>(random() % 3);
  return execution;
}

Trial random_trial(const Algorithm& algorithm, std::mt19937_64& random) {
  static const Device device = load_device("h200");
  Trial trial;
  Case drawn = random_case(random, Extent::small);
  drawn.tiling.stages = 1 + static_cast<Count>(random() % 3);
  trial.point = accepted(algorithm.formula(), adapted(drawn, algorithm.formula(), random));
  trial.execution = random_execution(random);
  trial.rates = machine_rates(device, trial.execution, DType::fp16);
  trial.rates.sms = 3;
  trial.rates.l2_capacity = Bytes(1 << 16);
  trial.recording = record(algorithm, trial.point, unlimited);
  return trial;
}

Simulated run(const Trial& trial, const EngineOptions& options) {
  static const Device device = load_device("h200");
  return simulate(trial.recording, trial.execution, device, trial.rates, options);
}

constexpr EngineOptions everything = {.waves = Waves::all, .traced_sms = 3};

double seconds(Picoseconds time) { return static_cast<double>(time) * 1e-12; }
double number(Bytes bytes) { return static_cast<double>(bytes.value()); }

/// Every op after the one before it, alone on the machine. `dram` bytes pass in any of them.
double serial_bound(const Trial& trial, Bytes dram) {
  const MachineRates& rates = trial.rates;
  const double port = std::min(rates.port * rates.clock_hz, rates.l2);
  double clocks = 0;
  double bytes_time = number(dram) / std::min(rates.port * rates.clock_hz, rates.hbm);
  double ops = 0;
  for (const RecordedLaunch& launch : trial.recording.launches) {
    clocks += rates.launch * rates.clock_hz + rates.l2_latency;
    clocks += rates.block_start * 3 * rates.clock_hz;
    for (const BlockInstance& block : launch.blocks) {
      OpStream stream(launch, block);
      IssuedOp issued;
      const auto streams = static_cast<double>(launch.streams);
      while (stream.next(issued)) {
        const UnitClocks units = clocks_of(*issued.op, trial.execution, rates, Space::shared);
        for (const double of_unit : units) clocks += streams * of_unit;
        for (const double lost : lost_clocks(units, rates)) clocks += streams * lost;
        ops += streams;
        if (issued.op->unit != Unit::memory) continue;
        clocks += streams * (std::max(rates.hbm_latency, rates.l2_latency) + rates.barrier);
        bytes_time += streams * number(issued.op->traffic.total_bytes()) / port;
      }
    }
  }
  constexpr double rounding = 10e-12;  // of an op's times to picoseconds
  return clocks / rates.clock_hz + bytes_time + ops * rounding;
}

void check_bounds(const Trial& trial, const Simulated& result) {
  constexpr double rounding = 1 - 1e-9;
  const double time = seconds(result.time);
  for (const SmTime& sm : result.sms) {
    for (const Picoseconds busy : sm.busy) CHECK(result.time >= busy);
  }
  CHECK(time >= rounding * number(result.levels.edge.total_bytes()) / trial.rates.l2);
  const Bytes dram = result.levels.dram_read + result.levels.dram_write;
  CHECK(time >= rounding * number(dram) / trial.rates.hbm);
  CHECK(time <= serial_bound(trial, dram));
}

void check_sums(const Algorithm& algorithm, const Trial& trial, const Simulated& result) {
  Traffic traffic;
  Count blocks = 0;
  Count dealt = 0;
  for (const SmTime& sm : result.sms) {
    traffic += sm.traffic;
    blocks += sm.blocks;
  }
  for (const LaunchTime& launch : result.launches) dealt += launch.blocks;
  CHECK(traffic == result.levels.edge);
  CHECK(blocks == dealt);
  CHECK(traffic == count(algorithm, trial.point, unlimited).work.total());
  // Sectors that two accesses share belong to one of them.
  const Bytes shared = Bytes(32) * result.events;
  CHECK(result.levels.dram_read + result.levels.l2_hits + shared >= result.levels.edge.read_bytes);
}

void check_names(const Simulated& result) {
  for (const SmTime& sm : result.sms) {
    Picoseconds named = sm.working;
    for (const Picoseconds wait : sm.waits) {
      CHECK(wait >= 0);
      named += wait;
    }
    CHECK(named == sm.resident);
  }
}

void check_spans(const Simulated& result) {
  std::map<std::pair<int, SmUnit>, Picoseconds> free;
  std::map<std::pair<int, SmUnit>, Picoseconds> busy;
  bool ordered = true;
  for (const Span& span : result.timeline.spans) {
    Picoseconds& until = free[{span.sm, span.unit}];
    ordered = ordered && span.begin >= until && span.end >= span.begin && span.waited >= 0;
    until = span.end;
    busy[{span.sm, span.unit}] += span.end - span.begin;
  }
  CHECK(ordered);
  for (std::size_t sm = 0; sm < result.sms.size(); ++sm) {
    for (const SmUnit unit : sm_units)
      CHECK(busy[{static_cast<int>(sm), unit}] == result.sms[sm].busy[static_cast<std::size_t>(unit)]);
  }
}

bool same(const Simulated& a, const Simulated& b) {
  const auto same_span = [](const Span& x, const Span& y) {
    return x.sm == y.sm && x.unit == y.unit && x.block == y.block && x.begin == y.begin && x.end == y.end &&
           x.after == y.after && x.waited == y.waited;
  };
  const auto same_sm = [](const SmTime& x, const SmTime& y) {
    return x.busy == y.busy && x.waits == y.waits && x.working == y.working && x.traffic == y.traffic;
  };
  return a.time == b.time && a.levels.dram_read == b.levels.dram_read && a.events == b.events &&
         std::equal(a.timeline.spans.begin(), a.timeline.spans.end(), b.timeline.spans.begin(), b.timeline.spans.end(),
                    same_span) &&
         std::equal(a.sms.begin(), a.sms.end(), b.sms.begin(), b.sms.end(), same_sm);
}

/// A larger problem on eight SMs, folded and not.
void check_folding(const Algorithm& algorithm, const Case& drawn, const Execution& execution) {
  static const Device device = load_device("h200");
  const Case point = accepted(algorithm.formula(), drawn);
  MachineRates rates = machine_rates(device, execution, DType::fp16);
  rates.sms = 8;
  rates.l2 *= 8.0 / 132;
  rates.hbm *= 8.0 / 132;
  rates.l2_capacity = Bytes(2 << 20);
  const Recording recording = record(algorithm, point, unlimited);
  const Simulated all = simulate(recording, execution, device, rates, {.waves = Waves::all});
  const Simulated folded = simulate(recording, execution, device, rates, {.waves = Waves::folded, .aim = 40'000});
  CAPTURE(algorithm.name, name_of(execution.scheduling), all.time, folded.time, all.events, folded.events);
  CHECK(std::abs(seconds(folded.time) / seconds(all.time) - 1) < 0.01);
  CHECK(folded.events < all.events);
  CHECK(folded.levels.edge == all.levels.edge);
  CHECK(folded.levels.dram_read + folded.levels.l2_hits == folded.levels.edge.read_bytes);
  Traffic traffic;
  for (const SmTime& sm : folded.sms) traffic += sm.traffic;
  CHECK(traffic == folded.levels.edge);
  check_names(folded);
}

Case attention(Count heads, Count seq, MaskKind mask) {
  Case point;
  point.problem = {.heads = heads,
                   .kv_heads = heads,
                   .seq_q = seq,
                   .seq_k = seq,
                   .head_dim = 128,
                   .head_dim_v = 128,
                   .mask = {.kind = mask}};
  return point;
}

}  // namespace

TEST_CASE("law 3: time lies between the bound of each resource and that of all in turn, for every algorithm") {
  std::mt19937_64 random(seed);
  for (const Algorithm& algorithm : algorithms()) {
    for (int trial = 0; trial < repetitions(12); ++trial) {
      const Trial drawn = random_trial(algorithm, random);
      INFO(algorithm.name << " " << describe(drawn.point) << ", " << name_of(drawn.execution.matrix) << " "
                          << name_of(drawn.execution.overlap) << " " << name_of(drawn.execution.scheduling) << ", seed "
                          << seed);
      const Simulated result = run(drawn, everything);
      check_bounds(drawn, result);
      check_sums(algorithm, drawn, result);
      check_names(result);
      check_spans(result);
      CHECK(same(result, run(drawn, everything)));
    }
  }
}

TEST_CASE("a folded launch takes as long as all of it within 1 %, and moves the same bytes") {
  Execution execution;
  execution.blocks_per_sm = 2;
  check_folding(find_algorithm("flash2"), attention(40, 2048, MaskKind::none), execution);
  check_folding(find_algorithm("flash2"), attention(400, 2048, MaskKind::causal), execution);
  check_folding(find_algorithm("flash2"), attention(300, 2000, MaskKind::none), execution);
  execution.scheduling = Scheduling::static_persistent;
  check_folding(find_algorithm("flash2"), attention(40, 2048, MaskKind::none), execution);
  execution.matrix = MatrixPath::wgmma;
  execution.blocks_per_sm = 1;
  check_folding(find_algorithm("flash3"), attention(40, 2048, MaskKind::none), execution);
  execution.rows = RowOrder::longest_first;
  execution.scheduling = Scheduling::counter;
  check_folding(find_algorithm("flash3"), attention(400, 2048, MaskKind::causal), execution);
  execution.blocks_per_sm = 2;
  Case chain;
  chain.shapes.length = 1 << 25;
  chain.tiling.block_k = 4096;
  check_folding(find_algorithm("elementwise"), chain, execution);
}

TEST_CASE("DRAM reads and L2 hits are the reads at the edge where rows are whole sectors") {
  const Device device = load_device("h200");
  Execution execution;
  execution.blocks_per_sm = 1;
  const MachineRates rates = machine_rates(device, execution, DType::fp16);
  for (const std::string_view name : {"flash2", "flash3", "zigzag"}) {
    const Recording recording = record(find_algorithm(name), attention(4, 1024, MaskKind::causal), unlimited);
    const Simulated result = simulate(recording, execution, device, rates, {.waves = Waves::all});
    CHECK(result.levels.dram_read + result.levels.l2_hits == result.levels.edge.read_bytes);
  }
}

TEST_CASE("blocks that do not fit an SM together, and more events than anyone waits for, are refused") {
  const Device device = load_device("h200");
  Execution execution;
  const MachineRates rates = machine_rates(device, execution, DType::fp16);
  const Recording recording = record(find_algorithm("flash2"), attention(4, 1024, MaskKind::none), unlimited);
  execution.blocks_per_sm = 9;
  CHECK_THROWS_WITH(simulate(recording, execution, device, rates, {}),
                    contains("--blocks-per-sm 9") && contains("an SM of h200 has room for"));
  execution.blocks_per_sm = 1;
  CHECK_THROWS_WITH(simulate(recording, execution, device, rates, {.most = 1000}),
                    contains("flash2: the simulation has") && contains("count, sweep and predict"));
}
