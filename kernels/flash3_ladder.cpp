#include "kernels/flash3_ladder.hpp"

#include <vector>

namespace tilemeter::kernels {

#if defined(TILEMETER_CUDA_BUILT) && defined(TILEMETER_LADDERS)

namespace {

template <std::size_t rung>
std::optional<std::string> refusal_of_rung(const Case& point) {
  constexpr Flash3Build build = flash3_rungs[rung].build;
  if (build.choices.cluster > 1) {
    if (point.problem.mask.kind != MaskKind::none) {
      return "--mask " + std::string(name_of(point.problem.mask.kind)) + ": accepted is none";
    }
    const Count rows = build.choices.cluster * build.tiling.block_q;
    if (const Count last = point.problem.seq_q % rows; last != 0 && last <= rows - build.tiling.block_q) {
      return "--seq-q " + std::to_string(point.problem.seq_q) + ": query tiles must fill whole clusters";
    }
  }
  return refusal_of_flash3(point);
}

template <std::size_t rung>
Kernel kernel_of_rung() {
  static constexpr std::array types = {DType::bf16};
  static constexpr std::array tilings = {flash3_rungs[rung].build.tiling};
  Kernel kernel = kernel_named("flash3");
  kernel.name = flash3_rungs[rung].name;
  kernel.idea = flash3_rungs[rung].idea;
  kernel.dtypes = types;
  kernel.tilings = tilings;
  kernel.refusal = refusal_of_rung<rung>;
  kernel.launch = flash3_rung_launchers[rung].launch;
  kernel.count = flash3_rung_launchers[rung].count;
  return kernel;
}

}  // namespace

std::span<const Kernel> flash3_ladder() {
  static const std::vector<Kernel> kernels = []<std::size_t... rungs>(std::index_sequence<rungs...>) {
    return std::vector<Kernel>{kernel_of_rung<rungs>()...};
  }(std::make_index_sequence<flash3_rungs.size()>());
  return kernels;
}

#else

std::span<const Kernel> flash3_ladder() { return {}; }

#endif

}  // namespace tilemeter::kernels
