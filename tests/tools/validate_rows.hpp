// Rows with errors that are chosen.
#pragma once

#include "tools/validate/row.hpp"

/// A row of `metric` that predicts 1 + error times what was measured.
inline tilemeter::validation::Row row_with(tilemeter::validation::Metric metric, double error, double measured = 1000) {
  tilemeter::validation::Row row;
  row.kernel = "flash2";
  row.problem = "N 4096";
  row.own = true;
  row.metric = metric;
  row.measured = measured;
  row.predicted = measured * (1 + error);
  return row;
}

/// A time of a kernel in a split.
inline tilemeter::validation::Row time_with(double error, std::string split, tilemeter::validation::Role role,
                                            double seconds = 1) {
  auto row = row_with(tilemeter::validation::Metric::time, error, seconds);
  row.split = std::move(split);
  row.role = role;
  return row;
}
