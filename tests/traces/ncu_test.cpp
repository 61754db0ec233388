// Both tables of `ncu --csv`, and what an export does not hold.
#include "traces/ncu.hpp"

#include <algorithm>

#include "model/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/traces/ncu_text.hpp"

using namespace tilemeter;

namespace {

const std::vector<TestMetric> some = {{"dram__bytes_read.sum", "byte", "1,234"},
                                      {"gpu__time_duration.sum", "us", "913.82"},
                                      {"lts__t_sector_hit_rate.pct", "%", "86.64"},
                                      {"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "100"},
                                      {"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "10"},
                                      {"smsp__inst_executed_op_local_st.sum", "inst", "0"}};

void check_some(const NcuLaunch& launch) {
  CHECK(launch.kernel == "void f<(int)1, (bool)0>(int)");
  CHECK(launch.grid == std::array<Count, 3>{32, 4, 16});
  CHECK(launch.block == std::array<Count, 3>{128, 1, 1});
  CHECK(launch.device == 0);
  CHECK(launch.process == "77");
  CHECK(launch.compute_capability == "9.0");
  CHECK(launch.dram_read == Bytes(1234));
  REQUIRE(launch.duration.has_value());
  CHECK(launch.duration->value == 913.82e-6);
  CHECK(launch.l2_hit_rate == 86.64);
  CHECK(launch.l2_sm_read == Bytes(3200));
  CHECK(launch.local_store_instructions == 0);
  CHECK_FALSE(launch.dram_write.has_value());
  CHECK_FALSE(launch.sm_edge_read.has_value());
}

std::optional<NcuAbsence> absence(const NcuLaunch& launch, std::string_view metric) {
  for (const NcuMissing& missing : launch.missing) {
    if (missing.metric == metric) return missing.absence;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("the raw page: a launch a row, units in the second") {
  const NcuExport exported = read_ncu(raw_page(some), "e.csv");
  REQUIRE(exported.launches.size() == 1);
  CHECK(exported.refused.empty());
  check_some(exported.launches[0]);
}

TEST_CASE("one metric a row, rows of rules among them, launches interleaved") {
  std::string text = metric_header;
  for (const TestMetric& metric : some) text += metric_row("3", metric) + metric_row("1,204", metric);
  text += metric_row("3", {"", "", ""}) + metric_row("3", some[0]);  // a rule; a metric of two sections
  const NcuExport exported = read_ncu(text, "e.csv");
  REQUIRE(exported.launches.size() == 2);
  for (const NcuLaunch& launch : exported.launches) check_some(launch);
  CHECK(exported.launches[0].id == 3);
  CHECK(exported.launches[1].id == 1204);
}

TEST_CASE("both tables of one run say the same") {
  std::string rows = metric_header;
  for (const TestMetric& metric : some) rows += metric_row("0", metric);
  const NcuLaunch by_row = read_ncu(rows, "rows.csv").launches.at(0);
  const NcuLaunch raw = read_ncu(raw_page(some), "raw.csv").launches.at(0);
  CHECK(by_row.missing.size() == raw.missing.size());
  CHECK(by_row.rounded == raw.rounded);
  CHECK(l2_without_fabric(by_row) == l2_without_fabric(raw));
}

TEST_CASE("what stands before the table and ncu's lines after it are skipped") {
  const std::string text =
      "==PROF== Connected to process 77 (/usr/bin/program)\n"
      "ID, please: \"x\n"
      "==PROF== Profiling \"f\" - 0: 0%....50%....100% - 4 passes\n" +
      raw_page(some) + "==WARNING== a \"quoted\" word\n\n==PROF== Disconnected from process 77\n";
  check_some(read_ncu(text, "e.csv").launches.at(0));
  check_some(read_ncu("\xEF\xBB\xBF" + raw_page(some), "e.csv").launches.at(0));
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  check_some(read_ncu(crlf, "e.csv").launches.at(0));
}

TEST_CASE("launches of several processes may share an id") {
  std::string text = raw_page(some);
  const std::string row = text.substr(text.find("\"0\","));
  std::string other = row;
  other.replace(other.find("\"77\""), 4, "\"78\"");
  CHECK(read_ncu(text + other, "e.csv").launches.size() == 2);
  CHECK_THROWS_WITH(read_ncu(text + row, "e.csv"), "e.csv: line 4 has launch 0 a second time");
}

TEST_CASE("absent metrics are absent, and known to be") {
  const NcuLaunch launch = read_ncu(raw_page(some), "e.csv").launches.at(0);
  CHECK(absence(launch, "dram__bytes_write.sum") == NcuAbsence::not_collected);
  CHECK(absence(launch, "dram__bytes_read.sum") == std::nullopt);
  CHECK(to_text(NcuAbsence::not_collected) == "not measured: not in the export");
}

TEST_CASE("a second name of a figure counts where the first is absent") {
  const NcuLaunch newer = read_ncu(raw_page({{"dram__bytes_op_write.sum", "byte", "64"}}), "e.csv").launches.at(0);
  CHECK(newer.dram_write == Bytes(64));
  CHECK(absence(newer, "dram__bytes_write.sum") == std::nullopt);
  const NcuLaunch both =
      read_ncu(raw_page({{"dram__bytes_op_write.sum", "byte", "64"}, {"dram__bytes_write.sum", "byte", "96"}}), "e.csv")
          .launches.at(0);
  CHECK(both.dram_write == Bytes(96));
}

TEST_CASE("figures in too few digits are marked") {
  const NcuLaunch launch = read_ncu(raw_page({{"dram__bytes_read.sum", "Gbyte", "2.28"},
                                              {"dram__bytes_write.sum", "byte", "2,280,000,000"},
                                              {"lts__t_sectors_op_read.sum", "sector", "12"},
                                              {"gpu__time_duration.sum", "ns", "913,824"}}),
                                    "e.csv")
                               .launches.at(0);
  CHECK(launch.dram_read == launch.dram_write);
  CHECK(launch.rounded == std::vector<std::string_view>{"dram__bytes_read.sum"});
}

TEST_CASE("E9: L2 traffic without what the partitions exchange") {
  // From SMs alone, where that was collected, with reductions.
  const TestMetric total{"lts__t_bytes.sum", "byte", "100,000"};
  const TestMetric read{"lts__t_sectors_srcunit_tex_op_read.sum", "sector", "1,000"};
  const TestMetric write{"lts__t_sectors_srcunit_tex_op_write.sum", "sector", "100"};
  const TestMetric reduction{"lts__t_sectors_srcunit_tex_op_red.sum", "sector", "10"};
  const TestMetric fabric{"lts__t_sectors_srcunit_ltcfabric.sum", "sector", "500"};
  const auto l2 = [](const std::vector<TestMetric>& metrics) {
    return l2_without_fabric(read_ncu(raw_page(metrics), "e.csv").launches.at(0));
  };
  CHECK(l2({total, read, write, fabric}) == Bytes(1'100 * 32));
  CHECK(l2({read, write, reduction}) == Bytes(1'110 * 32));
  CHECK(l2({total, fabric}) == Bytes(100'000 - 500 * 32));
  // The total alone holds the fabric's part and is no substitute.
  CHECK(l2({total}) == std::nullopt);
  CHECK(l2({read}) == std::nullopt);
}

TEST_CASE("F9: the options of the run are stored with the numbers") {
  const NcuExport exported = read_ncu(
      "# ncu --csv --replay-mode application --cache-control=none -k f ./program\r\n" + raw_page(some), "e.csv");
  CHECK(exported.options.replay_mode == "application");
  CHECK(exported.options.cache_control == "none");
  CHECK(exported.options.clock_control == std::nullopt);
  CHECK(ncu_options("ncu --clock-control none").clock_control == "none");
  CHECK(read_ncu(raw_page(some), "e.csv").options.replay_mode == std::nullopt);
  CHECK_THROWS_WITH(ncu_options("ncu --cache-control flush"), "--cache-control \"flush\": accepted: all none");
  CHECK_THROWS_WITH(ncu_options("ncu --replay-mode"), contains("accepted: kernel application range app-range"));
}

TEST_CASE("J1: counters that were not permitted are not measured") {
  const std::string denial =
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
      "Performance Counters on the target device 0.\n";
  const NcuExport empty = read_ncu("hello\n" + denial, "e.csv");
  CHECK(empty.counters_denied);
  CHECK(empty.launches.empty());

  const std::vector<TestMetric> absent = {{"dram__bytes_read.sum", "", "n/a"},
                                          {"gpu__time_duration.sum", "ns", "913,824"}};
  for (const std::string& text : {denial + raw_page(absent), raw_page(absent) + denial}) {
    const NcuExport exported = read_ncu(text, "e.csv");
    const NcuLaunch& launch = exported.launches.at(0);
    CHECK(exported.counters_denied);
    CHECK_FALSE(launch.dram_read.has_value());
    CHECK(launch.duration.has_value());
    CHECK(absence(launch, "dram__bytes_read.sum") == NcuAbsence::denied);
    CHECK(absence(launch, "dram__bytes_write.sum") == NcuAbsence::denied);
  }
  CHECK(to_text(NcuAbsence::denied) == "not measured: counter permission");

  for (const std::string value : {"n/a", "N/A", "(!) n/a", ""}) {
    const NcuLaunch launch = read_ncu(raw_page({{"dram__bytes_op_read.sum", "", value}}), "e.csv").launches.at(0);
    CHECK(absence(launch, "dram__bytes_read.sum") == NcuAbsence::not_available);
    CHECK(absence(launch, "dram__bytes_write.sum") == NcuAbsence::not_collected);
  }
  CHECK_THAT(std::string(to_text(NcuAbsence::not_available)), contains("not measured: n/a (counter permission"));
}
