#include "kernels/record.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/error.hpp"

namespace tilemeter::kernels {
namespace {

Elements elements(std::uint64_t counted) {
  if (counted > static_cast<std::uint64_t>(std::numeric_limits<Count>::max())) throw UnnamedOverflow();
  return Elements(static_cast<Count>(counted));
}

Traffic traffic(const Record& record, std::size_t tensor, std::span<const Operand> operands) {
  const Elements read = elements(record.read[tensor]);
  const Elements write = elements(record.write[tensor]);
  if (read == Elements(0) && write == Elements(0)) return {};
  const auto operand = std::find_if(operands.begin(), operands.end(),
                                    [&](const Operand& candidate) { return index_of(candidate.name) == tensor; });
  if (operand == operands.end()) throw std::logic_error("a thread block moved elements of a tensor that it has not");
  return {read, write, bytes_of(read, operand->type), bytes_of(write, operand->type)};
}

}  // namespace

Work sum_records(std::span<const Record> records, std::span<const Operand> operands) {
  Work sum;
  for (const Record& record : records) {
    if (record.tiles == std::numeric_limits<std::uint64_t>::max()) {
      throw std::logic_error("a thread block did not write its counters");
    }
    for (std::size_t i = 0; i < tensor_count; ++i) {
      named(tensor_names[i], [&] { sum.tensors[i] += traffic(record, i, operands); });
    }
    named("tiles", [&] { sum.tiles = checked::add(sum.tiles, elements(record.tiles).value()); });
  }
  return sum;
}

}  // namespace tilemeter::kernels
