#include "model/kv_cache.hpp"

#include <array>

#include "model/suggest.hpp"

namespace tilemeter {
namespace {

constexpr const char* llama2 =
    "Touvron et al., Llama 2, 2023, and the published configuration: layers, heads; parameters are the sum of its "
    "weight shapes";
constexpr const char* llama3 =
    "Llama Team, The Llama 3 Herd of Models, 2024, table 3, and the published configuration: layers, heads; parameters "
    "are the sum of its weight shapes";

const std::array<ModelShape, 6> models = {{
    {"llama-2-7b", llama2, 32, 32, 128, 6'738'415'616},
    {"llama-2-70b", llama2, 80, 8, 128, 68'976'648'192},
    {"llama-3-8b", llama3, 32, 8, 128, 8'030'261'248},
    {"llama-3-70b", llama3, 80, 8, 128, 70'553'706'496},
    {"llama-3.1-405b", llama3, 126, 8, 128, 405'853'388'800},
    {"mistral-7b-v0.3",
     "Jiang et al., Mistral 7B, 2023, and the published configuration of version 0.3 (32,768 words, no window): "
     "layers, heads; parameters are the sum of its weight shapes",
     32, 8, 128, 7'248'023'552},
}};

}  // namespace

std::span<const ModelShape> known_models() { return models; }

const ModelShape& find_model(std::string_view option, std::string_view name) {
  std::vector<std::string_view> names;
  for (const ModelShape& model : models) {
    if (model.name == name) return model;
    names.emplace_back(model.name);
  }
  throw InputError(std::string(option) + " " + std::string(name) + ": unknown model" + suggestion(name, names) +
                   "; the models are: " + joined(names) +
                   "; or custom, with --layers, --kv-heads, --head-dim and --parameters");
}

CacheCapacity cache_capacity(const CacheRequest& request) {
  const ModelShape& model = request.model;
  return named("the KV cache", [&] {
    const Count elements =
        checked::multiply(checked::multiply(2, model.layers), checked::multiply(model.kv_heads, model.head_dim));
    CacheCapacity capacity;
    capacity.per_token = request.cache.stored(elements);
    capacity.per_sequence = request.cache.stored(checked::multiply(elements, request.tokens));
    capacity.weights = request.weights.stored(model.parameters);
    const Bytes taken = capacity.weights + request.reserve;
    if (taken > request.memory) {
      capacity.missing = taken - request.memory;
      return capacity;
    }
    capacity.room = request.memory - taken;
    capacity.sequences = capacity.room.value() / capacity.per_sequence.value();
    capacity.sequences_exact =
        static_cast<double>(capacity.room.value()) / static_cast<double>(capacity.per_sequence.value());
    return capacity;
  });
}

}  // namespace tilemeter
