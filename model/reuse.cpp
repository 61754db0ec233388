#include "model/reuse.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/gemm.hpp"
#include "model/reuse_products.hpp"
#include "model/reuse_walks.hpp"
#include "model/working_set.hpp"

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
  const double first_kernel = value(bills.once.total().read_bytes) + parts;
  const double parts_lost = parts * share_above(first_kernel, output, capacity);
  return estimate(inputs + keys + parts_lost + table, output, left_dirty(output, touched, capacity));
}

/// Rows of a stream that visit each key tile, and those that do so for the first time.
struct Visits {
  std::vector<double> rows;
  std::vector<double> first;
};

Visits visits_of(const Case& point) {
  const std::vector<KeyWalk> walks = blocks_of_stream(point, 1);
  const Count tiles = std::max<Count>(1, ceil_div(point.problem.seq_k, point.tiling.block_k));
  Visits visits{.rows = std::vector<double>(static_cast<std::size_t>(tiles) + 1),
                .first = std::vector<double>(static_cast<std::size_t>(tiles) + 1)};
  Count row = 0;
  for (const KeyWalk& walk : walks) {
    const auto rows = static_cast<double>(std::min(point.tiling.block_q, point.problem.rows() - row));
    row += point.tiling.block_q;
    if (walk.first >= walk.last) continue;
    visits.first[static_cast<std::size_t>(walk.first)] += rows;
    visits.rows[static_cast<std::size_t>(walk.first)] += rows;
    visits.rows[static_cast<std::size_t>(walk.last)] -= rows;
  }
  std::partial_sum(visits.rows.begin(), visits.rows.end(), visits.rows.begin());
  return visits;
}

/// Bytes of a row's Q, and of its O, l and m.
struct RowBytes {
  double query = 0;
  double state = 0;
};

RowBytes row_bytes(const Problem& problem) {
  return {
      .query = static_cast<double>(problem.head_dim * size_of(problem.dtype)),
      .state = static_cast<double>(problem.head_dim_v * size_of(problem.o_dtype) + 2 * size_of(problem.stat_dtype))};
}

/// Row visits of a stream that do not find the row in the L2 any more, when `streams` run at once.
double visits_lost(const Case& point, const Visits& visits, double streams, double capacity) {
  const Problem& problem = point.problem;
  const RowBytes bytes = row_bytes(problem);
  const auto matrices = static_cast<double>(problem.batch * problem.kv_heads);
  const double keys = std::min(streams, matrices) * static_cast<double>(std::min(point.tiling.block_k, problem.seq_k)) *
                      static_cast<double>((problem.head_dim + problem.head_dim_v) * size_of(problem.dtype));
  double lost = 0;
  for (std::size_t tile = 0; tile < visits.rows.size(); ++tile) {
    const double distance = streams * visits.rows[tile] * (bytes.query + bytes.state) + keys;
    if (distance > capacity) lost += visits.rows[tile] - visits.first[tile];
  }
  return lost;
}

DramEstimate key_outer(const Case& point, const Bills& bills, const Concurrency& concurrency, double capacity) {
  const Visits visits = visits_of(point);
  const auto streams = static_cast<double>(point.problem.streams());
  const double at_once =
      std::min(streams, static_cast<double>(concurrency.resident) / static_cast<double>(point.options.row_splits));
  const double last_wave = streams - std::floor(streams / at_once) * at_once;
  const double lost = (streams - last_wave) * visits_lost(point, visits, at_once, capacity) +
                      (last_wave > 0 ? last_wave * visits_lost(point, visits, last_wave, capacity) : 0);
  const RowBytes bytes = row_bytes(point.problem);
  const double rows = streams * std::accumulate(visits.first.begin(), visits.first.end(), 0.0);
  const bool reads_first = point.options.first_visit == FirstVisit::reads_state;
  const double queries = value(bills.once[TensorName::Q].read_bytes);
  const double keys = value(bills.once[TensorName::K].read_bytes + bills.once[TensorName::V].read_bytes);
  const double read = queries + keys + (reads_first ? rows * bytes.state : 0) + lost * (bytes.query + bytes.state);
  const double write = (rows + lost) * bytes.state;
  const double touched = lost > 0 ? rows * (bytes.query + bytes.state) : queries + keys + rows * bytes.state;
  return estimate(read, write, left_dirty(rows * bytes.state, touched, capacity));
}

