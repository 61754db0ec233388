#include "sim/mistake.hpp"

#include <cmath>
#include <limits>

#include "model/nan_rows.hpp"
#include "sim/algorithms/flash_tiles.hpp"
#include "sim/catalog.hpp"
#include "sim/numeric.hpp"

namespace tilemeter {
namespace {

bool loses_rows(Mistake mistake) { return mistake == Mistake::unguarded || mistake == Mistake::reversed_unguarded; }

/// A K/V-outer loop never touches row blocks that visit nothing; a Q-outer one divides 0 by 0.
UnvisitedRows unvisited_rows(const Algorithm& algorithm) {
  return algorithm.order() == LoopOrder::kv_outer ? UnvisitedRows::untouched : UnvisitedRows::divided;
}

UnguardedRows unguarded_rows(const Algorithm& algorithm, const Case& point) {
  return {point.problem, point.tiling, walk_of(mistake_of(algorithm, point.options))};
}

/// Sets the rows of each stream that do not survive to NaN.
void lose_rows(const Algorithm& algorithm, const Case& point, Values& outputs) {
  const UnguardedRows unguarded = unguarded_rows(algorithm, point);
  const VisitedTiles visited(point.problem, point.tiling);
  const TileRange& queries = visited.queries();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (Count a = 0; a < unguarded.query_tiles(); ++a) {
    if (visited.keys_of(a).empty() && unvisited_rows(algorithm) == UnvisitedRows::untouched) continue;
    const RowRange kept = unguarded.surviving(a);
    const Count begin = queries.begin(a);
    const Count end = begin + queries.size_of(a);
    for (auto& [name, streams] : outputs) {
      for (Matrix& values : streams) {
        values.middleRows(begin, kept.first - begin).setConstant(nan);
        values.middleRows(kept.last, end - kept.last).setConstant(nan);
      }
    }
  }
}

/// Running maximum and sum of a row.
struct RowState {
  double m = -std::numeric_limits<double>::infinity();
  double l = 0;
};

/// Turns the scores of one row into weights, each tile by the maximum so far. The last tile may be ragged.
RowState weigh(Matrix& scores, Count row, Count tile_size) {
  RowState state;
  for (Count begin = 0; begin < scores.cols(); begin += tile_size) {
    auto tile = scores.row(row).segment(begin, std::min(tile_size, scores.cols() - begin));
    state.m = std::max(state.m, tile.maxCoeff());
    for (double& score : tile) {
      score = std::isinf(score) ? 0 : std::exp(score - state.m);
      state.l += score;
    }
  }
  return state;
}

/// O and LSE of one query tile of one stream.
void without_rescaling(const Case& point, const VisitedTiles& visited, Count query_tile, const Matrix& q,
                       const Matrix& k, const Matrix& v, Matrix& o, Matrix& lse) {
  const TileRange keys = visited.keys_of(query_tile);
  if (keys.empty()) return;
  const Count row = visited.queries().begin(query_tile);
  const Count rows = visited.queries().size_of(query_tile);
  const Count key = keys.begin(keys.first);
  const Count count = keys.begin(keys.last - 1) + keys.size_of(keys.last - 1) - key;
  Matrix scores = q.middleRows(row, rows) * k.middleRows(key, count).transpose() * score_scale(point.problem);
  numerics::mask<double>(scores, Visibility(point.problem), row, key);
  for (Count r = 0; r < rows; ++r) {
    const RowState state = weigh(scores, r, keys.size);
    if (state.l == 0) continue;
    scores.row(r) /= state.l;
    lse(row + r, 0) = state.m + std::log(state.l);
  }
  o.middleRows(row, rows) = scores * v.middleRows(key, count);
}

Values unscaled_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  const Problem& problem = point.problem;
  const VisitedTiles visited(problem, point.tiling);
  Values outputs;
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    const auto at = static_cast<std::size_t>(stream);
    const auto kv = static_cast<std::size_t>(problem.packing == Packing::packed ? stream : stream / problem.group());
    Matrix& o = outputs[TensorName::O].emplace_back(Matrix::Zero(problem.rows(), problem.head_dim_v));
    Matrix& lse = outputs[TensorName::LSE].emplace_back(
        Matrix::Constant(problem.rows(), 1, empty_lse_of(algorithm, point.options)));
    for (Count a = 0; a < visited.query_tiles(); ++a) {
      without_rescaling(point, visited, a, inputs.at(TensorName::Q)[at], inputs.at(TensorName::K)[kv],
                        inputs.at(TensorName::V)[kv], o, lse);
    }
  }
  return outputs;
}

/// Zeroes in `values` the rows whose O in `outputs` holds a NaN.
Values without_nan_rows(Values values, const Values& outputs) {
  for (auto& [name, streams] : values) {
    const std::vector<Matrix>& o = outputs.at(TensorName::O);
    for (std::size_t stream = 0; stream < streams.size(); ++stream) {
      for (Eigen::Index r = 0; r < streams[stream].rows(); ++r) {
        if (o[stream].row(r).hasNaN()) streams[stream].row(r).setZero();
      }
    }
  }
  return values;
}

Count nan_rows_of(const std::vector<Matrix>& streams) {
  Count rows = 0;
  for (const Matrix& values : streams) {
    for (Eigen::Index r = 0; r < values.rows(); ++r) rows += values.row(r).hasNaN() ? 1 : 0;
  }
  return rows;
}

}  // namespace

Mistake mistake_of(const Algorithm& algorithm, const Options& options) {
  return algorithm.options.find("--unsafe") == std::string_view::npos ? Mistake::none : options.mistake;
}

Count predicted_nan_rows(const Algorithm& algorithm, const Case& point) {
  if (!loses_rows(mistake_of(algorithm, point.options))) return 0;
  return named("the rows that become NaN", [&] {
    return checked::multiply(point.problem.streams(), unguarded_rows(algorithm, point).lost(unvisited_rows(algorithm)));
  });
}

Values mistaken_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  const Mistake mistake = mistake_of(algorithm, point.options);
  if (mistake == Mistake::no_rescale) return unscaled_outputs(algorithm, point, inputs);
  Values outputs = expected_outputs(algorithm, point, inputs);
  if (loses_rows(mistake)) lose_rows(algorithm, point, outputs);
  return outputs;
}

NumericCheck check_mistake(const Algorithm& algorithm, const Case& point, const Values& inputs, const Values& outputs) {
  const Values finite = without_nan_rows(outputs, outputs);
  const auto against = [&](const Values& values) {
    return compare(point.problem, finite, without_nan_rows(values, outputs));
  };
  NumericCheck check = against(expected_outputs(algorithm, point, inputs));
  check.nan_rows = nan_rows_of(outputs.at(TensorName::O));
  check.predicted_nan_rows = predicted_nan_rows(algorithm, point);
  check.ok = against(mistaken_outputs(algorithm, point, inputs)).ok && check.nan_rows == *check.predicted_nan_rows;
  return check;
}

}  // namespace tilemeter
