#include "model/kernel_description.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "model/closed_form/catalog.hpp"
#include "model/execution_values.hpp"
#include "model/quantity.hpp"
#include "model/register_use.hpp"
#include "model/shipped_kernels.hpp"
#include "model/shipped_name.hpp"
#include "model/suggest.hpp"
#include "model/toml_fields.hpp"

namespace tilemeter {
namespace {

constexpr Count most_size = 1'000'000'000;
constexpr Count most_resident = 64;
constexpr std::string_view build_form = "tables [[build]], each with threads and the sizes of a tiling";
constexpr std::string_view launch_form = "tables [[launch]], each with kernel and options of the program";
constexpr std::string_view masks_form = "an array of masks, of none, causal, causal_top_left and window";
constexpr std::string_view kernel_form = "part of a kernel's name, or an array of such";

constexpr std::array build_masks = {MaskKind::none, MaskKind::causal, MaskKind::causal_top_left, MaskKind::window};

/// Whichever of `values` the text of `key` names; `value` stays where the key is absent.
template <class Value, std::size_t n>
void read_word(const TomlFields& fields, std::string_view key, const std::array<Value, n>& values, Value& value) {
  if (!fields.has(key)) return;
  std::vector<std::string_view> words;
  for (const Value each : values) words.push_back(name_of(each));
  const std::string expected = "one of " + joined(words);
  const std::string text = fields.text(key, expected);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) {
    throw InputError(fields.place_of(key) + ": found the text " + in_quotes(text) + suggestion(text, words) +
                     "; expected " + expected);
  }
  value = values[static_cast<std::size_t>(found - words.begin())];
}

void read_execution(const TomlFields& fields, KernelBuild& build) {
  Execution& execution = build.execution;
  read_word(fields, "matrix", matrix_paths, execution.matrix);
  read_word(fields, "overlap", overlaps, execution.overlap);
  read_word(fields, "scheduling", schedulings, execution.scheduling);
  read_word(fields, "row_order", row_orders, execution.rows);
  read_word(fields, "fastest", fastest_indices, execution.fastest);
  read_word(fields, "tails", tail_ways, execution.tails);
  read_word(fields, "maxima", maxima_places, execution.maxima);
  read_word(fields, "turns", turn_ways, execution.turns);
  build.spills = fields.truth("spills").value_or(build.spills);
}

std::vector<MaskKind> read_build_masks(const TomlFields& fields) {
  std::vector<MaskKind> masks;
  for (const TomlNode& item : fields.array("masks", masks_form)) {
    const std::string word = text_of(item, fields.place_of("masks"), masks_form);
    const auto found = std::find_if(build_masks.begin(), build_masks.end(),
                                    [&](MaskKind mask) { return tilemeter::name_of(mask) == word; });
    if (found == build_masks.end()) refuse_node(fields.place_of("masks"), item, masks_form);
    masks.push_back(*found);
  }
  if (fields.has("masks") && masks.empty()) {
    throw InputError(fields.place_of("masks") + ": found an empty array; expected " + std::string(masks_form));
  }
  return masks;
}

void read_threads(const TomlFields& fields, KernelBuild& build) {
  Execution& execution = build.execution;
  execution.threads = fields.count("threads", 1, most_block_threads);
  const Count warps = ceil_div(execution.threads, warp_threads);
  execution.math_warps = fields.optional_count("math_warps", 1, warps).value_or(warps);
  execution.blocks_per_sm = fields.optional_count("blocks_per_sm", 1, most_resident);
  build.registers = fields.optional_count("registers", 1, most_thread_registers);
}

KernelBuild read_build(const TomlNode& node, std::string_view origin, std::size_t index, KernelBuild build) {
  const TomlFields fields(
      node, origin, "build[" + std::to_string(index + 1) + "]",
      {"head_dim",  "head_dim_v", "masks",      "block_q",       "block_k",   "block_d", "block_m", "block_n",
       "stages",    "threads",    "math_warps", "blocks_per_sm", "registers", "matrix",  "overlap", "scheduling",
       "row_order", "fastest",    "tails",      "maxima",        "turns",     "spills"});
  const auto size = [&](std::string_view key) { return fields.optional_count(key, 1, most_size); };
  build.head_dim = size("head_dim");
  build.head_dim_v = size("head_dim_v");
  if (build.head_dim_v && !build.head_dim) {
    throw InputError(fields.place_of("head_dim") + " is missing; expected it beside head_dim_v");
  }
  if (!build.head_dim_v) build.head_dim_v = build.head_dim;
  build.masks = read_build_masks(fields);
  build.block_q = size("block_q");
  build.block_k = size("block_k");
  build.block_d = size("block_d");
  build.block_m = size("block_m");
  build.block_n = size("block_n");
  build.stages = size("stages");
  read_threads(fields, build);
  read_execution(fields, build);
  return build;
}

std::vector<KernelBuild> read_builds(const TomlFields& file, std::string_view origin) {
  KernelBuild defaults;
  if (const TomlNode* node = file.table("execution", "a table of how all builds execute")) {
    const TomlFields fields(
        *node, origin, "execution",
        {"matrix", "overlap", "scheduling", "row_order", "fastest", "tails", "maxima", "turns", "spills"});
    read_execution(fields, defaults);
  }
  std::vector<KernelBuild> builds;
  const auto given = file.array("build", build_form);
  for (std::size_t i = 0; i < given.size(); ++i) builds.push_back(read_build(given[i], origin, i, defaults));
  if (builds.empty()) throw InputError(file.place_of("build") + " is missing; expected " + std::string(build_form));
  return builds;
}

std::vector<std::string> read_kernel_names(const TomlNode& node, const std::string& place) {
  std::vector<std::string> names;
  if (node.kind != TomlNode::Kind::array) return {text_of(node, place, kernel_form)};
  for (const TomlNode& item : node.items) names.push_back(text_of(item, place, kernel_form));
  if (names.empty()) throw InputError(place + ": found an empty array; expected " + std::string(kernel_form));
  return names;
}

/// The value of an option as the command line has it; of a flag, nothing.
std::string option_text(const TomlNode& node, const std::string& place) {
  constexpr std::string_view expected = "a whole number, text, or true for a flag";
  if (node.kind == TomlNode::Kind::whole_number) return std::to_string(node.number);
  if (node.kind == TomlNode::Kind::boolean && node.number == 1) return "";
  if (node.kind != TomlNode::Kind::text) refuse_node(place, node, expected);
  return text_of(node, place, expected);
}

ProfiledLaunch read_launch(const TomlNode& node, std::string_view origin, std::size_t index) {
  ProfiledLaunch launch;
  launch.place = std::string(origin) + ": launch[" + std::to_string(index + 1) + "]";
  if (node.kind != TomlNode::Kind::table) refuse_node(launch.place, node, launch_form);
  for (const auto& [key, value] : node.entries) {
    const std::string place = launch.place + "." + key;
    if (key == "kernel") {
      launch.kernels = read_kernel_names(value, place);
    } else {
      launch.problem.emplace_back(key, option_text(value, place));
    }
  }
  if (launch.kernels.empty()) {
    throw InputError(launch.place + ".kernel is missing; expected " + std::string(kernel_form));
  }
  return launch;
}

std::string read_name(const TomlFields& file) {
  constexpr std::string_view expected = "a word of a-z, 0-9 and _, such as \"fa2\"";
  std::string name = file.text("name", expected);
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos) return name;
  throw InputError(file.place_of("name") + ": found the text " + in_quotes(name) + "; expected " +
                   std::string(expected));
}

