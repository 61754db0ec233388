// What a practitioner would be told about a point beside its figures.
#pragma once

#include <string>
#include <vector>

#include "model/tensor.hpp"
#include "model/units.hpp"

namespace tilemeter {

struct PointResult;

/// Elements that a tensor has in device memory, over the batch; 0 for tensors that no attention algorithm keeps there.
/// Throws FigureOverflow.
Count elements_in_memory(TensorName tensor, const PointResult& result);

/// Sentences about sizes that overflow a 32-bit index, layouts that look mixed up, rows that libraries would pad, and
/// options without effect.
std::vector<std::string> hints_of(const PointResult& result);

}  // namespace tilemeter
