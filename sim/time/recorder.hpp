// From an algorithm to its programs: the sink that keeps what blocks do, in order, with their loops.
#pragma once

#include <deque>
#include <unordered_map>

#include "sim/time/program.hpp"

namespace tilemeter {

struct Algorithm;
struct Case;

/// Keeps launches, and of each the distinct programs of its blocks. Ops that cost nothing are left out. Equal
/// neighbours of a loop become one loop.
class Recorder : public Sink {
 public:
  Fold fold() const override { return Fold::loops; }
  void tensor(const TensorInfo& tensor) override;
  void begin_launch(const LaunchInfo& launch) override;
  void begin_block(const BlockInfo& block) override;
  void op(const Op& op, Count times) override;
  void end_block(const std::vector<OnChipTile>& tiles) override;
  void ring(TileId tile, Count stages) override;
  void begin_loop() override;
  void iteration() override;
  void end_loop(Count times) override;

  /// What was recorded; the recorder is empty afterwards.
  Recording take();

 private:
  /// A step and, for a load or store, where it was in its first iteration. `moves` is innermost first until the block
  /// ends.
  struct Item {
    ProgramStep step{};
    RecordedArea place{};
    int moves = 0;
  };
  using Items = std::vector<Item>;
  /// Iterations that are alike, but for places that move by the same amount from each to the next.
  struct Group {
    Items items;
    std::vector<Move> moves;  ///< of each item, known from the second iteration on
    Count times = 1;
  };
  struct OpenLoop {
    std::vector<Group> groups;
    Items iteration;
    Count iterations = 0;
  };

  Items& items() { return loops_.empty() ? block_items_ : loops_.back().iteration; }
  void close_iteration();
  void append(Items& to, Group&& group);
  int program_of(Program&& program);

  Recording recording_;
  std::unordered_map<std::size_t, std::vector<int>> programs_;  ///< of the current launch, by hash
  BlockInfo block_;
  Items block_items_;
  std::deque<OpenLoop> loops_;
  std::vector<Count> stages_;
};

/// Runs `algorithm` on tiles without numbers and keeps its launches. Memory grows with the number of distinct blocks
/// and of row blocks, not with the number of tiles. Throws as `count`.
Recording record(const Algorithm& algorithm, const Case& point, const Budget& budget);

/// Tails::padded: every load moves as many rows as the longest load of its launch into the same tile, also past the end
/// of the tensor, and every other op takes what the largest of its kind does. Places and stores stay as they are. Tiles
/// that are larger than the problem count as the problem.
void pad_tails(Recording& recording);

}  // namespace tilemeter
