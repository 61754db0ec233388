// Whether a launcher of MPI jobs started this process, as its environment says before MPI is asked.
#pragma once

#include <cstddef>
#include <optional>

namespace tilemeter {

struct Launched {
  std::size_t rank = 0;
  std::size_t size = 1;
};

/// The place that `mpirun`, or `srun` with one of its interfaces to MPI, gave this process; nothing without either.
std::optional<Launched> launched();

/// Whether this process is a rank other than 0 of a sweep: what is wrong with the input is said by rank 0.
bool follows(int argc, const char* const* argv);

}  // namespace tilemeter
