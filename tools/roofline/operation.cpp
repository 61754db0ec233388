// One operation given by its FLOPs and bytes, under the roofline of each device.
#include "tools/roofline/bound.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {

Result operation(const Arguments& arguments) {
  Result result;
  result.devices = devices_of(arguments, NoDevice::refused);
  const Cost cost{.flops = Flops(count_of(arguments, "--flops", 0, std::nullopt, "--flops")),
                  .hbm = Bytes(count_of(arguments, "--bytes", 0, std::nullopt, "--flops"))};
  const DType math = math_type_of(arguments, operand_type_of(arguments, "--dtype", DType::bf16));
  result.sheet.title = "One operation under the roofline";
  result.sheet.columns = chained({SheetColumn{"device", "device", ""}}, bound_columns(arguments));
  result.sheet.notes = bound_notes(result.devices, arguments);
  for (const Device& device : result.devices) {
    const Rooflines rooflines = rooflines_of(device, math, arguments);
    result.sheet.rows.push_back(chained({words(device.name)}, bound_cells(rooflines, cost, arguments)));
    result.sheet.notes =
        chained(std::move(result.sheet.notes), measured_notes(device.name, rooflines, cost, arguments));
    result.failures = chained(std::move(result.failures), measured_failures(device.name, rooflines, cost, arguments));
  }
  return result;
}

}  // namespace tilemeter::roofline
