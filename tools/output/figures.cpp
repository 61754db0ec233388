#include "tools/output/figures.hpp"

#include <algorithm>
#include <array>

#include "sim/catalog.hpp"
#include "tools/options/text.hpp"
#include "tools/output/colour.hpp"
#include "tools/output/columns.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr std::string_view nothing = "-";

std::string plain(const Json& value) {
  if (value.is_null()) return std::string(nothing);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string grouped_or_plain(const Json& value) {
  return value.is_number_integer() ? with_separators(value.get<Count>()) : plain(value);
}

std::string sized_or_plain(const Json& value) {
  return value.is_number() ? binary_size(value.get<Count>()) : plain(value);
}

/// The text of the value at a path written with '/', by one of the functions above.
auto at(std::string_view path, std::string (*text)(const Json&)) {
  std::vector<std::string> keys;
  for (const std::string_view key : split(path, '/')) keys.emplace_back(key);
  return [keys, text](const Json& point) {
    const Json* value = find_path(point, keys);
    return value == nullptr ? std::string(nothing) : text(*value);
  };
}

/// A tile size, or the chunk that an algorithm has in its place.
std::string size_text(const Json& point, const char* tile, const char* chunk) {
  for (const char* key : {tile, chunk, "chunk"}) {
    if (const Json* value = find_path(point, {"tiling", key})) return plain(*value);
  }
  return std::string(nothing);
}

struct AxisFigure {
  std::string_view option;
  std::string_view path;
  std::string_view title;
  std::string_view unit;
  std::size_t width;
  std::string (*text)(const Json&);
};

constexpr std::array axis_figures = {
    AxisFigure{"--seq", "problem/seq_q", "N", "rows", 9, plain},
    AxisFigure{"--seq-q", "problem/seq_q", "N_q", "rows", 9, plain},
    AxisFigure{"--seq-k", "problem/seq_k", "N_k", "rows", 9, plain},
    AxisFigure{"--head-dim", "problem/head_dim", "d", "", 4, plain},
    AxisFigure{"--head-dim-v", "problem/head_dim_v", "d_v", "", 4, plain},
    AxisFigure{"--batch", "problem/batch", "batch", "", 6, plain},
    AxisFigure{"--heads", "problem/heads", "heads", "", 6, plain},
    AxisFigure{"--kv-heads", "problem/kv_heads", "kv_heads", "", 8, plain},
    AxisFigure{"--mask", "problem", "mask", "", 15, mask_text},
    AxisFigure{"--dtype", "problem/dtype", "dtype", "", 5, plain},
    AxisFigure{"--stat-dtype", "problem/stat_dtype", "stat", "", 5, plain},
    AxisFigure{"--score-dtype", "problem/score_dtype", "score", "", 5, plain},
    AxisFigure{"--o-dtype", "problem/o_dtype", "O", "", 5, plain},
    AxisFigure{"--sram", "sram", "M", "", 11, capacity_text},
    AxisFigure{"--device", "device", "device", "", 11, plain},
    AxisFigure{"--placement", "sram/placement", "place", "", 5, plain},
    AxisFigure{"--blocks", "tiling/rule", "rule", "", 7, plain},
    AxisFigure{"--variant", "options/variant", "variant", "", 13, plain},
    AxisFigure{"--chunk", "tiling/chunk", "C", "rows", 6, plain},
    AxisFigure{"--block-d", "tiling/block_d", "Bd", "", 5, plain},
    AxisFigure{"--stages", "tiling/stages", "stages", "", 6, plain},
    AxisFigure{"--m", "problem/m", "m", "", 8, plain},
    AxisFigure{"--n", "problem/n", "n", "", 8, plain},
    AxisFigure{"--k", "problem/k", "k", "", 8, plain},
    AxisFigure{"--order", "tiling/order", "order", "", 12, plain},
    AxisFigure{"--tokens", "problem/tokens", "tokens", "", 8, plain},
    AxisFigure{"--d-in", "problem/d_in", "d_in", "", 8, plain},
    AxisFigure{"--d-out", "problem/d_out", "d_out", "", 8, plain},
    AxisFigure{"--weight-dtype", "problem/weight_dtype", "weights", "", 7, plain},
    AxisFigure{"--group-size", "problem/group_size", "group", "", 5, plain},
    AxisFigure{"--rows", "problem/rows", "rows", "", 8, plain},
    AxisFigure{"--cols", "problem/cols", "cols", "", 8, plain},
    AxisFigure{"--length", "problem/length", "length", "", 10, plain},
    AxisFigure{"--ops", "problem/ops", "ops", "", 4, plain},
    AxisFigure{"--side-inputs", "problem/side_inputs", "sides", "", 5, plain},
    AxisFigure{"--row-splits", "options/row_splits", "splits", "", 6, plain},
    AxisFigure{"--splits", "options/splits", "splits", "", 7, plain},
    AxisFigure{"--page-size", "options/page_size", "page", "keys", 6, plain},
    AxisFigure{"--unsafe", "options/unsafe", "unsafe", "", 10, plain},
};

std::string compulsory_ratio(const Json& point) {
  const Json* moved = find_path(point, {"traffic", "bytes", "total"});
  const Json* least = find_path(point, {"compulsory", "bytes"});
  if (moved == nullptr || least == nullptr || least->get<double>() == 0) return std::string(nothing);
  return fixed(moved->get<double>() / least->get<double>(), 2) + "x";
}

/// Whether the count equals its closed form; for a refused point, by how much it does not fit.
std::string verdict(const Json& point) {
  if (const Json* equal = find_path(point, {"closed_form", "equal"})) {
    std::string text = styled_verdict(equal->get<bool>() ? "= closed form" : "DIFFERS from closed form");
    if (const Json* ok = find_path(point, {"numeric", "ok"})) {
      const Json* predicted = find_path(point, {"numeric", "predicted_nan_rows"});
      const std::string good =
          predicted == nullptr ? "numbers ok" : grouped_or_plain(*predicted) + " NaN rows, as predicted";
      text += ", " + styled(ok->get<bool>() ? Style::good : Style::bad, ok->get<bool>() ? good : "NUMBERS WRONG");
    }
    const Json* over = find_path(point, {"overflow_elements"});
    return over == nullptr ? text : text + ", overflows by " + grouped_or_plain(*over) + " el";
  }
  const Json* over = find_path(point, {"overflow_elements"});
  return styled_verdict("does not fit") + (over == nullptr ? "" : ": over by " + grouped_or_plain(*over) + " el");
}

bool varies(const PointGrid& grid, std::string_view option) {
  const auto is_it = [&](const Axis& axis) { return axis.option == option && axis.size > 1; };
  return std::any_of(grid.axes().begin(), grid.axes().end(), is_it);
}

/// Which columns of tile sizes the algorithms of a grid need.
struct TileColumns {
  bool of_sequences = false;
  bool of_products = false;
  bool of_pieces = false;
};

TileColumns tile_columns(const PointGrid& grid) {
  TileColumns columns;
  for (const Axis& axis : grid.axes()) {
    if (axis.option != "--algorithm") continue;
    for (std::size_t i = 0; i < axis.size; ++i) {
      PointRequest request;
      axis.apply(request, i);
      const LoopOrder order = request.algorithm->order();
      columns.of_products |= order == LoopOrder::product;
      columns.of_pieces |= order == LoopOrder::pieces;
      columns.of_sequences |= has_sequences(request.algorithm->computation());
    }
  }
  return columns;
}

void add_tile_columns(const TileColumns& columns, std::vector<Figure>& figures) {
  if (columns.of_sequences) {
    figures.push_back(
        {"Br", "rows", 6, Side::right, [](const Json& point) { return size_text(point, "block_q", "chunk_q"); }});
  }
  if (columns.of_products) {
    figures.push_back({"Bm", "rows", 6, Side::right, at("tiling/block_m", plain)});
    figures.push_back({"Bn", "cols", 6, Side::right, at("tiling/block_n", plain)});
  }
  const bool keys_alone = columns.of_sequences && !columns.of_products && !columns.of_pieces;
  figures.push_back({keys_alone ? "Bc" : "Bk", keys_alone ? "rows" : "", 6, Side::right,
                     [](const Json& point) { return size_text(point, "block_k", "chunk_k"); }});
}

}  // namespace

