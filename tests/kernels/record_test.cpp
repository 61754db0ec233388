#include "kernels/record.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/support/catch.hpp"

using namespace tilemeter;
using namespace tilemeter::kernels;

TEST_CASE("records add up per tensor, in elements and in bytes of each tensor's type") {
  const std::vector<Operand> operands = {{TensorName::Q, Role::input, DType::fp16, 30},
                                         {TensorName::LSE, Role::output, DType::fp32, 21}};
  std::vector<Record> records(3, Record{});
  for (Record& record : records) {
    record.read[index_of(TensorName::Q)] = 10;
    record.write[index_of(TensorName::LSE)] = 7;
    record.tiles = 2;
  }
  const Work work = sum_records(records, operands);
  CHECK(work[TensorName::Q] == Traffic{Elements(30), Elements(0), Bytes(60), Bytes(0)});
  CHECK(work[TensorName::LSE] == Traffic{Elements(0), Elements(21), Bytes(0), Bytes(84)});
  CHECK(work.tiles == 6);
  CHECK(work.total().total() == Elements(51));
}

TEST_CASE("sums past 32 bits are exact, and past 63 bits an error") {
  std::vector<Record> records(2, Record{});
  const std::vector<Operand> keys = {{TensorName::K, Role::input, DType::fp16, 1}};
  for (Record& record : records) record.read[index_of(TensorName::K)] = std::uint64_t{3} << 40;
  CHECK(sum_records(records, keys)[TensorName::K].read == Elements(Count{6} << 40));
  for (Record& record : records) record.read[index_of(TensorName::K)] = std::uint64_t{3} << 61;
  CHECK_THROWS_AS(sum_records(records, keys), FigureOverflow);
}

TEST_CASE("traffic of a tensor that the kernel does not have is an error") {
  std::vector<Record> records(1, Record{});
  records[0].write[index_of(TensorName::V)] = 1;
  const std::vector<Operand> keys = {{TensorName::K, Role::input, DType::fp16, 1}};
  CHECK_THROWS_AS(sum_records(records, keys), std::logic_error);
}

TEST_CASE("a block that did not report is an error") {
  std::vector<Record> records(2, Record{});
  std::memset(&records[1], 0xFF, sizeof(Record));
  CHECK_THROWS_AS(sum_records(records, {}), std::logic_error);
}
