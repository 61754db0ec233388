#include "tools/options/point_table.hpp"
#include "tools/options/range.hpp"
#include "tools/options/types.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<MaskShape>, 2> mask_shapes = {{{"row", MaskShape::row}, {"full", MaskShape::full}}};
constexpr std::array<Choice<EmptyLse>, 3> empty_lses = {
    {{"+inf", EmptyLse::plus_infinity}, {"inf", EmptyLse::plus_infinity}, {"-inf", EmptyLse::minus_infinity}}};
constexpr std::array<Choice<Variant>, 13> variants = {{{"atomics", Variant::atomics},
                                                       {"two_kernels", Variant::two_kernels},
                                                       {"onchip", Variant::onchip},
                                                       {"fused", Variant::fused},
                                                       {"unfused", Variant::unfused},
                                                       {"naive", Variant::naive},
                                                       {"safe", Variant::safe},
                                                       {"online", Variant::online},
                                                       {"resident", Variant::resident},
                                                       {"scores", Variant::scores},
                                                       {"state_memory", Variant::state_memory},
                                                       {"state", Variant::state},
                                                       {"causal_chunks", Variant::causal_chunks}}};
constexpr std::array<Choice<Mistake>, 3> mistakes = {
    {{"reverse", Mistake::reversed_unguarded}, {"no-rescale", Mistake::no_rescale}, {"unguarded", Mistake::unguarded}}};
struct Unfused {
  bool scale = false;
  bool mask = false;
  bool dropout = false;
};

constexpr std::string_view no_steps = "none";
constexpr std::array<Choice<bool Unfused::*>, 3> step_words = {
    {{"scale", &Unfused::scale}, {"mask", &Unfused::mask}, {"dropout", &Unfused::dropout}}};

std::vector<std::string_view> known_steps() {
  std::vector<std::string_view> words = words_of(step_words);
  words.push_back(no_steps);
  return words;
}

Unfused parse_unfused(std::string_view option, const std::string& text) {
  Unfused steps;
  if (text == no_steps) return steps;
  for (bool Unfused::*step : parse_choices(option, text, step_words)) steps.*step = true;
  return steps;
}

Axis unfused(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, std::vector{parse_unfused(option, text)}, [](PointRequest& r, const Unfused& steps) {
    r.options.unfused_scale = steps.scale;
    r.options.unfused_mask = steps.mask;
    r.options.unfused_dropout = steps.dropout;
    r.options.unfused_gradients = {.scale = steps.scale, .mask = steps.mask, .dropout = steps.dropout};
  });
}

Axis mask_shape(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, std::vector{parse_choice(option, text, mask_shapes)},
                 [](PointRequest& r, MaskShape shape) { r.options.mask_shape = shape; });
}

Axis init(std::string_view option, const std::string&, const Arguments& arguments) {
  if (arguments.has("--elide-first")) {
    throw InputError("--init contradicts --elide-first: state that is not read first need not be written first");
  }
  return axis_of(option, std::vector{StatisticsInit::counted},
                 [](PointRequest& r, StatisticsInit value) { r.options.init = value; });
}

Axis elide_first(std::string_view option, const std::string&, const Arguments&) {
  return axis_of(option, std::vector{FirstVisit::elides_read},
                 [](PointRequest& r, FirstVisit value) { r.options.first_visit = value; });
}

Axis row_splits(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.options.row_splits = n; });
}

Axis o_dtype(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, operand_types),
                 [](PointRequest& r, DType type) { r.o_dtype = type; });
}

Axis score_dtype(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, operand_types),
                 [](PointRequest& r, DType type) { r.score_dtype = type; });
}

Axis deterministic(std::string_view option, const std::string&, const Arguments&) {
  return axis_of(option, std::vector{Accumulation::deterministic},
                 [](PointRequest& r, Accumulation value) { r.options.accumulation = value; });
}

Axis stages(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.stages = n; });
}

Axis block_d(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.block_d = n; });
}

Axis empty_lse(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, std::vector{parse_choice(option, text, empty_lses)},
                 [](PointRequest& r, EmptyLse value) { r.options.empty_lse = value; });
}

template <auto write>
Axis own_counts(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), write);
}

constexpr auto set_chunk_q = [](PointRequest& r, Count n) { r.chunk_q = n; };
constexpr auto set_chunk_k = [](PointRequest& r, Count n) { r.chunk_k = n; };
constexpr auto set_chunk = [](PointRequest& r, Count n) { r.options.chunk = n; };

Axis variant(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, variants),
                 [](PointRequest& r, Variant value) { r.options.variant = value; });
}

constexpr std::string_view chosen_splits = "auto";
std::vector<std::string_view> known_splits() { return {chosen_splits}; }

/// "auto" lets the heuristic choose, as does leaving the option out.
Axis splits(std::string_view option, const std::string& text, const Arguments&) {
  std::vector<std::optional<Count>> values;
  for (const std::string_view item : list_items(option, text)) {
    if (item == chosen_splits) {
      values.emplace_back();
    } else {
      for (const Count n : parse_counts(option, item, 1)) values.emplace_back(n);
    }
  }
  return axis_of(option, std::move(values),
                 [](PointRequest& r, const std::optional<Count>& n) { r.options.splits = n; });
}

