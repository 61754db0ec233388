// The kernels, what each mirrors, and what each can run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/attention.hpp"

namespace tilemeter::kernels {

/// A forward kernel. The launchers are null in a build without CUDA; the rest is known everywhere.
struct Kernel {
  std::string_view name;
  std::string_view algorithm;  ///< the simulator's algorithm whose traffic the kernel's counters must equal
  std::string_view idea;       ///< one sentence
  DType dtype = DType::fp32;   ///< of Q K V O; LSE is fp32
  std::span<const KernelTiling> tilings;
  std::span<const MaskKind> masks;
  void (*launch)(const ForwardTensors&, const Case&, Stream) = nullptr;
  Work (*count)(const ForwardTensors&, const Case&, Stream) = nullptr;
};

/// All kernels.
std::span<const Kernel> catalog();

/// The kernel of that name. Throws InputError that lists the names.
const Kernel& kernel_named(std::string_view name);

/// Why `kernel` cannot run `problem` in any of its tilings, naming the option and what is accepted; or nothing.
std::optional<std::string> unsupported(const Kernel& kernel, const Problem& problem);

/// The same for the problem, its tiling, and the size of the grid.
std::optional<std::string> unsupported(const Kernel& kernel, const Case& point);

/// Throws InputError with the reason when there is one, or when the problem itself is not valid.
void require_supported(const Kernel& kernel, const Case& point);

/// Whether `tiling` is the one that `point` asks for.
bool matches(const KernelTiling& tiling, const Case& point);

/// Thread blocks of a kernel with one block for every row block of every stream. Throws FigureOverflow.
Count grid_blocks(const Case& point);

}  // namespace tilemeter::kernels
