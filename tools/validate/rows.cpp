#include "tools/validate/described_point.hpp"
#include "tools/validate/documents.hpp"

namespace tilemeter {
namespace {

/// Between the quartiles of a normal distribution lie 1.349 standard deviations, between the least and the most of 15
/// values 3.472 on average (Tippett, Biometrika 17, 1925).
constexpr double quartiles_of_extremes = 1.349 / 3.472;

NamedValues row_values(const Json& row, const std::string& dtype) {
  const auto text = [&](const char* key) { return row.at(key).dump(); };
  NamedValues values = {{"batch", text("batch")},
                        {"head_dim", text("head_dim")},
                        {"mask", row.at("causal").get<bool>() ? "causal" : "none"},
                        {"dtype", dtype}};
  if (row.contains("seq")) {
    values.insert(values.end(), {{"seq", text("seq")}, {"heads", text("heads")}});
  } else {
    values.insert(values.end(), {{"seq_q", text("seq_q")},
                                 {"seq_k", text("seq_k")},
                                 {"heads", text("heads_q")},
                                 {"kv_heads", text("heads_kv")}});
  }
  return values;
}

KernelDescription peer_of(const Json& row) {
  const auto peer = row.at("peer").get<std::string>();
  if (peer == "flash") return *shipped_kernel("fa2");
  if (peer == "cudnn") return *shipped_kernel("cudnn");
  throw InputError("no description of " + peer + " ships");
}

void add_time(const Json& row, Observation& observation) {
  const double median = row.at("ms");
  const double spread = (row.at("ms_high").get<double>() - row.at("ms_low").get<double>()) / median;
  observation.time = {.seconds = 1e-3 * median, .spread = spread * quartiles_of_extremes, .clock_hz = {}};
}

void add_counters(const Json& row, Observation& observation) {
  const auto bytes = [&](const char* key) { return Bytes(row.at(key).get<Count>()); };
  observation.profiled = {.edge_read = bytes("xbar_to_l1_read_bytes"),
                          .edge_write = bytes("l1_to_xbar_write_bytes"),
                          .l2_read = {},
                          .l2_write = {},
                          .dram_read = bytes("dram_read_bytes"),
                          .dram_write = bytes("dram_write_bytes")};
  observation.missing = {"lts__t_sectors_srcunit_tex_op_read.sum: not in the document",
                         "lts__t_sectors_srcunit_tex_op_write.sum: not in the document"};
}

Observation observed_row(const Json& row, const std::string& dtype, const std::string& source) {
  Observation observation = described_observation(source, peer_of(row), row_values(row, dtype),
                                                  given_tile({{"tiling", row.at("described_as")}}));
  if (row.contains("ms")) {
    add_time(row, observation);
  } else {
    add_counters(row, observation);
  }
  return observation;
}

}  // namespace

void observe_rows(const ObservedDocument& document, Findings findings) {
  const auto dtype = document.json.at("meta").at("dtype").get<std::string>();
  const Json& rows = document.json.at("rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string source = place_in(document, "row", i);
    try {
      findings.observations.push_back(observed_row(rows[i], dtype, source));
    } catch (const InputError& error) {
      findings.notes.push_back(source + ": " + error.what());
    }
  }
}

}  // namespace tilemeter
