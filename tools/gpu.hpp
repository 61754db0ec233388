// This machine's GPU for the commands that need one, and how records name it.
#pragma once

#include <string>
#include <string_view>

#include "kernels/gpu_info.hpp"
#include "tools/json.hpp"

namespace tilemeter {

/// The current GPU. Throws InputError that starts with the name of the command, `who`, where there is none, or where
/// the program was built without CUDA.
kernels::GpuInfo require_gpu(std::string_view who);

Json gpu_json(const kernels::GpuInfo& gpu);

}  // namespace tilemeter
