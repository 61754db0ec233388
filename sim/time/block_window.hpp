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
  Wait cause = Wait::order;             ///< of `ready`
  Wait source = Wait::order;            ///< what those that wait for it wait for
  std::array<std::int16_t, 4> read{};   ///< stages among those of the block
  std::array<std::int16_t, 4> write{};  ///< ...
};

/// Hazards of a block: an op is ready when the stages that it reads are written, those that it writes are no longer
/// read or written, and the op before it in its queue has started; with Overlap::serial, when the op before has ended.
/// A load into a ring takes its next stage, all else refers to the stage that was loaded last.
class BlockWindow {
 public:
  /// Starts a block at `now`: `launch` and `program` must outlive it.
  void start(const RecordedLaunch& launch, const BlockInstance& block, const TimedProgram& program, Overlap overlap,
             Picoseconds now);

  /// Takes ops in, in program order, as long as there is room; ops that are ready go to `events` as of `worker`.
  void fill(EventQueue& events, std::uint32_t worker, Picoseconds now);

  WindowOp& operator[](std::uint32_t slot) { return slots_[slot]; }
  const RecordedArea& place(std::uint32_t slot) const { return places_[slot]; }

  /// The op in `slot` has started, and the next of its queue may.
  void started(std::uint32_t slot, Picoseconds begin, EventQueue& events, std::uint32_t worker, Picoseconds now);
  /// It will have ended at `end`, and leaves the window.
  void ended(std::uint32_t slot, Picoseconds end, EventQueue& events, std::uint32_t worker, Picoseconds now);

  /// Whether every op of the block has its end.
  bool done() const { return free_ == all_ && exhausted_; }
  Picoseconds end() const { return end_; }

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
  std::uint64_t all_ = 0;   ///< slots that this block has
  std::uint64_t free_ = 0;  ///< ...
  bool exhausted_ = true;
  Picoseconds end_ = 0;
  std::array<std::int8_t, op_queue_count> last_{};        ///< of each queue that has not started; -1: none
  std::array<Picoseconds, op_queue_count> last_begin_{};  ///< of each queue that has started
  std::int8_t before_ = -1;                               ///< serial: the op before, while it has no end
  Picoseconds before_end_ = 0;
  Wait before_source_ = Wait::order;
};

}  // namespace tilemeter
