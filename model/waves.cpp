#include "model/waves.hpp"

namespace tilemeter {
namespace {

void require(Count value, Count least, const std::string& what) {
  if (value >= least) return;
  throw InputError(what + " " + std::to_string(value) + ": expected " + std::to_string(least) + " or more");
}

}  // namespace

WaveShape waves_of(Count blocks, Count sms, Count resident) {
  require(blocks, 0, "blocks");
  require(sms, 1, "sm.count");
  require(resident, 1, "blocks of an SM");
  named("the resident blocks", [&] { return checked::multiply(sms, resident); });
  return {.blocks = blocks, .sms = sms, .resident = resident};
}

std::optional<std::string> idle_sms_note(const WaveShape& shape) {
  if (shape.blocks == 0 || shape.fills_sms()) return std::nullopt;
  return std::to_string(shape.blocks) + (shape.blocks == 1 ? " block" : " blocks") + " on " +
         std::to_string(shape.sms) + " SMs: " + std::to_string(shape.sms - shape.blocks) +
         " idle; the time is a lower bound, since latency and low occupancy, not bandwidth, set it";
}

}  // namespace tilemeter
