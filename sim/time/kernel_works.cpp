#include "sim/time/kernel_works.hpp"

#include <algorithm>
#include <array>

#include "sim/block.hpp"
#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/time/cost.hpp"

namespace tilemeter {
namespace {

struct TooManyBlocks {};

/// Adds up amounts, launch by launch.
class Amounts : public Sink {
 public:
  Amounts(const Execution& execution, const Device& device, const MachineRates& rates)
      : execution_(execution), device_(device), rates_(rates) {}

  Fold fold() const override { return Fold::grid; }
  void tensor(const TensorInfo& tensor) override {
    sizes_[index_of(tensor.name)] = bytes_of(tensor.rows, tensor.cols, tensor.dtype) * tensor.streams;
    matrices_[index_of(tensor.name)] = tensor.streams;
  }
  void begin_launch(const LaunchInfo& launch) override {
    finish_launch();
    if (launch.blocks_per_stream > most_listed_blocks) throw TooManyBlocks{};
    current_ = {.launch = {.kernel = std::string(launch.kernel), .blocks = LaunchBlocks{.streams = launch.streams}},
                .amounts = {}};
    open_ = true;
  }
  void begin_block(const BlockInfo& block) override {
    copies_ = std::max<Count>(1, block.copies);
    block_ = {};
    tiles_ = 0;
    before_ = behind_ = Bytes(0);
    multiplied_ = false;
  }
  void op(const Op& op, Count times) override;
  void end_block(const std::vector<OnChipTile>& tiles) override;

  std::vector<KernelWork> take() {
    finish_launch();
    keep_all_dirty();
    return std::move(kernels_);
  }

 private:
  void finish_launch();
  Bytes touched(std::size_t tensor) const;
  void estimate_dram();
  void keep_all_dirty();

  const Execution& execution_;
  const Device& device_;
  const MachineRates& rates_;
  std::array<Bytes, tensor_count> sizes_{};
  std::array<Count, tensor_count> matrices_{};
  std::vector<KernelWork> kernels_;
  KernelWork current_;
  std::array<Traffic, tensor_count> traffic_{};  // of the launch
  Bytes touched_bytes_;                          // by all launches so far
  std::array<std::optional<Bytes>, tensor_count> touched_at_{};
  std::array<Traffic, tensor_count> extents_{};  // what launches touched of each tensor, and wrote
  bool open_ = false;
  Count copies_ = 1;
  UnitAmounts block_;  // of all copies
  Count tiles_ = 0;    // likewise
  Bytes before_;       // read before the first product of a block, and written behind its last
  Bytes behind_;
  bool multiplied_ = false;
};

void Amounts::op(const Op& op, Count times) {
  named("the amounts of a kernel", [&] {
    block_.products += op.matmul_flops * times;
    block_.exp = checked::add(block_.exp, checked::multiply(op.exp.total(), times));
    block_.fma = checked::add(block_.fma, checked::multiply(op.scalars.fma, times));
    block_.alu = checked::add(block_.alu, checked::multiply(op.scalars.alu, times));
    const Bytes brought = op.unit == Unit::memory ? op.traffic.read_bytes : Bytes(0);
    block_.shared += (operand_bytes(op.product, execution_) + brought) * times;
    block_.edge_read += op.traffic.read_bytes * times;
    block_.edge_write += op.traffic.write_bytes * times;
    tiles_ = checked::add(tiles_, checked::multiply(op.tiles, times));
    if (op.matmul_flops > Flops(0)) {
      multiplied_ = true;
      behind_ = Bytes(0);
    }
    // Of steps that repeat, the first one's loads and the last one's stores.
    if (!multiplied_) before_ += op.traffic.read_bytes * copies_;
    behind_ += op.traffic.write_bytes * copies_;
    if (!op.tensor) return;
    Traffic& traffic = traffic_[index_of(*op.tensor)];
    traffic.read_bytes += op.traffic.read_bytes * times;
    traffic.write_bytes += op.traffic.write_bytes * times;
  });
}

void Amounts::end_block(const std::vector<OnChipTile>& tiles) {
  named("the amounts of a kernel", [&] {
    add(current_.amounts, block_);
    if (multiplied_) current_.ends += before_ + behind_;
  });
  const double clocks = sm_clocks(block_, rates_, execution_.matrix).largest();
  const double work = tiles_ > 0 ? static_cast<double>(tiles_) : clocks;
  std::vector<BlockRun>& stream = current_.launch.blocks->stream;
  const BlockRun run{.blocks = std::max<Count>(1, copies_ / current_.launch.blocks->streams),
                     .work = work / static_cast<double>(copies_)};
  if (!stream.empty() && stream.back().work == run.work) {
    stream.back().blocks += run.blocks;
  } else {
    stream.push_back(run);
  }
  const Count resident = resident_blocks(tiles, execution_, device_);
  current_.resident = stream.size() == 1 ? resident : std::min(current_.resident, resident);
}

/// Bytes of a tensor that the launch touches, in either direction.
Bytes Amounts::touched(std::size_t tensor) const {
  const Traffic& traffic = traffic_[tensor];
  return std::min(std::max(traffic.read_bytes, traffic.write_bytes), sizes_[tensor]);
}

/// Blocks of a stream that run at once, and so walk what they share in step. Of a tensor with several matrices for a
/// stream (buffers of an accumulation), each has its part of them.
double in_step(const LaunchBlocks& blocks, Count at_once, Count matrices) {
  const Count streams = std::max<Count>(1, blocks.streams);
  const auto together = static_cast<double>(std::min(at_once, blocks.blocks() / streams));
  const double parts = static_cast<double>(matrices) / static_cast<double>(streams);
  return std::max(1.0, together / std::max(1.0, parts));
}

/// Reads of what the L2 still holds, because little was touched since, cost nothing. What a launch touches more than
/// once, the blocks that run at once touch together; of the passes that remain the L2 misses what the streams at once
/// have beyond the capacity.
void Amounts::estimate_dram() {
  Bytes all;
  for (std::size_t i = 0; i < tensor_count; ++i) all += touched(i);
  const Count at_once = checked::multiply(rates_.sms, current_.resident);
  const double set = static_cast<double>(all.value()) * active_share(*current_.launch.blocks, at_once);
  const auto capacity = static_cast<double>(rates_.l2_capacity.value());
  const double lost = share_lost(set, capacity);
  const auto passes = [&](std::size_t tensor, Bytes bytes, Bytes once) {
    const double together = in_step(*current_.launch.blocks, at_once, matrices_[tensor]);
    return once + Bytes(static_cast<Count>(static_cast<double>((bytes - once).value()) * lost / together));
  };
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const Bytes once = touched(i);
    if (once == Bytes(0)) continue;
    const bool held = touched_at_[i] && touched_bytes_ - *touched_at_[i] + all <= rates_.l2_capacity;
    const Bytes first = std::min(traffic_[i].read_bytes, once);
    current_.dram.read += passes(i, traffic_[i].read_bytes, first) - (held ? first : Bytes(0));
    current_.dram.write += passes(i, traffic_[i].write_bytes, std::min(traffic_[i].write_bytes, once));
    current_.hbm += first + std::min(traffic_[i].write_bytes, once);
  }
  touched_bytes_ += all;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    extents_[i].read_bytes = std::max(extents_[i].read_bytes, touched(i));
    extents_[i].write_bytes = std::max(extents_[i].write_bytes, std::min(traffic_[i].write_bytes, sizes_[i]));
  }
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (touched(i) > Bytes(0)) touched_at_[i] = touched_bytes_;
  }
  const Bytes written = current_.dram.write;
  const double share = all > Bytes(0) ? std::min(1.0, capacity / static_cast<double>(all.value())) : 1;
  current_.dram.left_dirty = Bytes(static_cast<Count>(static_cast<double>(written.value()) * share));
}

