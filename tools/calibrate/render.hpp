// What a calibration found, as a device overlay, a list, or JSON.
#pragma once

#include <string>

#include "tools/calibrate/calibration.hpp"
#include "tools/json.hpp"
#include "tools/output/target.hpp"

namespace tilemeter {

/// Where a calibration comes from.
struct CalibrationOrigin {
  std::string device;   ///< as --device says
  std::string date;     ///< UTC
  std::string command;  ///< the command line
  std::string commit;   ///< of the sources
};

/// An overlay of the shipped device that `device` is or changes: what `device` states beyond it, and the fits.
std::string fit_overlay(const Calibration& calibration, const Device& device, const CalibrationOrigin& origin);

/// {"schema": 1, "command": "calibrate", ..., "kernels": [{"kernel", "observations", ..., "figures": [...]}]}.
Json calibration_json(const Calibration& calibration, const CalibrationOrigin& origin);

/// A row a figure, in every format but HTML and an overlay's.
std::string render_calibration(const Calibration& calibration, const CalibrationOrigin& origin, Format format);

}  // namespace tilemeter
