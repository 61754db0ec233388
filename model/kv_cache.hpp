// How many sequences fit beside the weights: the cache of keys and values of a language model.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/number_format.hpp"

namespace tilemeter {

/// What of a transformer sets the size of its weights and its cache.
struct ModelShape {
  std::string name;
  std::string source;  ///< of layers, heads and parameters
  Count layers = 0;
  Count kv_heads = 0;
  Count head_dim = 0;
  Count parameters = 0;
};

/// Models that are known by name, dense and with one cache row a token, layer and K/V head.
std::span<const ModelShape> known_models();
/// Throws InputError that starts with `option` and lists the names.
const ModelShape& find_model(std::string_view option, std::string_view name);

/// Memory, and what stands in it.
struct CacheRequest {
  ModelShape model;
  NumberFormat weights;
  NumberFormat cache;
  Count tokens = 0;  ///< of one sequence
  Bytes memory;
  Bytes reserve;  ///< kept free for activations and everything else
};

struct CacheCapacity {
  Bytes per_token;
  Bytes per_sequence;
  Bytes weights;
  Bytes room;                  ///< left for the cache; 0 when the weights do not fit
  Bytes missing;               ///< by how much weights and reserve pass the memory
  Count sequences = 0;         ///< whole ones
  double sequences_exact = 0;  ///< before rounding down
};

/// Per token 2 x layers x K/V heads x head dimension elements. Llama-3-8B with two-byte elements: 131072 B a token,
/// 1.0737 GB for 8192 tokens, (80e9 - 16.06e9) / 1.0737e9 = 59.55: 59 sequences. Throws FigureOverflow.
CacheCapacity cache_capacity(const CacheRequest& request);

}  // namespace tilemeter
