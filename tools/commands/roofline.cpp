#include <algorithm>
#include <array>

#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/log.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/text.hpp"
#include "tools/report/report.hpp"
#include "tools/roofline/document.hpp"
#include "tools/roofline/options.hpp"
#include "tools/roofline/points.hpp"

namespace tilemeter {
namespace {

using roofline::Result;
using roofline::View;

constexpr std::string_view roofline_example =
    "  tilemeter roofline --device h100-sxm\n"
    "prints peaks, bandwidths, ridges and critical batches of each type: bf16 has its ridge at 295.34 FLOP/B.\n"
    "  tilemeter roofline --device h200 --algorithm standard,flash2 --seq 4096 --heads 16 --head-dim 128 --causal\n"
    "holds counted points against the roofline: intensity at the SM edge and of compulsory bytes, share, time bound.\n"
    "  tilemeter roofline --critical-batch --device h100-sxm --weight-dtype bf16,int8,int4 --group-size 128\n"
    "  tilemeter roofline --decode --device b200 --batch 4 --heads 32 --kv-heads 8 --seq-k 8192\n"
    "  tilemeter roofline --kv-cache llama-3-8b --tokens 8192 --device h100-sxm\n"
    "  tilemeter roofline --fusion --length 16777216 --ops 4 --device a100-80gb\n"
    "  tilemeter roofline --flops 68719476736 --bytes 67108864 --time 0.545ms --dtype fp16 --device h20";

constexpr std::string_view common = "--device --set --format -o -q -v";
constexpr std::string_view own_of_points = "--time --sustained --floor --math-dtype";

/// The options of the command: its own, then those of points that are not among them.
std::vector<OptionSpec> roofline_options() {
  std::vector<OptionSpec> all = all_options({roofline::own_option_specs()});
  for (const OptionSpec& spec : all_options({point_option_specs(), output_option_specs(), logging_option_specs()})) {
    const auto same = [&](const OptionSpec& other) { return other.name() == spec.name(); };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back(spec);
  }
  return all;
}

bool is_point_option(std::string_view option) {
  const auto specs = point_option_specs();
  return std::any_of(specs.begin(), specs.end(), [&](const OptionSpec& spec) { return spec.name() == option; });
}

[[noreturn]] void refuse_option(const Arguments::Given& given, std::string_view view, std::string_view accepted) {
  throw InputError(quote(given.option, given.value) + " is not an option of roofline " + std::string(view) +
                   ": expected of " + std::string(accepted));
}

/// The view that the options ask for; none for counted points.
const View* view_of(const Arguments& arguments) {
  const View* found = nullptr;
  for (const View& view : roofline::views()) {
    const bool asked = view.option.empty() ? found == nullptr : arguments.has(view.option);
    if (!asked) continue;
    if (found != nullptr) {
      throw InputError(std::string(view.option) + " contradicts " + std::string(found->option) +
                       ": give one view of the roofline");
    }
    found = &view;
  }
  if (!arguments.has("--algorithm")) return found;
  if (!found->option.empty()) {
    throw InputError("--algorithm contradicts " + std::string(found->option) + ": give one view of the roofline");
  }
  return nullptr;
}

void refuse_foreign_options(const Arguments& arguments, const View* view) {
  for (const Arguments::Given& given : arguments.options()) {
    if (has_word(common, given.option)) continue;
    if (view == nullptr) {
      if (is_point_option(given.option) || has_word(own_of_points, given.option)) continue;
      refuse_option(given, "--algorithm", "those of count, " + std::string(own_of_points));
    }
    if (given.option == view->option || has_word(view->options, given.option)) continue;
    if (view->option.empty()) {
      throw InputError(quote(given.option, given.value) +
                       " needs a view: --algorithm NAME, --critical-batch, --decode, --kv-cache MODEL, --fusion, or "
                       "--flops F --bytes B");
    }
    refuse_option(given, view->option, view->options);
  }
}

std::string text_of(const Arguments& arguments, const View& view, const Result& result, Format format) {
  if (format == Format::json) return roofline::result_document(arguments, view.name, result).dump(2) + "\n";
  if (format == Format::html)
    return render_report(roofline::result_document(arguments, view.name, result).dump(), "tilemeter roofline");
  return roofline::sheet_text(result.sheet, format);
}

int run_roofline(const Arguments& arguments) {
  const Target target = target_of(arguments);
  const View* view = view_of(arguments);
  refuse_foreign_options(arguments, view);
  std::vector<std::string> failures;
  if (view == nullptr) {
    roofline::PointsOutput output = roofline::points_output(arguments, target.format);
    write_result(target, output.text);
    failures = std::move(output.failures);
  } else {
    const Result result = view->make(arguments);
    write_result(target, text_of(arguments, *view, result, target.format));
    failures = result.failures;
  }
  for (const std::string& failure : failures) log_error(failure);
  return failures.empty() ? 0 : 1;
}

}  // namespace

Command roofline_command() {
  return {.name = "roofline",
          .summary = "intensity, ridge, critical batch, decode, KV cache and fusion on a device",
          .example = roofline_example,
          .words = "",
          .options = roofline_options(),
          .run = run_roofline};
}

}  // namespace tilemeter
