// One launch in time: its blocks on the SMs, from the first to the last.
#pragma once

#include <vector>

#include "sim/time/block_clock.hpp"
#include "sim/time/block_window.hpp"
#include "sim/time/dispatch.hpp"
#include "sim/time/l2.hpp"

namespace tilemeter {

/// What the launches of a recording share: the machine, and the sums over all of them.
struct Machine {
  const Execution& execution;
  const MachineRates& rates;
  const EngineOptions& options;
  L2& l2;
  Simulated& sums;
};

class LaunchRun {
 public:
  /// `resident` blocks an SM; the first ones start at `begin`.
  LaunchRun(const RecordedLaunch& launch, Count resident, Picoseconds begin, Machine& machine);
  /// Runs all blocks; the time at which the last store has arrived, with that of the blocks that were folded.
  Picoseconds run();

 private:
  /// A block that was given to a worker.
  struct Piece {
    DealtBlock dealt{};
    Count simulated = 0;      ///< its number among those that are simulated
    Wait last = Wait::order;  ///< what its end waits for
  };
  /// A resident block, or a persistent one with two pieces of work, the end of one and the begin of the next.
  struct Worker {
    BlockWindow window;
    BlockClock clock;
    std::array<Picoseconds, op_queue_count> queue_end{};  ///< of the last op of each queue, for spans
    std::array<Piece, 2> pieces{};                        ///< as the window numbers them
    Picoseconds begin = 0;                                ///< of the oldest piece: the end of the one before it
    bool ends = false;                                    ///< the end of the oldest piece is among the events
    int sm = 0;
  };
  using SmClocks = std::array<Picoseconds, inner_unit_count>;
  struct Reserved {
    Picoseconds begin = 0;
    Picoseconds end = 0;
    Wait unit = Wait::order;  ///< the one that `begin` waited for
  };
  /// What blocks of the folding's window moved.
  struct WindowSums {
    std::vector<BlockTime> times;                   ///< by SM
    std::vector<std::array<Picoseconds, 2>> ports;  ///< by SM: load, store
    DramTraffic dram{};
  };

  void start_block(std::uint32_t worker, Count simulated, Picoseconds now);
  void end_block(std::uint32_t worker, Picoseconds now);
  Piece& deal(Worker& it, std::size_t piece, Count simulated);
  /// The block that follows the newest piece of a worker, if there is one; what it takes is no longer dealt to others.
  std::optional<Count> next_block(const Worker& it);
  void continue_block(std::uint32_t worker, Picoseconds now);
  const TimedProgram& program_of(const DealtBlock& dealt) const;
  static Piece& piece_of(Worker& it, const WindowOp& op) { return it.pieces[op.piece]; }
  void start_op(std::uint32_t worker, std::uint32_t slot, Picoseconds now);
  void compute(Worker& it, std::uint32_t worker, std::uint32_t slot, Picoseconds now);
  void transfer(Worker& it, std::uint32_t worker, std::uint32_t slot, Picoseconds now);
  void served(const Served& served);
  Reserved reserve(Worker& it, const WindowOp& op, Picoseconds now);
  void settle(std::uint32_t worker, Picoseconds now);
  void span(const Worker& it, const WindowOp& op, SmUnit unit, Picoseconds begin, Picoseconds end, Wait after);
  void add_block(SmTime& sm, const TimedProgram& program, Count times);
  void add_folded();
  Count events_of_a_block() const;  ///< on average
  /// Blocks that `EngineOptions::aim` events stand for.
  Count aim() const;
  /// Throws TooManyEvents when more events are to be simulated than EngineOptions::most.
  void require_affordable() const;
  void add_folded_time();
  void add_folded_dram(Bytes edge_read);
  bool traced(int sm) const { return sm < machine_.options.traced_sms; }

  const RecordedLaunch& launch_;
  Machine& machine_;
  std::vector<TimedProgram> programs_;
  BlockOrder order_;
  WaveFolding folding_;
  Count simulated_ = 0;  ///< blocks that are
  Count next_ = 0;       ///< of them
  Count resident_ = 1;
  bool continues_ = false;  ///< persistent blocks load their next piece's tiles while they finish one
  Picoseconds begin_ = 0;
  Picoseconds end_ = 0;
  Picoseconds l2_latency_ = 0;
  Picoseconds hbm_latency_ = 0;
  Picoseconds barrier_ = 0;
  Transfers transfers_;
  EventQueue events_;
  std::vector<Worker> workers_;
  std::vector<SmClocks> free_;  ///< when each unit of each SM is
  std::vector<Bytes> shared_;   ///< that blocks hold now, by SM
  WindowSums window_;
};

/// The programs of a launch, timed.
std::vector<TimedProgram> timed_programs(const RecordedLaunch& launch, const Execution& execution,
                                         const MachineRates& rates);

}  // namespace tilemeter
