// What a recorded algorithm does in time: its launches, their blocks, and for like blocks one program of ops in loops.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "model/on_chip.hpp"
#include "sim/op.hpp"

namespace tilemeter {

/// How far an area moves from one iteration of a loop to the next: from the first to the second. Entries of a block
/// table, which move once in some iterations, are taken to move as they do there.
struct Move {
  Count matrices = 0;
  Count rows = 0;
  Count cols = 0;
  friend bool operator==(const Move&, const Move&) = default;
};

/// Loops are nested no deeper.
inline constexpr std::size_t most_loops = 4;

/// A loop of `times` iterations over the `length` steps that follow it, or, with length 0, one op.
struct ProgramStep {
  Count times = 1;
  int length = 0;
  Op op{};
  int area = -1;                         ///< which of the block's areas a load or store touches; -1 for other ops
  std::array<Move, most_loops> moves{};  ///< of that area, by enclosing loop, outermost first
};

/// The ops of a block in program order. Tiles of a ring are one tile of several stages: a load takes the next stage,
/// and everything else refers to the stage that was loaded last.
struct Program {
  std::vector<ProgramStep> steps;
  std::vector<Count> stages;      ///< by TileId
  std::vector<OnChipTile> tiles;  ///< what the block holds
  Count ops = 0;                  ///< with all iterations
};

/// Calls visit(step, times) for every op of `program`, with the iterations of its loops.
template <class Visit>
void for_each_op(const Program& program, Visit visit) {
  std::vector<std::pair<std::size_t, Count>> loops;  // where each ends, and how often its ops run
  Count times = 1;
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    while (!loops.empty() && loops.back().first == step) {
      loops.pop_back();
      times = loops.empty() ? 1 : loops.back().second;
    }
    const ProgramStep& it = program.steps[step];
    if (it.length == 0) {
      visit(step, times);
      continue;
    }
    times = checked::multiply(times, it.times);
    loops.emplace_back(step + 1 + static_cast<std::size_t>(it.length), times);
  }
}

/// A block of each stream: its program, and where its areas begin in the launch's list.
struct BlockInstance {
  int program = 0;
  int first_area = 0;
};

/// Where a step's area lies: a tensor (by index in the recording) and a matrix of it, counted from the stream's first.
struct RecordedArea {
  int tensor = 0;
  Count matrix = 0;
  Area area{};
  friend bool operator==(const RecordedArea&, const RecordedArea&) = default;
};

/// A kernel launch: `streams` times the blocks of one stream, in the order of their place in the grid.
struct RecordedLaunch {
  std::string kernel;
  Count streams = 1;
  std::vector<BlockInstance> blocks;  ///< of one stream
  std::vector<Program> programs;
  std::vector<RecordedArea> areas;
};

/// Launches in order, and the tensors that they touch. A block of stream s of a launch of n streams finds its first
/// matrix of a tensor at floor(s x tensor.streams / n).
struct Recording {
  std::vector<TensorInfo> tensors;
  std::vector<RecordedLaunch> launches;
};

/// One op of a block with the place that it touches.
struct IssuedOp {
  int step = 0;  ///< index in the program
  const Op* op = nullptr;
  RecordedArea place{};  ///< of loads and stores
};

/// Walks a block's program op by op, in program order, with loops unrolled as it goes.
class OpStream {
 public:
  OpStream(const RecordedLaunch& launch, const BlockInstance& block);
  /// The next op; false at the end.
  bool next(IssuedOp& op);

 private:
  struct Level {
    int begin = 0;
    int end = 0;
    Count iteration = 0;
    Count times = 1;
  };
  const Program* program_;
  const RecordedArea* areas_;
  int at_ = 0;
  int depth_ = 0;
  std::array<Level, most_loops> levels_{};
};

}  // namespace tilemeter
