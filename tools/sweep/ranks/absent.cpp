// A build without MPI: one process, and a refusal where a launcher started several.
#include "model/error.hpp"
#include "tools/sweep/ranks/alone.hpp"
#include "tools/sweep/ranks/launch.hpp"

namespace tilemeter {

std::unique_ptr<Ranks> join_ranks() {
  const auto place = launched();
  if (place && place->size > 1) {
    throw InputError("sweep was started as " + std::to_string(place->size) +
                     " processes, and this program was built without MPI: expected one process, or a build with "
                     "-DTILEMETER_MPI=ON");
  }
  return std::make_unique<Alone>();
}

std::string_view ranks_note() { return "built without MPI"; }

}  // namespace tilemeter