std::string read_algorithm(const TomlFields& file) {
  std::vector<std::string_view> names;
  for (const Formula& formula : formulas()) names.push_back(formula.name);
  std::string name = file.text("algorithm", "the name of an algorithm, such as \"flash2\"");
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  throw InputError(file.place_of("algorithm") + ": found the text " + in_quotes(name) + suggestion(name, names) +
                   "; expected one of " + joined(names));
}

bool suits(const KernelBuild& build, const BuildWish& wish) {
  const auto agree = [](const std::optional<Count>& compiled, const std::optional<Count>& wished) {
    return !compiled || !wished || *compiled == *wished;
  };
  const bool masked =
      build.masks.empty() || std::find(build.masks.begin(), build.masks.end(), wish.mask) != build.masks.end();
  return masked && agree(build.head_dim, wish.head_dim) && agree(build.head_dim_v, wish.head_dim_v) &&
         agree(build.block_q, wish.block_q) && agree(build.block_k, wish.block_k) &&
         agree(build.block_d, wish.block_d) && agree(build.block_m, wish.block_m) && agree(build.block_n, wish.block_n);
}

/// What a layer chooses by: tiles of tokens, for each of which the weights are read, and how wide they are.
std::pair<Count, Count> token_tiles(const KernelBuild& build, Count tokens) {
  const Count wide = build.block_m.value_or(1);
  return {ceil_div(tokens, wide), wide};
}

