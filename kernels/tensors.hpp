// What a launcher takes: device memory by tensor, a stream; and what a kernel was compiled for.
#pragma once

#include <array>
#include <vector>

#include "model/problem.hpp"
#include "model/work.hpp"

struct CUstream_st;

namespace tilemeter::kernels {

/// A CUDA stream (the same type as cudaStream_t); nullptr is the default stream.
using Stream = CUstream_st*;

/// Device memory of a launch, by name: row-major without gaps, streams outermost, every pointer aligned to 16 bytes.
/// Attention: Q, O, S, P, l, m, LSE have a matrix (or column) per query head and K, V per K/V head, in the order
/// (batch, head, row, column); V of fp8 operands is transposed, with columns of `fp8_keys` keys: (batch, head, column,
/// key). With several splits Oacc is (batch, head, split, row, column) and LSEacc
/// (batch, head, row, split). Of the gradients dQ, dO, D and the expanded dKx and dVx have a matrix (or column) per
/// query head and dK, dV per K/V head; with several buffers dQacc is (batch, head, buffer, row, column). Types are
/// those of `dtype_of`, and Problem::o_dtype where an algorithm reads O back, or dQ.
class Tensors {
 public:
  void set(TensorName tensor, void* memory) { memory_[index_of(tensor)] = memory; }
  void* operator[](TensorName tensor) const { return memory_[index_of(tensor)]; }
  /// The memory of `tensor` as elements of type T; nullptr when it was not set.
  template <class T>
  T* at(TensorName tensor) const {
    return static_cast<T*>(memory_[index_of(tensor)]);
  }

 private:
  std::array<void*, tensor_count> memory_{};
};

/// What a launch does with a tensor.
enum class Role {
  input,     ///< reads it
  forward,   ///< reads what the forward pass left in it
  output,    ///< writes it; compared with the reference
  state,     ///< finds the algorithm's initial value in it (Kernel::prepare), reads and writes it
  workspace  ///< writes it, then reads it in a later kernel of the same launch
};

/// Whether a launch leaves the tensor as it finds it.
constexpr bool is_read_only(Role role) { return role == Role::input || role == Role::forward; }

/// A tensor of a launch.
struct Operand {
  TensorName name;
  Role role;
  DType type;
  Count elements;
};

/// The least compute capability whose machine code a tiling needs.
enum class Architecture {
  ampere,  ///< sm_80 and later
  hopper   ///< sm_90a only: wgmma, TMA
};

/// One compiled tiling of a kernel. Sizes at 0 play no part in the kernel's computation.
struct KernelTiling {
  Count block_q = 0;
  Count block_k = 0;
  Count block_d = 0;
  Count block_m = 0;
  Count block_n = 0;
  Count head_dim = 0;
  Count head_dim_v = 0;
  Count stages = 1;
  Count threads = 0;  ///< of a block, in the kernel that does most of the work
  Bytes shared;       ///< shared memory of that block, static and dynamic, when it does not count
  Bytes padding;      ///< of which is not a tile of the algorithm's block: padding, barriers
  Architecture architecture = Architecture::ampere;
  Count element_size = 0;  ///< bytes of an element of the operands that it is for; 0 for any
};

}  // namespace tilemeter::kernels
