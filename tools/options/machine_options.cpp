#include "tools/options/choice.hpp"
#include "tools/options/device.hpp"
#include "tools/options/known.hpp"
#include "tools/options/point_table.hpp"
#include "tools/options/range.hpp"

namespace tilemeter {
namespace {

constexpr std::array<Choice<Placement>, 2> placements = {{{"sram", Placement::sram}, {"gpu", Placement::gpu}}};
constexpr std::array<Choice<BlockRule>, 3> rules = {
    {{"paper", BlockRule::paper}, {"fit", BlockRule::fit}, {"optimum", BlockRule::optimum}}};

Axis sram(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_sizes(option, text), [](PointRequest& r, Size size) { r.sram = size; });
}

/// The devices of a list, each changed by every --set.
Axis device(std::string_view option, const std::string& text, const Arguments& arguments) {
  std::vector<std::shared_ptr<const Device>> devices;
  for (const std::string_view name : list_items(option, text)) {
    devices.push_back(std::make_shared<const Device>(changed_device(name, arguments)));
  }
  return axis_of(option, std::move(devices), [](PointRequest& r, const auto& value) { r.device = value; });
}

Axis placement(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, placements),
                 [](PointRequest& r, Placement value) { r.placement = value; });
}

Axis blocks(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_choices(option, text, rules), [](PointRequest& r, BlockRule rule) { r.rule = rule; });
}

template <auto write>
Axis block_sizes(std::string_view option, const std::string& text, const Arguments&) {
  return axis_of(option, parse_counts(option, text, 1), write);
}

constexpr auto set_block_q = [](PointRequest& r, Count n) { r.block_q = n; };
constexpr auto set_block_k = [](PointRequest& r, Count n) { r.block_k = n; };

Axis no_capacity(std::string_view option, const std::string&, const Arguments&) {
  return axis_of(option, std::vector{Overflowing::counted},
                 [](PointRequest& r, Overflowing value) { r.overflowing = value; });
}

constexpr std::array machine_table = {
    PointOption{{"--sram", "SIZE", "budget on chip: 100KiB, 227KiB, 50000el (elements)"}, sram},
    PointOption{OptionSpec{"--device", "NAME|FILE.toml", "a GPU; `tilemeter devices` lists them"}.among(known_devices),
                device},
    PointOption{OptionSpec{"--set", "KEY=VALUE", "changes a key of the device; may be repeated", Repeat::often}.among(
                    known_settings),
                nullptr},
    PointOption{
        OptionSpec{"--placement", "PLACE", "sram: every tile counts; gpu: shared memory and registers apart"}.among(
            known_words<placements>),
        placement},
    PointOption{
        OptionSpec{"--blocks", "RULE", "tile sizes by rule: paper, fit, optimum; default fit when there is a budget"}
            .among(known_words<rules>),
        blocks},
    PointOption{{"--block-q", "BR", "rows of a query tile, with --block-k"}, block_sizes<set_block_q>},
    PointOption{{"--block-k", "BC", "rows of a key tile, with --block-q; of a gemm's tile along k; of a row's piece"},
                block_sizes<set_block_k>},
    PointOption{{"--no-capacity", "", "count a tiling that overflows, and report by how much"}, no_capacity},
};

}  // namespace

std::span<const PointOption> machine_options() { return machine_table; }

}  // namespace tilemeter
