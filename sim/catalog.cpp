#include "sim/catalog.hpp"

#include <array>
#include <string>
#include <vector>

#include "model/closed_form/catalog.hpp"
#include "model/suggest.hpp"

namespace tilemeter {

Algorithm standard();
Algorithm standard_tiled();
Algorithm standard_unfused();
Algorithm flash1();
Algorithm flash2();
Algorithm standard_backward();
Algorithm flash1_backward();
Algorithm flash2_backward();
Algorithm flash3();
Algorithm split_kv();
Algorithm zigzag();
Algorithm chunked();
Algorithm materialised();
Algorithm linear_attention();
Algorithm gemm();
Algorithm weight_layer();
Algorithm softmax();
Algorithm elementwise();

const Formula& Algorithm::formula() const { return formula_of(name); }

std::span<const Algorithm> algorithms() {
  // clang-format off
  static const std::array table = {
      standard(),
      standard_tiled(),
      standard_unfused(),
      flash1(),
      flash2(),
      standard_backward(),
      flash1_backward(),
      flash2_backward(),
      flash3(),
      split_kv(),
      zigzag(),
      chunked(),
      materialised(),
      linear_attention(),
      gemm(),
      weight_layer(),
      softmax(),
      elementwise(),
  };
  // clang-format on
  return table;
}

const Algorithm& find_algorithm(std::string_view name, std::string_view asked_by) {
  std::string names;
  std::vector<std::string_view> known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == name) return algorithm;
    known.push_back(algorithm.name);
    names += (names.empty() ? "" : ", ") + std::string(algorithm.name);
  }
  throw InputError(std::string(asked_by) + " " + std::string(name) + ": unknown" + suggestion(name, known) +
                   "; choose from " + names);
}

}  // namespace tilemeter
