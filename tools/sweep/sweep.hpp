// A grid of points counted by several threads and ranks, to standard output as they come or to a file that can be
// resumed.
#pragma once

#include <functional>
#include <string>

#include "tools/json.hpp"
#include "tools/options/axis.hpp"
#include "tools/output/target.hpp"
#include "tools/point.hpp"
#include "tools/sweep/journal.hpp"
#include "tools/sweep/pool.hpp"
#include "tools/sweep/progress.hpp"
#include "tools/sweep/ranks/ranks.hpp"

namespace tilemeter {

struct Sweep {
  Ranks& ranks;
  const PointGrid& grid;
  Json head;  ///< the document without its points
  RunOptions options;
  std::size_t threads = 1;
  Bar bar = Bar::hidden;
};

/// What becomes of the points of a sweep that is neither printed nor written.
struct SweepStream {
  std::function<std::string(const Json& point, std::size_t number)> text;  ///< called by many threads
  std::function<void(std::string text)> take;                              ///< in order, by one thread at a time
  std::function<void(std::size_t done)> progress;                          ///< now and then, by the calling thread
  std::function<bool()> stop;                                              ///< asked before each point
};

/// How far a sweep came.
struct Swept {
  std::size_t points = 0;
  std::size_t failures = 0;  ///< points of which a check failed
};

/// Makes the points of rank 0, with the help of the others, and hands them over in order.
Swept sweep_to_stream(const Sweep& sweep, const SweepStream& stream);

/// What is said of points that failed their check.
std::string failures_message(std::size_t failures);

enum class Start { fresh, resumed };

/// Writes rows to standard output in order, each as soon as it and those before it are done. Returns the exit status: 1
/// when a check failed. Ranks other than 0 make points for rank 0 and return 0, here and below. Throws ClosedPipe, and
/// Interrupted after closing the document.
int sweep_to_output(const Sweep& sweep, Format format);

/// Records points in FILE.partial as they finish and writes FILE at the end. The same bytes whatever the number of
/// threads, ranks and interruptions. Throws InputError, and Interrupted, which says how to go on.
int sweep_to_file(const Sweep& sweep, const Target& target, const SweepIdentity& identity, Start start);

/// What makes two sweeps the same: version, options and their order (but for -o, -j, -q, -v, --resume), input files.
SweepIdentity identity_of(const Arguments& arguments);

}  // namespace tilemeter
