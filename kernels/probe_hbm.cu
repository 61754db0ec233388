#include "kernels/probe_analysis.hpp"
#include "kernels/probe_functions.hpp"
#include "kernels/probe_graph.hpp"
#include "kernels/probe_memory.cuh"

namespace tilemeter::kernels {
namespace {

constexpr Bytes array_size(Count{4} << 30);
constexpr Bytes least_part(Count{4} << 20);

/// Part after part of the arrays, as one launch each: each comes back to a part after the whole array, so that the L2
/// holds nothing of it.
struct Parts {
  Bytes size;
  Count launches;

  Bytes offset(Count launch) const { return Bytes(launch * size.value()); }
};

Parts parts_of(Bytes size) { return {size, std::min<Count>(256, array_size.value() / size.value())}; }

/// t0 + b / BW from 4 MiB to 1 GiB of launches in a graph; `work(offset, bytes, stream)` enqueues one and moves `moved`
/// bytes for each byte of the part.
template <class Work>
TransferFit fit_of(Work work, double moved, Count repetitions) {
  std::vector<Transfer> transfers;
  for (Bytes size = least_part; size <= Bytes(array_size.value() / 4); size = 2 * size) {
    const Parts parts = parts_of(size);
    const Graph graph([&](Stream stream) {
      for (Count i = 0; i < parts.launches; ++i) work(parts.offset(i), size, stream);
    });
    const auto seconds = timed_launches([&](Stream stream) { graph.launch(stream); }, repetitions);
    for (const double time : seconds) {
      transfers.push_back({moved * static_cast<double>(size.value()), time / static_cast<double>(parts.launches)});
    }
  }
  return fit_transfers(transfers);
}

void add_fit(std::vector<Figure>& figures, const std::string& key, const TransferFit& fit) {
  const auto add = [&](const std::string& name, const Coefficient& coefficient) {
    figures.push_back({.key = name,
                       .value = coefficient.value,
                       .half_width95 = coefficient.half_width95,
                       .samples = fit.observations});
  };
  add(key + "_fitted", fit.bandwidth);
  add(key + "_overhead", fit.overhead);
}

std::vector<double> copied(Words& from, Words& to, Count repetitions) {
  const auto seconds = timed_launches([&](Stream) { from.copy_to(to, Bytes(0), array_size); }, repetitions);
  to.read(Bytes(0), array_size);
  require_sum(to.take_sum(), expected_sum(Bytes(0), array_size), "probe.hbm.copy");
  return bandwidths(2 * array_size, seconds);
}

std::vector<double> written(Words& words, Count repetitions) {
  const auto seconds = timed_launches([&](Stream) { words.write(Bytes(0), array_size); }, repetitions);
  words.read(Bytes(0), array_size);
  require_sum(words.take_sum(), expected_sum(Bytes(0), array_size), "probe.hbm.write");
  return bandwidths(array_size, seconds);
}

std::vector<double> read(Words& words, Count repetitions) {
  words.take_sum();
  const auto seconds = timed_launches([&](Stream) { words.read(Bytes(0), array_size); }, repetitions);
  const auto passes = static_cast<unsigned>(repetitions + untimed_launches);
  require_sum(words.take_sum(), passes * expected_sum(Bytes(0), array_size), "probe.hbm.read");
  return bandwidths(array_size, seconds);
}

}  // namespace

std::vector<Figure> probe_hbm(const ProbeSettings& settings) {
  Words from(array_size), to(array_size);
  from.take_sum();
  to.take_sum();
  const Count repetitions = settings.repetitions;
  const auto writes = written(from, repetitions);
  std::vector<Figure> figures = {figure_of("probe.hbm.read", read(from, repetitions)),
                                 figure_of("probe.hbm.write", writes),
                                 figure_of("probe.hbm.copy", copied(from, to, repetitions))};
  const Count fewer = std::max<Count>(2, repetitions / 3);
  add_fit(figures, "probe.hbm.read",
          fit_of([&](Bytes at, Bytes size, Stream stream) { from.read(at, size, 1, stream); }, 1, fewer));
  add_fit(figures, "probe.hbm.copy",
          fit_of([&](Bytes at, Bytes size, Stream stream) { from.copy_to(to, at, size, stream); }, 2, fewer));
  return figures;
}

}  // namespace tilemeter::kernels
