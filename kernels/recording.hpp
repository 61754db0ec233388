// Where the launches of one computation put their records; launchers are templates over the two kinds.
#pragma once

#include <vector>

#include "kernels/buffer.hpp"
#include "kernels/counters.cuh"

namespace tilemeter::kernels {

/// For kernels that do not count.
struct NoRecording {
  using Counters = NoCount;
  Counters::Records records(Count) { return {}; }
};

#ifndef TILEMETER_NO_COUNTING

/// For kernels that do: memory for the records of every launch, and their sum.
class Recording {
 public:
  using Counters = CountTraffic;

  /// Records of a launch of `blocks` thread blocks, poisoned.
  Counters::Records records(Count blocks) {
    launches_.emplace_back(static_cast<std::size_t>(blocks));
    launches_.back().poison();
    return {launches_.back().data()};
  }

  /// Waits for `stream` and adds up what all launches counted. Throws CudaError when one failed, std::logic_error when
  /// a block did not report.
  Work total(std::span<const Operand> operands, Stream stream) const {
    TILEMETER_CHECK(cudaStreamSynchronize(stream));
    std::vector<Record> all;
    for (const Buffer<Record>& launch : launches_) {
      const std::vector<Record> records = launch.to_host();
      all.insert(all.end(), records.begin(), records.end());
    }
    return sum_records(all, operands);
  }

 private:
  std::vector<Buffer<Record>> launches_;
};

#else

/// In builds that are there for the machine code of kernels that do not count: no twin is compiled.
struct Recording : NoRecording {
  Work total(std::span<const Operand>, Stream) const { return {}; }
};

#endif

}  // namespace tilemeter::kernels
