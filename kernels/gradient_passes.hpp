// The kernels before and behind those that compute the gradients: what FlashAttention's backward passes share.
#pragma once

#include <cmath>

#include "kernels/recording.hpp"
#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// What Q K^T is multiplied with, and with it the gradients of Q and K.
inline float gradient_scale(const Problem& problem) {
  return static_cast<float>(1 / std::sqrt(static_cast<double>(problem.head_dim)));
}

/// Enqueues D = rowsum(dO o O), and zeros in every buffer of dQacc where the launch has one. Head dimensions are
/// multiples of 8.
void launch_gradient_preprocess(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording);
void launch_gradient_preprocess(const Tensors& tensors, const Case& point, Stream stream, Recording& recording);

/// Enqueues dQ = `factor` times the sum of the buffers of dQacc (stream, buffer, row, column).
void launch_gradient_postprocess(const Tensors& tensors, const Case& point, float factor, Stream stream,
                                 NoRecording& recording);
void launch_gradient_postprocess(const Tensors& tensors, const Case& point, float factor, Stream stream,
                                 Recording& recording);

/// Enqueues dK and dV as the sums of dKx and dVx over the query heads of each K/V head; nothing where those are not
/// expanded.
void launch_gradient_reduction(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording);
void launch_gradient_reduction(const Tensors& tensors, const Case& point, Stream stream, Recording& recording);

}  // namespace tilemeter::kernels
