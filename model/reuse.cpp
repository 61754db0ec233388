#include "model/reuse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/closed_form/catalog.hpp"
#include "model/reuse_walks.hpp"

namespace tilemeter {
namespace {

double value(Bytes bytes) { return static_cast<double>(bytes.value()); }
Bytes rounded(double bytes) { return Bytes(static_cast<Count>(std::llround(bytes))); }

/// A bill beside what it would be if every tensor crossed once.
struct Bills {
  Work bill;
  Work once;
};

double written(const Work& work) { return value(work.total().write_bytes); }

DramEstimate estimate(double read, double write, double dirty) {
  const double left = std::min(write, dirty);
  return {.read = rounded(read), .write = rounded(write - left), .left_dirty = rounded(left)};
}

/// Of the last C bytes that blocks touch, those that are outputs.
double left_dirty(double output, double touched, double capacity) {
  return touched == 0 ? 0 : output * std::min(1.0, capacity / touched);
}

DramEstimate query_outer(const Case& point, const Bills& bills, const Concurrency& concurrency, double capacity) {
  const double keys = keys_read(point, bills.bill, bills.once, concurrency, capacity);
  const double inputs = value(bills.once.total().read_bytes) -
                        value(bills.once[TensorName::K].read_bytes + bills.once[TensorName::V].read_bytes);
  const double parts = value(bills.bill[TensorName::Oacc].read_bytes + bills.bill[TensorName::LSEacc].read_bytes);
  const double table = value(bills.bill[TensorName::block_table].read_bytes);
  const double output = written(bills.bill);
  const double touched = value(bills.once.total().read_bytes) + output;
  const double parts_lost = parts * std::max(0.0, 1 - capacity / touched);
  return estimate(inputs + keys + parts_lost + table, output, left_dirty(output, touched, capacity));
}

DramEstimate key_outer(const Case& point, const Bills& bills, const Concurrency& concurrency, double capacity) {
  const auto streams = static_cast<double>(point.problem.streams());
  const auto splits = static_cast<double>(point.options.row_splits);
  const auto state = [&](const Work& work, Bytes Traffic::*bytes) {
    return value(work[TensorName::O].*bytes + work[TensorName::l].*bytes + work[TensorName::m].*bytes);
  };
  const double edge_written = state(bills.bill, &Traffic::write_bytes);
  const double edge_read = value(bills.bill.total().read_bytes);
  const double query_tiles = std::ceil(static_cast<double>(point.problem.rows()) /
                                       static_cast<double>(std::max<Count>(1, point.tiling.block_q)));
  const double visits = std::max(1.0, static_cast<double>(bills.bill.tiles) / (streams * query_tiles));
  const double state_once = edge_written / visits;
  const double queries = value(bills.once[TensorName::Q].read_bytes);
  const double keys = value(bills.once[TensorName::K].read_bytes + bills.once[TensorName::V].read_bytes);
  const double reads_state = state(bills.bill, &Traffic::read_bytes) > 0 ? state_once : 0;

  const double blocks = streams * splits;
  const double share_at_once = std::min(1.0, static_cast<double>(concurrency.resident) / blocks);
  const double distance = (queries + state_once) * share_at_once;
  const double dirty_share = state_once / (queries + state_once);
  if (distance <= capacity) {
    return estimate(queries + keys + reads_state, state_once,
                    left_dirty(state_once, queries + keys + state_once, capacity));
  }
  const double edge_keys = value(bills.bill[TensorName::K].read_bytes + bills.bill[TensorName::V].read_bytes);
  return estimate(edge_read - edge_keys + keys, edge_written, dirty_share * capacity);
}

DramEstimate any_order(const Bills& bills, double capacity) {
  double all = 0;
  double read = 0;
  double write = 0;
  const auto each = [&](auto body) {
    for (std::size_t i = 0; i < tensor_count; ++i) {
      const Traffic& bill = bills.bill.tensors[i];
      const double input = value(bills.once.tensors[i].read_bytes);
      const double output =
          std::min(value(bill.write_bytes), std::max(value(bills.once.tensors[i].write_bytes), value(bill.read_bytes)));
      const double bytes = std::max(input, output > 0 ? output : std::min(value(bill.read_bytes), input));
      body(bill, input, bytes);
    }
  };
  each([&](const Traffic&, double, double bytes) { all += bytes; });
  const double lost = all <= capacity ? 0 : 1 - capacity / all;
  each([&](const Traffic& bill, double input, double bytes) {
    read += input + lost * std::max(0.0, value(bill.read_bytes) - input);
    const double stored = value(bill.write_bytes);
    const double first = std::min(stored, bytes);
    write += first + lost * (stored - first);
  });
  return estimate(read, write, left_dirty(write, read + write, capacity));
}

}  // namespace

DramEstimate estimate_dram(std::string_view algorithm, const Case& point, const Concurrency& concurrency,
                           Bytes capacity) {
  const Bills bills{closed_form(algorithm, point), compulsory(algorithm, point)};
  const double bytes = value(capacity);
  if (algorithm == "flash1") return key_outer(point, bills, concurrency, bytes);
  for (const std::string_view walker : {"flash2", "flash3", "zigzag", "split_kv"}) {
    if (algorithm == walker) return query_outer(point, bills, concurrency, bytes);
  }
  return any_order(bills, bytes);
}

}  // namespace tilemeter
