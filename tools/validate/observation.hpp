// What was measured of one computation on a GPU, whoever wrote the kernel: the input of `calibrate` and `validate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/execution.hpp"
#include "model/kernel_description.hpp"
#include "model/work.hpp"
#include "tools/options/request.hpp"

namespace tilemeter {

/// The median of repeated launches, and how sure it is.
struct ObservedTime {
  double seconds = 0;
  double spread = 0;               ///< quartile range over the median
  std::optional<double> clock_hz;  ///< of the SMs meanwhile
};

/// Bytes that a profiler saw of all kernels of the computation together; absent where it was not asked.
struct ObservedBytes {
  std::optional<Bytes> edge_read;  ///< at the edge of the SMs
  std::optional<Bytes> edge_write;
  std::optional<Bytes> l2_read;  ///< that SMs asked of the L2
  std::optional<Bytes> l2_write;
  std::optional<Bytes> dram_read;
  std::optional<Bytes> dram_write;
};

struct Observation {
  std::string source;    ///< document and place in it: "flash3_n4096_d128.json, point 1"
  std::string kernel;    ///< name of the kernel's description
  bool own = false;      ///< of this project
  PointRequest request;  ///< algorithm, problem and the kernel's tiles; without device
  Execution execution;   ///< how the kernel executes it
  std::optional<ObservedTime> time;
  std::optional<Work> counted;  ///< by the kernel's own counters
  ObservedBytes profiled;
  std::vector<std::string> missing;  ///< metrics that were asked for and are not there, with the reason
};

/// The observations of documents of `measure` (with the profiler's CSV beside it, where it was profiled), of
/// `tools/peers.py`, and of folders of them, searched downwards. `notes` receives a line for each document or point
/// that was left out, with the reason. Throws InputError for a path that cannot be read, for a document that is no
/// JSON or damaged, and, where it was named itself, for one that is none of these.
std::vector<Observation> read_observations(const std::vector<std::string>& paths, std::vector<std::string>& notes);

/// The observations of a profiler's CSV of anyone's kernel, whose launches `kernel` describes in the profile's order
/// ([[launch]]). `notes` receives a line for each launch that neither matches, and for each that was refused. Throws
/// InputError for a file that cannot be read or is no such CSV, and for a [[launch]] that names no problem.
std::vector<Observation> observe_profile(const std::string& csv_path, const KernelDescription& kernel,
                                         std::vector<std::string>& notes);

}  // namespace tilemeter
