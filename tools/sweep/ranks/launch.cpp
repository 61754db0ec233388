#include "tools/sweep/ranks/launch.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tilemeter {
namespace {

struct Names {
  const char* rank;
  const char* size;
};

// Open MPI's mpirun; srun --mpi=pmix; srun --mpi=pmi2 and the launchers of MPICH.
constexpr std::array launchers = {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  Names{"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}, Names{"PMI_RANK", "PMI_SIZE"}};

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Launched> launched() {
  for (const Names& names : launchers) {
    const auto rank = number_in(names.rank);
    const auto size = number_in(names.size);
    if (rank && size && *rank < *size) return Launched{*rank, *size};
  }
  return std::nullopt;
}

bool follows(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "sweep") return false;
  const auto place = launched();
  return place && place->rank > 0;
}

}  // namespace tilemeter
