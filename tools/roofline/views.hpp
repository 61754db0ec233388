// The views of `tilemeter roofline`: each turns the command line into one sheet.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "tools/command.hpp"
#include "tools/roofline/sheet.hpp"

namespace tilemeter::roofline {

/// What a view found, on which devices, and the checks that did not hold.
struct Result {
  Sheet sheet;
  std::vector<Device> devices;
  std::vector<std::string> failures;
};

/// One view: the option that asks for it, the options that it reads, and what it makes.
struct View {
  std::string_view name;
  std::string_view option;   ///< empty for the view that needs none
  std::string_view options;  ///< those that it reads beside --device, --set and the ones of output, space separated
  Result (*make)(const Arguments&) = nullptr;
};

/// Views in the order in which they are looked for; the last one has no option.
std::span<const View> views();

/// Tokens from which a pass over weights is bound by arithmetic, for each device and weight format.
Result critical_batches(const Arguments& arguments);
/// The intensity of one decoding step, with its traffic packed and unpacked.
Result decode_step(const Arguments& arguments);
/// Sequences that fit beside the weights, line by line.
Result kv_cache(const Arguments& arguments);
/// A chain of elementwise operations unfused and fused, and the softmax by number of passes.
Result fusion(const Arguments& arguments);
/// One operation given by its FLOPs and bytes.
Result operation(const Arguments& arguments);
/// Peaks, bandwidths, ridges and critical batches of devices.
Result ridges(const Arguments& arguments);

}  // namespace tilemeter::roofline
