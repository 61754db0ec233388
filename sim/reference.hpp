// What each computation reads, what it must give, in double precision.
#pragma once

#include <cstdint>
#include <span>

#include "model/closed_form/formula.hpp"
#include "sim/elementwise_numerics.hpp"
#include "sim/random.hpp"
#include "sim/values.hpp"

namespace tilemeter {

struct Algorithm;

/// Sizes that errors of a tensor are relative to, where its own norm will not do.
using Norms = std::map<TensorName, double>;

/// The oracle of one computation.
struct Reference {
  Computation computation;
  std::span<const TensorName> outputs;     ///< what runs are compared in
  Values (*inputs)(const Case&, Normal&);  ///< random operands, rounded to their types in memory
  Values (*outputs_of)(const Algorithm&, const Case&, const Values& inputs);
  /// Adds what an earlier pass left in memory for the algorithm to read; absent when there is none.
  void (*add_state)(const Algorithm&, const Case&, Values& inputs) = nullptr;
  /// Absent where the norms of the outputs do.
  Norms (*norms_of)(const Algorithm&, const Case&, const Values& inputs) = nullptr;
  /// How often an output is rounded to its type in memory on its way; independent roundings add up as a square root,
  /// and so does the tolerance. Once where absent.
  Count (*roundings)(const Case&) = nullptr;
};

/// Throws InputError for a computation without numbers.
const Reference& reference_of(Computation computation);

/// Standard normal operands from `seed`, rounded to their types, for `algorithm`'s computation.
Values random_inputs(const Algorithm& algorithm, const Case& point, std::uint64_t seed);

/// What `algorithm` must leave in memory.
Values expected_outputs(const Algorithm& algorithm, const Case& point, const Values& inputs);

/// What errors of its outputs are relative to, beside their own norms.
Norms expected_norms(const Algorithm& algorithm, const Case& point, const Values& inputs);
/// The tolerance of a point relative to that of a single rounding.
double tolerance_growth(const Algorithm& algorithm, const Case& point);

// Attention.

enum class Dropout { none, fixed };

/// Q per stream, K and V per K/V head.
Values attention_inputs(const Problem& problem, std::uint64_t seed);

/// O and LSE in double precision, 64 rows at a time, with masked rows as zeros and `empty_lse` as their LSE.
Values attention_reference(const Problem& problem, const Values& inputs, Dropout dropout, double empty_lse);

/// The LSE that `algorithm` writes for a row without keys.
double empty_lse_of(const Algorithm& algorithm, const Options& options);

Values inputs_of_attention(const Case& point, Normal& normal);
Values outputs_of_attention(const Algorithm& algorithm, const Case& point, const Values& inputs);

// Its gradients.

/// Q, K, V as for attention, and dO per stream.
Values inputs_of_gradients(const Case& point, Normal& normal);

/// Adds those of O, LSE, l, m, P, Pd, Z that `algorithm` reads, from a forward pass in double precision.
void add_forward_results(const Algorithm& algorithm, const Case& point, Values& inputs);

/// dQ, dK, dV in double precision, of Q, K, V and dO alone, 64 rows at a time; dK and dV summed over the query heads of
/// a group.
Values gradients_reference(const Problem& problem, const Values& inputs, Dropout dropout);

Values outputs_of_gradients(const Algorithm& algorithm, const Case& point, const Values& inputs);

/// dQ and dK are a difference of two terms, by dS = P o dP - P o D, that cancel when a row sees one key: the norms of
/// the first.
Norms norms_of_gradients(const Algorithm& algorithm, const Case& point, const Values& inputs);
/// P, dS, D and the gradient itself, or what they are made of, are rounded one after the other.
Count gradient_roundings(const Case& point);
// Linear attention.

/// O = (Q K^T, zero where the mask hides) V in double precision; Q and K are what the feature map gave.
Values outputs_of_linear_attention(const Algorithm& algorithm, const Case& point, const Values& inputs);
/// Terms of a row may cancel, so errors are relative to the root of the sum of their squares too.
Norms norms_of_linear_attention(const Algorithm& algorithm, const Case& point, const Values& inputs);
// Matrix products: A, B and C per problem of the batch.

Values inputs_of_gemm(const Case& point, Normal& normal);
Values outputs_of_gemm(const Algorithm& algorithm, const Case& point, const Values& inputs);

// Layers: X, W as d_out rows of d_in weights, the scales of their groups, and Y.

Values inputs_of_layer(const Case& point, Normal& normal);
Values outputs_of_layer(const Algorithm& algorithm, const Case& point, const Values& inputs);

// Softmax: X and Y.

Values inputs_of_softmax(const Case& point, Normal& normal);
Values outputs_of_softmax(const Algorithm& algorithm, const Case& point, const Values& inputs);

// Elementwise chains: X, a row of `side` for each side input, and Y.

Values inputs_of_chain(const Case& point, Normal& normal);
Values outputs_of_chain(const Algorithm& algorithm, const Case& point, const Values& inputs);

}  // namespace tilemeter