std::string sizes_of(const BuildWish& wish) {
  std::string text = "head_dim " + std::to_string(wish.head_dim);
  if (wish.head_dim_v != wish.head_dim) text += ", head_dim_v " + std::to_string(wish.head_dim_v);
  text += ", mask " + std::string(tilemeter::name_of(wish.mask));
  const std::pair<std::string_view, std::optional<Count>> sizes[] = {{"block_q", wish.block_q},
                                                                     {"block_k", wish.block_k},
                                                                     {"block_d", wish.block_d},
                                                                     {"block_m", wish.block_m},
                                                                     {"block_n", wish.block_n}};
  for (const auto& [key, size] : sizes) {
    if (size) text += ", " + std::string(key) + " " + std::to_string(*size);
  }
  return text;
}

}  // namespace

KernelDescription parse_kernel(std::string_view toml, std::string_view origin) {
  const TomlNode root = parse_toml(toml, origin);
  const TomlFields file(root, origin, "", {"name", "title", "algorithm", "source", "execution", "build", "launch"});
  KernelDescription kernel;
  kernel.name = read_name(file);
  kernel.title = file.text("title", "text that says in one line what the kernel is");
  kernel.algorithm = read_algorithm(file);
  kernel.source = file.text("source", "text that says where the description comes from");
  kernel.builds = read_builds(file, origin);
  const auto launches = file.array("launch", launch_form);
  for (std::size_t i = 0; i < launches.size(); ++i) kernel.launches.push_back(read_launch(launches[i], origin, i));
  return kernel;
}

std::vector<std::string_view> kernel_description_names() {
  std::vector<std::string_view> names;
  for (const ShippedKernel& kernel : shipped_kernels()) names.push_back(kernel.name);
  return names;
}

KernelDescription load_kernel(std::string_view name_or_path) {
  if (is_toml_path(name_or_path)) {
    return parse_kernel(read_toml_file("--kernel", std::string(name_or_path)), name_or_path);
  }
  const std::size_t index = shipped_index("--kernel", "kernel", name_or_path, kernel_description_names());
  const ShippedKernel& kernel = shipped_kernels()[index];
  return parse_kernel(kernel.toml, std::string(kernel.name) + ".toml");
}

BuildWish wish_of(const Case& point) {
  BuildWish wish{.head_dim = point.problem.head_dim,
                 .head_dim_v = point.problem.head_dim_v,
                 .mask = point.problem.mask.kind,
                 .tokens = point.shapes.tokens};
  const Tiling& tiling = point.tiling;
  if (tiling.rule != BlockRule::given) return wish;
  wish.block_q = tiling.block_q;
  wish.block_k = tiling.block_k;
  if (tiling.block_d != 0) wish.block_d = tiling.block_d;
  wish.block_m = tiling.block_m;
  wish.block_n = tiling.block_n;
  return wish;
}

const KernelBuild* find_build(const KernelDescription& kernel, const BuildWish& wish) {
  const KernelBuild* best = nullptr;
  for (const KernelBuild& build : kernel.builds) {
    if (!suits(build, wish)) continue;
    if (kernel.algorithm != "weight_layer") return &build;
    if (best == nullptr || token_tiles(build, wish.tokens) < token_tiles(*best, wish.tokens)) best = &build;
  }
  return best;
}

const KernelBuild& build_of(const KernelDescription& kernel, const BuildWish& wish) {
  if (const KernelBuild* build = find_build(kernel, wish)) return *build;
  std::string builds;
  for (const KernelBuild& build : kernel.builds) builds += (builds.empty() ? "" : "; ") + to_string(build);
  throw InputError("--kernel " + kernel.name + ": no build for " + sizes_of(wish) + "; the builds are: " + builds);
}

Execution execution_of(const KernelDescription& kernel, const Case& point) {
  Execution execution = build_of(kernel, wish_of(point)).execution;
  execution.kernel = kernel.name;
  return execution;
}

std::string to_string(const KernelBuild& build) {
  std::string text;
  const auto add = [&](std::string_view between, std::string_view key, const std::optional<Count>& size) {
    if (!size) return;
    if (!text.empty()) text += between;
    text += std::string(key) + std::to_string(*size);
  };
  add("", "", build.block_q);
  add(" x ", "", build.block_m);
  add(" x ", "", build.block_n);
  add(" x ", "", build.block_k);
  add(", ", "block_d ", build.block_d);
  add(", ", "head_dim ", build.head_dim);
  if (build.head_dim_v != build.head_dim) add(", ", "head_dim_v ", build.head_dim_v);
  for (const MaskKind mask : build.masks) {
    text += (text.empty() ? "" : ", ") + std::string(tilemeter::name_of(mask));
  }
  return text.empty() ? "any size" : text;
}

}  // namespace tilemeter
