// Observations of the documents that were recorded on a GPU, and of damaged ones.
#include "tools/validate/observation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "sim/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "tools/point.hpp"

using namespace tilemeter;

namespace {

namespace fs = std::filesystem;

const std::string recorded = TILEMETER_SOURCE_DIR "/traces/measured";

struct Read {
  std::vector<Observation> observations;
  std::vector<std::string> notes;
};

Read read(const std::vector<std::string>& paths) {
  Read all;
  all.observations = read_observations(paths, all.notes);
  return all;
}

const Read& everything() {
  static const Read all = read({recorded});
  return all;
}

const Observation& observation_at(std::string_view source) {
  for (const Observation& observation : everything().observations) {
    if (observation.source == source) return observation;
  }
  FAIL("no observation " << source);
  throw std::logic_error(std::string(source));
}

bool is_of(const std::string& text, const std::string& document) { return text.starts_with(document); }

}  // namespace

TEST_CASE("every recorded document gives observations, or notes that name it") {
  for (const auto& entry : fs::recursive_directory_iterator(recorded)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json") continue;
    CAPTURE(name);
    const auto& [observations, notes] = everything();
    const bool seen = std::any_of(observations.begin(), observations.end(),
                                  [&](const Observation& observation) { return is_of(observation.source, name); });
    const bool noted =
        std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return is_of(note, name); });
    CHECK((seen || noted));
  }
  CHECK(everything().observations.size() >= 200);
}

TEST_CASE("an observed point of an own kernel is billed as it was counted") {
  for (const Observation& observation : everything().observations) {
    CAPTURE(observation.source);
    CHECK(observation.request.algorithm != nullptr);
    CHECK(!observation.request.device);
    CHECK(observation.execution.kernel == observation.kernel);
    CHECK((observation.time || observation.counted || observation.profiled.edge_read || !observation.missing.empty()));
    if (observation.time) {
      CHECK(observation.time->seconds > 0);
      CHECK(observation.time->spread >= 0);
      CHECK(observation.time->spread < 1);
    }
    if (!observation.counted) continue;
    CHECK(observation.own);
    PointResult bill = evaluate(observation.request, {});
    REQUIRE(!bill.refusal);
    bill.counted.exp = {};
    CHECK(bill.counted == *observation.counted);
  }
}

TEST_CASE("a point of flash3 is read as its document has it") {
  const Observation& point = observation_at("flash3_n4096_d128.json, point 2");
  CHECK(point.kernel == "flash3");
  CHECK(point.own);
  CHECK(point.request.algorithm->name == "flash3");
  CHECK(point.request.problem.mask.kind == MaskKind::causal);
  CHECK(point.request.problem.dtype == DType::bf16);
  CHECK(point.request.problem.seq_q == 4096);
  CHECK(point.request.block_q == 128);
  CHECK(point.request.stages == 2);
  CHECK(point.execution.matrix == MatrixPath::wgmma);
  CHECK(point.execution.scheduling == Scheduling::forth_and_back);
  CHECK(point.execution.rows == RowOrder::longest_first);
  CHECK(point.execution.fastest == FastestIndex::streams);
  CHECK(point.execution.threads == 384);
  CHECK(point.execution.math_warps == 8);
  REQUIRE(point.time.has_value());
  CHECK(point.time->clock_hz.has_value());
  REQUIRE(point.counted.has_value());
  CHECK((*point.counted)[TensorName::O].write_bytes == Bytes(2 * 16384 * 2048));
  CHECK(!point.profiled.edge_read);
}

TEST_CASE("others' kernels are read with their descriptions, the profiler's bytes with what is missing") {
  const Observation& launch = observation_at("peers_counters.json, row 1");
  CHECK(launch.kernel == "fa2");
  CHECK(!launch.own);
  CHECK(launch.profiled.edge_read == Bytes(2282153216));
  CHECK(launch.profiled.edge_write == Bytes(569311232));
  CHECK(launch.profiled.dram_read == Bytes(242702336));
  CHECK(!launch.profiled.l2_read);
  REQUIRE(launch.missing.size() == 2);
  CHECK(!launch.time);
  CHECK(launch.request.block_k == 64);
  CHECK(launch.execution.blocks_per_sm == 2);

  const Observation& time = observation_at("peers_times.json, row 1");
  CHECK(time.kernel == "fa2");
  REQUIRE(time.time.has_value());
  CHECK(time.time->seconds == Approx(0.500192e-3));
  CHECK(time.time->spread == Approx((0.516448 - 0.492256) / 0.500192 * 1.349 / 3.472));
  CHECK(time.request.problem.batch == 16);
  CHECK(time.request.block_k == 128);
}

