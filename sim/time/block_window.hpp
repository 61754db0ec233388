// The ops of one resident block that are next in program order, and what each still waits for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/time/event_queue.hpp"
#include "sim/time/timed_program.hpp"

namespace tilemeter {

/// Most ops that a block looks ahead.
inline constexpr int window_size = 64;

/// An op of the window.
struct WindowOp {
  const TimedOp* op = nullptr;
  Picoseconds ready = 0;                ///< when what is known of its hazards has passed
  std::uint64_t dependents = 0;         ///< slots that wait for its end
  std::int8_t successor = -1;           ///< slot of the next op of its queue, which waits for its start
  std::uint8_t missing = 0;             ///< notices that it still waits for
  std::uint8_t piece = 0;               ///< 0 or 1: which of the two blocks of the window it belongs to
  Wait cause = Wait::order;             ///< of `ready`
  Wait source = Wait::order;            ///< what those that wait for it wait for
  std::array<std::int16_t, 4> read{};   ///< stages among those of the block
  std::array<std::int16_t, 4> write{};  ///< ...
};

/// Hazards of a block: an op is ready when the stages that it reads are written, those that it writes are no longer
/// read or written, and the op before it in its queue has started; with Overlap::serial, when the op before has ended.
/// A load into a ring takes its next stage, all else refers to the stage that was loaded last. A persistent block goes
/// from one piece of work to the next without a break: ops of two pieces, 0 and 1 by turns, are then in the window.
class BlockWindow {
 public:
  /// Starts a block, as piece 0, at `now`: `launch` and `program` must outlive it.
  void start(const RecordedLaunch& launch, const BlockInstance& block, const TimedProgram& program, Overlap overlap,
             Picoseconds now);

  /// Whether all ops of the newest piece were taken in, and those of the one before it have ended.
  bool may_continue() const { return issued_[newest_] && oldest_ == newest_; }
  /// Lets the ops of `block` follow those that were taken in. Its program must hold the same tiles (`same_tiles`).
  void continue_with(const RecordedLaunch& launch, const BlockInstance& block, const TimedProgram& program,
                     Picoseconds now);
  /// Leaves the oldest piece, which has ended, to the one behind it.
  void retire() { oldest_ = newest_; }
  std::size_t oldest() const { return oldest_; }
  std::size_t newest() const { return newest_; }

  /// Takes ops in, in program order, as long as there is room; ops that are ready go to `events` as of `worker`.
  void fill(EventQueue& events, std::uint32_t worker, Picoseconds now);

  WindowOp& operator[](std::uint32_t slot) { return slots_[slot]; }
  const RecordedArea& place(std::uint32_t slot) const { return places_[slot]; }

  /// The op in `slot` has started, and the next of its queue may.
  void started(std::uint32_t slot, Picoseconds begin, EventQueue& events, std::uint32_t worker, Picoseconds now);
  /// It will have ended at `end`, and leaves the window.
  void ended(std::uint32_t slot, Picoseconds end, EventQueue& events, std::uint32_t worker, Picoseconds now);

  /// Whether every op of the oldest piece has its end.
  bool done() const { return issued_[oldest_] && open_[oldest_] == 0; }
  /// The end of the last op of a piece so far.
  Picoseconds end(std::size_t piece) const { return ends_[piece]; }

 private:
  struct Stage {
    Picoseconds written = 0;
    Picoseconds read = 0;
    std::uint64_t readers = 0;  ///< slots
    std::int8_t writer = -1;    ///< slot
    Wait written_by = Wait::order;
    Wait read_by = Wait::order;
  };

  void take(std::uint32_t slot, const IssuedOp& issued);
  void place_stages(WindowOp& it);
  void wait_for_tiles(std::uint32_t slot);
  void enter_tiles(std::uint32_t slot);
  void wait_for_queue(std::uint32_t slot, Picoseconds& ready);
  void wait_for_end(std::uint32_t slot, std::uint32_t of);
  static void wait_until(WindowOp& it, Picoseconds time, Wait cause);
  void notice(std::uint32_t slot, EventQueue& events, std::uint32_t worker, Picoseconds now);

  std::array<WindowOp, window_size> slots_{};
  std::array<RecordedArea, window_size> places_{};
  std::vector<Stage> stages_;
  std::vector<std::int32_t> current_;  ///< by TileId: the stage that was loaded last
  std::optional<OpStream> stream_;
  const TimedProgram* program_ = nullptr;
  Overlap overlap_ = Overlap::pipelined;
  std::uint64_t free_ = 0;  ///< slots without an op, of those that the program has
  std::size_t oldest_ = 0;
  std::size_t newest_ = 0;
  std::array<bool, 2> issued_{true, true};  ///< by piece: all its ops were taken in
  std::array<int, 2> open_{};               ///< ops that have no end yet
  std::array<Picoseconds, 2> ends_{};
  std::array<std::int8_t, op_queue_count> last_{};        ///< of each queue that has not started; -1: none
  std::array<Picoseconds, op_queue_count> last_begin_{};  ///< of each queue that has started
  std::int8_t before_ = -1;                               ///< serial: the op before, while it has no end
  Picoseconds before_end_ = 0;
  Wait before_source_ = Wait::order;
};

/// Whether blocks of both programs hold the same tiles, so that one may follow the other in their memory.
bool same_tiles(const TimedProgram& a, const TimedProgram& b);

}  // namespace tilemeter
