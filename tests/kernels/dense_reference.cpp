#include "tests/kernels/dense_reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/kernels/expected_traffic.hpp"

using namespace tilemeter;

namespace {

std::vector<float> uniform(Count size, double magnitude, std::mt19937& generator) {
  std::vector<float> values(static_cast<std::size_t>(size));
  for (float& value : values) {
    value = static_cast<float>(magnitude * (2 * static_cast<double>(generator()) / std::mt19937::max() - 1));
  }
  return values;
}

double dot(const float* a, const float* b, Count size) {
  double sum = 0;
  for (Count i = 0; i < size; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

/// One row: returns its LSE (-infinity without keys) and adds the weighted rows of `v` to `o`.
double attend(const Problem& problem, const float* q, const float* k, const float* v, Count row, double* o) {
  std::vector<double> scores(static_cast<std::size_t>(problem.seq_k), -std::numeric_limits<double>::infinity());
  double maximum = -std::numeric_limits<double>::infinity();
  for (Count key = 0; key < problem.seq_k; ++key) {
    if (!sees(problem, row, key)) continue;
    double& score = scores[static_cast<std::size_t>(key)];
    score = dot(q, k + key * problem.head_dim, problem.head_dim) / std::sqrt(static_cast<double>(problem.head_dim));
    maximum = std::max(maximum, score);
  }
  if (std::isinf(maximum)) return maximum;
  double sum = 0;
  for (const double score : scores) sum += std::exp(score - maximum);
  for (Count key = 0; key < problem.seq_k; ++key) {
    const double weight = std::exp(scores[static_cast<std::size_t>(key)] - maximum) / sum;
    if (weight == 0) continue;
    for (Count i = 0; i < problem.head_dim_v; ++i) o[i] += weight * v[key * problem.head_dim_v + i];
  }
  return maximum + std::log(sum);
}

}  // namespace

Inputs random_inputs(const Problem& problem, double magnitude, unsigned seed) {
  std::mt19937 generator(seed);
  const Count keys = problem.batch * problem.kv_heads * problem.seq_k;
  Inputs inputs;
  inputs.q = uniform(problem.batch * problem.heads * problem.seq_q * problem.head_dim, magnitude, generator);
  inputs.k = uniform(keys * problem.head_dim, magnitude, generator);
  inputs.v = uniform(keys * problem.head_dim_v, magnitude, generator);
  return inputs;
}

Outputs dense_reference(const Problem& problem, const Inputs& inputs, double empty_lse) {
  const Count streams = problem.batch * problem.heads;
  Outputs outputs;
  outputs.o.resize(static_cast<std::size_t>(streams * problem.seq_q * problem.head_dim_v));
  outputs.lse.resize(static_cast<std::size_t>(streams * problem.seq_q));
  for (Count row = 0; row < streams * problem.seq_q; ++row) {
    const Count batch = row / problem.seq_q / problem.heads, head = row / problem.seq_q % problem.heads;
    const Count keys = (batch * problem.kv_heads + head / problem.group()) * problem.seq_k;
    const double lse = attend(problem, inputs.q.data() + row * problem.head_dim,
                              inputs.k.data() + keys * problem.head_dim, inputs.v.data() + keys * problem.head_dim_v,
                              row % problem.seq_q, outputs.o.data() + row * problem.head_dim_v);
    outputs.lse[static_cast<std::size_t>(row)] = std::isinf(lse) ? empty_lse : lse;
  }
  return outputs;
}
