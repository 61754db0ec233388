// What a practitioner would be told about a point beside its figures.
#pragma once

#include <string>
#include <vector>

namespace tilemeter {

struct PointResult;

/// Sentences about sizes that overflow a 32-bit index, layouts that look mixed up, rows that libraries would pad, and
/// options without effect.
std::vector<std::string> hints_of(const PointResult& result);

}  // namespace tilemeter
