#include "kernels/record.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

TEST_CASE("records add up per tensor, in elements and in bytes of each tensor's type") {
  std::vector<Record> records(3, Record{});
  for (Record& record : records) {
    record.read[index_of(TensorName::Q)] = 10;
    record.write[index_of(TensorName::LSE)] = 7;
    record.tiles = 2;
  }
  const Work work = sum_records(records, {.dtype = DType::fp16, .stat_dtype = DType::fp32});
  CHECK(work[TensorName::Q] == Traffic{Elements(30), Elements(0), Bytes(60), Bytes(0)});
  CHECK(work[TensorName::LSE] == Traffic{Elements(0), Elements(21), Bytes(0), Bytes(84)});
  CHECK(work.tiles == 6);
  CHECK(work.total().total() == Elements(51));
}

TEST_CASE("sums past 32 bits are exact, and past 63 bits an error") {
  std::vector<Record> records(2, Record{});
  for (Record& record : records) record.read[index_of(TensorName::K)] = std::uint64_t{3} << 40;
  CHECK(sum_records(records, {})[TensorName::K].read == Elements(Count{6} << 40));
  for (Record& record : records) record.read[index_of(TensorName::K)] = std::uint64_t{3} << 61;
  CHECK_THROWS_AS(sum_records(records, {}), FigureOverflow);
}

TEST_CASE("a block that did not report is an error") {
  std::vector<Record> records(2, Record{});
  std::memset(&records[1], 0xFF, sizeof(Record));
  CHECK_THROWS_AS(sum_records(records, {}), std::logic_error);
}
