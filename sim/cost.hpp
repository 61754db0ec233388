// What the verbs cost in operations on single numbers, as GPU kernels carry them out: a multiplication and an addition
// are one fused operation, two numbers are converted to 16 bits at once, the factor of a softmax is folded into the
// exponent's. Work on one number a row, initial values and masks (kernels mask only tiles that a boundary crosses) are
// left out.
#pragma once

#include "model/wide.hpp"
#include "sim/tile.hpp"

namespace tilemeter {

/// Operations for each element: multiply-adds, and half as many maxima and conversions as `alu_per_pair`.
struct PerElement {
  Count fma = 0;
  Count alu_per_pair = 0;
};

inline Scalars scalars_of(const Shape& shape, PerElement each) {
  const Count elements = shape.elements().value();
  return {.fma = checked::multiply(elements, each.fma), .alu = (Wide(elements) * each.alu_per_pair + 1).narrow() / 2};
}

/// exp(s - m): one multiply-add for the exponent, one conversion of the result.
inline constexpr PerElement exponent_cost = {.fma = 1, .alu_per_pair = 1};
/// The same with the sum of each row.
inline constexpr PerElement softmax_cost = {.fma = 2, .alu_per_pair = 1};
/// exp(s - m) / l.
inline constexpr PerElement normalised_exponent_cost = {.fma = 2, .alu_per_pair = 1};
/// A softmax of whole rows, divided by its sums.
inline constexpr PerElement whole_softmax_cost = {.fma = 3, .alu_per_pair = 1};
/// One multiplication or addition.
inline constexpr PerElement one_fma = {.fma = 1};
/// One, whose result is stored with 16 bits.
inline constexpr PerElement one_fma_converted = {.fma = 1, .alu_per_pair = 1};
/// P (dP - D), converted.
inline constexpr PerElement gradient_cost = {.fma = 2, .alu_per_pair = 1};
/// One maximum. That of a row is known before its first exponent, so it is an op of its own.
inline constexpr PerElement one_maximum = {.alu_per_pair = 2};
/// An element that enters m and l: two exponents, a sum, a maximum.
inline constexpr PerElement normaliser_cost = {.fma = 3, .alu_per_pair = 2};
/// A weight: conversion and scale.
inline constexpr PerElement dequantise_cost = {.fma = 1, .alu_per_pair = 2};
/// A random number and its comparison: ten rounds of Philox4x32 give four numbers (Salmon et al., 2011), about 16
/// integer operations each; and the product.
inline constexpr PerElement dropout_cost = {.fma = 1, .alu_per_pair = 32};

}  // namespace tilemeter
