// Descriptions of kernels: what they mean, which build suits a point, and what is wrong in them, with file and key.
#include "model/kernel_description.hpp"

#include <random>
#include <set>

#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

const std::string good_kernel = R"(name = "mine_2"
title = "a kernel of mine"
algorithm = "flash2"
source = "its author"

[execution]
matrix = "wgmma"
scheduling = "counter"
tails = "padded"
spills = true

[[build]]
head_dim = 64
masks = ["causal"]
block_q = 128
block_k = 96
threads = 256
math_warps = 4
row_order = "longest-first"
spills = false

[[build]]
head_dim = 64
block_q = 128
block_k = 64
stages = 3
threads = 128
blocks_per_sm = 2
registers = 255
maxima = "masked"

[[build]]
head_dim = 64
block_q = 64
block_k = 64
threads = 128

[[launch]]
kernel = "mine_fwd"
batch = 4
mask = "causal"
packed = true

[[launch]]
kernel = ["prepare", "mine_fwd"]
seq = 100
)";

std::string changed_kernel(const std::string& from, const std::string& to) {
  std::string text = good_kernel;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

KernelDescription kernel_in(const std::string& text) { return parse_kernel(text, "mine.toml"); }

void refuse_kernel(const std::string& from, const std::string& to, const std::string& message) {
  CAPTURE(from, to);
  CHECK_THROWS_WITH(kernel_in(changed_kernel(from, to)), contains("mine.toml: " + message));
}

Case point_of(Count head_dim, MaskKind mask) {
  Case point;
  point.problem.head_dim = head_dim;
  point.problem.head_dim_v = head_dim;
  point.problem.mask.kind = mask;
  return point;
}

Case point_in(Count block_q, Count block_k, MaskKind mask) {
  Case point = point_of(64, mask);
  point.tiling.block_q = block_q;
  point.tiling.block_k = block_k;
  point.tiling.rule = BlockRule::given;
  return point;
}

}  // namespace

TEST_CASE("a kernel's description is read as it says") {
  const KernelDescription kernel = kernel_in(good_kernel);
  CHECK(kernel.name == "mine_2");
  CHECK(kernel.algorithm == "flash2");
  REQUIRE(kernel.builds.size() == 3);
  const KernelBuild& first = kernel.builds[0];
  CHECK(first.masks == std::vector{MaskKind::causal});
  CHECK(first.execution.matrix == MatrixPath::wgmma);
  CHECK(first.execution.scheduling == Scheduling::counter);
  CHECK(first.execution.rows == RowOrder::longest_first);
  CHECK(first.execution.tails == Tails::padded);
  CHECK(first.execution.math_warps == 4);
  CHECK(!first.execution.blocks_per_sm);
  CHECK(!first.stages);
  CHECK(first.execution.maxima == Maxima::all);
  CHECK_FALSE(first.spills);
  const KernelBuild& second = kernel.builds[1];
  CHECK(second.execution.rows == RowOrder::ascending);
  CHECK(second.execution.math_warps == 4);  // all of them
  CHECK(second.execution.blocks_per_sm == 2);
  CHECK(second.registers == 255);
  CHECK(second.stages == 3);
  CHECK(second.execution.maxima == Maxima::masked);
  CHECK(second.spills);
}

TEST_CASE("launches of a profile keep the options of their problem") {
  const KernelDescription kernel = kernel_in(good_kernel);
  REQUIRE(kernel.launches.size() == 2);
  CHECK(kernel.launches[0].kernels == std::vector<std::string>{"mine_fwd"});
  const std::vector<std::pair<std::string, std::string>> problem = {{"batch", "4"}, {"mask", "causal"}, {"packed", ""}};
  CHECK(kernel.launches[0].problem == problem);
  CHECK(kernel.launches[1].kernels == std::vector<std::string>{"prepare", "mine_fwd"});
  CHECK(kernel.launches[1].place == "mine.toml: launch[2]");
}

TEST_CASE("a point takes the first build that suits its head dimension, mask and sizes") {
  const KernelDescription kernel = kernel_in(good_kernel);
  const auto threads = [&](const Case& point) { return execution_of(kernel, point).threads; };
  CHECK(threads(point_of(64, MaskKind::causal)) == 256);
  CHECK(threads(point_of(64, MaskKind::none)) == 128);
  CHECK(execution_of(kernel, point_of(64, MaskKind::none)).blocks_per_sm == 2);
  CHECK(!execution_of(kernel, point_in(64, 64, MaskKind::causal)).blocks_per_sm);
  CHECK(execution_of(kernel, point_of(64, MaskKind::none)).kernel == "mine_2");
}

TEST_CASE("a point that no build suits is refused with the builds") {
  const KernelDescription kernel = kernel_in(good_kernel);
  CHECK_THROWS_WITH(
      execution_of(kernel, point_of(128, MaskKind::none)),
      contains("--kernel mine_2: no build for head_dim 128, mask none; the builds are: 128 x 96, head_dim "
               "64, causal; 128 x 64, head_dim 64; 64 x 64, head_dim 64"));
  CHECK_THROWS_WITH(execution_of(kernel, point_in(128, 96, MaskKind::none)),
                    contains("no build for head_dim 64, mask none, block_q 128, block_k 96"));
  Case wide = point_of(64, MaskKind::none);
  wide.problem.head_dim_v = 128;
  CHECK_THROWS_WITH(execution_of(kernel, wide), contains("head_dim 64, head_dim_v 128, mask none"));
}

