#include <array>

#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/known.hpp"
#include "tools/options/text.hpp"
#include "tools/output/listing.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view algorithms_example =
    "  tilemeter algorithms show flash1\n"
    "says what flash1 does, where it was published, how it loops and which options it takes.";

std::string_view order_text(LoopOrder order) {
  switch (order) {
    case LoopOrder::untiled:
      return "no tiles: every operand of a matrix product is read once";
    case LoopOrder::kv_outer:
      return "K/V tiles in the outer loop, query tiles in the inner";
    case LoopOrder::q_outer:
      return "query tiles in the outer loop, K/V tiles in the inner";
    case LoopOrder::gemm:
      return "matrix products in tiles, the product stationary";
    case LoopOrder::product:
      return "one matrix product in tiles; --order says what is stationary";
    case LoopOrder::pieces:
      return "rows in pieces, as many times as there are passes";
    case LoopOrder::chunks:
      return "chunks of queries against chunks of keys";
    case LoopOrder::outer_product:
      return "matrix products in tiles, the product stationary, one column of each operand at a time";
    case LoopOrder::recurrent:
      return "chunks of rows past a state of d x dv";
  }
  return "";
}

std::string variants_text(std::span<const Variant> variants) {
  if (variants.empty()) return "one";
  std::string text;
  for (const Variant variant : variants) text.append(text.empty() ? "" : ", ").append(name_of(variant));
  return text + " (the first is the default)";
}

Listing list_of_algorithms() {
  Listing listing{.command = "algorithms", .key = "algorithms", .columns = {"name", "idea"}, .rows = {}};
  for (const Algorithm& algorithm : algorithms()) {
    listing.rows.push_back({std::string(algorithm.name), std::string(algorithm.idea)});
  }
  return listing;
}

Listing algorithm_description(std::string_view name) {
  const Algorithm& algorithm = find_algorithm(name, "algorithms show");
  const std::string own = algorithm.options.empty() ? "none of its own" : std::string(algorithm.options);
  return {.command = "algorithms",
          .key = "facts",
          .columns = {"fact", "value"},
          .rows = {{"name", std::string(algorithm.name)},
                   {"idea", std::string(algorithm.idea)},
                   {"source", std::string(algorithm.source)},
                   {"loops", std::string(order_text(algorithm.order()))},
                   {"variants", variants_text(algorithm.formula().variants)},
                   {"options", own}}};
}

int run_algorithms(const Arguments& arguments) {
  const auto shown = word_to_show(arguments, "algorithms");
  write_listing(shown ? algorithm_description(*shown) : list_of_algorithms(), arguments);
  return 0;
}

}  // namespace

Command algorithms_command() {
  return {.name = "algorithms",
          .summary = "the algorithms that can be counted; `algorithms show NAME` describes one",
          .example = algorithms_example,
          .words = "[show NAME]",
          .options = all_options({output_option_specs(), logging_option_specs()}),
          .run = run_algorithms,
          .known = known_algorithms};
}

}  // namespace tilemeter
