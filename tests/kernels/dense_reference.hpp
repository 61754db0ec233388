// Attention in double precision, row by row.
#pragma once

#include <vector>

#include "model/problem.hpp"

/// Row-major inputs: q (batch, heads, seq_q, head_dim), k, v (batch, kv_heads, seq_k, head_dim or head_dim_v).
struct Inputs {
  std::vector<float> q, k, v;
};

/// o (batch, heads, seq_q, head_dim_v), lse (batch, heads, seq_q).
struct Outputs {
  std::vector<double> o, lse;
};

/// Uniform in [-magnitude, magnitude], the same for the same seed.
Inputs random_inputs(const tilemeter::Problem& problem, double magnitude, unsigned seed);

/// Softmax(Q K^T / sqrt(head_dim)) V over the pairs that the mask shows; rows without keys: o = 0, lse = `empty_lse`.
Outputs dense_reference(const tilemeter::Problem& problem, const Inputs& inputs, double empty_lse);
