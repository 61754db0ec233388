// Work of known duration, and results that are known to be wrong, for what the probes measure and check with.
#pragma once

#include <vector>

#include "kernels/probe_figure.hpp"

/// What `timed_launches` says of a kernel that spins for so long.
std::vector<double> seconds_of_spinning(tilemeter::Seconds duration, tilemeter::Count repetitions);

/// What `measure_cycles` says of `iterations` steps that each spin for `clocks`: clocks, and the clock rate.
struct SpunClocks {
  std::vector<double> clocks;
  tilemeter::Hertz rate;
};
SpunClocks clocks_of_spinning(tilemeter::Count clocks, int iterations);

/// Bytes per second of cudaMemcpy from device to device, bytes read and written.
double copy_bandwidth(tilemeter::Bytes bytes);

/// Writes words, spoils one, reads them, and checks the sum as the probes do. Throws ProbeWrong.
void read_spoilt_words(tilemeter::Bytes bytes);

/// Checks a matrix product of which one element is off by its own size. Throws ProbeWrong.
void check_spoilt_product();

/// Checks a matrix product with a NaN. Throws ProbeWrong.
void check_product_with_nan();
