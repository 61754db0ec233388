#include "tools/tune/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "model/hardware_candidates.hpp"
#include "model/pareto.hpp"
#include "tools/output/figures.hpp"
#include "tools/output/number.hpp"
#include "tools/report/report.hpp"
#include "tools/tables/render.hpp"
#include "tools/tune/cells.hpp"
#include "tools/tune/csv.hpp"

namespace tilemeter {
namespace {

using tables::Cell;
using tables::Decimal;
using tables::MadeTable;
using tables::Table;

constexpr std::size_t front_rows = 14;
constexpr std::size_t candidate_rows = 12;
constexpr std::string_view tune_source =
    "closed forms of the bill and of the tiles on chip, exact; of times, estimates";

/// "flash2, N_q 4096, N_k 4096, d 64, mask none, fp16".
std::string problem_text(const Json& result) {
  const Json& problem = result["problem"];
  const auto number = [&](const char* key) { return std::to_string(problem[key].get<Count>()); };
  if (!problem.contains("seq_q")) {
    std::string text = result["algorithm"].get<std::string>();
    for (const auto& [name, value] : problem.items())
      text += ", " + name + " " + tables::cell_text(tuned_cell(problem, name));
    return text;
  }
  return result["algorithm"].get<std::string>() + ", N_q " + number("seq_q") + ", N_k " + number("seq_k") + ", d " +
         number("head_dim") + ", mask " + mask_text(problem) + ", " + problem["dtype"].get<std::string>();
}

/// "..., within --sram 50000el".
std::string subject_of(const Json& result) {
  return problem_text(result) + ", within " + result["budget"]["owner"].get<std::string>();
}

bool in_elements(const Json& result) { return result["front"]["unit"] == "elements"; }
bool on_gpu(const Json& result) { return result["budget"]["placement"] == "gpu"; }

/// The tables of all results; they refer to titles that live here.
class Tables {
 public:
  Tables(const Json& document, Rejected rejected) : rejected_(rejected) {
    least_ = document["by"] == "time" ? "least predicted time: " : "least traffic: ";
    for (const Json& result : document["results"]) add(result);
  }
  const std::vector<MadeTable>& all() const { return tables_; }

 private:
  void add(const Json& result) {
    add_table("best", least_ + subject_of(result), best(result));
    add_table("front", "traffic against memory on chip: " + problem_text(result), front(result));
    add_table("candidates", "tile sizes that kernels use: " + subject_of(result), candidates(result));
    add_table("rejected", "of those sizes, what does not fit: " + subject_of(result), rejected(result));
  }

  void add_table(std::string_view name, std::string title, Table table) {
    if (table.rows.empty() && table.notes.empty()) return;
    titles_.push_back(std::move(title));
    tables_.push_back({{.name = name, .title = titles_.back(), .source = tune_source}, std::move(table)});
  }

  static Table best(const Json& result) {
    Table table;
    const Json& list = result["best"];
    if (list.empty()) {
      table.notes.push_back(result["reason"].get<std::string>());
      return table;
    }
    const std::string unit = in_elements(result) ? "elements" : "bytes";
    add_size_columns(table, list.front());
    table.columns.insert(table.columns.end(), {{"traffic", "elements"}, {"traffic", "bytes"}, {"of compulsory", ""}});
    table.columns.push_back({on_gpu(result) ? "shared" : "on chip", unit});
    if (on_gpu(result)) table.columns.push_back({"registers", "bytes"});
    add_time_columns(table, list);
    const bool on_device = list.front().contains("warps");
    if (on_device) table.columns.insert(table.columns.end(), {{"warps", ""}, {"spills", ""}});
    for (const Json& tiling : list) {
      std::vector<Cell> row = size_cells(tiling);
      const Json& traffic = tiling["traffic"];
      row.push_back(tuned_cell(traffic, "elements"));
      row.push_back(tuned_cell(traffic, "bytes"));
      row.push_back(ratio(traffic, result["compulsory"], unit));
      row.push_back(tuned_cell(tiling["sram"], on_gpu(result) ? "shared_bytes" : unit));
      if (on_gpu(result)) row.push_back(tuned_cell(tiling["sram"], "register_bytes"));
      add_time_cells(row, tiling, list);
      if (on_device) row.insert(row.end(), {tuned_cell(tiling, "warps"), spills_cell(tiling)});
      table.rows.push_back(std::move(row));
    }
    table.notes.push_back(search_note(result));
    table.notes.push_back(bound_note(result["lower_bound"]));
    if (on_device) add_warning_notes(table, list);
    return table;
  }
  static std::string bound_note(const Json& bound) {
    std::string text = "lower bound (" + bound["name"].get<std::string>() + ": " +
                       bound["statement"].get<std::string>() + ") with " +
                       with_separators(bound["on_chip_elements"].get<Count>()) +
                       " elements on chip: " + with_separators(bound["elements"].get<Count>()) + " elements";
    if (!bound["ratio"].is_null())
      text += "; the first tiling moves " + fixed(bound["ratio"].get<double>(), 3) + " times that";
    return text;
  }