TEST_CASE("a layer takes the build with the fewest tiles of tokens, the narrowest of those") {
  const KernelDescription kernel = load_kernel("weight_layer");
  const auto tokens_of = [&](Count tokens) { return build_of(kernel, {.tokens = tokens}).block_m; };
  CHECK(tokens_of(1) == 64);
  CHECK(tokens_of(64) == 64);
  CHECK(tokens_of(65) == 128);
  CHECK(tokens_of(200) == 224);
  CHECK(tokens_of(300) == 160);
}

TEST_CASE("what is wrong in a description is named by file and key, with what is expected") {
  refuse_kernel("name = \"mine_2\"\n", "", "name is missing; expected a word of a-z");
  refuse_kernel("mine_2", "Mine 2", "name: found the text \"Mine 2\"; expected a word of a-z, 0-9 and _");
  refuse_kernel("title = \"a kernel of mine\"\n", "", "title is missing");
  refuse_kernel("source = \"its author\"", "source = 4", "source: found 4; expected text");
  refuse_kernel("\"flash2\"", "\"flush2\"", "algorithm: found the text \"flush2\" (did you mean \"flash2\"?)");
  refuse_kernel("title", "titles", "unknown key \"titles\" (did you mean \"title\"?)");
  refuse_kernel(
      "matrix = \"wgmma\"", "matrix = \"wgma\"",
      "execution.matrix: found the text \"wgma\" (did you mean \"wgmma\"?); expected one of scalar mma wgmma");
  refuse_kernel("matrix = \"wgmma\"", "threads = 4", "execution: unknown key \"threads\"");
  refuse_kernel("spills = true", "spills = \"yes\"",
                "execution.spills: found the text \"yes\"; expected true or false");
  refuse_kernel("scheduling = \"counter\"", "scheduling = 1", "execution.scheduling: found 1; expected one of grid");
  refuse_kernel("[\"causal\"]", "[\"diagonal\"]", "build[1].masks: found the text \"diagonal\"; expected an array");
  refuse_kernel("[\"causal\"]", "[]", "build[1].masks: found an empty array");
  refuse_kernel("[\"causal\"]", "\"causal\"", "build[1].masks: found the text \"causal\"; expected an array of masks");
  refuse_kernel("threads = 256", "threads = 1025",
                "build[1].threads: found 1025; expected a whole number of 1 to 1024");
  refuse_kernel("threads = 256\n", "", "build[1].threads is missing");
  refuse_kernel("math_warps = 4", "math_warps = 9", "build[1].math_warps: found 9; expected a whole number of 1 to 8");
  refuse_kernel("blocks_per_sm = 2", "blocks_per_sm = 0", "build[2].blocks_per_sm: found 0");
  refuse_kernel("registers = 255", "registers = 256", "build[2].registers: found 256");
  refuse_kernel("block_k = 96", "block_k = 0", "build[1].block_k: found 0");
  refuse_kernel("head_dim = 64", "head_dim_v = 64", "build[1].head_dim is missing; expected it beside head_dim_v");
  refuse_kernel("row_order", "row_odrer", "build[1]: unknown key \"row_odrer\" (did you mean \"row_order\"?)");
  refuse_kernel("kernel = \"mine_fwd\"\n", "", "launch[1].kernel is missing; expected part of a kernel's name");
  refuse_kernel("[\"prepare\", \"mine_fwd\"]", "[]", "launch[2].kernel: found an empty array");
  refuse_kernel("packed = true", "packed = false", "launch[1].packed: found");
  refuse_kernel("packed = true", "packed = 1.5", "launch[1].packed: found");
  CHECK_THROWS_WITH(kernel_in("name = "), contains("mine.toml"));
  const std::string no_builds = good_kernel.substr(0, good_kernel.find("[[build]]"));
  CHECK_THROWS_WITH(kernel_in(no_builds), contains("mine.toml: build is missing; expected tables [[build]]"));
}

TEST_CASE("a damaged description is refused or read, and never more") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text = good_kernel;
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      default:
        text.insert(at, 1, static_cast<char>(random() % 128));
    }
    CAPTURE(text);
    try {
      const KernelDescription kernel = kernel_in(text);
      CHECK(!kernel.builds.empty());
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), contains("mine.toml"));
    }
  }
}

TEST_CASE("descriptions that ship are found by name, by prefix, and named where they are not found") {
  std::set<std::string_view> names;
  for (const std::string_view name : kernel_description_names()) {
    CHECK(names.insert(name).second);
    const KernelDescription kernel = load_kernel(name);
    CHECK(kernel.name == name);
    CHECK(!kernel.source.empty());
  }
  CHECK(load_kernel("FA2").name == "fa2");
  CHECK(load_kernel("gem").name == "gemm");
  CHECK_THROWS_WITH(load_kernel("fa"),
                    contains("--kernel \"fa\": fits several kernels; name one of: fa2 fa2_backward"));
  CHECK_THROWS_WITH(load_kernel("flash9"), contains("--kernel \"flash9\": unknown kernel (did you mean \"flash"));
  CHECK_THROWS_WITH(load_kernel("no/such.toml"), contains("--kernel"));
}
