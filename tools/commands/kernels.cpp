#include <algorithm>

#include "kernels/catalog.hpp"
#include "kernels/flash3_ladder.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/measure/plan.hpp"
#include "tools/options/text.hpp"
#include "tools/output/listing.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

using kernels::Kernel;
using kernels::KernelTiling;

constexpr std::string_view kernels_example =
    "  tilemeter kernels show flash2_plain\n"
    "says which algorithm the kernel mirrors, which tilings it is compiled for, what a block of each takes, and what "
    "it\n"
    "refuses. `tilemeter measure` runs it.";

/// The distinct texts in order, "a, b".
std::string listed(const std::vector<std::string>& texts) {
  std::vector<std::string_view> distinct;
  for (const std::string& text : texts) {
    if (std::find(distinct.begin(), distinct.end(), text) == distinct.end()) distinct.push_back(text);
  }
  return join(distinct);
}

template <class Value>
std::string names_of(std::span<const Value> values) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name_of(value));
  return listed(names);
}

std::string_view word_of(Packing packing) { return packing == Packing::packed ? "packed" : "unpacked"; }
std::string_view word_of(kernels::Architecture architecture) {
  return architecture == kernels::Architecture::hopper ? "sm_90a" : "sm_80 and later";
}

std::string head_dims(const Kernel& kernel) {
  std::vector<std::string> sizes;
  for (const KernelTiling& tiling : kernel.tilings) {
    if (tiling.head_dim == 0) continue;
    const bool same = tiling.head_dim_v == 0 || tiling.head_dim_v == tiling.head_dim;
    sizes.push_back(std::to_string(tiling.head_dim) + (same ? "" : "/" + std::to_string(tiling.head_dim_v)));
  }
  return listed(sizes);
}

/// "block_q 64, block_k 32, head_dim 64": the sizes that play a part.
std::string sizes_text(const KernelTiling& tiling) {
  const std::pair<std::string_view, Count> sizes[] = {
      {"block_q", tiling.block_q}, {"block_k", tiling.block_k},
      {"block_d", tiling.block_d}, {"block_m", tiling.block_m},
      {"block_n", tiling.block_n}, {"head_dim", tiling.head_dim},
      {"stages", tiling.stages},   {"head_dim_v", tiling.head_dim_v == tiling.head_dim ? 0 : tiling.head_dim_v}};
  std::string text;
  for (const auto& [name, size] : sizes) {
    if (size == 0 || (name == "stages" && size == 1)) continue;
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(size);
  }
  if (tiling.element_size == size_of(DType::fp8)) text += ", fp8";
  return text.empty() ? "any size" : text;
}

std::string block_text(const KernelTiling& tiling) {
  std::string text = std::to_string(tiling.threads) + " threads, " + binary_size(tiling.shared.value()) + " shared";
  if (tiling.padding > Bytes(0)) text += " of which " + std::to_string(tiling.padding.value()) + " B padding";
  return text + ", " + std::string(word_of(tiling.architecture));
}

/// What the lists leave out; sizes of the lists come with the tilings.
std::string refusals(const Kernel& kernel) {
  std::vector<std::string> refused = {"other types and tilings"};
  if (!kernel.masks.empty()) refused.emplace_back("other masks");
  if (!head_dims(kernel).empty()) refused.emplace_back("other head dimensions");
  const bool packs =
      std::find(kernel.packings.begin(), kernel.packings.end(), Packing::packed) != kernel.packings.end();
  if (!kernel.masks.empty() && !packs) refused.emplace_back("--packed");
  if (kernel.refusal != nullptr) refused.emplace_back("grids past 2^31 - 1 blocks and what `measure` names");
  return listed(refused);
}

Listing list_of_kernels() {
  Listing listing{.command = "kernels",
                  .key = "kernels",
                  .columns = {"name", "mirrors", "types", "head dims", "tilings", "idea"},
                  .rows = {}};
  for (const std::span<const Kernel> table : {kernels::catalog(), kernels::flash3_ladder()}) {
    for (const Kernel& kernel : table) {
      listing.rows.push_back({std::string(kernel.name), std::string(kernel.algorithm), names_of(kernel.dtypes),
                              head_dims(kernel), std::to_string(kernel.tilings.size()), std::string(kernel.idea)});
    }
  }
  return listing;
}

Listing kernel_description(std::string_view name) {
  const Kernel& kernel = kernels::kernel_named(name, "kernels show");
  Listing listing{.command = "kernels", .key = "facts", .columns = {"fact", "value"}, .rows = {}};
  const auto add = [&](std::string fact, std::string value) {
    if (!value.empty()) listing.rows.push_back({std::move(fact), std::move(value)});
  };
  std::vector<std::string> packings;
  for (const Packing packing : kernel.packings) packings.emplace_back(word_of(packing));
  add("name", std::string(kernel.name));
  add("mirrors", std::string(kernel.algorithm));
  add("idea", std::string(kernel.idea));
  add("built", kernel.launch == nullptr ? "no: this program has no CUDA kernels" : "yes");
  add("types", names_of(kernel.dtypes));
  add("types of S and P", names_of(kernel.score_dtypes));
  add("types of O, or dQ", names_of(kernel.o_dtypes));
  add("masks", names_of(kernel.masks));
  add("variants", names_of(kernel.variants));
  if (!kernel.masks.empty()) add("query heads", listed(packings));
  for (const KernelTiling& tiling : kernel.tilings) add("tiling " + sizes_text(tiling), block_text(tiling));
  add("refuses", refusals(kernel));
  return listing;
}

int run_kernels(const Arguments& arguments) {
  const auto shown = word_to_show(arguments, "kernels");
  write_listing(shown ? kernel_description(*shown) : list_of_kernels(), arguments);
  return 0;
}

}  // namespace

Command kernels_command() {
  return {.name = "kernels",
          .summary = "the CUDA kernels that mirror algorithms; `kernels show NAME` describes one",
          .example = kernels_example,
          .words = "[show NAME]",
          .options = all_options({output_option_specs(), logging_option_specs()}),
          .run = run_kernels,
          .known = known_kernels};
}

}  // namespace tilemeter
