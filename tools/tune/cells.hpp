// Columns and cells that several tables of `tune` have.
#pragma once

#include <string_view>
#include <vector>

#include "tools/json.hpp"
#include "tools/tables/table.hpp"

namespace tilemeter {

/// The integer, text or truth value at `key`; empty where there is none.
tables::Cell tuned_cell(const Json& json, std::string_view key);

/// Columns for the sizes that `sample` has, and the cells of `tiling` for them.
void add_size_columns(tables::Table& table, const Json& sample);
std::vector<tables::Cell> size_cells(const Json& tiling);

/// Columns for the times of `list`, in microseconds: the engine's where it ran any of them, and the closed form's.
void add_time_columns(tables::Table& table, const Json& list);
/// The cells of `tiling` for them.
void add_time_cells(std::vector<tables::Cell>& row, const Json& tiling, const Json& list);

/// "likely" or "no".
tables::Cell spills_cell(const Json& tiling);

/// A note for each warning of `list`, behind the tilings that have it: "448x16, 400x32: cannot be launched: ...".
void add_warning_notes(tables::Table& table, const Json& list);

}  // namespace tilemeter
