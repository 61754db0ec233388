// Options of the neighbours of attention: matrix products, layers, softmax, elementwise chains.
#include "tools/options/choice.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/range.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<GemmOrder>, 8> orders = {{{"c", GemmOrder::c_stationary},
                                                      {"a", GemmOrder::a_stationary},
                                                      {"b", GemmOrder::b_stationary},
                                                      {"none", GemmOrder::no_reuse},
                                                      {"c_stationary", GemmOrder::c_stationary},
                                                      {"a_stationary", GemmOrder::a_stationary},
                                                      {"b_stationary", GemmOrder::b_stationary},
                                                      {"no_reuse", GemmOrder::no_reuse}}};
constexpr std::array<Choice<WeightType>, 3> weight_types = {
    {{"bf16", WeightType::bf16}, {"int8", WeightType::int8}, {"int4", WeightType::int4}}};

/// A size of the problem: at least 1.
template <Count Shapes::*size>
PointOption shape(std::string_view name, std::string_view value, std::string_view help) {
  const MakeAxis make = [](std::string_view option, const std::string& text, const Arguments&) {
    return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.shapes.*size = n; });
  };
  return {{name, value, help}, make};
}

template <Count Shapes::*size>
void reset_shape(PointRequest& r) {
  r.shapes.*size = Shapes{}.*size;
}

template <Count Options::*number, Count minimum>
Axis number_axis(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, minimum), [](PointRequest& r, Count n) { r.options.*number = n; });
}

template <Count Options::*number>
void reset_number(PointRequest& r) {
  r.options.*number = Options{}.*number;
}

template <std::optional<Count> PointRequest::*block>
Axis block_axis(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.*block = n; });
}

Axis order(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, orders),
                 [](PointRequest& r, GemmOrder value) { r.options.gemm_order = value; });
}

Axis weight_type(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, weight_types),
                 [](PointRequest& r, WeightType type) { r.options.weight_type = type; });
}

}  // namespace

std::span<const OwnOption> neighbour_options() {
  static const std::array table = {
      OwnOption{shape<&Shapes::m>("--m", "M", "rows of A and C of a gemm, C (m x n) = A (m x k) B (k x n)"),
                reset_shape<&Shapes::m>},
      OwnOption{shape<&Shapes::n>("--n", "N", "columns of B and C"), reset_shape<&Shapes::n>},
      OwnOption{shape<&Shapes::k>("--k", "K", "columns of A, rows of B"), reset_shape<&Shapes::k>},
      OwnOption{{{"--block-m", "BM", "rows of a tile of C, with --block-n and --block-k"},
                 block_axis<&PointRequest::block_m>},
                [](PointRequest& r) { r.block_m.reset(); }},
      OwnOption{{{"--block-n", "BN", "its columns, with --block-m and --block-k"}, block_axis<&PointRequest::block_n>},
                [](PointRequest& r) { r.block_n.reset(); }},
      OwnOption{
          {OptionSpec{"--order", "c|a|b|none", "which operand of a gemm stays on chip; default c; optimum tries all"}
               .among(known_words<orders>),
           order},
          [](PointRequest& r) { r.options.gemm_order.reset(); }},
      OwnOption{shape<&Shapes::tokens>("--tokens", "T", "rows of X and Y of a layer, Y = X W"),
                reset_shape<&Shapes::tokens>},
      OwnOption{shape<&Shapes::d_in>("--d-in", "D", "features in: columns of X, rows of W"),
                reset_shape<&Shapes::d_in>},
      OwnOption{shape<&Shapes::d_out>("--d-out", "D", "features out: columns of W and Y"), reset_shape<&Shapes::d_out>},
      OwnOption{{OptionSpec{"--weight-dtype", "TYPE", "weights of a layer: bf16, int8, int4; default bf16"}.among(
                     known_words<weight_types>),
                 weight_type},
                [](PointRequest& r) { r.options.weight_type = Options{}.weight_type; }},
      OwnOption{{{"--group-size", "G", "weights along d_in that share an fp16 scale; default 0, no scales in memory"},
                 number_axis<&Options::group_size, 0>},
                reset_number<&Options::group_size>},
      OwnOption{shape<&Shapes::rows>("--rows", "R", "rows of a softmax"), reset_shape<&Shapes::rows>},
      OwnOption{shape<&Shapes::cols>("--cols", "V", "elements of a row of a softmax"), reset_shape<&Shapes::cols>},
      OwnOption{shape<&Shapes::length>("--length", "N", "elements of each tensor of an elementwise chain"),
                reset_shape<&Shapes::length>},
      OwnOption{{{"--ops", "K", "operations of the chain; default 1"}, number_axis<&Options::ops, 1>},
                reset_number<&Options::ops>},
      OwnOption{{{"--side-inputs", "S", "of which the first S also read a tensor of their own; default 0"},
                 number_axis<&Options::side_inputs, 0>},
                reset_number<&Options::side_inputs>},
  };
  return table;
}

}  // namespace tilemeter
