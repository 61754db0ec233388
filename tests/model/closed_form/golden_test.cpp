// Verified bills: tests/golden/traffic.json, whose entries are command lines with their traffic per tensor.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

using namespace tilemeter;
using Json = nlohmann::json;

namespace {

/// A command line of the file as a point; an option that it does not know fails.
class GoldenPoint {
 public:
  explicit GoldenPoint(const std::vector<std::string>& args) {
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (set_flag(args[i])) continue;
      const std::string& value = args.at(i + 1);
      if (!set_count(args[i], value) && !set_text(args[i], value)) throw std::runtime_error("unknown " + args[i]);
      ++i;
    }
  }

  std::string algorithm;
  Case point;

 private:
  bool set_flag(const std::string& option) {
    if (option == "--causal") point.problem.mask.kind = MaskKind::causal;
    if (option == "--packed") point.problem.packing = Packing::packed;
    if (option == "--init") point.options.init = StatisticsInit::counted;
    if (option == "--elide-first") point.options.first_visit = FirstVisit::elides_read;
    static const std::set<std::string> flags = {"--causal", "--packed", "--init", "--elide-first"};
    return flags.contains(option);
  }

  bool set_count(const std::string& option, const std::string& value) {
    Problem& p = point.problem;
    const std::map<std::string, std::vector<Count*>> targets = {{"--seq", {&p.seq_q, &p.seq_k}},
                                                                {"--seq-q", {&p.seq_q}},
                                                                {"--seq-k", {&p.seq_k}},
                                                                {"--head-dim", {&p.head_dim, &p.head_dim_v}},
                                                                {"--head-dim-v", {&p.head_dim_v}},
                                                                {"--heads", {&p.heads, &p.kv_heads}},
                                                                {"--kv-heads", {&p.kv_heads}},
                                                                {"--batch", {&p.batch}},
                                                                {"--block-q", {&point.tiling.block_q}},
                                                                {"--block-k", {&point.tiling.block_k}},
                                                                {"--chunk-q", {&point.tiling.block_q}},
                                                                {"--chunk-k", {&point.tiling.block_k}}};
    const auto found = targets.find(option);
    if (found == targets.end()) return false;
    for (Count* target : found->second) *target = std::stoll(value);
    return true;
  }

  bool set_text(const std::string& option, const std::string& value) {
    if (option == "--algorithm") return algorithm = value, true;
    if (option == "--variant") {
      return point.options.variant = value == "two_kernels" ? Variant::two_kernels : Variant::atomics, true;
    }
    if (option == "--mask-shape") {
      return point.options.mask_shape = value == "row" ? MaskShape::row : MaskShape::full, true;
    }
    if (option == "--unfused") return set_unfused("," + value + ","), true;
    if (option == "--window") return set_window(value), true;
    if (option == "--splits") return point.options.splits = std::stoll(value), true;
    if (option == "--variant") return set_variant(value);
    return false;
  }

  void set_unfused(const std::string& list) {
    const auto holds = [&](const char* step) { return list.find(step) != std::string::npos; };
    point.options.unfused_scale = holds(",scale,");
    point.options.unfused_mask = holds(",mask,");
    point.options.unfused_dropout = holds(",dropout,");
    point.options.unfused_gradients = {
        .scale = holds(",scale,"), .mask = holds(",mask,"), .dropout = holds(",dropout,")};
  }

  bool set_variant(const std::string& value) {
    for (const Variant variant : formula_of(algorithm).variants) {
      if (name_of(variant) == value) point.options.variant = variant;
    }
    return point.options.variant.has_value();
  }

  void set_window(const std::string& value) {
    const auto side = [](const std::string& text) {
      const Count count = std::stoll(text);
      return count < 0 ? std::nullopt : std::optional<Count>(count);
    };
    const std::size_t comma = value.find(',');
    point.problem.mask = {MaskKind::window, side(value.substr(0, comma)), side(value.substr(comma + 1)), nullptr};
  }
};

const std::set<std::string> covered = {"standard",        "standard_tiled", "standard_unfused",  "flash1",
                                       "flash2",          "split_kv",       "standard_backward", "flash1_backward",
                                       "flash2_backward", "chunked"};

Json golden_entries() {
  std::ifstream file(TILEMETER_SOURCE_DIR "/tests/golden/traffic.json");
  return Json::parse(file).at("entries");
}

void check_tensors(const Work& work, const Json& tensors) {
  std::size_t listed = 0;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    const std::string name(tensor_names[i]);
    INFO(name);
    const bool present = tensors.contains(name);
    listed += present ? 1 : 0;
    CHECK(work.tensors[i].read.value() == (present ? tensors.at(name).at(0).get<Count>() : 0));
    CHECK(work.tensors[i].write.value() == (present ? tensors.at(name).at(1).get<Count>() : 0));
  }
  CHECK(listed == tensors.size());
}

void check_operations(const Work& work, const Json& operations) {
  CHECK(work.matmul_flops.value() == operations.at("matmul_flops").get<Count>());
  CHECK(work.exp.scores == operations.at("exp").at("scores").get<Count>());
  if (operations.at("exp").contains("rescale"))
    CHECK(work.exp.rescale == operations.at("exp").at("rescale").get<Count>());
  if (operations.at("exp").contains("combine"))
    CHECK(work.exp.combine == operations.at("exp").at("combine").get<Count>());
  if (operations.contains("tiles")) CHECK(work.tiles == operations.at("tiles").get<Count>());
}

}  // namespace

TEST_CASE("every verified bill of the algorithms here, per tensor") {
  std::map<std::string, int> checked_entries;
  for (const Json& entry : golden_entries()) {
    const auto args = entry.at("args").get<std::vector<std::string>>();
    REQUIRE(args.at(0) == "--algorithm");
    if (!covered.contains(args.at(1))) continue;
    INFO(entry.at("args").dump());
    const GoldenPoint golden(args);
    const Work work = closed_form(golden.algorithm, golden.point);
    const Traffic total = work.total();
    CHECK(total.read.value() == entry.at("elements").at("read").get<Count>());
    CHECK(total.write.value() == entry.at("elements").at("write").get<Count>());
    CHECK(total.total().value() == entry.at("elements").at("total").get<Count>());
    CHECK(total.read_bytes.value() == entry.at("bytes").at("read").get<Count>());
    CHECK(total.write_bytes.value() == entry.at("bytes").at("write").get<Count>());
    check_tensors(work, entry.at("tensors"));
    check_operations(work, entry.at("operations"));
    if (entry.contains("extra_memory_elements")) {
      const auto workspace = workspace_of(golden.algorithm, golden.point);
      REQUIRE(workspace.has_value());
      CHECK(workspace->elements.value() == entry.at("extra_memory_elements").get<Count>());
    }
    ++checked_entries[golden.algorithm];
  }
  CHECK(checked_entries == std::map<std::string, int>{{"chunked", 6},
                                                      {"flash1", 26},
                                                      {"flash2", 44},
                                                      {"standard", 3},
                                                      {"standard_unfused", 2},
                                                      {"standard_backward", 2},
                                                      {"flash1_backward", 19},
                                                      {"flash2_backward", 38},
                                                      {"split_kv", 36}});
}