  static Cell ratio(const Json& traffic, const Json& least, const std::string& unit) {
    const auto amount = least[unit].get<Count>();
    if (amount == 0) return {};
    return Decimal{static_cast<double>(traffic[unit].get<Count>()) / static_cast<double>(amount), 3};
  }

  static std::string search_note(const Json& result) {
    const Json& search = result["search"];
    const Count billed = search["tried"].get<Count>();
    if (result["best"].front().contains("time"))
      return with_separators(billed) + " tilings that kernels use were timed in closed form; the engine ran " +
             with_separators(search["simulated"].get<Count>()) +
             " of the fastest (--simulate), which rank first, by its time";
    const std::string tried = billed == 0 ? "" : with_separators(billed) + " tilings billed, ";
    return tried + (search["exhaustive"] == true ? "every other one ruled out: no tiling moves less"
                                                 : "the rest not tried: a tiling may move less");
  }

  static Table front(const Json& result) {
    Table table;
    const Json& front = result["front"];
    const Json& list = front["tilings"];
    if (list.empty()) return table;
    const std::string unit = front["unit"];
    add_size_columns(table, list.front());
    const std::string place = front["on_chip"] == "shared memory" ? "shared" : "on chip";
    table.columns.insert(table.columns.end(), {{place, unit}, {"traffic", unit}});
    const auto beyond =
        std::count_if(list.begin(), list.end(), [](const Json& tiling) { return tiling["fits"] == false; });
    if (beyond > 0) table.columns.push_back({"fits", ""});
    for (const std::size_t index : spread_over(list)) {
      std::vector<Cell> row = size_cells(list[index]);
      row.push_back(tuned_cell(list[index], "on_chip"));
      row.push_back(tuned_cell(list[index], "traffic"));
      if (beyond > 0) row.push_back(tuned_cell(list[index], "fits"));
      table.rows.push_back(std::move(row));
    }
    table.notes.push_back(with_separators(static_cast<Count>(list.size())) + " tilings on the Pareto front" +
                          (front["complete"] == true ? "" : " of sampled sizes") + ", the last moves the least of all");
    if (beyond > 0) {
      table.notes.push_back(with_separators(beyond) + " of them need more than " +
                            result["budget"]["owner"].get<std::string>() + " has: what more memory would save");
    }
    return table;
  }

  /// Indices of the front about evenly spaced in the logarithm of the memory, first and last included.
  static std::vector<std::size_t> spread_over(const Json& list) {
    const auto memory = [&](std::size_t i) { return static_cast<double>(list[i]["on_chip"].get<Count>()); };
    const std::size_t last = list.size() - 1;
    const double range = memory(last) / std::max(1.0, memory(0));
    const double ratio = std::pow(range, 1.0 / static_cast<double>(front_rows - 1));
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i <= last; ++i) {
      if (list.size() <= front_rows || i == 0 || i == last || memory(i) >= memory(kept.back()) * ratio) {
        kept.push_back(i);
      }
    }
    return kept;
  }

