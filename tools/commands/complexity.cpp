#include <array>

#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/complexity/document.hpp"
#include "tools/log.hpp"
#include "tools/options/choice.hpp"
#include "tools/options/known.hpp"
#include "tools/options/range.hpp"
#include "tools/options/text.hpp"
#include "tools/tables/render.hpp"

namespace tilemeter {
namespace {

using complexity::Inquiry;
using complexity::TileChoice;

constexpr std::array<Choice<TileChoice>, 3> tile_choices = {
    {{"paper", TileChoice::paper}, {"fit", TileChoice::fit}, {"optimum", TileChoice::optimum}}};

std::vector<std::string_view> known_theorems() {
  std::vector<std::string_view> words;
  for (const complexity::Theorem& theorem : complexity::theorems()) words.push_back(theorem.name);
  return words;
}

constexpr std::array own_options = {
    OptionSpec{"--theorem", "NAME,...",
               "only these: thm1 thm2 thm5 square-tiles prop3 prop4 saha-ye li row-granular matmul"}
        .among(known_theorems),
    OptionSpec{"--algorithm", "NAME,...", "only these algorithms; default all"}.among(known_algorithms),
    OptionSpec{"--seq", "RANGE", "lengths of a grid of your own; default 4096"},
    OptionSpec{"--head-dim", "RANGE", "head dimensions of it; default 64"},
    OptionSpec{"--sram", "RANGE", "M of it, in elements; default 12500el:200000el:*2"},
    OptionSpec{"--blocks", "RULE,...", "tile sizes over it: paper, fit, optimum; default all"}.among(
        known_words<tile_choices>),
    OptionSpec{"--seed", "N", "of the random points of joint fits; default 1"},
};

constexpr std::string_view complexity_example =
    "  tilemeter complexity --theorem thm2,prop4\n"
    "fits the exponents of counted traffic in N, d, M (and in the share of visited tiles), each with its 95 % "
    "interval,\n"
    "its range and what is accepted, and ends with the verdict on each theorem. Without options: all theorems, the\n"
    "distance of every algorithm to its best lower bound, and the M from which tiling pays. saha-ye (small memory on\n"
    "chip) comes with the M from which streaming moves no more than scores in memory.\n"
    "  tilemeter complexity --algorithm flash2 --blocks optimum --seq 4096 --sram 4096el:262144el:*2\n"
    "fits the exponents over a grid of your own, without judging them. M counts elements. Exit status 1: a figure of "
    "a\n"
    "theorem or a crossover is not as accepted, or an algorithm moved less than a lower bound.";

std::vector<const complexity::Theorem*> chosen_theorems(const Arguments& arguments, bool own_grid) {
  std::vector<const complexity::Theorem*> chosen;
  if (const auto names = arguments.find("--theorem")) {
    for (const std::string_view name : list_items("--theorem", *names))
      chosen.push_back(&complexity::find_theorem(name));
  } else if (!own_grid) {
    for (const complexity::Theorem& theorem : complexity::theorems()) chosen.push_back(&theorem);
  }
  return chosen;
}

std::vector<std::string_view> chosen_algorithms(const Arguments& arguments) {
  std::vector<std::string_view> chosen;
  if (const auto names = arguments.find("--algorithm")) {
    for (const std::string_view name : list_items("--algorithm", *names)) chosen.push_back(find_algorithm(name).name);
  } else {
    for (const Algorithm& algorithm : algorithms()) chosen.push_back(algorithm.name);
  }
  return chosen;
}

std::vector<Count> capacities_of(const std::string& text) {
  std::vector<Count> capacities;
  for (const Size& size : parse_sizes("--sram", text)) {
    if (size.unit == SizeUnit::bytes) {
      throw InputError("--sram " + text + ": complexity counts in elements; " + to_string(size) + " of fp16 is " +
                       std::to_string(size.amount / 2) + "el");
    }
    capacities.push_back(size.amount);
  }
  return capacities;
}

complexity::OwnGrid grid_of(const Arguments& arguments) {
  complexity::OwnGrid grid{.lengths = parse_counts("--seq", arguments.find("--seq").value_or("4096"), 1),
                           .head_dims = parse_counts("--head-dim", arguments.find("--head-dim").value_or("64"), 1),
                           .capacities = capacities_of(arguments.find("--sram").value_or("12500el:200000el:*2"))};
  const std::size_t most = complexity::most_own_points;
  if (grid.lengths.size() > most || grid.lengths.size() * grid.head_dims.size() > most ||
      grid.lengths.size() * grid.head_dims.size() * grid.capacities.size() > most) {
    throw InputError("--seq, --head-dim and --sram span more than " + std::to_string(most) +
                     " points: use fewer values, or larger steps");
  }
  return grid;
}

/// --theorem alone asks for nothing else.
Inquiry inquiry_of(const Arguments& arguments) {
  const bool sizes = arguments.has("--seq") || arguments.has("--head-dim") || arguments.has("--sram");
  const bool own_grid = sizes || arguments.has("--blocks");
  Inquiry inquiry;
  inquiry.theorems = chosen_theorems(arguments, own_grid);
  inquiry.algorithms = chosen_algorithms(arguments);
  if (const auto text = arguments.find("--blocks")) inquiry.rules = parse_choices("--blocks", *text, tile_choices);
  if (const auto seed = arguments.find("--seed")) {
    inquiry.seed = static_cast<std::uint64_t>(parse_count("--seed", *seed, 0));
  }
  if (own_grid || !arguments.has("--theorem")) inquiry.grid = grid_of(arguments);
  inquiry.fits = own_grid;
  return inquiry;
}

std::string text_of(Format format, const Json& document) {
  if (format == Format::json) return document.dump(2) + "\n";
  if (format == Format::html) return complexity::page_of(document, "tilemeter complexity", "complexity");
  return tables::render(format, complexity::tables_of(document, "complexity"));
}

int run_complexity(const Arguments& arguments) {
  const Target target = target_of(arguments);
  const Inquiry inquiry = inquiry_of(arguments);
  const auto file = open_file(target);
  const Json document = complexity::document_of(arguments, complexity::measure(inquiry), inquiry);
  const std::vector<std::string> failures = complexity::failures_of(document);
  for (const std::string& failure : failures) log_error(failure);
  const std::string text = text_of(target.format, document);
  if (!file) {
    write_out(text);
  } else {
    file->write(text);
    file->commit();
  }
  return failures.empty() ? 0 : 1;
}

}  // namespace

Command complexity_command() {
  return {.name = "complexity",
          .summary = "exponents of counted traffic against the theorems, lower bounds, break-even M",
          .example = complexity_example,
          .words = "",
          .options = all_options({own_options, output_option_specs(), logging_option_specs()}),
          .run = run_complexity};
}

}  // namespace tilemeter
