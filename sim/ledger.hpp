// Sinks that add up: the whole bill, and the bill of every SM.
#pragma once

#include <vector>

#include "sim/op.hpp"
#include "sim/run.hpp"

namespace tilemeter {

/// Adds `times` times the cost of `op` to `work`. Throws FigureOverflow that names the figure.
void add(Work& work, const Op& op, Count times);

/// The whole bill, and the tiles of the fullest block.
class Ledger : public Sink {
 public:
  explicit Ledger(Fold fold) : fold_(fold) {}

  Fold fold() const override { return fold_; }
  void begin_block(const BlockInfo&) override {}
  void op(const Op& op, Count times) override { add(work_, op, times); }
  void end_block(const std::vector<OnChipTile>& tiles) override;

  const Work& work() const { return work_; }
  const MemoryUse& memory() const { return memory_; }

 private:
  Fold fold_;
  Work work_;
  MemoryUse memory_;
};

/// Deals the blocks of each launch to the SMs in turn: block b of a launch runs on SM b mod sms.
class SmLedger : public Sink {
 public:
  explicit SmLedger(Count sms) : sms_(static_cast<std::size_t>(sms)) {}

  Fold fold() const override { return Fold::grid; }
  void begin_block(const BlockInfo& block) override;
  void op(const Op& op, Count times) override;
  void end_block(const std::vector<OnChipTile>& tiles) override;

  const std::vector<SmUse>& sms() const { return sms_; }

 private:
  std::vector<SmUse> sms_;
  BlockInfo block_;
  Work block_work_;  // of one of the block's copies
};

}  // namespace tilemeter