TEST_CASE("bytes of a profiled point are the sums over its launches") {
  std::map<std::string, int> profiled;
  for (const Observation& observation : everything().observations) {
    if (!observation.profiled.edge_read || !observation.own) continue;
    ++profiled[observation.kernel];
    CAPTURE(observation.source);
    CHECK(!observation.time);  // what a profiler times is no time of the kernel's
    CHECK(observation.profiled.edge_write.has_value());
    CHECK(observation.profiled.dram_read.has_value());
    REQUIRE(observation.counted.has_value());
    CHECK(*observation.profiled.edge_write >= observation.counted->total().write_bytes);
  }
  CHECK(profiled["flash2"] >= 6);
  CHECK(profiled["standard"] >= 1);  // three launches each
}

namespace {

const std::string peers = recorded + "/h200/peers/ncu-raw.csv";

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of `text` that is gone after the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : folder_(fs::temp_directory_path() / ("observation_test_" + std::to_string(std::random_device{}()))) {
    fs::create_directory(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << text;
    path_ = (folder_ / name).string();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  ~TemporaryFile() { fs::remove_all(folder_); }
  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
  std::string path_;
};

/// A shipped description with launches of a profile.
KernelDescription profiled_kernel(const std::string& name, const std::string& launches) {
  KernelDescription kernel = load_kernel(name);
  const std::string head =
      "name = \"x\"\ntitle = \"x\"\nalgorithm = \"flash2\"\nsource = \"x\"\n[[build]]\nthreads = 1\n";
  kernel.launches = parse_kernel(head + launches, "mine.toml").launches;
  return kernel;
}

const std::string causal_forward = R"(
[[launch]]
kernel = "flash_fwd_kernel"
batch = 4
heads = 16
seq = 4096
head_dim = 128
mask = "causal"
dtype = "bf16"
)";

std::string changed_text(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

int notes_with(const std::vector<std::string>& notes, const std::string& part) {
  return static_cast<int>(std::count_if(notes.begin(), notes.end(),
                                        [&](const std::string& note) { return note.find(part) != std::string::npos; }));
}

}  // namespace

TEST_CASE("anyone's profile: launches are matched in order, the others noted, refused ones too") {
  const std::string full = changed_text(causal_forward, "causal", "none");
  const std::string decode = changed_text(
      changed_text(causal_forward, "\"flash_fwd_kernel\"", "[\"flash_fwd_splitkv_kernel\", \"splitkv_combine\"]"),
      "causal", "none");
  std::vector<std::string> notes;
  const auto seen =
      observe_profile(peers, profiled_kernel("fa2", causal_forward + causal_forward + full + decode), notes);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].source == "ncu-raw.csv, launch 0");
  CHECK(seen[0].kernel == "fa2");
  CHECK(!seen[0].own);
  CHECK(!seen[0].time);
  CHECK(seen[0].missing.empty());
  CHECK(seen[0].profiled.edge_read == Bytes(2282153216));
  CHECK(seen[0].profiled.l2_read == Bytes(71294888LL * 32));
  CHECK(seen[0].profiled.dram_read == Bytes(242702336));
  CHECK(seen[0].request.problem.mask.kind == MaskKind::causal);
  CHECK(seen[0].request.block_k == 64);
  CHECK(seen[1].source == "ncu-raw.csv, launch 1");
  CHECK(seen[2].source == "ncu-raw.csv, launch 8");
  CHECK(notes_with(notes, "no [[launch]] of the description matches it") == 32 - 5);
  CHECK(notes_with(notes, "launch 59 (") == 1);
  CHECK(notes_with(notes, "refused: it ran for 5.728 us") == 1);
  CHECK(notes.size() == 28);
}

TEST_CASE("anyone's profile: several kernels are one computation, and their bytes the bill's") {
  const std::string backward =
      changed_text(causal_forward, "\"flash_fwd_kernel\"", "[\"dot_do_o\", \"bwd_dq_dk_dv\", \"convert_dq\"]");
  std::vector<std::string> notes;
  const auto seen = observe_profile(peers, profiled_kernel("fa2_backward", backward), notes);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].source == "ncu-raw.csv, launch 2");
  CHECK(seen[0].profiled.edge_read == Bytes(134217728LL + 2383466880 + 134217728));
  // An addition to dQacc is a read and a write in the bill; the L2 carries it out, and the last kernel loads the sums.
  const Work bill = evaluate(seen[0].request, {}).counted;
  const Count loads = 4LL * 64 * 4096 * 128;
  const Count reads = bill.total().read_bytes.value() - bill[TensorName::dQacc].read_bytes.value() + loads;
  CHECK(static_cast<double>(seen[0].profiled.edge_read->value()) == Approx(static_cast<double>(reads)).epsilon(0.001));
}

