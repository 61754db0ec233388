// Launches whose counters are not to be believed.
#include "tests/support/catch.hpp"
#include "tests/traces/ncu_text.hpp"
#include "traces/ncu.hpp"

using namespace tilemeter;

namespace {

std::string reason(const std::vector<TestMetric>& metrics) {
  const NcuExport exported = read_ncu(raw_page(metrics), "e.csv");
  REQUIRE(exported.launches.size() + exported.refused.size() == 1);
  return exported.refused.empty() ? "none" : exported.refused[0].reason;
}

struct Inclusion {
  TestMetric part;
  TestMetric whole;
};

}  // namespace

TEST_CASE("E10: launches shorter than 20 us are refused") {
  CHECK(reason({{"gpu__time_duration.sum", "ns", "19,999"}}) ==
        "it ran for 19.999 us: counters of kernels below 20 us are not to be trusted");
  CHECK_THAT(reason({{"gpu__time_duration.sum", "usecond", "5.73"}}), contains("it ran for 5.730 us"));
  CHECK(reason({{"gpu__time_duration.sum", "ns", "20,000"}}) == "none");
}

TEST_CASE("E10: hit rates outside 0 to 100 % are refused, not averaged") {
  for (const std::string rate : {"100.01", "-0.01", "1,234.5", "nan", "inf"}) {
    CHECK_THAT(reason({{"lts__t_sector_hit_rate.pct", "%", rate}}), contains("%, outside 0 to 100"));
  }
  for (const std::string rate : {"0", "100", "86.64"})
    CHECK(reason({{"lts__t_sector_hit_rate.pct", "%", rate}}) == "none");
}

TEST_CASE("E10: figures of different replays that contradict each other are refused") {
  const TestMetric edge_read{"l1tex__m_xbar2l1tex_read_bytes.sum", "byte", "32,000"};
  const TestMetric edge_write{"l1tex__m_l1tex2xbar_write_bytes.sum", "byte", "32,000"};
  const TestMetric read{"lts__t_sectors_op_read.sum", "sector", "1,000"};
  const TestMetric write{"lts__t_sectors_op_write.sum", "sector", "1,000"};
  const TestMetric total{"lts__t_bytes.sum", "byte", "32,000"};
  const std::vector<Inclusion> inclusions = {{{"lts__t_sectors_srcunit_tex_op_read.sum", "sector", ""}, edge_read},
                                             {{"lts__t_sectors_srcunit_tex_op_write.sum", "sector", ""}, edge_write},
                                             {{"lts__t_sectors_srcunit_tex_op_read.sum", "sector", ""}, read},
                                             {{"lts__t_sectors_srcunit_tex_op_write.sum", "sector", ""}, write},
                                             {{"lts__t_sectors_op_read.sum", "sector", ""}, total},
                                             {{"lts__t_sectors_op_write.sum", "sector", ""}, total},
                                             {{"lts__t_sectors_srcunit_ltcfabric.sum", "sector", ""}, total}};
  for (Inclusion inclusion : inclusions) {
    CAPTURE(inclusion.part.name, inclusion.whole.name);
    inclusion.part.value = "1,010";
    CHECK(reason({inclusion.part, inclusion.whole}) == "none");
    inclusion.part.value = "1,011";
    CHECK_THAT(reason({inclusion.part, inclusion.whole}),
               contains("(32352 B) exceed ") && contains(" (32000 B): they come from different replays"));
  }
  CHECK_THAT(reason({{"sm__cycles_active.max", "cycle", "1,020"}, {"sm__cycles_elapsed.max", "cycle", "1,000"}}),
             contains("active cycles (1020) exceed elapsed cycles (1000)"));
  CHECK(reason({{"dram__bytes_read.sum", "byte", "-1"}}) == "DRAM reads are negative: -1 B");
}