Axis page_size(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), [](PointRequest& r, Count n) { r.options.page_size = n; });
}

Axis unsafe(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, mistakes),
                 [](PointRequest& r, Mistake mistake) { r.options.mistake = mistake; });
}

void reset_unfused(PointRequest& r) {
  r.options.unfused_scale = Options{}.unfused_scale;
  r.options.unfused_mask = Options{}.unfused_mask;
  r.options.unfused_dropout = Options{}.unfused_dropout;
  r.options.unfused_gradients = {};
}

constexpr std::array own_table = {
    OwnOption{
        {OptionSpec{"--variant", "NAME,...", "which version of the algorithm; `tilemeter algorithms show` lists them"}
             .among(known_words<variants>),
         variant},
        [](PointRequest& r) { r.options.variant.reset(); }},
    OwnOption{{OptionSpec{"--unfused", "STEPS",
                          "steps that are kernels of their own, of scale,mask,dropout, or none; default all, of "
                          "standard_backward none"}
                   .among(known_steps),
               unfused},
              reset_unfused},
    OwnOption{{OptionSpec{"--mask-shape", "row|full", "what a mask kernel reads; default row"}.among(
                   known_words<mask_shapes>),
               mask_shape},
              [](PointRequest& r) { r.options.mask_shape = Options{}.mask_shape; }},
    OwnOption{{{"--init", "", "count the writing of the initial O, l, m (of dQ, dK, dV)"}, init},
              [](PointRequest& r) { r.options.init = Options{}.init; }},
    OwnOption{{{"--elide-first", "", "the first visit of a row block reads no O, l, m"}, elide_first},
              [](PointRequest& r) { r.options.first_visit = Options{}.first_visit; }},
    OwnOption{{{"--row-splits", "Z", "blocks that share the row blocks of a head; default 1"}, row_splits},
              [](PointRequest& r) { r.options.row_splits = Options{}.row_splits; }},
    OwnOption{
        {OptionSpec{"--o-dtype", "TYPE", "O (dQ of a backward pass) where it is read back; default --dtype"}.among(
             known_words<operand_types>),
         o_dtype},
        [](PointRequest& r) { r.o_dtype.reset(); }},
    OwnOption{{OptionSpec{"--score-dtype", "TYPE", "S, P, dP and dS where they go to memory; default --dtype"}.among(
                   known_words<operand_types>),
               score_dtype},
              [](PointRequest& r) { r.score_dtype.reset(); }},
    OwnOption{{{"--deterministic", "", "dQ is accumulated in order, in a buffer for each block along the keys"},
               deterministic},
              [](PointRequest& r) { r.options.accumulation = Options{}.accumulation; }},
    OwnOption{{{"--stages", "S", "stages of the K/V ring, of the A and B ring of a gemm; default 1, flash3 2"}, stages},
              [](PointRequest& r) { r.stages.reset(); }},
    OwnOption{{{"--block-d", "BD", "GEMM tiles along the head dimension; default all of it"}, block_d},
              [](PointRequest& r) { r.block_d = 0; }},
    OwnOption{{{"--chunk-q", "CQ", "query rows of a chunk; default 1024"}, own_counts<set_chunk_q>},
              [](PointRequest& r) { r.chunk_q.reset(); }},
    OwnOption{{{"--chunk-k", "CK", "keys of a chunk; default the square root of the keys, rounded up"},
               own_counts<set_chunk_k>},
              [](PointRequest& r) { r.chunk_k.reset(); }},
    OwnOption{{{"--chunk", "C", "rows that pass by the state at a time; default 64"}, own_counts<set_chunk>},
              [](PointRequest& r) { r.options.chunk = Options{}.chunk; }},
    OwnOption{{OptionSpec{"--empty-lse", "+inf|-inf", "LSE of a row without keys; default +inf"}.among(
                   known_words<empty_lses>),
               empty_lse},
              [](PointRequest& r) { r.options.empty_lse = Options{}.empty_lse; }},
    OwnOption{
        {OptionSpec{"--splits", "S|auto",
                    "parts of the keys of a query tile; default auto: FlashAttention-2's choice for 2 blocks an SM of "
                    "--device, else for 216 blocks"}
             .among(known_splits),
         splits},
        [](PointRequest& r) { r.options.splits.reset(); }},
    OwnOption{
        {{"--page-size", "P", "keys a page of a paged K/V cache, with its block table; default not paged"}, page_size},
        [](PointRequest& r) { r.options.page_size = Options{}.page_size; }},
    OwnOption{
        {{.names = "--unsafe",
          .value = "[MISTAKE]",
          .help = "a classic mistake: reverse (key tiles backwards, no guard; the default), no-rescale, unguarded; "
                  "exit status 0 when --mode numeric shows the damage predicted; traffic stays the same",
          .alone = "reverse",
          .known = known_words<mistakes>},
         unsafe},
        [](PointRequest& r) { r.options.mistake = Options{}.mistake; }},
};

}  // namespace

std::span<const OwnOption> own_options() {
  static const std::vector<OwnOption> all = [] {
    std::vector<OwnOption> joined(own_table.begin(), own_table.end());
    const auto neighbours = neighbour_options();
    joined.insert(joined.end(), neighbours.begin(), neighbours.end());
    return joined;
  }();
  return all;
}

}  // namespace tilemeter
