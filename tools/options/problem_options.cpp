#include "sim/catalog.hpp"
#include "tools/options/known.hpp"
#include "tools/options/mask.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/range.hpp"
#include "tools/options/types.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<DType>, 4> statistics_types = {
    {{"fp16", DType::fp16}, {"bf16", DType::bf16}, {"fp32", DType::fp32}, {"fp64", DType::fp64}}};

Axis algorithm(std::string_view option, const std::string& text, const Arguments&) {
  std::vector<const Algorithm*> found;
  for (const std::string_view name : list_items(option, text))
    found.push_back(&find_algorithm(name.empty() ? "\"\"" : name));
  return axis_of(option, std::move(found), [](PointRequest& r, const Algorithm* value) { r.algorithm = value; });
}

/// An axis of integers of at least `minimum`.
template <Count minimum, auto write>
Axis counts(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, minimum), write);
}

constexpr auto set_seq = [](PointRequest& r, Count n) { r.problem.seq_q = r.problem.seq_k = n; };
constexpr auto set_seq_q = [](PointRequest& r, Count n) { r.problem.seq_q = n; };
constexpr auto set_seq_k = [](PointRequest& r, Count n) { r.problem.seq_k = n; };
constexpr auto set_head_dim = [](PointRequest& r, Count n) { r.problem.head_dim = n; };
constexpr auto set_head_dim_v = [](PointRequest& r, Count n) { r.head_dim_v = n; };
constexpr auto set_batch = [](PointRequest& r, Count n) { r.problem.batch = n; };
constexpr auto set_heads = [](PointRequest& r, Count n) { r.problem.heads = n; };
constexpr auto set_kv_heads = [](PointRequest& r, Count n) { r.kv_heads = n; };

Axis packed(std::string_view option, const std::string&, const Arguments&) {
  return axis_of(option, std::vector{Packing::packed}, [](PointRequest& r, Packing p) { r.problem.packing = p; });
}

Axis segments(std::string_view option, const std::string& text, const Arguments&) {
  std::vector list{std::make_shared<const std::vector<Segment>>(load_segments(text))};
  return axis_of(option, std::move(list), [](PointRequest& r, const auto& value) { r.segments = value; });
}

Axis mask_axis(std::string_view option, std::vector<Mask> masks) {
  return axis_of(option, std::move(masks), [](PointRequest& r, const Mask& mask) { r.problem.mask = mask; });
}

Axis causal(std::string_view option, const std::string&, const Arguments& arguments) {
  if (const auto window = arguments.find("--window")) {
    return mask_axis(option, {causal_window(parse_window("--window", *window))});
  }
  return mask_axis(option, parse_masks(option, "causal"));
}

Axis causal_top_left(std::string_view option, const std::string&, const Arguments&) {
  return mask_axis(option, parse_masks(option, "causal_top_left"));
}

Axis window(std::string_view option, const std::string& text, const Arguments& arguments) {
  const Mask given = parse_window(option, text);
  return mask_axis(option, {arguments.has("--causal") ? causal_window(given) : given});
}

Axis masks(std::string_view option, const std::string& text, const Arguments&) {
  return mask_axis(option, parse_masks(option, text));
}

Axis dtype(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, operand_types),
                 [](PointRequest& r, DType type) { r.problem.dtype = type; });
}

Axis stat_dtype(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, statistics_types),
                 [](PointRequest& r, DType type) { r.stat_dtype = type; });
}

constexpr std::array problem_table = {
    PointOption{OptionSpec{"--algorithm", "NAME,...", "algorithms to run; `tilemeter algorithms` lists them"}.among(
                    known_algorithms),
                algorithm},
    PointOption{{"--seq", "N", "length of queries and keys"}, counts<1, set_seq>},
    PointOption{{"--seq-q", "N", "query rows, with --seq-k"}, counts<1, set_seq_q>},
    PointOption{{"--seq-k", "N", "key rows, with --seq-q; may be 0"}, counts<0, set_seq_k>},
    PointOption{{"--head-dim", "D", "head dimension of Q and K; default 64"}, counts<1, set_head_dim>},
    PointOption{{"--head-dim-v", "DV", "head dimension of V and O; default --head-dim"}, counts<1, set_head_dim_v>},
    PointOption{{"--batch", "B", "independent problems; default 1"}, counts<1, set_batch>},
    PointOption{{"--heads", "H", "query heads; default 1"}, counts<1, set_heads>},
    PointOption{{"--kv-heads", "HK", "K/V heads, of which --heads is a multiple; default --heads"},
                counts<1, set_kv_heads>},
    PointOption{{"--packed", "", "one row block holds the query heads of a K/V head"}, packed},
    PointOption{{"--segments", "FILE", "variable lengths: one pair 'q k' a line, '#' starts a comment"}, segments},
    PointOption{
        OptionSpec{"--mask", "MASK,...", "none, causal, causal_top_left, window:LEFT:RIGHT; default none"}.among(
            known_masks),
        masks},
    PointOption{{"--causal", "", "causal mask, bottom-right aligned"}, causal},
    PointOption{{"--causal-top-left", "", "causal mask, top-left aligned"}, causal_top_left},
    PointOption{{"--window", "LEFT,RIGHT", "sliding window, bottom-right aligned; -1 is unlimited"}, window},
    PointOption{OptionSpec{"--dtype", "TYPE", "operands: fp64, fp32, fp16, bf16, fp8; default fp16"}.among(
                    known_words<operand_types>),
                dtype},
    PointOption{
        OptionSpec{"--stat-dtype", "TYPE", "l, m, LSE in memory: fp16, bf16, fp32, fp64; default fp32 (fp64 with fp64)"}
            .among(known_words<statistics_types>),
        stat_dtype},
};

}  // namespace

std::span<const PointOption> problem_options() { return problem_table; }

}  // namespace tilemeter