std::string mask_text(const Json& problem) {
  std::string text = plain(problem.at("mask"));
  if (problem.contains("window_left")) {
    text += " " + plain(problem.at("window_left")) + "," + plain(problem.at("window_right"));
  }
  return text;
}

std::string capacity_text(const Json& sram) {
  if (!sram.at("capacity_elements").is_null()) return grouped_or_plain(sram.at("capacity_elements")) + " el";
  return sized_or_plain(sram.at("capacity_bytes"));
}

std::vector<Figure> varying_figures(const PointGrid& grid) {
  std::vector<Figure> figures;
  for (const AxisFigure& axis : axis_figures) {
    if (!varies(grid, axis.option)) continue;
    figures.push_back(
        {std::string(axis.title), std::string(axis.unit), axis.width, Side::right, at(axis.path, axis.text)});
  }
  return figures;
}

std::vector<Figure> figures_of(const PointGrid& grid) {
  std::vector<Figure> figures = {{"algorithm", "", 16, Side::left, at("algorithm", plain)}};
  for (Figure& figure : varying_figures(grid)) figures.push_back(std::move(figure));
  add_tile_columns(tile_columns(grid), figures);
  figures.push_back({"read", "elements", 15, Side::right, at("traffic/elements/read", grouped_or_plain)});
  figures.push_back({"write", "elements", 15, Side::right, at("traffic/elements/write", grouped_or_plain)});
  figures.push_back({"total", "elements", 15, Side::right, at("traffic/elements/total", grouped_or_plain)});
  figures.push_back({"total", "bytes", 12, Side::right, at("traffic/bytes/total", sized_or_plain)});
  figures.push_back({"total", "x compulsory", 12, Side::right, compulsory_ratio});
  figures.push_back({"check", "", 14, Side::left, verdict});
  return figures;
}

}  // namespace tilemeter