TEST_CASE("anyone's profile: metrics that were not collected are listed with the reason") {
  const TemporaryFile file("mine.csv",
                           changed_text(text_in(peers), "\"dram__bytes_read.sum\"", "\"other__bytes.sum\""));
  std::vector<std::string> notes;
  const auto seen = observe_profile(file.path(), profiled_kernel("fa2", causal_forward), notes);
  REQUIRE(seen.size() == 1);
  CHECK(!seen[0].profiled.dram_read);
  CHECK(seen[0].profiled.dram_write.has_value());
  REQUIRE(seen[0].missing.size() == 1);
  CHECK(seen[0].missing[0] == "dram__bytes_read.sum: not measured: not in the export");
}

TEST_CASE("anyone's profile: what is wrong in a description of launches is named by its place") {
  std::vector<std::string> notes;
  const auto refuse = [&](const std::string& from, const std::string& to, const std::string& message) {
    CAPTURE(from, to);
    const auto kernel = profiled_kernel("fa2", changed_text(causal_forward, from, to));
    CHECK_THROWS_WITH(observe_profile(peers, kernel, notes), contains("mine.toml: launch[1]: " + message));
  };
  refuse("head_dim", "hed_dim", "hed_dim: no option of a problem is called --hed-dim (did you mean \"--head-dim\"?)");
  refuse("\"causal\"", "\"diagonal\"", "--mask");
  refuse("seq = 4096", "seq = true", "seq: found true; expected");
  refuse("heads = 16", "packed = 1", "packed: found \"1\"; expected true");
  refuse("head_dim = 128", "head_dim = 96", "--kernel fa2: no build for head_dim 96");
  refuse("seq = 4096", "batch_size = 4096", "batch_size: no option");
  CHECK_THROWS_WITH(observe_profile(peers, load_kernel("fa2"), notes), contains("--kernel fa2 describes no launches"));
  CHECK_THROWS_WITH(observe_profile("no/such.csv", profiled_kernel("fa2", causal_forward), notes),
                    contains("no/such.csv: cannot be read"));
  notes.clear();
  const auto none = observe_profile(
      peers, profiled_kernel("fa2", changed_text(causal_forward, "flash_fwd_kernel", "no_such")), notes);
  CHECK(none.empty());
  CHECK(notes_with(notes, "mine.toml: launch[1]: no launch of no_such is left in ncu-raw.csv") == 1);
}

TEST_CASE("documents that are damaged, or none of these, are refused by name") {
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(read_observations({"no/such.json"}, notes), contains("no/such.json: cannot be read"));
  const auto refuse = [&](const std::string& text, const std::string& message) {
    const TemporaryFile file("mine.json", text);
    CAPTURE(text);
    CHECK_THROWS_WITH(read_observations({file.path()}, notes), contains("mine.json: " + message));
  };
  refuse("{", "not JSON");
  refuse("[]", "expected a document of `tilemeter measure`");
  refuse(R"({"command": "count", "points": []})", "expected a document of `tilemeter measure`");
  refuse(R"({"command": "measure", "points": [{}]})", "damaged");
  refuse(R"({"command": "measure", "points": 4})", "damaged");
  refuse(R"({"command": "peers", "points": [{"supported": true, "kernel": "sdpa_flash"}]})", "damaged");
  refuse(R"({"meta": {}, "rows": [{"described_as": {}}]})", "damaged");
}

TEST_CASE("in a folder, documents of other commands and lone profiles are noted") {
  const TemporaryFile file("mine.json", R"({"command": "count", "points": []})");
  std::ofstream(file.folder() + "/alone.csv") << "x\n";
  const auto [observations, notes] = read({file.folder()});
  CHECK(observations.empty());
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], contains("alone.csv: a CSV without the document"));
  CHECK_THAT(notes[1], contains("mine.json: neither of measure nor of peers.py"));
}

TEST_CASE("points that cannot be used are noted with the reason") {
  const std::string point = R"({"kernel": "sdpa_flash", "algorithm": "attention", "supported": true, "times": [],
    "problem": {"batch": 1, "heads": 1, "kv_heads": 1, "seq_q": 64, "seq_k": 64, "head_dim": 64, "head_dim_v": 64,
                "mask": "none", "dtype": "bf16"}})";
  const auto noted = [&](const std::string& from, const std::string& to, const std::string& message) {
    const TemporaryFile file("mine.json", R"({"command": "peers", "points": [)" + changed_text(point, from, to) + "]}");
    const auto [observations, notes] = read({file.path()});
    CHECK(observations.empty());
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0], contains("mine.json, point 1: " + message));
  };
  noted("\"times\"", "\"times\"", "no valid time with an empty L2");
  noted("sdpa_flash", "sdpa_math", "no description of attention by sdpa_math ships");
  noted("\"supported\": true", "\"supported\": false, \"reason\": \"too long\"", "not supported: too long");
  noted("\"head_dim\": 64", "\"head_dim\": 80", "--kernel fa2: no build for head_dim 80");
  noted("\"seq_q\": 64", "\"seq_q\": 1", "decoding by sdpa_flash has kernels of its own");
}
