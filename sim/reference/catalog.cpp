// The references by computation.
#include <array>

#include "sim/catalog.hpp"
#include "sim/reference.hpp"

namespace tilemeter {
namespace {

constexpr std::array attention_outputs = {TensorName::O, TensorName::LSE};
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
  return reference_of(algorithm.computation()).inputs(accepted(algorithm.formula(), point), normal);
}

Values expected_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs) {
  return reference_of(algorithm.computation()).outputs_of(algorithm, accepted(algorithm.formula(), point), inputs);
}

}  // namespace tilemeter
