#include "tools/numeric_need.hpp"

#include <algorithm>
#include <cmath>

#include "sim/catalog.hpp"
#include "sim/reference.hpp"
#include "tools/hints.hpp"
#include "tools/log.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr double counted_flops_per_second = 3e9;  // of a run and its reference together, on one core of 2020
constexpr double long_run_seconds = 60;
constexpr double double_bytes = 8;

bool is_output(TensorName tensor, const PointResult& billed) {
  const auto outputs = reference_of(billed.request.algorithm->computation()).outputs;
  return std::find(outputs.begin(), outputs.end(), tensor) != outputs.end();
}

double bytes_of(TensorName tensor, const PointResult& billed) {
  const double computed = billed.problem.dtype == DType::fp64 ? double_bytes : double_bytes / 2;
  const bool written = billed.closed[tensor].write.value() > 0;
  const double apart = !written ? double_bytes : is_output(tensor, billed) ? 2 * double_bytes : 0;
  return static_cast<double>(elements_in_memory(tensor, billed)) * (computed + apart);
}

/// What the reference of a computation with sequences holds of a panel of rows.
double panel_bytes(const Problem& problem) {
  constexpr Count panel_rows = 64;
  constexpr double matrices = 4;
  const Count rows = std::min(panel_rows, problem.rows());
  return matrices * double_bytes * static_cast<double>(rows) * static_cast<double>(problem.seq_k);
}

std::string minutes_text(double seconds) {
  constexpr double hour = 3600;
  if (seconds >= hour) return with_separators(static_cast<Count>(std::lround(std::min(seconds / hour, 1e9)))) + " h";
  return std::to_string(std::lround(seconds / 60)) + " min";
}

}  // namespace

NumericNeed numeric_need(const PointResult& billed) {
  NumericNeed need;
  if (billed.refusal) return need;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (!billed.closed.tensors[i].empty()) need.bytes += bytes_of(static_cast<TensorName>(i), billed);
  }
  if (has_sequences(billed.request.algorithm->computation())) need.bytes += panel_bytes(billed.problem);
  need.seconds = static_cast<double>(billed.closed.matmul_flops.value()) / counted_flops_per_second;
  return need;
}

void refuse_vast_numbers(const PointResult& billed) {
  const double bytes = numeric_need(billed).bytes;
  if (bytes <= static_cast<double>(most_numeric_bytes)) return;
  const auto text = binary_size(static_cast<Count>(std::min(bytes, 0x1p62)));
  throw InputError("--mode numeric: the numbers of " + std::string(billed.request.algorithm->name) +
                   " at these sizes take some " + text + " of memory; expected at most " +
                   binary_size(most_numeric_bytes) + "; --mode count takes any size");
}

void warn_of_long_numbers(double seconds) {
  if (seconds < long_run_seconds) return;
  log_warning("--mode numeric computes every number, and once more for its reference: some " + minutes_text(seconds) +
              " of one core; --mode count takes milliseconds");
}

}  // namespace tilemeter