/// softmax: a block comes back to its row when the blocks beside it have touched theirs.
DramEstimate rows_again(const Case& point, const Bills& bills, const Concurrency& concurrency, double capacity) {
  const double row = static_cast<double>(bytes_of(1, point.shapes.cols, point.problem.dtype).value());
  const bool held = static_cast<double>(concurrency.resident) * row <= capacity;
  const double read = value((held ? bills.once : bills.bill).total().read_bytes);
  const double output = written(bills.bill);
  return estimate(read, output, left_dirty(output, read + output, capacity));
}

DramEstimate any_order(const Bills& bills, const Concurrency& concurrency, double capacity) {
  double all = 0;
  double read = 0;
  double write = 0;
  const auto each = [&](auto body) {
    for (std::size_t i = 0; i < tensor_count; ++i) {
      const Traffic& bill = bills.bill.tensors[i];
      const double input = value(std::min(bill.read_bytes, bills.once.tensors[i].read_bytes));
      const double output =
          std::min(value(bill.write_bytes), std::max(value(bills.once.tensors[i].write_bytes), value(bill.read_bytes)));
      const double bytes = std::max(input, output > 0 ? output : std::min(value(bill.read_bytes), input));
      body(bill, input, bytes);
    }
  };
  each([&](const Traffic&, double, double bytes) { all += bytes; });
  const double again_lost = share_lost(all * concurrency.active, capacity);
  const double back_lost = share_lost(all, capacity);
  each([&](const Traffic& bill, double input, double bytes) {
    const double reads = value(bill.read_bytes);
    const double back = input > 0 ? 0 : std::min(reads, bytes);  // the first read of what was written before
    read += input + back_lost * back + again_lost * std::max(0.0, reads - input - back);
    const double stored = value(bill.write_bytes);
    const double first = std::min(stored, bytes);
    write += first + again_lost * (stored - first);
  });
  return estimate(read, write, left_dirty(write, read + write, capacity));
}

}  // namespace

double active_share(const LaunchBlocks& blocks, Count resident) {
  const Count of_stream = std::max<Count>(1, blocks.blocks() / blocks.streams);
  return std::min(1.0, static_cast<double>(ceil_div(resident, of_stream)) / static_cast<double>(blocks.streams));
}

double share_lost(double bytes, double capacity) { return bytes <= capacity ? 0 : 1 - capacity / bytes; }

bool knows_order(std::string_view algorithm, const Case& point) {
  if (algorithm == "gemm") return gemm_order_of(point) == GemmOrder::c_stationary;
  const Formula& formula = formula_of(algorithm);
  return algorithm == "flash1" || algorithm == "standard_tiled" || formula.computation == Computation::layer ||
         formula.computation == Computation::softmax ||
         (formula.computation == Computation::attention && formula.order == LoopOrder::q_outer);
}

DramEstimate estimate_dram(std::string_view algorithm, const Case& point, const Concurrency& concurrency,
                           Bytes capacity) {
  const Bills bills{closed_form(algorithm, point), compulsory(algorithm, point)};
  const double bytes = value(capacity);
  if (!knows_order(algorithm, point)) return any_order(bills, concurrency, bytes);
  if (algorithm == "flash1") return key_outer(point, bills, concurrency, bytes);
  if (algorithm == "standard_tiled") return standard_tiled_dram(point, concurrency, bytes);
  if (algorithm == "gemm") return gemm_dram(point, concurrency, bytes);
  const Computation computation = formula_of(algorithm).computation;
  if (computation == Computation::layer) return weight_layer_dram(point, concurrency, bytes);
  if (computation == Computation::softmax) return rows_again(point, bills, concurrency, bytes);
  return query_outer(point, bills, concurrency, bytes);
}

}  // namespace tilemeter
