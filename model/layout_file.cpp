#include "model/layout_file.hpp"

#include <algorithm>
#include <limits>

#include "model/device_schema.hpp"
#include "model/quantity.hpp"
#include "model/suggest.hpp"
#include "model/toml_fields.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view name_form = "text, such as \"fa2-d128\"";
constexpr std::string_view tile_form = "tables [[tile]] with name, rows, cols, type and space";
constexpr std::string_view extra_form = "tables [[extra]] with name and size";
constexpr std::string_view grid_form = "three whole numbers [x, y, z], the blocks along each axis";
constexpr std::string_view supported_form = "a table with arch and reason";
constexpr std::string_view arch_form = "an array of compiler targets, such as [\"sm_80\", \"sm_90\"]";
constexpr Count most_cells = 1'000'000'000;  // rows, columns or copies of a tile

/// "tile[2]", counted from 1.
std::string path_of(std::string_view key, std::size_t index) {
  return std::string(key) + "[" + std::to_string(index + 1) + "]";
}

DType read_type(const TomlFields& fields) {
  constexpr std::string_view expected = "one of \"fp64\" \"fp32\" \"fp16\" \"bf16\" \"fp8\" \"u8\"";
  const std::string text = fields.text("type", expected);
  if (text == name_of(DType::u8)) return DType::u8;
  if (const auto type = operand_type(text)) return *type;
  throw InputError(fields.place_of("type") + ": found the text " + in_quotes(text) + "; expected " +
                   std::string(expected));
}

Space read_space(const TomlFields& fields) {
  constexpr std::string_view expected = "\"shared\" or \"registers\"";
  const std::string text = fields.text("space", expected);
  if (text == "shared") return Space::shared;
  if (text == "registers") return Space::registers;
  throw InputError(fields.place_of("space") + ": found the text " + in_quotes(text) + "; expected " +
                   std::string(expected));
}

OnChipTile read_tile(const TomlNode& node, std::string_view origin, std::size_t index) {
  const TomlFields fields(node, origin, path_of("tile", index), {"name", "rows", "cols", "type", "copies", "space"});
  return {.name = fields.text("name", "text, such as \"K\""),
          .space = read_space(fields),
          .rows = fields.count("rows", 1, most_cells),
          .cols = fields.count("cols", 1, most_cells),
          .copies = fields.optional_count("copies", 1, most_cells).value_or(1),
          .dtype = read_type(fields)};
}

OnChipTile read_extra(const TomlNode& node, std::string_view origin, std::size_t index) {
  const TomlFields fields(node, origin, path_of("extra", index), {"name", "size"});
  const std::string size = fields.text("size", "a byte size in B, KiB, MiB or GiB, such as \"64 B\"");
  return {.name = fields.text("name", "text, such as \"barriers\""),
          .space = Space::shared,
          .rows = 1,
          .cols = parse_bytes(size, fields.place_of("size")).value(),
          .copies = 1,
          .dtype = DType::u8};
}

std::vector<OnChipTile> read_tiles(const TomlFields& file, std::string_view origin) {
  std::vector<OnChipTile> tiles;
  const auto add = [&](std::string_view key, std::size_t index, OnChipTile tile) {
    for (const OnChipTile& other : tiles) {
      if (other.name != tile.name) continue;
      throw InputError(std::string(origin) + ": " + path_of(key, index) + ".name " + in_quotes(tile.name) +
                       " is given twice; expected a name of its own for every tile and extra");
    }
    tiles.push_back(std::move(tile));
  };
  const auto given = file.array("tile", tile_form);
  for (std::size_t i = 0; i < given.size(); ++i) add("tile", i, read_tile(given[i], origin, i));
  const auto extras = file.array("extra", extra_form);
  for (std::size_t i = 0; i < extras.size(); ++i) add("extra", i, read_extra(extras[i], origin, i));
  if (tiles.empty()) throw InputError(file.place_of("tile") + " is missing; expected " + std::string(tile_form));
  return tiles;
}

/// Throws FigureOverflow when the tiles together pass 2^63 - 1 bytes.
void require_sum(const std::vector<OnChipTile>& tiles, std::string_view origin) {
  named(std::string(origin) + ": the bytes of the tiles", [&] {
    Bytes sum;
    for (const OnChipTile& tile : tiles) sum += tile.bytes();
    return sum;
  });
}

std::optional<LaunchGrid> read_grid(const TomlFields& file) {
  if (!file.has("grid")) return std::nullopt;
  const auto axes = file.array("grid", grid_form);
  const std::string place = file.place_of("grid");
  if (axes.size() != 3) {
    throw InputError(place + ": found " + std::to_string(axes.size()) + " elements; expected " +
                     std::string(grid_form));
  }
  const auto along = [&](GridAxis axis) {
    return count_of(axes[static_cast<std::size_t>(axis)], place + "." + std::string(name_of(axis)), 1,
                    std::numeric_limits<Count>::max());
  };
  return LaunchGrid{along(GridAxis::x), along(GridAxis::y), along(GridAxis::z)};
}

std::optional<ArchRestriction> read_supported(const TomlFields& file, std::string_view origin) {
  const TomlNode* node = file.table("supported", supported_form);
  if (node == nullptr) return std::nullopt;
  const TomlFields fields(*node, origin, "supported", {"arch", "reason"});
  ArchRestriction restriction;
  const std::string place = fields.place_of("arch");
  for (const TomlNode& item : fields.array("arch", arch_form)) {
    const std::string arch = text_of(item, place, arch_form);
    if (!is_compiler_target(arch)) refuse_node(place, item, arch_form);
    restriction.arch.push_back(arch);
  }
  if (restriction.arch.empty()) throw InputError(place + " is missing or empty; expected " + std::string(arch_form));
  restriction.reason = fields.text("reason", "text that says why there is no kernel elsewhere");
  return restriction;
}

/// "sm_90" of "sm_90a".
std::string_view without_suffix(std::string_view arch) { return arch.substr(0, arch.find_last_of("0123456789") + 1); }

}  // namespace

std::optional<std::string> BlockLayout::unsupported_on(const Device& device) const {
  if (!supported) return std::nullopt;
  const auto is_device = [&](const std::string& arch) { return without_suffix(arch) == without_suffix(device.arch); };
  if (std::any_of(supported->arch.begin(), supported->arch.end(), is_device)) return std::nullopt;
  const std::vector<std::string_view> names(supported->arch.begin(), supported->arch.end());
  return plan.name + " is not supported on " + device.name + " (" + device.arch + "): " + supported->reason +
         "; it exists for " + joined(names);
}

BlockLayout parse_layout(std::string_view toml, std::string_view origin) {
  const TomlNode root = parse_toml(toml, origin);
  const TomlFields file(root, origin, "", {"name", "threads", "registers", "grid", "tile", "extra", "supported"});
  BlockLayout layout;
  layout.plan.name = file.text("name", name_form);
  layout.plan.threads = file.count("threads", 1, most_block_threads);
  layout.plan.registers = file.optional_count("registers", 1, most_thread_registers);
  layout.plan.tiles = read_tiles(file, origin);
  layout.grid = read_grid(file);
  layout.supported = read_supported(file, origin);
  require_sum(layout.plan.tiles, origin);
  return layout;
}

BlockLayout load_layout(const std::string& path) { return parse_layout(read_toml_file("--layout-file", path), path); }

}  // namespace tilemeter
