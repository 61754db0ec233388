#include "tools/validate/profiled_bytes.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "model/error.hpp"
#include "model/quantity.hpp"

namespace tilemeter {
namespace {

struct SummedMetric {
  std::string_view name;
  std::optional<Bytes> NcuLaunch::*seen;
  std::optional<Bytes> ObservedBytes::*sum;
};
constexpr std::array summed_metrics = {
    SummedMetric{"l1tex__m_xbar2l1tex_read_bytes.sum", &NcuLaunch::sm_edge_read, &ObservedBytes::edge_read},
    SummedMetric{"l1tex__m_l1tex2xbar_write_bytes.sum", &NcuLaunch::sm_edge_write, &ObservedBytes::edge_write},
    SummedMetric{"lts__t_sectors_srcunit_tex_op_read.sum", &NcuLaunch::l2_sm_read, &ObservedBytes::l2_read},
    SummedMetric{"lts__t_sectors_srcunit_tex_op_write.sum", &NcuLaunch::l2_sm_write, &ObservedBytes::l2_write},
    SummedMetric{"dram__bytes_read.sum", &NcuLaunch::dram_read, &ObservedBytes::dram_read},
    SummedMetric{"dram__bytes_write.sum", &NcuLaunch::dram_write, &ObservedBytes::dram_write}};

std::string_view absence_of(const NcuLaunch& launch, std::string_view metric) {
  for (const NcuMissing& missing : launch.missing) {
    if (missing.metric == metric) return to_text(missing.absence);
  }
  return to_text(NcuAbsence::not_collected);
}

void add_sum(const std::vector<SeenLaunch>& launches, const SummedMetric& metric, Observation& observation) {
  Bytes sum;
  for (const SeenLaunch& seen : launches) {
    const std::optional<Bytes>& bytes = seen.launch->*metric.seen;
    if (!bytes) {
      observation.missing.push_back(std::string(metric.name) + ": " +
                                    std::string(absence_of(*seen.launch, metric.name)));
      return;
    }
    sum += *bytes;
  }
  observation.profiled.*metric.sum = sum;
}

}  // namespace

std::vector<SeenLaunch> launches_of(const NcuExport& profile) {
  std::vector<SeenLaunch> all;
  for (const NcuLaunch& launch : profile.launches) all.push_back({launch.id, launch.kernel, &launch, ""});
  for (const NcuRefusal& refusal : profile.refused)
    all.push_back({refusal.id, refusal.kernel, nullptr, refusal.reason});
  std::stable_sort(all.begin(), all.end(), [](const SeenLaunch& a, const SeenLaunch& b) { return a.id < b.id; });
  return all;
}

NcuExport read_profile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw InputError(path + ": cannot be read; expected the CSV of a profiler");
  return read_ncu(std::string{std::istreambuf_iterator<char>(file), {}}, path);
}

std::optional<std::string> denial_of(const NcuExport& profile, const std::string& name) {
  if (!profile.counters_denied || !profile.launches.empty()) return std::nullopt;
  return name + ": " + std::string(to_text(NcuAbsence::denied)) +
         " (ERR_NVGPUCTRPERM: the driver gives counters to administrators alone)";
}

void add_profile(const std::vector<SeenLaunch>& launches, Observation& observation) {
  for (const SeenLaunch& seen : launches) {
    if (seen.launch != nullptr) continue;
    observation.missing.push_back("profiled bytes: launch " + std::to_string(seen.id) +
                                  " was refused: " + seen.refusal);
    return;
  }
  for (const SummedMetric& metric : summed_metrics) add_sum(launches, metric, observation);
}

}  // namespace tilemeter
