#include "tools/output/columns.hpp"

#include "tools/options/text.hpp"
#include "traces/csv.hpp"

namespace tilemeter {
namespace {

/// As `columns_of` takes them.
constexpr std::string_view paths =
    "algorithm "
    "problem/batch problem/heads problem/kv_heads problem/seq_q problem/seq_k problem/head_dim problem/head_dim_v "
    "problem/mask problem/window_left problem/window_right problem/dtype problem/stat_dtype problem/score_dtype "
    "problem/o_dtype problem/packed problem/segments "
    "problem/m problem/n problem/k problem/tokens problem/d_in problem/d_out problem/weight_dtype problem/group_size "
    "problem/rows problem/cols problem/length problem/ops problem/side_inputs "
    "device tiling/block_q tiling/block_k tiling/block_d tiling/block_m tiling/block_n tiling/order "
    "tiling/chunk_q tiling/chunk_k tiling/chunk tiling/stages tiling/rule "
    "options/variant options/unfused options/mask_shape options/init options/elide_first options/row_splits "
    "options/empty_lse options/deterministic options/splits options/split_slots options/page_size options/unsafe "
    "feasible reason overflow_elements overflow_bytes "
    "traffic/elements/read traffic/elements/write traffic/elements/total "
    "traffic/bytes/read traffic/bytes/write traffic/bytes/total "
    "traffic/tensors/@/read_elements traffic/tensors/@/write_elements "
    "traffic/tensors/@/read_bytes traffic/tensors/@/write_bytes "
    "closed_form/expression closed_form/elements/read closed_form/elements/write closed_form/elements/total "
    "closed_form/bytes/read closed_form/bytes/write closed_form/bytes/total closed_form/equal "
    "compulsory/elements compulsory/bytes "
    "operations/matmul_flops operations/pair_flops operations/pairs operations/tiles operations/empty_rows "
    "operations/exp/scores operations/exp/rescale operations/exp/rescale_block operations/exp/combine "
    "workspace/elements workspace/bytes "
    "sram/placement sram/peak_elements sram/peak_bytes sram/peak_shared_bytes sram/peak_register_bytes "
    "sram/capacity_elements sram/capacity_bytes sram/capacity_register_bytes sram/fits sram/resident_blocks "
    "sram/resident_blocks_by sram/tiles "
    "numeric/max_abs_error numeric/rel_frobenius numeric/tolerance numeric/nan_rows numeric/predicted_nan_rows "
    "numeric/max_lse_error numeric/ok "
    "hbm/total hbm/read hbm/write hbm/left_in_l2 time/seconds time/low time/high time/binding time/kind "
    "time/roofline_seconds "
    "time/bounds/tensor time/bounds/exp time/bounds/fma time/bounds/alu time/bounds/shared time/bounds/l2 "
    "time/bounds/hbm time/floor_seconds time/clock_hz time/share_of_peak time/reason "
    "warnings";

Column column_of(std::string_view path, std::string_view tensor) {
  Column column;
  for (const std::string_view part : split(path, '/')) {
    column.path.emplace_back(part == "@" ? tensor : part);
    column.name += (column.name.empty() ? "" : "_") + column.path.back();
  }
  return column;
}

}  // namespace

std::vector<Column> columns_of(std::string_view listed) {
  std::vector<Column> made;
  for (const std::string_view path : split(listed, ' ')) {
    if (path.find('@') == std::string_view::npos) {
      made.push_back(column_of(path, {}));
    } else {
      for (const std::string_view tensor : tensor_names) made.push_back(column_of(path, tensor));
    }
  }
  return made;
}

const std::vector<Column>& point_columns() {
  static const std::vector<Column> columns = columns_of(paths);
  return columns;
}

const Json* find_path(const Json& point, const std::vector<std::string>& path) {
  const Json* json = &point;
  for (const std::string& key : path) {
    if (!json->is_object()) return nullptr;
    const auto found = json->find(key);
    if (found == json->end()) return nullptr;
    json = &*found;
  }
  return json;
}

Json names_of(const std::vector<Column>& columns) {
  Json names = Json::array();
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

Json row_of(const Json& point, const std::vector<Column>& columns) {
  Json row = Json::array();
  for (const Column& column : columns) {
    const Json* value = find_path(point, column.path);
    if (value == nullptr) {
      row.push_back(nullptr);
    } else {
      row.push_back(value->is_structured() ? Json(value->dump()) : *value);
    }
  }
  return row;
}

std::string csv_cell_of(const Json* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_string()) return csv_cell(value->get_ref<const std::string&>());
  if (!value->is_array()) return csv_cell(value->dump());
  std::string words;
  for (const Json& word : *value) words += (words.empty() ? "" : "+") + word.get<std::string>();
  return csv_cell(words);
}

std::string csv_of(const Json& rows, std::string_view listed) {
  const std::vector<Column> columns = columns_of(listed);
  std::string text;
  for (const Column& column : columns) text += (text.empty() ? "" : ",") + column.name;
  text += "\n";
  for (const Json& row : rows) {
    std::string line;
    for (const Column& column : columns) {
      line += (&column == &columns.front() ? "" : ",") + csv_cell_of(find_path(row, column.path));
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace tilemeter
