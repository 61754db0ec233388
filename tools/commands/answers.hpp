// What commands compute before anything is printed: for the program, and for the Python module.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/command.hpp"
#include "tools/json.hpp"

namespace tilemeter {

/// A document as `--format json` has it, and the checks of it that failed, a sentence each.
struct CommandAnswer {
  Json document;
  std::vector<std::string> failures{};
};

// All throw InputError for wrong or infeasible input. Options that say how a result is printed are left alone.

CommandAnswer count_answer(const Arguments& arguments);
CommandAnswer predict_answer(const Arguments& arguments);
CommandAnswer tune_answer(const Arguments& arguments);

/// {"feasible": true, "seconds": ...} of one point on a device, by the closed form of `predict`; or "feasible": false
/// and the "reason", where its tiling does not fit or its accumulators leave a thread too few registers.
CommandAnswer estimate_answer(const Arguments& arguments);

/// What a sweep hands over of a point: its JSON, or the values of the columns of its CSV in a list.
enum class SweepReads { points, rows };

struct SweepReader {
  SweepReads reads = SweepReads::points;
  std::function<void()> wait;                  ///< by the thread that made a point: as long as there is no room
  std::function<void(std::string text)> take;  ///< each point, in order, by one thread at a time
  std::function<void()> progress;              ///< now and then, by the calling thread
  std::function<bool()> stop;                  ///< asked before each point; true ends the sweep
};

/// The document without its points, which `reader` is given.
CommandAnswer sweep_answer(const Arguments& arguments, const SweepReader& reader);

/// {"columns": [name, ...], "rows": [[value, ...], ...]}: the CSV of a document of `count`, `sweep`, `predict` or
/// `tune`, null for an empty cell. Throws InputError for another document.
Json table_of(const Json& document);

}  // namespace tilemeter
