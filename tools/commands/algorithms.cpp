#include <array>

#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/text.hpp"
#include "tools/output/file.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view example =
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
  }
  return "";
}

std::string list_text() {
  std::string text;
  for (const Algorithm& algorithm : algorithms()) {
    text += pad_right(algorithm.name, 18) + std::string(algorithm.idea) + "\n";
  }
  return text;
}

std::string show_text(std::string_view name) {
  const Algorithm& algorithm = find_algorithm(name);
  return "name      " + std::string(algorithm.name) + "\nidea      " + std::string(algorithm.idea) + "\nsource    " +
         std::string(algorithm.source) + "\nloops     " + std::string(order_text(algorithm.order)) + "\noptions   " +
         (algorithm.options.empty() ? "none of its own" : std::string(algorithm.options)) + "\n";
}

int run_algorithms(const Arguments& arguments) {
  const auto shown = word_to_show(arguments, "algorithms");
  write_out(shown ? show_text(*shown) : list_text());
  return 0;
}

}  // namespace

Command algorithms_command() {
  return {.name = "algorithms",
          .summary = "the algorithms that can be counted; `algorithms show NAME` describes one",
          .example = example,
          .words = "[show NAME]",
          .options = all_options({logging_option_specs()}),
          .run = run_algorithms};
}

}  // namespace tilemeter
