#include "kernels/record.hpp"

#include <limits>
#include <stdexcept>

#include "model/closed_form/bill.hpp"

namespace tilemeter::kernels {
namespace {

Elements elements(std::uint64_t counted) {
  if (counted > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) throw UnnamedOverflow();
  return Elements(static_cast<Count>(counted));
}

Traffic traffic(const Record& record, std::size_t tensor, DType type) {
  const Elements read = elements(record.read[tensor]);
  const Elements write = elements(record.write[tensor]);
  return {read, write, bytes_of(read, type), bytes_of(write, type)};
}

}  // namespace

Work sum_records(std::span<const Record> records, const Problem& problem) {
  Work sum;
  for (const Record& record : records) {
    if (record.tiles == std::numeric_limits<std::uint64_t>::max()) {
      throw std::logic_error("a thread block did not write its counters");
    }
    for (std::size_t i = 0; i < tensor_count; ++i) {
      named(tensor_names[i],
            [&] { sum.tensors[i] += traffic(record, i, dtype_of(static_cast<TensorName>(i), problem)); });
    }
    named("tiles", [&] { sum.tiles = checked::add(sum.tiles, elements(record.tiles).value()); });
  }
  return sum;
}

}  // namespace tilemeter::kernels
