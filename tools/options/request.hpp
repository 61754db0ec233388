// One point as the user asked for it, before defaults and tile rules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/device.hpp"
#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "tools/options/segments.hpp"
#include "tools/options/size.hpp"

namespace tilemeter {

struct Algorithm;

/// What the options of one point say; an absent value takes its default when the point is resolved.
struct PointRequest {
  const Algorithm* algorithm = nullptr;
  Problem problem;  ///< kv_heads, head_dim_v and the types below are filled when the point is resolved
  std::optional<Count> kv_heads;
  std::optional<Count> head_dim_v;
  std::optional<DType> stat_dtype;
  std::optional<DType> score_dtype;
  std::optional<DType> o_dtype;
  std::shared_ptr<const std::vector<Segment>> segments;  ///< in the place of batch, seq_q and seq_k

  Shapes shapes;  ///< of the computations without sequences

  std::optional<Count> block_m;
  std::optional<Count> block_n;
  std::optional<Count> block_q;
  std::optional<Count> block_k;
  std::optional<Count> chunk_q;  ///< of chunked algorithms, before block_q
  std::optional<Count> chunk_k;  ///< ... before block_k
  std::optional<BlockRule> rule;
  Count block_d = 0;
  std::optional<Count> stages;

  std::optional<Size> sram;
  std::shared_ptr<const Device> device;
  std::optional<Placement> placement;
  Overflowing overflowing = Overflowing::refused;

  Options options;
};

}  // namespace tilemeter
