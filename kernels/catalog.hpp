// The kernels, what each mirrors, and what each can run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// A kernel, or the few that together do what one algorithm does. The functions that need a GPU are null in a build
/// without CUDA; the rest is known everywhere. Absent lists (empty spans) are options that the algorithm does not have.
struct Kernel {
  std::string_view name;
  std::string_view algorithm;  ///< the simulator's algorithm whose traffic the kernel's counters must equal
  std::string_view idea;       ///< one sentence
  std::span<const DType> dtypes;
  std::span<const KernelTiling> tilings;
  std::span<const MaskKind> masks{};
  std::span<const Variant> variants{};
  std::span<const DType> score_dtypes{};  ///< of S and P, where they go to memory
  std::span<const DType> o_dtypes{};      ///< of O, or dQ, where it is read back
  std::span<const Packing> packings = unpacked;
  /// Tensors of a launch, in the order of their use.
  std::vector<Operand> (*operands)(const Case&) = nullptr;
  /// A reason against a point that the lists above allow, naming the option and what is accepted; may be null.
  std::optional<std::string> (*refusal)(const Case&) = nullptr;
  /// Whether every launch gives the same bits; null where all points do.
  bool (*repeats)(const Case&) = nullptr;
  /// Puts initial values into the tensors of Role::state; null when there are none.
  void (*prepare)(const Tensors&, const Case&, Stream) = nullptr;
  /// Enqueues the computation. Throws InputError when `unsupported` has a reason, std::invalid_argument for a pointer
  /// that is not aligned, CudaError when a launch fails.
  void (*launch)(const Tensors&, const Case&, Stream) = nullptr;
  /// Runs the counting twin, waits for it, and returns what it moved.
  Work (*count)(const Tensors&, const Case&, Stream) = nullptr;

  static constexpr Packing unpacked[] = {Packing::unpacked};
};

/// All kernels.
std::span<const Kernel> catalog();

/// The kernel of that name, or, where ladders are built, the rung (kernels/flash3_ladder.hpp). Throws InputError that
/// begins with `asked_by` and lists the kernels.
const Kernel& kernel_named(std::string_view name, std::string_view asked_by = "--kernel");

/// Why `kernel` cannot run `problem` in any of its tilings, naming the option and what is accepted; or nothing.
std::optional<std::string> unsupported(const Kernel& kernel, const Problem& problem);

/// The same for the problem, its tiling and options, and the size of the grid.
std::optional<std::string> unsupported(const Kernel& kernel, const Case& point);

/// Throws InputError with the reason when there is one, or when the problem itself is not valid.
void require_supported(const Kernel& kernel, const Case& point);

/// What every launcher checks first: `require_supported`, and that every operand is there and aligned to 16 bytes
/// (std::invalid_argument).
void require_runnable(const Kernel& kernel, const Tensors& tensors, const Case& point);

/// Whether `tiling` is for operands of the problem's type.
bool suits(const KernelTiling& tiling, const Problem& problem);

/// Whether `tiling` is the one that `point` asks for: it suits the problem, and all of its sizes that are not 0 are
/// equal.
bool matches(const KernelTiling& tiling, const Case& point);

/// Why a one-dimensional grid of so many thread blocks cannot be launched, or nothing.
std::optional<std::string> grid_too_large(Count blocks);

/// Thread blocks of a kernel with one block for every row block of every stream. Throws FigureOverflow.
Count grid_blocks(const Case& point);

}  // namespace tilemeter::kernels
