// A law over data: bytes that Nsight Compute saw at the edge of the SM, for kernels of other projects, are those of
// flash2's closed form.
#include <fstream>
#include <iterator>
#include <map>

#include "model/closed_form/catalog.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include "traces/csv.hpp"
#include "traces/ncu.hpp"
#include "traces/ncu/comparison.hpp"

using namespace tilemeter;

namespace {

const std::string folder = TILEMETER_SOURCE_DIR "/traces/measured/h200/peers/";

std::string text_of(const std::string& name) {
  std::ifstream file(folder + name, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), {}};
}

NcuExport recorded() { return read_ncu(text_of("ncu-raw.csv"), "ncu-raw.csv"); }

using Described = std::map<std::string, std::string>;

/// The lines of launches.csv by their columns.
std::vector<Described> described_launches() {
  const std::string text = text_of("launches.csv");
  CsvReader reader(text, "launches.csv");
  const std::vector<std::string> header = reader.record();
  std::vector<Described> launches;
  while (!reader.done()) {
    const std::vector<std::string> cells = reader.record();
    REQUIRE(cells.size() == header.size());
    Described& launch = launches.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) launch[header[i]] = cells[i];
  }
  return launches;
}

const NcuLaunch& launch_of(const NcuExport& exported, Count id) {
  for (const NcuLaunch& launch : exported.launches) {
    if (launch.id == id) return launch;
  }
  throw std::invalid_argument("no launch " + std::to_string(id));
}

Count number(const Described& launch, const std::string& column) { return std::stoll(launch.at(column)); }

/// Kernels that pad their last tile load whole tiles.
Count rows_moved(const Described& launch, const std::string& length, const std::string& block) {
  const Count rows = number(launch, length);
  if (launch.at("tail") != "padded") return rows;
  return ceil_div(rows, number(launch, block)) * number(launch, block);
}

Work predicted(const Described& launch) {
  Case point;
  point.problem = {.batch = number(launch, "batch"),
                   .heads = number(launch, "heads"),
                   .kv_heads = number(launch, "kv_heads"),
                   .seq_q = rows_moved(launch, "seq_q", "block_q"),
                   .seq_k = rows_moved(launch, "seq_k", "block_k"),
                   .head_dim = number(launch, "head_dim"),
                   .head_dim_v = number(launch, "head_dim"),
                   .mask = {.kind = launch.at("mask") == "causal" ? MaskKind::causal : MaskKind::none},
                   .dtype = DType::bf16};
  point.tiling = {.block_q = number(launch, "block_q"), .block_k = number(launch, "block_k")};
  return closed_form("flash2", point);
}

}  // namespace

TEST_CASE("the export of other projects' kernels: all launches read, the short one refused") {
  const NcuExport exported = recorded();
  CHECK(exported.launches.size() == 31);
  REQUIRE(exported.refused.size() == 1);
  CHECK(exported.refused[0].id == 59);
  CHECK_THAT(exported.refused[0].reason, contains("it ran for 5.728 us"));
  CHECK_THAT(exported.refused[0].kernel, contains("flash_fwd_splitkv_combine_kernel"));
  CHECK(exported.options.clock_control == "none");
  const NcuLaunch& first = launch_of(exported, 0);
  CHECK(first.grid == std::array<Count, 3>{32, 4, 16});
  CHECK(first.sm_edge_read == Bytes(2282153216));
  CHECK(first.sm_edge_write == Bytes(569311232));
  CHECK(l2_without_fabric(first) == Bytes((71294888LL + 17790976) * 32));
  CHECK(first.dram_read == Bytes(242702336));
  CHECK(first.cycles_elapsed == 1642123);
  CHECK(first.tensor_instructions == 69206016);
  for (const NcuLaunch& launch : exported.launches) CHECK(launch.rounded.empty());
}

TEST_CASE("reads of other projects' kernels are those of flash2's closed form, ragged and grouped ones too") {
  const NcuExport exported = recorded();
  int compared = 0;
  for (const Described& described : described_launches()) {
    const NcuLaunch& launch = launch_of(exported, number(described, "id"));
    CAPTURE(launch.id, launch.kernel);
    REQUIRE(launch.sm_edge_read.has_value());
    const Bytes reads = predicted(described).total().read_bytes;
    CAPTURE(reads.value(), launch.sm_edge_read->value());
    CHECK(ncu::agrees_at_sm_edge(reads, *launch.sm_edge_read));
    ++compared;
  }
  CHECK(compared == 18);
}

TEST_CASE("writes are O, and LSE in training, where no registers spill; more where they do") {
  const NcuExport exported = recorded();
  for (const Described& described : described_launches()) {
    const NcuLaunch& launch = launch_of(exported, number(described, "id"));
    CAPTURE(launch.id, launch.kernel);
    const Work work = predicted(described);
    const Bytes output = work[TensorName::O].write_bytes;
    const Bytes statistics = work[TensorName::LSE].write_bytes;
    if (described.at("spills") == "yes") {
      CHECK(*launch.sm_edge_write > output + statistics);
    } else if (described.at("tail") == "predicated" ||
               rows_moved(described, "seq_q", "block_q") == number(described, "seq_q")) {
      CHECK(
          ncu::agrees_at_sm_edge(described.at("mode") == "bwd" ? output + statistics : output, *launch.sm_edge_write));
    }
    CHECK(ncu::dram_writes(*launch.dram_write, *launch.sm_edge_write) == ncu::DramWrites::up_to_output);
  }
}
