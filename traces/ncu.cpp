#include "traces/ncu.hpp"

#include <algorithm>
#include <span>
#include <variant>

#include "model/error.hpp"
#include "model/quantity.hpp"
#include "traces/ncu/printed_number.hpp"
#include "traces/ncu/table.hpp"

namespace tilemeter {
namespace {

using ncu::Quantity;

using Field = std::variant<std::optional<Bytes> NcuLaunch::*, std::optional<Count> NcuLaunch::*,
                           std::optional<Seconds> NcuLaunch::*, std::optional<Hertz> NcuLaunch::*,
                           std::optional<double> NcuLaunch::*>;

struct Metric {
  std::string_view name;
  Quantity quantity;
  Field field;
};

// Where a figure has several names, the first that was collected counts.
constexpr std::array metrics = {
    Metric{"l1tex__m_xbar2l1tex_read_bytes.sum", Quantity::bytes, &NcuLaunch::sm_edge_read},
    Metric{"l1tex__m_l1tex2xbar_write_bytes.sum", Quantity::bytes, &NcuLaunch::sm_edge_write},
    Metric{"lts__t_bytes.sum", Quantity::bytes, &NcuLaunch::l2_total},
    Metric{"lts__t_sectors.sum", Quantity::bytes, &NcuLaunch::l2_total},
    Metric{"lts__t_sectors_srcunit_ltcfabric.sum", Quantity::bytes, &NcuLaunch::l2_fabric},
    Metric{"lts__t_bytes_srcunit_ltcfabric.sum", Quantity::bytes, &NcuLaunch::l2_fabric},
    Metric{"lts__t_sectors_op_read.sum", Quantity::bytes, &NcuLaunch::l2_read},
    Metric{"lts__t_sectors_op_write.sum", Quantity::bytes, &NcuLaunch::l2_write},
    Metric{"lts__t_sectors_srcunit_tex_op_read.sum", Quantity::bytes, &NcuLaunch::l2_sm_read},
    Metric{"lts__t_sectors_srcunit_tex_op_write.sum", Quantity::bytes, &NcuLaunch::l2_sm_write},
    Metric{"lts__t_sectors_srcunit_tex_op_red.sum", Quantity::bytes, &NcuLaunch::l2_sm_reduction},
    Metric{"lts__t_sector_hit_rate.pct", Quantity::percent, &NcuLaunch::l2_hit_rate},
    Metric{"dram__bytes_read.sum", Quantity::bytes, &NcuLaunch::dram_read},
    Metric{"dram__bytes_op_read.sum", Quantity::bytes, &NcuLaunch::dram_read},
    Metric{"dram__bytes_write.sum", Quantity::bytes, &NcuLaunch::dram_write},
    Metric{"dram__bytes_op_write.sum", Quantity::bytes, &NcuLaunch::dram_write},
    Metric{"gpu__time_duration.sum", Quantity::seconds, &NcuLaunch::duration},
    Metric{"sm__cycles_elapsed.max", Quantity::cycles, &NcuLaunch::cycles_elapsed},
    Metric{"sm__cycles_active.max", Quantity::cycles, &NcuLaunch::cycles_active},
    Metric{"gpc__cycles_elapsed.avg.per_second", Quantity::hertz, &NcuLaunch::clock},
    Metric{"sm__inst_executed_pipe_tensor_op_hmma.sum", Quantity::instructions, &NcuLaunch::tensor_instructions},
    Metric{"sm__inst_executed_pipe_tensor_op_gmma.sum", Quantity::instructions, &NcuLaunch::wgmma_instructions},
    Metric{"smsp__inst_executed_op_local_ld.sum", Quantity::instructions, &NcuLaunch::local_load_instructions},
    Metric{"smsp__inst_executed_op_local_st.sum", Quantity::instructions, &NcuLaunch::local_store_instructions},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", Quantity::bytes, &NcuLaunch::local_load},
    Metric{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", Quantity::bytes, &NcuLaunch::local_store}};

bool is_absent(const ncu::PrintedMetric& printed) {
  return printed.value.empty() || printed.value == "n/a" || printed.value == "N/A" || printed.value == "(!) n/a";
}

/// Puts the values of one printed launch in their places.
class Placement {
 public:
  Placement(const ncu::PrintedMetric& printed, const Metric& metric, const std::string& what, NcuLaunch& launch)
      : printed_{printed.value, printed.unit}, metric_(metric), what_(what), launch_(launch) {}

  void operator()(std::optional<Bytes> NcuLaunch::*field) { launch_.*field = Bytes(whole()); }
  void operator()(std::optional<Count> NcuLaunch::*field) { launch_.*field = whole(); }
  void operator()(std::optional<Seconds> NcuLaunch::*field) {
    constexpr double picoseconds = 1e12;
    launch_.*field = Seconds{static_cast<double>(whole()) / picoseconds};
  }
  void operator()(std::optional<Hertz> NcuLaunch::*field) { launch_.*field = Hertz{real()}; }
  void operator()(std::optional<double> NcuLaunch::*field) { launch_.*field = real(); }

 private:
  Count whole() {
    const ncu::Whole whole = ncu::whole_of(printed_, metric_.quantity, what_);
    const Count finest = metric_.quantity == Quantity::seconds ? 1'000 : printed_.unit == "sector" ? 32 : 1;
    if (whole.step > finest) launch_.rounded.push_back(metric_.name);
    return whole.value;
  }
  double real() const { return ncu::real_of(printed_, metric_.quantity, what_); }

  ncu::Printed printed_;
  const Metric& metric_;
  const std::string& what_;
  NcuLaunch& launch_;
};

std::string place(std::string_view origin, std::size_t line, std::string_view what) {
  return std::string(origin) + ": line " + std::to_string(line) + ": " + std::string(what);
}

bool has(const NcuLaunch& launch, const Field& field) {
  return std::visit([&](const auto member) { return (launch.*member).has_value(); }, field);
}

void place_metric(const ncu::PrintedLaunch& printed, const Metric& metric, std::string_view origin, NcuLaunch& launch) {
  const auto found = std::find_if(printed.metrics.begin(), printed.metrics.end(),
                                  [&](const ncu::PrintedMetric& candidate) { return candidate.name == metric.name; });
  if (found == printed.metrics.end() || is_absent(*found) || has(launch, metric.field)) return;
  const std::string what = place(origin, found->line, metric.name);
  std::visit(Placement(*found, metric, what, launch), metric.field);
}

/// The figures without a value: each by the first of its names, with the reason of whichever name was asked for.
std::vector<NcuMissing> missing_of(const ncu::PrintedLaunch& printed, const NcuLaunch& launch, bool denied) {
  std::vector<NcuMissing> missing;
  const Metric* first = nullptr;
  for (const Metric& metric : metrics) {
    if (first == nullptr || first->field != metric.field) {
      first = &metric;
      if (!has(launch, metric.field)) {
        missing.push_back({metric.name, denied ? NcuAbsence::denied : NcuAbsence::not_collected});
      }
    }
    const bool asked_for =
        std::any_of(printed.metrics.begin(), printed.metrics.end(),
                    [&](const ncu::PrintedMetric& candidate) { return candidate.name == metric.name; });
    if (asked_for && !denied && !has(launch, metric.field)) missing.back().absence = NcuAbsence::not_available;
  }
  return missing;
}

Count number_of(const std::string& text, const std::string& what) {
  return ncu::whole_of({text, ""}, Quantity::plain, what).value;
}

/// The three sizes of "(32, 4, 16)".
std::array<Count, 3> sizes_of(std::string_view text, const std::string& what) {
  std::string_view rest = text;
  std::array<Count, 3> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t start = rest.find_first_of("0123456789");
    const std::string_view before = rest.substr(0, start);
    const bool separated = i == 0 ? before == "(" : before == "," || before == ", ";
    if (start == std::string_view::npos || !separated) break;
    rest.remove_prefix(start);
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    sizes[i] = number_of(std::string(rest.substr(0, end)), what);
    rest.remove_prefix(end);
  }
  if (rest != ")" || std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
    throw InputError(what + " is " + in_quotes(text) + "; three sizes such as (32, 4, 16) are accepted");
  }
  return sizes;
}

NcuLaunch launch_of(const ncu::PrintedLaunch& printed, std::string_view origin, bool denied) {
  const auto what = [&](std::string_view column) { return place(origin, printed.line, column); };
  NcuLaunch launch{.id = number_of(printed.id, what("ID")),
                   .process = printed.process,
                   .kernel = printed.kernel,
                   .grid = sizes_of(printed.grid, what("Grid Size")),
                   .block = sizes_of(printed.block, what("Block Size")),
                   .device = number_of(printed.device, what("Device")),
                   .compute_capability = printed.compute_capability};
  for (const Metric& metric : metrics) place_metric(printed, metric, origin, launch);
  launch.missing = missing_of(printed, launch, denied);
  return launch;
}

struct OptionSpec {
  std::string_view name;
  std::span<const std::string_view> accepted;
  std::optional<std::string> NcuOptions::*field;
};
constexpr std::array<std::string_view, 4> replay_modes = {"kernel", "application", "range", "app-range"};
constexpr std::array<std::string_view, 2> cache_controls = {"all", "none"};
constexpr std::array<std::string_view, 4> clock_controls = {"base", "boost", "none", "reset"};
constexpr std::array options = {OptionSpec{"--replay-mode", replay_modes, &NcuOptions::replay_mode},
                                OptionSpec{"--cache-control", cache_controls, &NcuOptions::cache_control},
                                OptionSpec{"--clock-control", clock_controls, &NcuOptions::clock_control}};

/// The next word of `text`, which ends at a blank or at "=".
std::string_view take_word(std::string_view& text) {
  constexpr std::string_view ends = " \t=";
  text.remove_prefix(std::min(text.find_first_not_of(ends), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

NcuOptions ncu_options(std::string_view command) {
  NcuOptions result;
  while (!command.empty()) {
    const std::string_view word = take_word(command);
    const auto option = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == word; });
    if (option == options.end()) continue;
    const std::string_view value = take_word(command);
    if (std::find(option->accepted.begin(), option->accepted.end(), value) == option->accepted.end()) {
      std::string message = std::string(word) + " " + in_quotes(value) + ": accepted:";
      for (const std::string_view accepted : option->accepted) message.append(" ").append(accepted);
      throw InputError(message);
    }
    result.*option->field = value;
  }
  return result;
}

std::string_view to_text(NcuAbsence absence) {
  switch (absence) {
    case NcuAbsence::not_collected:
      return "not measured: not in the export";
    case NcuAbsence::not_available:
      return "not measured: n/a (counter permission, or not on this GPU)";
    case NcuAbsence::denied:
      return "not measured: counter permission";
  }
  return "";
}

NcuExport read_ncu(std::string_view text, std::string_view origin) {
  const ncu::PrintedExport printed = ncu::read_tables(text, origin);
  NcuExport result{.options = ncu_options(printed.command), .counters_denied = printed.counters_denied};
  for (const ncu::PrintedLaunch& row : printed.launches) {
    NcuLaunch launch = launch_of(row, origin, printed.counters_denied);
    if (const auto reason = ncu_refusal(launch)) {
      result.refused.push_back({launch.id, launch.kernel, *reason});
    } else {
      result.launches.push_back(std::move(launch));
    }
  }
  return result;
}

std::optional<Bytes> l2_without_fabric(const NcuLaunch& launch) {
  if (launch.l2_sm_read && launch.l2_sm_write) {
    return *launch.l2_sm_read + *launch.l2_sm_write + launch.l2_sm_reduction.value_or(Bytes(0));
  }
  if (launch.l2_total && launch.l2_fabric) return *launch.l2_total - *launch.l2_fabric;
  return std::nullopt;
}

}  // namespace tilemeter
