#include "tests/support/catch.hpp"
#include "tools/json.hpp"
#include "tools/options/point_options.hpp"
#include "tools/output/csv.hpp"
#include "tools/resolve.hpp"

using namespace tilemeter;

namespace {

/// Arguments from words: "--seq 4096 --causal".
Arguments arguments_of(std::initializer_list<std::pair<const char*, const char*>> given) {
  std::vector<Arguments::Given> options;
  for (const auto& [option, value] : given) options.push_back({option, value});
  return {options, {}};
}

PointGrid grid_of(std::initializer_list<std::pair<const char*, const char*>> given) {
  return point_grid(arguments_of(given), "sweep", Several::many);
}

Json json_of(std::initializer_list<std::pair<const char*, const char*>> given, RunOptions options = {}) {
  const PointGrid grid = grid_of(given);
  return point_json(evaluate(grid[0], options), Feasibility::silent);
}

std::string message_of(std::initializer_list<std::pair<const char*, const char*>> given) {
  try {
    const PointGrid grid = grid_of(given);
    check(grid[0], {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

bool has_hint(const Json& point, const std::string& text) {
  if (!point.contains("warnings")) return false;
  for (const Json& hint : point["warnings"]) {
    if (hint.get<std::string>().find(text) != std::string::npos) return true;
  }
  return false;
}

/// Every key of `part` is in `whole` with the same value; arrays name one element that must be there.
void check_contains(const Json& whole, const Json& part, const std::string& path) {
  CAPTURE(path);
  if (part.is_object()) {
    for (const auto& [key, value] : part.items()) {
      REQUIRE(whole.contains(key));
      check_contains(whole[key], value, path + "/" + key);
    }
  } else if (part.is_array()) {
    CHECK(std::find(whole.begin(), whole.end(), part.front()) != whole.end());
  } else {
    CHECK(whole == part);
  }
}

}  // namespace

TEST_CASE("a point has the documented JSON, figure for figure") {
  const Json expected = Json::parse(R"json({
    "algorithm": "flash1",
    "problem": {"batch": 1, "heads": 1, "kv_heads": 1, "seq_q": 4096, "seq_k": 4096, "head_dim": 64, "head_dim_v": 64,
                "mask": "none", "dtype": "fp16", "stat_dtype": "fp32"},
    "tiling": {"block_q": 64, "block_k": 196, "stages": 1, "rule": "paper"},
    "traffic": {
      "elements": {"read": 11706368, "write": 5677056, "total": 17383424},
      "bytes": {"read": 23756800, "write": 11698176, "total": 35454976},
      "tensors": {"Q": {"read_elements": 5505024, "write_elements": 0, "read_bytes": 11010048, "write_bytes": 0}}},
    "closed_form": {"expression": "2Nd + Tc(3Nd + 4N)",
                    "elements": {"read": 11706368, "write": 5677056, "total": 17383424},
                    "bytes": {"read": 23756800, "write": 11698176, "total": 35454976}, "equal": true},
    "compulsory": {"elements": 1048576, "bytes": 2097152},
    "operations": {"matmul_flops": 4294967296, "pairs": 16777216, "tiles": 1344,
                   "exp": {"scores": 16777216, "rescale": 86016, "rescale_block": 0, "combine": 0}},
    "sram": {"placement": "sram", "peak_elements": 45952, "peak_bytes": 125440, "capacity_elements": 50000,
             "capacity_bytes": null, "fits": true,
             "tiles": [{"name": "K", "space": "sram", "rows": 196, "cols": 64, "elements": 12544, "bytes": 25088}]}
  })json");
  const Json point = json_of({{"--algorithm", "flash1"},
                              {"--seq", "4096"},
                              {"--head-dim", "64"},
                              {"--sram", "50000el"},
                              {"--blocks", "paper"}});
  check_contains(point, expected, "");
  std::vector<std::string> keys;
  for (const auto& [key, value] : point.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"algorithm", "problem", "tiling", "traffic", "closed_form", "compulsory",
                                         "operations", "sram"});
}

TEST_CASE("the grid follows the order of the options, the last one fastest") {
  const PointGrid grid = grid_of({{"--seq", "8,16"}, {"--algorithm", "flash1,flash2"}, {"--head-dim", "4,2"}});
  REQUIRE(grid.size() == 8);
  CHECK(grid[1].problem.head_dim == 2);
  CHECK(grid[1].problem.seq_q == 8);
  CHECK(grid[7].problem.seq_k == 16);
  CHECK(grid[2].algorithm != grid[0].algorithm);
}

TEST_CASE("fit is the default with a budget, 128 x 128 without") {
  const Json fit = json_of({{"--algorithm", "flash1"}, {"--seq", "4096"}, {"--sram", "50000el"}});
  CHECK(fit["tiling"]["block_q"] == 64);
  CHECK(fit["tiling"]["block_k"] == 217);
  CHECK(fit["tiling"]["rule"] == "fit");
  const Json open = json_of({{"--algorithm", "flash2"}, {"--seq", "4096"}});
  CHECK(open["tiling"]["rule"] == "default");
  CHECK(open["sram"]["fits"].is_null());
  CHECK(json_of({{"--algorithm", "standard"}, {"--seq", "64"}})["tiling"].is_null());
}

TEST_CASE("a device limits shared memory of a block and counts resident blocks") {
  const Json point = json_of({{"--algorithm", "flash2"},
                              {"--seq", "4096"},
                              {"--head-dim", "128"},
                              {"--device", "a100-80gb"},
                              {"--block-q", "128"},
                              {"--block-k", "64"}});
  CHECK(point["sram"]["placement"] == "gpu");
  CHECK(point["sram"]["capacity_bytes"] == 166912);
  CHECK(point["sram"]["peak_shared_bytes"] == 65536);
  CHECK(point["sram"]["resident_blocks"] == 2);
}

TEST_CASE("a tiling over capacity is a refusal that says how much, or counted on request") {
  const auto words = {std::pair{"--algorithm", "flash1"}, std::pair{"--seq", "4096"}, std::pair{"--sram", "12500el"},
                      std::pair{"--blocks", "paper"}};
  const PointResult refused = evaluate(grid_of(words)[0], {});
  REQUIRE(refused.refusal.has_value());
  const Json row = point_json(refused, Feasibility::stated);
  CHECK(row["feasible"] == false);
  CHECK(row["overflow_elements"] == 15043 - 12500);
  CHECK_FALSE(row.contains("traffic"));
  const Json counted = json_of({{"--algorithm", "flash1"},
                                {"--seq", "4096"},
                                {"--sram", "12500el"},
                                {"--blocks", "paper"},
                                {"--no-capacity", ""}});
  CHECK(counted["sram"]["fits"] == false);
  CHECK(counted["overflow_elements"] == 2543);
  CHECK(counted["traffic"]["elements"]["total"] == 67960832);
}

TEST_CASE("a point for which no tile can be chosen states no sizes") {
  const PointResult none = evaluate(grid_of({{"--algorithm", "flash1"}, {"--seq", "64"}, {"--sram", "100el"}})[0], {});
  const Json row = point_json(none, Feasibility::stated);
  CHECK(row["feasible"] == false);
  CHECK(row["tiling"]["block_q"].is_null());
  CHECK(row["overflow_elements"] == 4 * 64 + 1 + 2 - 100);
  const PointResult rule = evaluate(
      grid_of({{"--algorithm", "standard_tiled"}, {"--seq", "64"}, {"--sram", "1MiB"}, {"--blocks", "paper"}})[0], {});
  CHECK_FALSE(point_json(rule, Feasibility::stated).contains("overflow_elements"));
}

TEST_CASE("a budget that replaces a device's limit also counts its resident blocks") {
  const Json point = json_of({{"--algorithm", "flash2"},
                              {"--seq", "4096"},
                              {"--head-dim", "128"},
                              {"--device", "rtx4090"},
                              {"--sram", "200KiB"},
                              {"--block-q", "256"},
                              {"--block-k", "256"}});
  CHECK(point["sram"]["capacity_bytes"] == 204800);
  CHECK(point["sram"]["peak_shared_bytes"] == 196608);
  CHECK(point["sram"]["resident_blocks"] == 1);
}

TEST_CASE("an index overflow is named exactly where 2^31 - 1 elements are passed") {
  const auto s_hint = [](const char* seq) {
    return has_hint(json_of({{"--algorithm", "standard"}, {"--seq", seq}}), "S has");
  };
  CHECK_FALSE(s_hint("46340"));
  CHECK(s_hint("46341"));
  CHECK(has_hint(json_of({{"--algorithm", "standard"}, {"--seq", "4096"}, {"--batch", "8"}, {"--heads", "28"}}),
                 "S has 3758096384 elements: a 32-bit index overflows (2^31 - 1)"));
}

TEST_CASE("layout, swapped sizes and padding get hints") {
  CHECK(has_hint(json_of({{"--algorithm", "flash2"}, {"--seq", "3"}, {"--heads", "71280"}}), "heads 71280 > 65535"));
  CHECK(has_hint(json_of({{"--algorithm", "flash2"}, {"--seq", "1024"}, {"--head-dim", "1024"}}), "swapped"));
  const Json padded = json_of({{"--algorithm", "flash2"}, {"--seq", "100"}, {"--head-dim", "132"}});
  CHECK(has_hint(padded, "264 B, 8.25 sectors"));
  CHECK(has_hint(padded, "pad the head dimension to 136"));
  CHECK(has_hint(padded, std::to_string(3 * 100 * (132 + 136) * 2) + " B more"));
}

TEST_CASE("options that contradict each other are refused by name") {
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--seq-q", "8"}}),
             contains("contradicts --seq-q 8"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq-q", "8"}}), contains("--seq-q 8 needs --seq-k"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}}), contains("needs a length"));
  CHECK_THAT(message_of({{"--seq", "8"}}), contains("--algorithm"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--blocks", "paper"}}),
             contains("--blocks paper needs --sram or --device"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--causal", ""}, {"--causal-top-left", ""}}),
             contains("--causal contradicts --causal-top-left"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--window", "1,0"}, {"--causal-top-left", ""}}),
             contains("--window 1,0 contradicts --causal-top-left"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--block-q", "8"}}), contains("needs --block-k"));
  CHECK_THAT(message_of({{"--algorithm", "flash1"}, {"--seq", "8"}, {"--init", ""}, {"--elide-first", ""}}),
             contains("--init contradicts --elide-first"));
  CHECK_THAT(message_of({{"--algorithm", "flash2"}, {"--seq", "8"}, {"--o-dtype", "fp32"}}),
             contains("--o-dtype is not an option of flash2: it belongs to flash1"));
  CHECK_THAT(message_of({{"--algorithm", "flash2"}, {"--seq", "8"}, {"--heads", "33"}, {"--kv-heads", "2"}}),
             contains("--heads 33"));
}

TEST_CASE("an option of one algorithm leaves the others of a list alone") {
  const PointGrid grid = grid_of({{"--algorithm", "flash1,flash2"}, {"--seq", "256"}, {"--o-dtype", "fp32"}});
  CHECK(evaluate(grid[0], {}).problem.o_dtype == DType::fp32);
  CHECK(evaluate(grid[1], {}).problem.o_dtype == DType::fp16);
}

TEST_CASE("a figure past 2^63 - 1 is refused before anything is counted") {
  CHECK_THAT(message_of({{"--algorithm", "flash2"}, {"--seq", "9000000000000000000"}}), contains("2^63 - 1"));
  CHECK(message_of({{"--algorithm", "flash2"}, {"--seq", "1048576"}, {"--head-dim", "128"}, {"--heads", "64"}}) ==
        "accepted");
}

TEST_CASE("a CSV row goes back to the JSON that it came from") {
  const Json point = json_of({{"--algorithm", "flash1"}, {"--seq", "100"}, {"--head-dim", "12"}, {"--sram", "5000el"}});
  const Json back = points_of_csv(csv_header() + csv_row(point), "test");
  REQUIRE(back.size() == 1);
  CHECK(back[0]["traffic"]["elements"] == point["traffic"]["elements"]);
  CHECK(back[0]["traffic"]["tensors"] == point["traffic"]["tensors"]);
  CHECK(back[0]["sram"]["tiles"] == point["sram"]["tiles"]);
  CHECK(back[0]["closed_form"]["expression"] == point["closed_form"]["expression"]);
}
