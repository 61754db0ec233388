#include "tools/output/sheet.hpp"

#include "tools/output/figures.hpp"
#include "tools/output/lines.hpp"
#include "tools/output/number.hpp"

namespace tilemeter {
namespace {

constexpr std::size_t name_width = 12;
constexpr std::size_t count_width = 20;

std::string text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }
std::string grouped(const Json& value) { return with_separators(value.get<Count>()); }
std::string sized(const Json& value) { return binary_size(value.get<Count>()); }

std::string section(std::string_view title) { return styled(Style::heading, title) + "\n"; }

std::string row(std::string_view name, std::initializer_list<std::string> cells) {
  std::string line = "  " + pad_right(name, name_width);
  for (const std::string& cell : cells) line += pad_left(cell, count_width);
  return line + "\n";
}

/// The sizes of a problem without sequences: "m 512, n 512, k 64, batch 1, fp16".
std::string sizes_line(const Json& point) {
  std::string line = text(point["algorithm"]) + "   ";
  for (const auto& [name, size] : point["problem"].items()) {
    if (name != "dtype" && name != "weight_dtype") line += name + " " + text(size) + ", ";
  }
  line += text(point["problem"]["dtype"]);
  if (point["problem"].contains("weight_dtype")) line += ", weights " + text(point["problem"]["weight_dtype"]);
  if (point.contains("options") && point["options"].contains("variant"))
    line += ", " + text(point["options"]["variant"]);
  return line + "\n";
}

std::string headline(const Json& point) {
  const Json& problem = point["problem"];
  if (!problem.contains("seq_q")) return sizes_line(point);
  std::string line = text(point["algorithm"]) + "   N_q " + text(problem["seq_q"]) + ", N_k " + text(problem["seq_k"]) +
                     ", d " + text(problem["head_dim"]);
  if (problem["head_dim_v"] != problem["head_dim"]) line += ", d_v " + text(problem["head_dim_v"]);
  line += ", batch " + text(problem["batch"]) + ", heads " + text(problem["heads"]);
  if (problem["kv_heads"] != problem["heads"]) line += ", K/V heads " + text(problem["kv_heads"]);
  line +=
      ", mask " + mask_text(problem) + ", " + text(problem["dtype"]) + ", statistics " + text(problem["stat_dtype"]);
  return line + "\n";
}

std::string tiling_line(const Json& point) {
  const Json& tiling = point["tiling"];
  if (tiling.is_null()) return "tiles    none\n";
  const std::string rule = " (" + text(tiling["rule"]) + ")\n";
  if (tiling.contains("chunk")) return "chunks   C " + text(tiling["chunk"]) + rule;
  if (tiling.contains("chunk_q")) {
    return "chunks   Cq " + text(tiling["chunk_q"]) + " x Ck " + text(tiling["chunk_k"]) + rule;
  }
  if (!tiling.contains("block_q")) {
    const std::string product =
        tiling.contains("block_m") ? "Bm " + text(tiling["block_m"]) + " x Bn " + text(tiling["block_n"]) + " x " : "";
    const std::string order = tiling.contains("order") ? ", " + text(tiling["order"]) : "";
    return "tiles    " + product + "Bk " + text(tiling["block_k"]) + " (" + text(tiling["rule"]) + ")" + order + "\n";
  }
  std::string line = "tiles    Br " + text(tiling["block_q"]) + " x Bc " + text(tiling["block_k"]);
  if (tiling.contains("block_d")) line += " x Bd " + text(tiling["block_d"]);
  return line + " (" + text(tiling["rule"]) + "), stages " + text(tiling["stages"]) + "\n";
}

std::string traffic_part(const Json& point) {
  const Json& traffic = point["traffic"];
  std::string part =
      "\n" + section("traffic at the edge of the SM") +
      styled_line(Style::unit, row("tensor", {"read (elements)", "write (elements)", "read (bytes)", "write (bytes)"}));
  for (const auto& [name, tensor] : traffic["tensors"].items()) {
    part += row(name, {grouped(tensor["read_elements"]), grouped(tensor["write_elements"]), sized(tensor["read_bytes"]),
                       sized(tensor["write_bytes"])});
  }
  const Json& elements = traffic["elements"];
  const Json& bytes = traffic["bytes"];
  part +=
      row("sum", {grouped(elements["read"]), grouped(elements["write"]), sized(bytes["read"]), sized(bytes["write"])});
  part += "  total " + grouped(elements["total"]) + " elements, " + grouped(bytes["total"]) + " B (" +
          sized(bytes["total"]) + ")\n";
  const Json& closed = point["closed_form"];
  part += "  closed form " + text(closed["expression"]) + " = " + grouped(closed["elements"]["total"]) + " elements, " +
          grouped(closed["bytes"]["total"]) + " B: " + styled_verdict(closed["equal"] == true ? "equal" : "DIFFERENT") +
          "\n";
  const Json& least = point["compulsory"];
  part += "  compulsory " + grouped(least["elements"]) + " elements, " + grouped(least["bytes"]) + " B";
  if (least["bytes"] != 0) {
    part += "; the total is " + fixed(bytes["total"].get<double>() / least["bytes"].get<double>(), 2) + "x that";
  }
  return part + "\n";
}

std::string operations_part(const Json& point) {
  const Json& operations = point["operations"];
  const Json& exp = operations["exp"];
  if (!operations.contains("pairs")) {
    return "\n" + section("operations") + "  matrix products " + grouped(operations["matmul_flops"]) + " FLOP in " +
           grouped(operations["tiles"]) + " steps\n  exponentials " + grouped(exp["scores"]) + " of elements, " +
           grouped(exp["rescale"]) + " to rescale\n";
  }
  return "\n" + section("operations") + "  matrix products " + grouped(operations["matmul_flops"]) +
         " FLOP in visited tiles, " + grouped(operations["pair_flops"]) + " FLOP in unmasked pairs\n  pairs " +
         grouped(operations["pairs"]) + ", visited tiles " + grouped(operations["tiles"]) + ", rows without a key " +
         grouped(operations["empty_rows"]) + "\n  exponentials " + grouped(exp["scores"]) + " of scores, " +
         grouped(exp["rescale"]) + " to rescale\n";
}

std::string sram_part(const Json& point) {
  const Json& sram = point["sram"];
  if (sram["tiles"].empty()) return "";
  std::string part = "\n" + section("on chip, placement " + text(sram["placement"])) +
                     styled_line(Style::unit, row("tile", {"rows x cols", "elements", "bytes", "space"}));
  for (const Json& tile : sram["tiles"]) {
    const std::string copies = tile.contains("copies") ? text(tile["copies"]) + " x " : "";
    part += row(text(tile["name"]), {copies + text(tile["rows"]) + " x " + text(tile["cols"]),
                                     grouped(tile["elements"]), sized(tile["bytes"]), text(tile["space"])});
  }
  part += "  peak " + grouped(sram["peak_elements"]) + " elements, " + grouped(sram["peak_bytes"]) + " B (" +
          sized(sram["peak_bytes"]) + ")";
  if (sram.contains("peak_shared_bytes")) {
    part += ": shared memory " + sized(sram["peak_shared_bytes"]) + ", registers " + sized(sram["peak_register_bytes"]);
  }
  if (!sram["fits"].is_null()) {
    part += "; capacity " + capacity_text(sram) + ": " +
            (sram["fits"] == true ? styled(Style::good, "fits") : styled(Style::bad, "DOES NOT FIT"));
  }
  if (point.contains("overflow_elements")) part += ", over by " + grouped(point["overflow_elements"]) + " elements";
  if (sram.contains("resident_blocks")) {
    part += "\n  resident blocks per SM by shared memory: " + text(sram["resident_blocks"]);
  }
  return part + "\n";
}

std::string workspace_part(const Json& point) {
  if (!point.contains("workspace")) return "";
  const Json& workspace = point["workspace"];
  std::string part = "\n" + section("workspace in device memory, " + sized(workspace["bytes"]));
  if (!workspace.contains("tensors")) return part;
  for (const auto& [name, tensor] : workspace["tensors"].items()) {
    part += row(name, {grouped(tensor["elements"]) + " elements", sized(tensor["bytes"])});
  }
  return part;
}

std::string time_text(const Json& seconds) { return fixed(seconds.get<double>() * 1e6, 3) + " us"; }

std::string time_part(const Json& point) {
  if (!point.contains("time")) return "";
  const Json& time = point["time"];
  const std::string part = "\n" + section("time on " + text(point["device"]) + ", in closed form");
  if (time["seconds"].is_null()) return part + "  none: " + text(time["reason"]) + "\n";
  const Json& hbm = point["hbm"];
  return part + "  " + time_text(time["seconds"]) + " (" + text(time["kind"]) + "), from " + time_text(time["low"]) +
         " to " + time_text(time["high"]) + "; most used: " + text(time["binding"]) +
         "\n  device memory behind the L2: " + sized(hbm["read"]) + " read, " + sized(hbm["write"]) + " written, " +
         sized(hbm["left_in_l2"]) + " left in the L2\n";
}

std::string numeric_part(const Json& point) {
  if (!point.contains("numeric")) return "";
  const Json& numeric = point["numeric"];
  const std::string predicted =
      numeric.contains("predicted_nan_rows") ? " (predicted " + text(numeric["predicted_nan_rows"]) + ")" : "";
  return "\n" + section("numbers against the double-precision reference") + "  largest error " +
         text(numeric["max_abs_error"]) + ", relative (Frobenius) " + text(numeric["rel_frobenius"]) + ", tolerance " +
         text(numeric["tolerance"]) + ", rows with NaN " + text(numeric["nan_rows"]) + predicted + ": " +
         (numeric["ok"] == true ? styled(Style::good, "ok") : styled(Style::bad, "WRONG")) + "\n";
}

std::string sms_part(const Json& point) {
  if (!point.contains("sms")) return "";
  std::string part = "\n" + section("per SM") +
                     styled_line(Style::unit, row("SM", {"blocks", "read (bytes)", "write (bytes)", "peak (bytes)"}));
  for (const Json& sm : point["sms"]) {
    part += row(text(sm["index"]), {grouped(sm["blocks"]), grouped(sm["read_bytes"]), grouped(sm["write_bytes"]),
                                    grouped(sm["peak_bytes"])});
  }
  return part;
}

std::string hints_part(const Json& point) {
  if (!point.contains("warnings")) return "";
  std::string part = "\n";
  for (const Json& hint : point["warnings"]) part += "note: " + text(hint) + "\n";
  return part;
}

}  // namespace

std::string point_sheet(const Json& point) {
  return headline(point) + tiling_line(point) + traffic_part(point) + operations_part(point) + sram_part(point) +
         workspace_part(point) + time_part(point) + numeric_part(point) + sms_part(point) + hints_part(point);
}

}  // namespace tilemeter
