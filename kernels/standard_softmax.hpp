// The step between the products of standard attention.
#pragma once

#include "kernels/recording.hpp"
#include "kernels/tensors.hpp"

namespace tilemeter::kernels {

/// Enqueues P = softmax(S) with the mask, row by row; at least one key. The point was checked by the caller.
void launch_standard_softmax(const Tensors& tensors, const Case& point, Stream stream, NoRecording& recording);
void launch_standard_softmax(const Tensors& tensors, const Case& point, Stream stream, Recording& recording);

}  // namespace tilemeter::kernels
