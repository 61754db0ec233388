#include "tools/options/kernel_option.hpp"

#include <array>

#include "model/error.hpp"
#include "tools/options/known.hpp"

namespace tilemeter {
namespace {

constexpr std::array kernel_specs = {OptionSpec{
    "--kernel", "NAME|FILE.toml", "a described kernel: its tiles, stages and execution where no other option says them"}
                                         .among(known_descriptions)};

void fill_size(std::optional<Count>& size, const std::optional<Count>& compiled) {
  if (!size) size = compiled;
}

}  // namespace

std::span<const OptionSpec> kernel_option_specs() { return kernel_specs; }

std::optional<KernelDescription> described_kernel(const Arguments& arguments) {
  const auto name = arguments.find("--kernel");
  return name ? std::optional(load_kernel(*name)) : std::nullopt;
}

Arguments with_algorithm_of(const std::optional<KernelDescription>& kernel, const Arguments& arguments) {
  if (!kernel) return arguments;
  const auto algorithm = arguments.find("--algorithm");
  if (algorithm == kernel->algorithm) return arguments;
  if (algorithm) {
    throw InputError("--kernel " + kernel->name + " executes " + kernel->algorithm + ", not --algorithm " + *algorithm);
  }
  std::vector<Arguments::Given> options = {{"--algorithm", kernel->algorithm}};
  options.insert(options.end(), arguments.options().begin(), arguments.options().end());
  return {std::move(options), arguments.words()};
}

BuildWish wish_of(const PointRequest& request) {
  BuildWish wish{.head_dim = request.problem.head_dim,
                 .head_dim_v = request.head_dim_v.value_or(request.problem.head_dim),
                 .mask = request.problem.mask.kind,
                 .block_q = request.block_q,
                 .block_k = request.block_k,
                 .block_m = request.block_m,
                 .block_n = request.block_n,
                 .tokens = request.shapes.tokens};
  if (request.block_d != 0) wish.block_d = request.block_d;
  return wish;
}

const KernelBuild& nearest_build(const KernelDescription& kernel, const PointRequest& request) {
  BuildWish wish = wish_of(request);
  if (const KernelBuild* build = find_build(kernel, wish)) return *build;
  for (auto size :
       {&BuildWish::block_q, &BuildWish::block_k, &BuildWish::block_d, &BuildWish::block_m, &BuildWish::block_n}) {
    wish.*size = std::nullopt;
  }
  return build_of(kernel, wish);
}

PointRequest with_sizes(PointRequest request, const KernelBuild& build) {
  fill_size(request.stages, build.stages);
  if (request.rule) return request;
  fill_size(request.block_q, build.block_q);
  fill_size(request.block_k, build.block_k);
  fill_size(request.block_m, build.block_m);
  fill_size(request.block_n, build.block_n);
  if (request.block_d == 0) request.block_d = build.block_d.value_or(0);
  return request;
}

}  // namespace tilemeter