/// Nothing is written back when all that was ever touched fits.
void Amounts::keep_all_dirty() {
  Bytes all;
  Bytes written;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    all += extents_[i].read_bytes;
    written += extents_[i].write_bytes;
  }
  if (kernels_.empty() || all > rates_.l2_capacity) return;
  for (KernelWork& kernel : kernels_) kernel.dram.write = Bytes(0);
  kernels_.back().dram.write = kernels_.back().dram.left_dirty = written;
}

bool alike(const KernelWork& a, const KernelWork& b) {
  const auto& left = a.launch.blocks->stream;
  const auto& right = b.launch.blocks->stream;
  return a.launch.kernel == b.launch.kernel && a.launch.blocks->streams == b.launch.blocks->streams &&
         std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const BlockRun& x, const BlockRun& y) { return x.blocks == y.blocks && x.work == y.work; });
}

void Amounts::finish_launch() {
  if (!open_) return;
  open_ = false;
  named("the bytes of a kernel", [&] { estimate_dram(); });
  traffic_ = {};
  if (!kernels_.empty() && alike(kernels_.back(), current_)) {
    KernelWork& before = kernels_.back();
    ++before.launch.times;
    before.hbm += current_.hbm;
    before.ends += current_.ends;
    before.dram.read += current_.dram.read;
    before.dram.write += current_.dram.write;
    before.dram.left_dirty = current_.dram.left_dirty;
    add(before.amounts, current_.amounts);
  } else {
    kernels_.push_back(std::move(current_));
  }
}

}  // namespace

std::optional<std::vector<KernelWork>> counted_kernels(const Algorithm& algorithm, const Case& point,
                                                       const Budget& budget, const Execution& execution,
                                                       const Device& device, const MachineRates& rates) {
  const Case complete = accepted(algorithm.formula(), point);
  Amounts amounts(execution, device, rates);
  Gpu<Ghost> gpu(amounts, budget);
  try {
    algorithm.count(gpu, complete);
  } catch (const TooManyBlocks&) {
    return std::nullopt;
  }
  return amounts.take();
}

}  // namespace tilemeter
