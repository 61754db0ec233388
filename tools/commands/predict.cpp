#include "tools/commands/all.hpp"
#include "tools/commands/answers.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"
#include "tools/time/options.hpp"
#include "tools/time/render.hpp"
#include "tools/time/run.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view predict_example =
    "  tilemeter predict --algorithm flash2 --seq 4096 --heads 16 --batch 4 --head-dim 128 --dtype bf16 --block-q 128 "
    "--block-k 64 --device h200\n"
    "gives the time of each resource alone, the plain roofline, the closed form, what the engine simulates, what "
    "binds, "
    "bytes at the edge of the SMs, at the L2 and in device memory, and what blocks wait for. Every rate is listed with "
    "its source.\n"
    "low and high are no intervals of a fit: launch + the largest bound, and launch + the sum of all bounds.\n"
    "--kernel flash3, or --kernel mine.toml, takes tiles, stages and execution from a kernel's description "
    "(model/README.md); "
    "it implies the algorithm.";

Json predicted_points(const Arguments& arguments) {
  Json points = Json::array();
  for (const SimulatedPoint& point : simulated_points(arguments, "predict", {}, Beyond::closed_form)) {
    points.push_back(simulated_point_json(point));
  }
  return points;
}

int run_predict(const Arguments& arguments) {
  const Target target = target_of(arguments);
  write_result(target, render_timed(target.format, "predict", arguments, predicted_points(arguments)));
  return 0;
}

}  // namespace

CommandAnswer predict_answer(const Arguments& arguments) {
  return {.document = timed_document("predict", arguments, predicted_points(arguments))};
}

CommandAnswer estimate_answer(const Arguments& arguments) {
  const EstimatedPoint point = estimated_point(arguments, "predict");
  if (point.refusal) return {.document = {{"feasible", false}, {"reason", *point.refusal}}};
  return {.document = {{"feasible", true}, {"seconds", point.time.estimate.seconds}}};
}

Command predict_command() {
  return {.name = "predict",
          .summary = "time on a device: bounds of every resource, roofline, closed form, simulation, and what binds",
          .example = predict_example,
          .words = "",
          .options = all_options({point_option_specs(), kernel_option_specs(), execution_option_specs(),
                                  output_option_specs(), logging_option_specs()}),
          .run = run_predict};
}

}  // namespace tilemeter