  static Table candidates(const Json& result) {
    Table table;
    if (result["candidates"].empty()) return table;
    std::vector<const Json*> fitting;
    for (const Json& candidate : result["candidates"]) {
      if (candidate["feasible"] == true) fitting.push_back(&candidate);
    }
    const std::string of_all = with_separators(static_cast<Count>(fitting.size())) + " of " +
                               with_separators(static_cast<Count>(result["candidates"].size())) + " candidates fit";
    table.notes.push_back(of_all + (fitting.size() > candidate_rows ? "; csv and json list all" : ""));
    if (fitting.empty()) return table;
    const bool on_device = fitting.front()->contains("warps");
    add_size_columns(table, *fitting.front());
    table.columns.insert(table.columns.end(), {{"traffic", "bytes"}, {on_gpu(result) ? "shared" : "on chip", "bytes"}});
    const Json shown = shown_of(fitting);
    add_time_columns(table, shown);
    if (on_device) {
      table.columns.insert(
          table.columns.end(),
          {{"warps", ""}, {"accumulators", "registers/thread"}, {"resident", "blocks"}, {"spills", ""}});
    }
    for (const Json& candidate : shown)
      table.rows.push_back(candidate_row(candidate, shown, on_gpu(result), on_device));
    if (on_device) table.notes.push_back(spill_note(fitting));
    return table;
  }

  static Json shown_of(const std::vector<const Json*>& fitting) {
    Json shown = Json::array();
    for (std::size_t i = 0; i < std::min(fitting.size(), candidate_rows); ++i) shown.push_back(*fitting[i]);
    return shown;
  }

  static std::vector<Cell> candidate_row(const Json& candidate, const Json& shown, bool on_gpu, bool on_device) {
    std::vector<Cell> row = size_cells(candidate);
    row.push_back(tuned_cell(candidate["traffic"], "bytes"));
    row.push_back(tuned_cell(candidate["sram"], on_gpu ? "shared_bytes" : "bytes"));
    add_time_cells(row, candidate, shown);
    if (!on_device) return row;
    for (const char* key : {"warps", "accumulator_registers_per_thread", "resident_blocks"}) {
      row.push_back(tuned_cell(candidate, key));
    }
    row.push_back(spills_cell(candidate));
    return row;
  }

  static std::string spill_note(const std::vector<const Json*>& fitting) {
    const auto spilling =
        std::count_if(fitting.begin(), fitting.end(), [](const Json* c) { return (*c)["spills"] == true; });
    return std::to_string(spilling) + " of them are likely to spill registers and rank last: accumulators and about " +
           std::to_string(registers_beside_accumulators) +
           " other registers a thread pass its limit; resident blocks are by shared memory, threads and accumulators";
  }

  Table rejected(const Json& result) const {
    Table table;
    std::vector<const Json*> list;
    for (const Json& candidate : result["candidates"]) {
      if (candidate["feasible"] == false) list.push_back(&candidate);
    }
    if (list.empty()) return table;
    const std::size_t all = list.size();
    if (rejected_ == Rejected::smallest) list = smallest_of(list);
    add_size_columns(table, *list.front());
    table.columns.push_back({"why", ""});
    for (const Json* candidate : list) {
      table.rows.push_back(size_cells(*candidate));
      table.rows.back().push_back(tuned_cell(*candidate, "reason"));
    }
    if (list.size() < all) {
      table.notes.push_back(std::to_string(all - list.size()) +
                            " more are larger than one of these in every size; --rejected lists them");
    }
    return table;
  }

  static std::vector<const Json*> smallest_of(const std::vector<const Json*>& list) {
    return pareto_front(list, [](const Json* candidate) {
      return std::array{(*candidate)["stages"].get<Count>(), (*candidate)["block_q"].get<Count>(),
                        (*candidate)["block_k"].get<Count>()};
    });
  }

  Rejected rejected_;
  std::string least_;
  std::deque<std::string> titles_;
  std::vector<MadeTable> tables_;
};

}  // namespace

std::string render_tune(Format format, const Json& document, Rejected rejected) {
  switch (format) {
    case Format::json:
      return document.dump(2) + "\n";
    case Format::csv:
      return tune_csv(document);
    case Format::html:
      return render_report(document.dump(), "tilemeter tune");
    case Format::table:
    case Format::md:
      return tables::render(format, Tables(document, rejected).all());
  }
  return {};
}

}  // namespace tilemeter
