#include "sim/numeric.hpp"

#include <cmath>

#include "model/closed_form/bill.hpp"
#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"
#include "sim/mistake.hpp"

namespace tilemeter {
namespace {

/// The type in which `tensor` is stored for `algorithm` to read.
DType stored_as(const Algorithm& algorithm, TensorName tensor, const Case& point) {
  const bool reads_back = algorithm.formula().output == OutputType::read_back;
  return reads_back && tensor == accumulated_output(algorithm.computation()) ? point.problem.o_dtype
                                                                             : dtype_of(tensor, point);
}

template <class Scalar>
void write(Gpu<Real<Scalar>>& gpu, TensorName name, DType dtype, const std::vector<Matrix>& values) {
  const Shape shape = values.empty() ? Shape{} : Shape{values.front().rows(), values.front().cols()};
  Tensor<Real<Scalar>>& tensor = gpu.tensor(name, static_cast<Count>(values.size()), shape, dtype);
  for (std::size_t stream = 0; stream < values.size(); ++stream) {
    tensor.streams[stream] = values[stream].template cast<Scalar>();
    numerics::round_all<Scalar>(tensor.dtype, tensor.streams[stream]);
  }
}

template <class Scalar>
std::vector<Matrix> read(const Tensor<Real<Scalar>>* tensor) {
  std::vector<Matrix> values;
  if (tensor == nullptr) return values;
  for (const auto& stream : tensor->streams) values.push_back(stream.template cast<double>());
  return values;
}

/// LSE as written, or m + log(l) where the algorithm keeps those; empty where it keeps neither.
template <class Scalar>
std::vector<Matrix> read_lse(Gpu<Real<Scalar>>& gpu) {
  if (gpu.find(TensorName::LSE) != nullptr) return read(gpu.find(TensorName::LSE));
  std::vector<Matrix> lse = read(gpu.find(TensorName::m));
  const std::vector<Matrix> sums = read(gpu.find(TensorName::l));
  for (std::size_t stream = 0; stream < lse.size(); ++stream) lse[stream].array() += sums[stream].array().log();
  return lse;
}

template <class Scalar>
NumericOutputs run_as(void (*run)(Gpu<Real<Scalar>>&, const Case&), const Algorithm& algorithm, const Case& point,
                      const Budget& budget, const Values& inputs) {
  Ledger ledger(Fold::none);
  Gpu<Real<Scalar>> gpu(ledger, budget);
  for (const auto& [name, values] : inputs) write(gpu, name, stored_as(algorithm, name, point), values);
  run(gpu, point);
  NumericOutputs result{.counted = {.work = ledger.work(), .memory = ledger.memory()}};
  for (const TensorName name : reference_of(algorithm.computation()).outputs) {
    result.outputs[name] = name == TensorName::LSE ? read_lse(gpu) : read(gpu.find(name));
  }
  return result;
}

}  // namespace

NumericOutputs run_on(const Algorithm& algorithm, const Case& point, const Budget& budget, const Values& inputs) {
  const Case complete = accepted(algorithm.formula(), point);
  switch (point.problem.dtype) {
    case DType::fp64:
      return run_as(algorithm.run_double, algorithm, complete, budget, inputs);
    case DType::fp32:
    case DType::fp16:
    case DType::bf16:
      return run_as(algorithm.run_float, algorithm, complete, budget, inputs);
    default:
      break;
  }
  throw InputError("--dtype " + std::string(name_of(point.problem.dtype)) +
                   ": numeric mode takes fp64, fp32, fp16 and bf16");
}

NumericRun run_numeric(const Algorithm& algorithm, const Case& point, const Budget& budget, std::uint64_t seed) {
  const Values inputs = random_inputs(algorithm, point, seed);
  const NumericOutputs run = run_on(algorithm, point, budget, inputs);
  if (mistake_of(algorithm, point.options) != Mistake::none) {
    return {.counted = run.counted, .check = check_mistake(algorithm, point, inputs, run.outputs)};
  }
  return {.counted = run.counted,
          .check = compare(point.problem, run.outputs, expected_outputs(algorithm, point, inputs),
                           expected_norms(algorithm, point, inputs), tolerance_growth(algorithm, point))};
}

}  // namespace tilemeter
