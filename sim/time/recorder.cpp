#include "sim/time/recorder.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "sim/catalog.hpp"
#include "sim/gpu.hpp"

namespace tilemeter {
namespace {

bool costs_nothing(const Op& op) {
  return op.traffic.empty() && op.matmul_flops.value() == 0 && op.exp == Exponentials{} && op.scalars == Scalars{};
}

/// Whether two ops cost the same and touch the same tiles. Places are compared apart.
bool same_cost(const Op& a, const Op& b) {
  return a.phase == b.phase && a.unit == b.unit && a.tensor == b.tensor && a.traffic == b.traffic &&
         a.matmul_flops == b.matmul_flops && a.exp == b.exp && a.product == b.product && a.scalars == b.scalars &&
         a.reads == b.reads && a.writes == b.writes;
}

bool same_step(const ProgramStep& a, const ProgramStep& b) {
  return a.times == b.times && a.length == b.length && a.area == b.area && a.moves == b.moves && same_cost(a.op, b.op);
}

bool same_program(const Program& a, const Program& b) {
  return a.ops == b.ops && a.stages == b.stages && a.tiles == b.tiles &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same_step);
}

Move move_between(const RecordedArea& from, const RecordedArea& to) {
  return {
      .matrices = to.matrix - from.matrix, .rows = to.area.row - from.area.row, .cols = to.area.col - from.area.col};
}

bool same_extent(const RecordedArea& a, const RecordedArea& b) {
  return a.tensor == b.tensor && a.area.rows == b.area.rows && a.area.cols == b.area.cols;
}

std::size_t mixed(std::size_t hash, Count value) {
  return (hash ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15U + (hash >> 29);
}

std::size_t hash_of(const Program& program) {
  std::size_t hash = 0;
  for (const ProgramStep& step : program.steps) {
    hash = mixed(mixed(hash, step.times), step.length);
    hash = mixed(mixed(hash, static_cast<Count>(step.op.phase)), step.op.matmul_flops.value());
    hash = mixed(mixed(hash, step.op.traffic.read.value()), step.op.traffic.write.value());
  }
  return hash;
}

}  // namespace

void Recorder::tensor(const TensorInfo& tensor) { recording_.tensors.push_back(tensor); }

void Recorder::begin_launch(const LaunchInfo& launch) {
  RecordedLaunch& recorded = recording_.launches.emplace_back();
  recorded.kernel = launch.kernel;
  recorded.streams = launch.streams;
  recorded.blocks.resize(static_cast<std::size_t>(launch.blocks_per_stream));
  programs_.clear();
}

void Recorder::begin_block(const BlockInfo& block) {
  block_ = block;
  block_items_.clear();
  loops_.clear();
  stages_.clear();
}

void Recorder::op(const Op& op, Count) {
  if (costs_nothing(op)) return;
  Item item{.step = {.op = op}, .place = {}};
  if (op.tensor) {
    const auto named = [&](const TensorInfo& tensor) { return tensor.name == *op.tensor; };
    const auto at = std::find_if(recording_.tensors.begin(), recording_.tensors.end(), named);
    if (at == recording_.tensors.end()) throw std::logic_error("an op on a tensor that was not declared");
    item.place = {.tensor = static_cast<int>(at - recording_.tensors.begin()), .matrix = op.matrix, .area = op.area};
    item.step.area = 0;
  }
  items().push_back(item);
}

void Recorder::ring(TileId tile, Count stages) {
  const auto index = static_cast<std::size_t>(tile);
  if (stages_.size() <= index) stages_.resize(index + 1, 1);
  stages_[index] = stages;
}

void Recorder::begin_loop() { loops_.emplace_back(); }

void Recorder::iteration() {
  if (loops_.back().iterations++ > 0) close_iteration();
}

/// The iteration that ends joins the last group if it is like it.
void Recorder::close_iteration() {
  OpenLoop& loop = loops_.back();
  Items& ended = loop.iteration;
  const auto joins = [&](const Group& group) {
    if (group.items.size() != ended.size()) return false;
    for (std::size_t i = 0; i < ended.size(); ++i) {
      const Item& first = group.items[i];
      if (first.moves != ended[i].moves || !same_step(first.step, ended[i].step) ||
          !same_extent(first.place, ended[i].place)) {
        return false;
      }
      if (group.times == 1) continue;
      const Move expected = {.matrices = group.moves[i].matrices * group.times,
                             .rows = group.moves[i].rows * group.times,
                             .cols = group.moves[i].cols * group.times};
      if (move_between(first.place, ended[i].place) != expected) return false;
    }
    return true;
  };
  if (loop.groups.empty() || !joins(loop.groups.back())) {
    loop.groups.push_back({.items = std::move(ended), .moves = {}});
  } else {
    Group& group = loop.groups.back();
    if (group.times == 1) {
      for (std::size_t i = 0; i < ended.size(); ++i) {
        group.moves.push_back(move_between(group.items[i].place, ended[i].place));
      }
    }
    ++group.times;
  }
  ended.clear();
}

void Recorder::append(Items& to, Group&& group) {
  if (group.items.empty()) return;
  if (group.times > 1) {
    to.push_back({.step = {.times = group.times, .length = static_cast<int>(group.items.size())}, .place = {}});
    for (std::size_t i = 0; i < group.items.size(); ++i) {
      Item& item = group.items[i];
      if (item.moves == static_cast<int>(most_loops)) throw std::logic_error("loops are nested too deep");
      item.step.moves[static_cast<std::size_t>(item.moves++)] = group.moves[i];
    }
  }
  to.insert(to.end(), group.items.begin(), group.items.end());
}

void Recorder::end_loop(Count times) {
  if (loops_.back().iterations > 0) close_iteration();
  OpenLoop loop = std::move(loops_.back());
  loops_.pop_back();
  if (loop.iterations != times) {  // the first two stand for all
    if (loop.groups.size() != 1) throw std::logic_error("a loop whose first two tiles differ");
    loop.groups.front().times = times;
  }
  for (Group& group : loop.groups) append(items(), std::move(group));
}

int Recorder::program_of(Program&& program) {
  RecordedLaunch& launch = recording_.launches.back();
  std::vector<int>& alike = programs_[hash_of(program)];
  for (const int index : alike) {
    if (same_program(launch.programs[static_cast<std::size_t>(index)], program)) return index;
  }
  launch.programs.push_back(std::move(program));
  return alike.emplace_back(static_cast<int>(launch.programs.size()) - 1);
}

void Recorder::end_block(const std::vector<OnChipTile>& tiles) {
  RecordedLaunch& launch = recording_.launches.back();
  const auto first_area = static_cast<int>(launch.areas.size());
  Program program{.steps = {}, .stages = stages_, .tiles = tiles};
  for (Item& item : block_items_) {
    if (item.step.area >= 0) {
      item.step.area = static_cast<int>(launch.areas.size()) - first_area;
      launch.areas.push_back(item.place);
    }
    std::reverse(item.step.moves.begin(), item.step.moves.begin() + item.moves);
    program.steps.push_back(item.step);
  }
  for (const ProgramStep& step : program.steps) {
    const TileId last = std::max(*std::max_element(step.op.reads.begin(), step.op.reads.end()),
                                 *std::max_element(step.op.writes.begin(), step.op.writes.end()));
    if (program.stages.size() < static_cast<std::size_t>(last + 1))
      program.stages.resize(static_cast<std::size_t>(last) + 1, 1);
  }
  for_each_op(program, [&](std::size_t, Count times) { program.ops = checked::add(program.ops, times); });
  launch.blocks.at(static_cast<std::size_t>(block_.first)) = {.program = program_of(std::move(program)),
                                                              .first_area = first_area};
}

Recording Recorder::take() {
  programs_.clear();
  return std::exchange(recording_, Recording{});
}

namespace {

/// Every op on tiles takes what the largest of its kind in the launch does: instructions and loops are of whole tiles.
void pad_work(RecordedLaunch& launch) {
  std::map<std::pair<Phase, TileId>, Op> largest;
  const auto for_each_op = [&](auto visit) {
    for (Program& program : launch.programs) {
      for (ProgramStep& step : program.steps) {
        if (step.length == 0 && !step.op.tensor) visit(step.op, largest[{step.op.phase, step.op.writes[0]}]);
      }
    }
  };
  for_each_op([](const Op& op, Op& most) {
    const auto size = [](const Op& of) { return std::tuple(of.matmul_flops, of.exp.scores, of.scalars.fma); };
    if (size(op) >= size(most)) most = op;
  });
  for_each_op([](Op& op, const Op& most) {
    op.matmul_flops = most.matmul_flops;
    op.product = most.product;
    op.exp = most.exp;
    op.scalars = most.scalars;
  });
}

}  // namespace

void pad_tails(Recording& recording) {
  for (RecordedLaunch& launch : recording.launches) {
    pad_work(launch);
    std::map<std::pair<TileId, TensorName>, Count> longest;
    const auto for_each_load = [&](auto visit) {
      for (Program& program : launch.programs) {
        for (ProgramStep& step : program.steps) {
          const bool loads = step.length == 0 && step.op.tensor && step.op.writes[0] != no_tile;
          if (loads) visit(step.op, longest[{step.op.writes[0], *step.op.tensor}]);
        }
      }
    };
    for_each_load([](const Op& load, Count& rows) { rows = std::max(rows, load.area.rows); });
    for_each_load([](Op& load, Count rows) {
      const Count bytes_a_row = load.traffic.read_bytes.value() / load.area.rows;
      load.traffic.read = Elements(checked::multiply(rows, load.area.cols));
      load.traffic.read_bytes = Bytes(checked::multiply(rows, bytes_a_row));
    });
  }
}

Recording record(const Algorithm& algorithm, const Case& point, const Budget& budget) {
  const Case complete = accepted(algorithm.formula(), point);
  Recorder recorder;
  Gpu<Ghost> gpu(recorder, budget);
  algorithm.count(gpu, complete);
  return recorder.take();
}

}  // namespace tilemeter
