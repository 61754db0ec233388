#include "tools/measure/plan.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/weight_layer.hpp"
#include "sim/catalog.hpp"
#include "tools/options/text.hpp"
#include "tools/point.hpp"
#include "tools/resolve.hpp"

namespace tilemeter {
namespace {

using kernels::Kernel;
using kernels::KernelTiling;

/// A size of a tiling beside what the request says of it; absent is not given.
struct GivenSize {
  Count compiled;
  std::optional<Count> given;
};

std::optional<Count> unless_zero(Count size) { return size == 0 ? std::nullopt : std::optional<Count>(size); }

bool agrees(const KernelTiling& tiling, const PointRequest& request) {
  const GivenSize sizes[] = {{tiling.block_q, request.block_q},
                             {tiling.block_k, request.block_k},
                             {tiling.block_d, unless_zero(request.block_d)},
                             {tiling.block_m, request.block_m},
                             {tiling.block_n, request.block_n},
                             {tiling.stages, request.stages},
                             {tiling.head_dim, request.problem.head_dim},
                             {tiling.head_dim_v, request.head_dim_v.value_or(request.problem.head_dim)}};
  return std::all_of(std::begin(sizes), std::end(sizes), [](const GivenSize& size) {
    return size.compiled == 0 || !size.given || size.compiled == *size.given;
  });
}

void fill(std::optional<Count>& size, Count compiled) {
  if (!size) size = unless_zero(compiled);
}

/// The kernel's first tiling that agrees with the request; for a layer the one that suits its tokens.
std::optional<KernelTiling> tiling_for(const PointRequest& request, const Kernel& kernel) {
  std::vector<KernelTiling> agreeing;
  std::copy_if(
      kernel.tilings.begin(), kernel.tilings.end(), std::back_inserter(agreeing),
      [&](const KernelTiling& tiling) { return kernels::suits(tiling, request.problem) && agrees(tiling, request); });
  if (agreeing.empty()) return std::nullopt;
  if (request.algorithm->computation() != Computation::layer) return agreeing.front();
  return kernels::preferred_weight_tiling(agreeing, request.shapes);
}

/// The request in `tiling`, unchanged without one.
PointRequest with_tiling(PointRequest request, const std::optional<KernelTiling>& tiling) {
  if (!tiling) return request;
  fill(request.block_q, tiling->block_q);
  fill(request.block_k, tiling->block_k);
  fill(request.block_m, tiling->block_m);
  fill(request.block_n, tiling->block_n);
  fill(request.stages, tiling->stages);
  if (request.block_d == 0) request.block_d = tiling->block_d;
  return request;
}

/// What the command line can say and no kernel does.
std::optional<std::string> foreign(const PointRequest& request) {
  if (request.segments) return "--segments: the kernels run one shape at a time";
  if (request.options.mistake != Mistake::none) {
    return "--unsafe " + std::string(name_of(request.options.mistake)) + ": the kernels make no mistakes on purpose";
  }
  return std::nullopt;
}

MeasurePlan plan_for(const PointRequest& request, const Kernel& kernel) {
  const std::optional<KernelTiling> tiling = tiling_for(request, kernel);
  MeasurePlan plan{.kernel = &kernel, .request = with_tiling(request, tiling), .point = {}};
  plan.request.overflowing = Overflowing::counted;  // what a block holds is the kernel's affair
  plan.request.problem.fp8_output = DType::bf16;    // of kernels
  ResolvedPoint resolved = resolve(plan.request);
  plan.refusal = foreign(request);
  if (!plan.refusal) plan.refusal = choose_tiling(resolved);
  plan.point = resolved.largest;
  // A ring in a kernel whose algorithm bills none is no option of the algorithm.
  if (tiling) plan.point.tiling.stages = plan.request.stages.value_or(tiling->stages);
  if (!plan.refusal) plan.refusal = kernels::unsupported(kernel, plan.point);
  return plan;
}

}  // namespace

std::vector<std::string_view> known_kernels() {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : kernels::catalog()) names.push_back(kernel.name);
  return names;
}

std::vector<const Kernel*> kernels_of(std::string_view algorithm) {
  std::vector<const Kernel*> found;
  for (const Kernel& kernel : kernels::catalog()) {
    if (kernel.algorithm == algorithm) found.push_back(&kernel);
  }
  return found;
}

MeasurePlan plan_of(const PointRequest& request, const Kernel* kernel) {
  const std::string_view algorithm = request.algorithm->name;
  if (kernel != nullptr) {
    if (kernel->algorithm == algorithm) return plan_for(request, *kernel);
    throw InputError("--kernel " + std::string(kernel->name) + " mirrors " + std::string(kernel->algorithm) +
                     ", not --algorithm " + std::string(algorithm));
  }
  const std::vector<const Kernel*> candidates = kernels_of(algorithm);
  if (candidates.empty()) {
    throw InputError("--algorithm " + std::string(algorithm) +
                     ": no kernel mirrors it; `tilemeter kernels` lists those that do");
  }
  MeasurePlan first = plan_for(request, *candidates.front());
  for (std::size_t i = 1; first.refusal && i < candidates.size(); ++i) {
    MeasurePlan next = plan_for(request, *candidates[i]);
    if (!next.refusal) return next;
  }
  return first;
}

}  // namespace tilemeter
