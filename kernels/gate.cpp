#include "kernels/gate.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/reference.hpp"

namespace tilemeter::kernels {
namespace {

bool is_result(const Operand& operand) { return operand.role == Role::output || operand.role == Role::state; }

const Operand* written(const OperandMemory& memory, TensorName tensor) {
  for (const Operand& operand : memory.operands()) {
    if (operand.name == tensor && is_result(operand)) return &operand;
  }
  return nullptr;
}

/// The norm of a tensor is that of its terms where these cancel.
void raise_norm(ErrorSums& sums, const Buffer<double>& squares) {
  double terms = 0;
  for (const double square : squares.to_host()) terms += square;
  sums.squared_norm = std::max(sums.squared_norm, terms);
}

Agreement agreement_of(const Operand& operand, const ReferenceRows& reference, const OperandMemory& memory,
                       const Case& point, const GateSettings& settings, Stream stream) {
  ErrorSums sums = compare_rows(memory.tensors()[operand.name], operand.type, reference.rows, reference.cols,
                                reference.exact.data(), reference.rounded.data(), stream);
  if (operand.name == TensorName::LSE) return judge(sums, ErrorMeasure::each, tolerance_of_lse(point.problem));
  raise_norm(sums, reference.squares);
  return judge(sums, ErrorMeasure::frobenius, settings.tolerance_growth * tolerance_of(point.problem),
               settings.rounding_growth);
}

/// Why an output is not one, whatever the reference says.
std::optional<std::string> damage(const OperandMemory& memory, Stream stream) {
  for (const Operand& operand : memory.operands()) {
    if (!is_result(operand)) continue;
    const Count found = count_nan(memory.tensors()[operand.name], operand.type, operand.elements, stream);
    if (found > 0) {
      return std::to_string(found) + " elements of " + std::string(name_of(operand.name)) + " are NaN or not written";
    }
  }
  if (!memory.guards_hold()) return "memory behind a tensor was written";
  return std::nullopt;
}

std::optional<std::string> failed_launch(const Kernel& kernel, const Case& point, OperandMemory& memory,
                                         Stream stream) {
  try {
    memory.reset(stream);
    kernel.launch(memory.tensors(), point, stream);
    TILEMETER_CHECK(cudaStreamSynchronize(stream));
  } catch (const CudaError& error) {
    return std::string("the launch failed: ") + error.what();
  }
  return std::nullopt;
}

}  // namespace

GateResult pass_gate(const Kernel& kernel, const Case& point, OperandMemory& memory, const GateSettings& settings,
                     Stream stream) {
  require_supported(kernel, point);
  GateResult result;
  result.failure = failed_launch(kernel, point, memory, stream);
  if (result.failure) return result;
  std::vector<RowsToCheck> checked;
  for (const OutputShape& shape : output_shapes(kernel.algorithm, point)) {
    checked.push_back({shape, rows_to_check(shape, settings.work, settings.elements, settings.seed)});
    result.rows += std::ssize(checked.back().rows);
    result.rows_in_all += shape.matrices * shape.rows;
  }
  for (const ReferenceRows& reference : reference_rows(kernel.algorithm, memory.tensors(), memory.operands(), point,
                                                       checked, settings.empty_lse, stream)) {
    const Operand* operand = written(memory, reference.tensor);
    if (operand == nullptr) continue;
    result.tensors.push_back({reference.tensor, agreement_of(*operand, reference, memory, point, settings, stream)});
    const std::optional<std::string>& failure = result.tensors.back().agreement.failure;
    if (failure && !result.failure) result.failure = std::string(name_of(reference.tensor)) + ": " + *failure;
  }
  if (result.tensors.empty()) result.failure = "no output has a reference";
  if (!result.failure) result.failure = damage(memory, stream);
  return result;
}

}  // namespace tilemeter::kernels
