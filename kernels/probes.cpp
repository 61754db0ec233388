#include "kernels/probes.hpp"

#include <algorithm>
#include <array>

#include "kernels/probe_functions.hpp"
#include "model/error.hpp"
#include "model/quantity.hpp"
#include "model/suggest.hpp"

#ifdef TILEMETER_CUDA_BUILT
#define PROBE(function) function
#else
#define PROBE(function) nullptr
#endif

namespace tilemeter::kernels {
namespace {

constexpr std::array table = {
    Probe{"hbm", "device memory: read, write, copy, and launches of 4 MiB to 1 GiB as overhead + bytes / bandwidth",
          "hbm.read,hbm.write,hbm.copy", PROBE(probe_hbm)},
    Probe{"in_flight", "device memory read by bulk copies, against the bytes that an SM keeps in flight",
          "hbm.in_flight", PROBE(probe_in_flight)},
    Probe{"l2", "reading footprints of 2 to 120 MiB again and again, and where the L2 ends",
          "l2.read,l2.knee,l2.footprint", PROBE(probe_l2)},
    Probe{"latency", "dependent loads from the L2, near and far, and from device memory", "hbm.latency,l2.latency",
          PROBE(probe_latency)},
    Probe{"shared", "reading shared memory", "shared", PROBE(probe_shared)},
    Probe{"mma", "mma.sync m16n8k16 on fp16 and bf16", "mma", PROBE(probe_mma)},
    Probe{"wgmma", "wgmma m64nNk16 by N, source of A and order of B", "wgmma", PROBE(probe_wgmma)},
    Probe{"scalar", "exponentials, multiply-adds and maxima in fp32", "exp,fma,max", PROBE(probe_scalar)},
    Probe{"overlap", "matrix products beside exponentials, multiply-adds or maxima: how much each slows the other",
          "overlap", PROBE(probe_overlap)},
    Probe{"barrier", "barriers of a block, and hand-overs between warpgroups", "barrier", PROBE(probe_barrier)},
    Probe{"launch", "launches of a kernel that does nothing, in a stream and in a graph", "launch",
          PROBE(probe_launch)},
    Probe{"atomic", "atomic additions to one address and to many", "atomic", PROBE(probe_atomic)},
    Probe{"clock", "SM clock and power under a second of each load", "clock,power", PROBE(probe_clock)},
};

constexpr std::string_view root = "probe.";

/// Whether `key` is `beginning`, or continues it at a dot or an underscore.
bool continues(std::string_view key, std::string_view beginning) {
  if (key.substr(0, beginning.size()) != beginning) return false;
  return key.size() == beginning.size() || key[beginning.size()] == '.' || key[beginning.size()] == '_';
}

}  // namespace

std::span<const Probe> probes() { return table; }

const Probe& probe_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Probe& probe : table) {
    if (probe.name == name) return probe;
    names.push_back(probe.name);
  }
  throw InputError("--only " + in_quotes(name) + ": unknown probe" + suggestion(name, names) +
                   "; the probes are: " + joined(names));
}

bool belongs_to(std::string_view key, const Probe& probe) {
  key.remove_prefix(std::min(key.size(), root.size()));
  std::string_view rest = probe.keys;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (continues(key, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return false;
}

}  // namespace tilemeter::kernels
