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
  }
  void op(const Op& op, Count times) override;
  void end_block(const std::vector<OnChipTile>& tiles) override;

  std::vector<KernelWork> take() {
    finish_launch();
    return std::move(kernels_);
  }

 private:
  void finish_launch();
  Bytes hbm() const;

  const Execution& execution_;
  const Device& device_;
  const MachineRates& rates_;
  std::array<Bytes, tensor_count> sizes_{};
  std::vector<KernelWork> kernels_;
  KernelWork current_;
  std::array<Traffic, tensor_count> traffic_{};  // of the launch
  bool open_ = false;
  Count copies_ = 1;
  UnitAmounts block_;  // of all copies
  Count tiles_ = 0;    // likewise
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
    if (!op.tensor) return;
    Traffic& traffic = traffic_[index_of(*op.tensor)];
    traffic.read_bytes += op.traffic.read_bytes * times;
    traffic.write_bytes += op.traffic.write_bytes * times;
  });
}

void Amounts::end_block(const std::vector<OnChipTile>& tiles) {
  named("the amounts of a kernel", [&] { add(current_.amounts, block_); });
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

/// Every tensor once in each direction.
Bytes Amounts::hbm() const {
  Bytes sum;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    sum += std::min(traffic_[i].read_bytes, sizes_[i]) + std::min(traffic_[i].write_bytes, sizes_[i]);
  }
  return sum;
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
  current_.hbm = hbm();
  traffic_ = {};
  if (!kernels_.empty() && alike(kernels_.back(), current_)) {
    KernelWork& before = kernels_.back();
    ++before.launch.times;
    before.hbm += current_.hbm;
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
