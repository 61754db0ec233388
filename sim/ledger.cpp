#include "sim/ledger.hpp"

#include <numeric>

namespace tilemeter {
namespace {

std::string figure(TensorName tensor, std::string_view what) {
  return std::string(name_of(tensor)) + " " + std::string(what);
}

void add_traffic(Work& work, const Op& op, Count times) {
  const TensorName tensor = *op.tensor;
  Traffic& sum = work[tensor];
  try {
    sum += op.traffic * times;
  } catch (const UnnamedOverflow&) {
    const bool reads = op.traffic.read.value() > 0;
    throw FigureOverflow(figure(tensor, reads ? "read bytes" : "write bytes"));
  }
}

void add_count(Count& sum, Count amount, Count times, std::string_view name) {
  if (amount == 0) return;
  sum = named(name, [&] { return checked::add(sum, checked::multiply(amount, times)); });
}

}  // namespace

void add(Work& work, const Op& op, Count times) {
  if (op.tensor) add_traffic(work, op, times);
  if (op.matmul_flops.value() != 0) {
    named("matmul_flops", [&] { work.matmul_flops += op.matmul_flops * times; });
  }
  add_count(work.exp.scores, op.exp.scores, times, "exp scores");
  add_count(work.exp.rescale, op.exp.rescale, times, "exp rescale");
  add_count(work.exp.rescale_block, op.exp.rescale_block, times, "exp rescale_block");
  add_count(work.exp.combine, op.exp.combine, times, "exp combine");
  add_count(work.tiles, op.tiles, times, "tiles");
}

void Ledger::end_block(const std::vector<OnChipTile>& tiles) {
  const Footprint use = footprint_of(tiles);
  if (use.bytes() > memory_.peak.bytes()) memory_ = {.tiles = tiles, .peak = use};
}

void SmLedger::begin_block(const BlockInfo& block) {
  block_ = block;
  block_work_ = Work{};
}

void SmLedger::op(const Op& op, Count times) { add(block_work_, op, times / block_.copies); }

void SmLedger::end_block(const std::vector<OnChipTile>& tiles) {
  const Traffic one = block_work_.total();
  const Bytes peak = footprint_of(tiles).bytes();
  // The copies' places modulo the number of SMs repeat after `period` copies.
  const auto sms = static_cast<Count>(sms_.size());
  const Count period = sms / std::gcd(block_.stride % sms == 0 ? sms : block_.stride % sms, sms);
  for (Count k = 0; k < std::min(period, block_.copies); ++k) {
    const Count place = (block_.first % sms + (k * (block_.stride % sms)) % sms) % sms;
    SmUse& sm = sms_[static_cast<std::size_t>(place)];
    const Count copies = ceil_div(block_.copies - k, period);
    sm.blocks += copies;
    named("the bytes of an SM", [&] { sm.traffic += one * copies; });
    sm.peak = std::max(sm.peak, peak);
  }
}

}  // namespace tilemeter
