// Runs of an algorithm with numbers.
#include "sim/numeric.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "sim/catalog.hpp"
#include "sim/gpu.hpp"
#include "sim/ledger.hpp"
#include "sim/operands.hpp"
#include "sim/rounding.hpp"

namespace tilemeter {
namespace {

/// Standard normal numbers that are the same on every platform (splitmix64, Box-Muller).
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : state_(seed) {}

  double operator()() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  double uniform() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    mixed ^= mixed >> 31;
    return static_cast<double>(mixed >> 11) * 0x1p-53;
  }

  std::uint64_t state_;
};

Matrix random_matrix(Count rows, Count cols, DType dtype, Normal& normal) {
  Matrix matrix(rows, cols);
  for (double& value : matrix.reshaped()) value = round_to(dtype, normal());
  return matrix;
}

template <class Scalar>
void write(Tensor<Real<Scalar>>& tensor, const std::vector<Matrix>& values) {
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

/// LSE as written, or m + log(l) where the algorithm keeps those.
template <class Scalar>
std::vector<Matrix> read_lse(Gpu<Real<Scalar>>& gpu) {
  if (gpu.find(TensorName::LSE) != nullptr) return read(gpu.find(TensorName::LSE));
  std::vector<Matrix> lse = read(gpu.find(TensorName::m));
  const std::vector<Matrix> sums = read(gpu.find(TensorName::l));
  for (std::size_t stream = 0; stream < lse.size(); ++stream) lse[stream].array() += sums[stream].array().log();
  return lse;
}

template <class Scalar>
NumericOutputs run_as(void (*run)(Gpu<Real<Scalar>>&, const Case&), const Case& point, const Budget& budget,
                      const Inputs& inputs) {
  Ledger ledger(Fold::none);
  Gpu<Real<Scalar>> gpu(ledger, budget);
  const Operands<Real<Scalar>> operands(gpu, point.problem);
  write(*gpu.find(TensorName::Q), inputs.q);
  write(*gpu.find(TensorName::K), inputs.k);
  write(*gpu.find(TensorName::V), inputs.v);
  run(gpu, point);
  return {.counted = {.work = ledger.work(), .memory = ledger.memory()},
          .outputs = {.o = read(gpu.find(TensorName::O)), .lse = read_lse(gpu)}};
}

double empty_lse_of(const Algorithm& algorithm, const Case& point) {
  const double infinity = std::numeric_limits<double>::infinity();
  const bool plus = algorithm.order == LoopOrder::q_outer && point.options.empty_lse == EmptyLse::plus_infinity;
  return plus ? infinity : -infinity;
}

}  // namespace

Inputs random_inputs(const Problem& problem, std::uint64_t seed) {
  Normal normal(seed);
  Inputs inputs;
  const Count kv_streams = checked::multiply(problem.batch, problem.kv_heads);
  for (Count stream = 0; stream < problem.streams(); ++stream) {
    inputs.q.push_back(random_matrix(problem.rows(), problem.head_dim, problem.dtype, normal));
  }
  for (Count stream = 0; stream < kv_streams; ++stream) {
    inputs.k.push_back(random_matrix(problem.seq_k, problem.head_dim, problem.dtype, normal));
    inputs.v.push_back(random_matrix(problem.seq_k, problem.head_dim_v, problem.dtype, normal));
  }
  return inputs;
}

NumericOutputs run_on(const Algorithm& algorithm, const Case& point, const Budget& budget, const Inputs& inputs) {
  validate(point.problem);
  switch (point.problem.dtype) {
    case DType::fp64:
      return run_as(algorithm.run_double, point, budget, inputs);
    case DType::fp32:
    case DType::fp16:
    case DType::bf16:
      return run_as(algorithm.run_float, point, budget, inputs);
    default:
      break;
  }
  throw InputError("--dtype " + std::string(name_of(point.problem.dtype)) +
                   ": numeric mode takes fp64, fp32, fp16 and bf16");
}

NumericRun run_numeric(const Algorithm& algorithm, const Case& point, const Budget& budget, std::uint64_t seed) {
  const Inputs inputs = random_inputs(point.problem, seed);
  const NumericOutputs run = run_on(algorithm, point, budget, inputs);
  const bool drops = algorithm.name == "standard_unfused" && point.options.unfused_dropout;
  const Outputs expected =
      reference(point.problem, inputs, drops ? Dropout::fixed : Dropout::none, empty_lse_of(algorithm, point));
  return {.counted = run.counted, .check = compare(point.problem, run.outputs, expected)};
}

}  // namespace tilemeter
