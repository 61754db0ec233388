// One point evaluated: counted by the simulator, billed by the closed form, and compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/closed_form/formula.hpp"
#include "model/work.hpp"
#include "sim/run.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

enum class Mode { count, numeric };

/// How points run.
struct RunOptions {
  Mode mode = Mode::count;
  std::uint64_t seed = 1;
  std::optional<Count> sms;  ///< also spread the blocks over this many SMs
};

/// By how much a tiling passes its budget. `bytes` is absent for a budget in elements; `elements` of a budget in bytes
/// are operands.
struct Overflow {
  Count elements = 0;
  std::optional<Count> bytes;
};

/// Everything there is to say about one point. With segments, sums over them.
struct PointResult {
  PointRequest request;  ///< without the options of other algorithms
  Problem problem;       ///< defaults filled in
  Shapes shapes;         ///< of the computations without sequences
  Options options;       ///< those that the algorithm takes
  Budget budget;
  std::optional<Tiling> tiling;  ///< absent for algorithms without tiles; sizes 0 when no tile fits
  MemoryUse memory;              ///< of the fullest block
  std::optional<bool> fits;      ///< absent without a limit
  std::optional<Overflow> overflow;
  std::optional<std::string> excess;   ///< why a tiling that is counted all the same does not fit
  std::optional<std::string> refusal;  ///< why the point was not counted; then nothing below is filled

  Work counted;
  Work closed;
  Work compulsory;
  std::optional<Workspace> workspace;  ///< absent for algorithms that state none
  std::string expression;
  Count pairs = 0;       ///< of the computations with sequences
  Count empty_rows = 0;  ///< likewise
  std::optional<NumericCheck> numeric;
  std::vector<SmUse> sms;
  std::vector<std::string> hints;

  bool equal() const { return counted == closed; }
  /// Whether every check that was made held.
  bool consistent() const { return refusal || (equal() && (!numeric || numeric->ok)); }
};

struct ResolvedPoint;

/// Chooses the tile sizes of a point by its rule, for the whole and its parts. When no tile fits, the smallest one
/// stands in and the reason is returned. Throws FigureOverflow.
std::optional<std::string> choose_tiling(ResolvedPoint& point);

/// Evaluates a point. A tiling that does not fit is a refusal, unless the request counts it. Throws InputError for
/// wrong input and FigureOverflow past 2^63 - 1.
PointResult evaluate(const PointRequest& request, const RunOptions& options);

/// The point billed by closed forms alone: `closed`, and `counted` the same. Throws as `evaluate`.
PointResult billed_point(const PointRequest& request);

/// Throws InputError for everything that is wrong with a request apart from its capacity, without counting it. Returns
/// about how many seconds its numbers would take one core; 0 where none are computed.
double check(const PointRequest& request, const RunOptions& options);

}  // namespace tilemeter
