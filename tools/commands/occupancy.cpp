#include <algorithm>
#include <array>

#include "sim/catalog.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/occupancy/render.hpp"
#include "tools/options/kernel_option.hpp"
#include "tools/options/point_options.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/text.hpp"

namespace tilemeter {
namespace {

constexpr std::array block_options = {
    OptionSpec{"--layout-file", "FILE.toml", "a block as tiles, threads and registers; may be repeated", Repeat::often},
    OptionSpec{
        "--warps", "W",
        "threads of a block / 32; default as `predict` takes it: 4, 8 where the accumulators of 4 would spill, 8 "
        "or 12 for flash3 on Hopper"},
    OptionSpec{"--registers", "R", "registers of a thread, as the compiler reports them; default the accumulators"},
};

constexpr std::string_view occupancy_example =
    "  tilemeter occupancy --algorithm flash2 --seq 4096 --head-dim 128 --block-q 128 --block-k 64 --device h100-sxm\n"
    "says that 3 blocks of 64 KiB fit the shared memory of an SM, but the accumulators' 97 registers of 256 threads "
    "allow 2.\n"
    "Every option of a point takes a list, and --device too: --block-q 64,128 --device a100-80gb,rtx4090 gives a row "
    "each.\n\n"
    "A layout file describes the block of any kernel:\n"
    "  name = \"fa2-d128\"\n"
    "  threads = 128                  # of a block\n"
    "  registers = 232                # of a thread; optional\n"
    "  grid = [32, 16, 8]             # blocks along x, y, z; optional\n"
    "  [[tile]]\n"
    "  name = \"K\"\n"
    "  rows = 64\n"
    "  cols = 128\n"
    "  type = \"bf16\"                  # fp64 fp32 fp16 bf16 fp8 u8\n"
    "  copies = 2                     # buffers; default 1\n"
    "  space = \"shared\"               # or \"registers\"\n"
    "  [[extra]]                      # shared memory beside tiles\n"
    "  name = \"barriers\"\n"
    "  size = \"64 B\"\n"
    "  [supported]                    # where a kernel exists; optional\n"
    "  arch = [\"sm_80\", \"sm_90\"]\n"
    "  reason = \"no kernel with dropout elsewhere\"";

std::optional<Count> count_up_to(const Arguments& arguments, std::string_view option, Count most) {
  const auto text = arguments.find(option);
  if (!text) return std::nullopt;
  return parse_count(option, *text, 1, most);
}

BlockThreads block_threads(const Arguments& arguments, const BlockThreads& assumed) {
  BlockThreads threads = assumed;
  if (const auto warps = count_up_to(arguments, "--warps", most_block_threads / warp_threads)) threads.warps = warps;
  if (const auto registers = count_up_to(arguments, "--registers", most_thread_registers)) {
    threads.registers = registers;
  }
  return threads;
}

/// Threads and registers of a described kernel.
BlockThreads described_threads(const KernelBuild& build) {
  return {.warps = ceil_div(build.execution.threads, warp_threads), .registers = build.registers};
}

/// The devices of --device, changed by --set.
std::vector<std::shared_ptr<const Device>> devices_of(const Arguments& arguments) {
  std::vector<std::shared_ptr<const Device>> devices;
  for (const PointOption& option : machine_options()) {
    if (option.spec.name() != "--device") continue;
    const Axis axis = option.make("--device", *arguments.find("--device"), arguments);
    for (std::size_t i = 0; i < axis.size; ++i) {
      PointRequest request;
      axis.apply(request, i);
      devices.push_back(request.device);
    }
  }
  return devices;
}

/// Refuses options that say what a layout file says, or what no layout has.
void refuse_point_options(const Arguments& arguments) {
  const auto refuse = [&](const OptionSpec& spec) {
    constexpr std::array beside = {"--device", "--set", "--layout-file", "--no-capacity"};
    if (std::find(beside.begin(), beside.end(), spec.name()) != beside.end()) return;
    if (!arguments.has(spec.name())) return;
    throw InputError(std::string(spec.name()) +
                     " contradicts --layout-file: the file describes the block; change it there");
  };
  for (const OptionSpec& spec : point_option_specs()) refuse(spec);
  for (const OptionSpec& spec : kernel_option_specs()) refuse(spec);
  for (const OptionSpec& spec : block_options) refuse(spec);
}

/// A block that was asked for alone is an answer only where it runs.
void refuse_alone(const OccupancyRow& row) {
  const auto refusal = row.refusal();
  if (!refusal) return;
  throw InputError(*refusal + (row.reason ? "" : " (--no-capacity shows its occupancy all the same)"));
}

std::vector<OccupancyRow> rows_of_layouts(const Arguments& arguments) {
  refuse_point_options(arguments);
  const auto devices = devices_of(arguments);
  std::vector<OccupancyRow> rows;
  for (const Arguments::Given& given : arguments.options()) {
    if (given.option != "--layout-file") continue;
    const BlockLayout layout = load_layout(given.value);
    for (const auto& device : devices) rows.push_back(occupancy_row(layout, device));
  }
  if (rows.size() == 1 && !arguments.has("--no-capacity")) refuse_alone(rows.front());
  return rows;
}

std::vector<OccupancyRow> rows_of_points(const Arguments& arguments) {
  constexpr std::size_t most_points = 100'000;
  const std::optional<KernelDescription> kernel = described_kernel(arguments);
  const PointGrid grid = point_grid(with_algorithm_of(kernel, arguments), "occupancy", Several::many);
  if (grid.size() > most_points) {
    throw InputError("the options stand for " + std::to_string(grid.size()) + " points: occupancy takes at most " +
                     std::to_string(most_points));
  }
  std::vector<OccupancyRow> rows;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const KernelBuild* build = kernel ? &nearest_build(*kernel, grid[i]) : nullptr;
    const PointRequest request = build != nullptr ? with_sizes(grid[i], *build) : grid[i];
    const BlockThreads threads =
        block_threads(arguments, build != nullptr ? described_threads(*build) : BlockThreads{});
    for (OccupancyRow& row : occupancy_rows(request, threads)) {
      const bool is_figure = request.overflowing == Overflowing::counted && !row.plan.tiles.empty();
      if (grid.size() == 1 && !is_figure) refuse_alone(row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

int run_occupancy(const Arguments& arguments) {
  const Target target = target_of(arguments);
  if (!arguments.has("--layout-file") && !arguments.has("--algorithm") && !arguments.has("--kernel")) {
    throw InputError(
        "occupancy needs --algorithm NAME, --kernel NAME or --layout-file FILE.toml; `tilemeter algorithms` lists "
        "names");
  }
  if (!arguments.has("--device")) {
    throw InputError("occupancy needs --device NAME or FILE.toml; `tilemeter devices` lists the names");
  }
  const auto rows = arguments.has("--layout-file") ? rows_of_layouts(arguments) : rows_of_points(arguments);
  write_result(target, render_occupancy(target.format, rows, arguments));
  return 0;
}

}  // namespace

Command occupancy_command() {
  return {.name = "occupancy",
          .summary = "resident blocks of an SM and what limits them, for an algorithm or a layout file",
          .example = occupancy_example,
          .words = "",
          .options = all_options({point_option_specs(), kernel_option_specs(), block_options, output_option_specs(),
                                  logging_option_specs()}),
          .run = run_occupancy};
}

}  // namespace tilemeter
