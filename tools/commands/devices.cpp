#include <array>

#include "model/device.hpp"
#include "model/quantity.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/output/file.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr std::array set_option = {
    OptionSpec{"--set", "KEY=VALUE", "changes a key of the device shown; may be repeated", Repeat::often},
};

constexpr std::string_view example =
    "  tilemeter devices show h100-sxm\n"
    "prints every quantity of the H100 SXM with its unit and its source. `show FILE.toml` checks a device file.";

std::string list_text() {
  std::string text = pad_right("device", 12) + pad_left("SMs", 5) + pad_left("shared/block", 14) + pad_left("L2", 11) +
                     pad_left("memory", 12) + pad_left("bandwidth", 13) + "\n";
  for (const std::string_view name : device_names()) {
    const Device device = load_device(name);
    text += pad_right(name, 12) + pad_left(std::to_string(device.sm.count), 5) +
            pad_left(to_text(device.sm.shared_per_block), 14) + pad_left(to_text(device.l2.size), 11) +
            pad_left(to_text(device.hbm.size), 12) + pad_left(to_text(device.hbm.bandwidth), 13) + "\n";
  }
  return text;
}

std::string show_text(const std::string& name, const Arguments& arguments) {
  std::vector<std::string> settings;
  for (const Arguments::Given& given : arguments.options()) {
    if (given.option == "--set") settings.push_back(given.value);
  }
  Device device = load_device(name);
  apply_settings(device, settings);
  std::string text;
  for (const DeviceFact& fact : device_rows(device)) {
    text += pad_right(fact.key, 22) + pad_right(fact.value, 18) + fact.source + "\n";
  }
  return text;
}

int run_devices(const Arguments& arguments) {
  const auto shown = word_to_show(arguments, "devices");
  if (!shown && arguments.has("--set")) {
    throw InputError("--set " + *arguments.find("--set") + " needs a device: devices show NAME --set KEY=VALUE");
  }
  write_out(shown ? show_text(*shown, arguments) : list_text());
  return 0;
}

}  // namespace

Command devices_command() {
  return {.name = "devices",
          .summary = "the GPUs that are known; `devices show NAME` prints one with sources",
          .example = example,
          .words = "[show NAME|FILE.toml]",
          .options = all_options({set_option, logging_option_specs()}),
          .run = run_devices};
}

}  // namespace tilemeter
