// One line of CSV a point: what a kernel was asked for, and what its own counters said.
#pragma once

#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "model/work.hpp"

struct MirrorPoint {
  std::string kernel;
  tilemeter::Case point;
  tilemeter::Work work;  ///< traffic in elements and visited tiles
};

std::string mirror_header();
std::string mirror_line(std::string_view kernel, const tilemeter::Case& point, const tilemeter::Work& work);
/// Throws std::invalid_argument for a line that mirror_line did not write.
MirrorPoint read_mirror_line(const std::string& line);
