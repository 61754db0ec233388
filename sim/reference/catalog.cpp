// The references by computation.
#include <array>
#include <cmath>

#include "model/closed_form/elementwise.hpp"
#include "model/closed_form/gemm.hpp"
#include "sim/catalog.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr std::array o_and_lse = {TensorName::O, TensorName::LSE};
constexpr std::array o_alone = {TensorName::O};
constexpr std::array gradients = {TensorName::dQ, TensorName::dK, TensorName::dV};
constexpr std::array c_alone = {TensorName::C};
constexpr std::array y_alone = {TensorName::Y};

const std::array table = {
    Reference{.computation = Computation::attention,
              .outputs = o_and_lse,
              .inputs = inputs_of_attention,
              .outputs_of = outputs_of_attention},
    Reference{.computation = Computation::gradients,
              .outputs = gradients,
              .inputs = inputs_of_gradients,
              .outputs_of = outputs_of_gradients,
              .add_state = add_forward_results,
              .norms_of = norms_of_gradients,
              .roundings = gradient_roundings},
    Reference{.computation = Computation::linear_attention,
              .outputs = o_alone,
              .inputs = inputs_of_attention,
              .outputs_of = outputs_of_linear_attention,
              .norms_of = norms_of_linear_attention},
    Reference{.computation = Computation::gemm,
              .outputs = c_alone,
              .inputs = inputs_of_gemm,
              .outputs_of = outputs_of_gemm,
              .roundings = gemm_roundings},
    Reference{.computation = Computation::layer,
              .outputs = y_alone,
              .inputs = inputs_of_layer,
              .outputs_of = outputs_of_layer},
    Reference{.computation = Computation::softmax,
              .outputs = y_alone,
              .inputs = inputs_of_softmax,
              .outputs_of = outputs_of_softmax},
    Reference{.computation = Computation::chain,
              .outputs = y_alone,
              .inputs = inputs_of_chain,
              .outputs_of = outputs_of_chain,
              .roundings = elementwise_roundings},
};

}  // namespace

const Reference& reference_of(Computation computation) {
  for (const Reference& reference : table) {
    if (reference.computation == computation) return reference;
  }
  throw InputError("--mode numeric: this computation has no reference to compare with");
}

Values random_inputs(const Algorithm& algorithm, const Case& point, std::uint64_t seed) {
  Normal normal(seed);
  const Reference& reference = reference_of(algorithm.computation());
  const Case complete = accepted(algorithm.formula(), point);
  Values inputs = reference.inputs(complete, normal);
  if (reference.add_state != nullptr) reference.add_state(algorithm, complete, inputs);
  return inputs;
}

Values expected_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  return reference_of(algorithm.computation()).outputs_of(algorithm, accepted(algorithm.formula(), point), inputs);
}

Norms expected_norms(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  const Reference& reference = reference_of(algorithm.computation());
  if (reference.norms_of == nullptr) return {};
  return reference.norms_of(algorithm, accepted(algorithm.formula(), point), inputs);
}

double tolerance_growth(const Algorithm& algorithm, const Case& point) {
  const auto roundings = reference_of(algorithm.computation()).roundings;
  return roundings == nullptr ? 1 : std::sqrt(static_cast<double>(roundings(accepted(algorithm.formula(), point))));
}

}  // namespace tilemeter
