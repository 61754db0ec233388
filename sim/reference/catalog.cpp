// The references by computation.
#include <array>

#include "sim/catalog.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr std::array attention_outputs = {TensorName::O, TensorName::LSE};
constexpr std::array gradient_outputs = {TensorName::dQ, TensorName::dK, TensorName::dV};

const std::array table = {
    Reference{Computation::attention, attention_outputs, inputs_of_attention, outputs_of_attention},
    Reference{Computation::gradients, gradient_outputs, inputs_of_gradients, outputs_of_gradients, add_forward_results,
              norms_of_gradients},
    constexpr std::array linear_attention_outputs = {TensorName::O};

const std::array table = {
    Reference{Computation::attention, attention_outputs, inputs_of_attention, outputs_of_attention},
    Reference{Computation::linear_attention, linear_attention_outputs, inputs_of_attention,
              outputs_of_linear_attention},
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

}  // namespace tilemeter
