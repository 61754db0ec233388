#include <algorithm>
#include <array>

#include "model/device.hpp"
#include "tools/commands/all.hpp"
#include "tools/commands/shared.hpp"
#include "tools/options/device.hpp"
#include "tools/options/known.hpp"
#include "tools/output/listing.hpp"

namespace tilemeter {
namespace {

constexpr std::array set_option = {
    OptionSpec{"--set", "KEY=VALUE", "changes a key of the device shown; may be repeated", Repeat::often}.among(
        known_settings),
};

constexpr std::string_view devices_example =
    "  tilemeter devices show h100-sxm\n"
    "prints every quantity of the H100 SXM with its unit and its source. `show FILE.toml` checks a device file.";

/// Each device's facts under the keys of the columns, as its file states them.
Listing list_of_devices() {
  Listing listing{.command = "devices",
                  .key = "devices",
                  .columns = {"arch", "sm.count", "sm.shared_per_block", "l2.size", "hbm.size", "hbm.bandwidth"},
                  .rows = {}};
  for (const std::string_view name : device_names()) {
    std::vector<std::string> row = {std::string(name)};
    const std::vector<DeviceFact> facts = device_rows(load_device(name));
    for (const std::string& column : listing.columns) {
      const auto fact = std::find_if(facts.begin(), facts.end(), [&](const DeviceFact& f) { return f.key == column; });
      row.push_back(fact == facts.end() ? "unknown" : fact->value);
    }
    listing.rows.push_back(std::move(row));
  }
  listing.columns.insert(listing.columns.begin(), "name");
  return listing;
}

Listing facts_of(const std::string& name, const Arguments& arguments) {
  const Device device = changed_device(name, arguments, "devices show");
  Listing listing{.command = "devices", .key = "facts", .columns = {"key", "value", "source"}, .rows = {}};
  for (const DeviceFact& fact : device_rows(device)) listing.rows.push_back({fact.key, fact.value, fact.source});
  return listing;
}

int run_devices(const Arguments& arguments) {
  const auto shown = word_to_show(arguments, "devices");
  if (!shown && arguments.has("--set")) {
    throw InputError("--set " + *arguments.find("--set") + " needs a device: devices show NAME --set KEY=VALUE");
  }
  write_listing(shown ? facts_of(*shown, arguments) : list_of_devices(), arguments);
  return 0;
}

}  // namespace

Command devices_command() {
  return {.name = "devices",
          .summary = "the GPUs that are known; `devices show NAME` prints one with sources",
          .example = devices_example,
          .words = "[show NAME|FILE.toml]",
          .options = all_options({set_option, output_option_specs(), logging_option_specs()}),
          .run = run_devices,
          .known = known_devices};
}

}  // namespace tilemeter
