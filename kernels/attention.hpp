// What a launcher of an attention kernel takes.
#pragma once

#include "model/problem.hpp"
#include "model/work.hpp"

struct CUstream_st;

namespace tilemeter::kernels {

/// A CUDA stream (the same type as cudaStream_t); nullptr is the default stream.
using Stream = CUstream_st*;

/// Device memory of a forward pass, row-major without gaps, every pointer aligned to 16 bytes:
/// q (batch, heads, seq_q, head_dim), k (batch, kv_heads, seq_k, head_dim), v (batch, kv_heads, seq_k, head_dim_v),
/// o (batch, heads, seq_q, head_dim_v), lse (batch, heads, seq_q). q k v o hold Problem::dtype, lse the stat_dtype.
struct ForwardTensors {
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  void* lse = nullptr;
};

/// One compiled tiling of a kernel, with what its block occupies on an SM.
struct KernelTiling {
  Count block_q = 0;
  Count block_k = 0;
  Count head_dim = 0;
  Count head_dim_v = 0;
  Count threads = 0;
  Bytes shared;  ///< dynamic shared memory of the kernel that does not count
};

}  // namespace tilemeter::kernels
