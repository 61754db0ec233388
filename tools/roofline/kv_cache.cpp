// Sequences that fit beside the weights of a model.
#include "model/kv_cache.hpp"

#include "model/quantity.hpp"
#include "tools/options/text.hpp"
#include "tools/output/number.hpp"
#include "tools/roofline/options.hpp"
#include "tools/roofline/views.hpp"

namespace tilemeter::roofline {
namespace {

constexpr std::string_view kv_cache_view = "--kv-cache";

const std::vector<SheetColumn> kv_cache_columns = {
    {"memory_of", "memory", ""},
    {"model", "model", ""},
    {"weight_format", "weights", ""},
    {"cache_format", "cache", ""},
    {"tokens", "sequence", "tokens"},
    {"memory_bytes", "memory", "GB"},
    {"weight_bytes", "weights", "GB"},
    {"room_bytes", "room", "GB"},
    {"cache_bytes_per_token", "a token", "bytes"},
    {"cache_bytes_per_sequence", "a sequence", "GB"},
    {"sequences", "sequences", "whole"},
    {"sequences_exact", "sequences", "exact"},
};

/// Memory to fill, and whose it is.
struct Memory {
  std::string name;
  Bytes size;
};

ModelShape model_of(const Arguments& arguments) {
  const std::string name = *arguments.find("--kv-cache");
  if (name == "custom") {
    return {.name = name,
            .source = "--layers, --kv-heads, --head-dim, --parameters",
            .layers = count_of(arguments, "--layers", 1, std::nullopt, "--kv-cache custom"),
            .kv_heads = count_of(arguments, "--kv-heads", 1, std::nullopt, "--kv-cache custom"),
            .head_dim = count_of(arguments, "--head-dim", 1, std::nullopt, "--kv-cache custom"),
            .parameters = count_of(arguments, "--parameters", 1, std::nullopt, "--kv-cache custom")};
  }
  for (const std::string_view option : {"--layers", "--kv-heads", "--head-dim", "--parameters"}) {
    if (!arguments.has(option)) continue;
    throw InputError(quote(option, *arguments.find(option)) + " contradicts --kv-cache " + name +
                     ": give it with --kv-cache custom");
  }
  return find_model("--kv-cache", name);
}

std::vector<Memory> memories_of(const Arguments& arguments, const std::vector<Device>& devices) {
  if (const auto given = arguments.find("--memory")) {
    return {{"--memory " + *given, parse_bytes(*given, "--memory", ByteUnits::binary_or_decimal)}};
  }
  std::vector<Memory> memories;
  for (const Device& device : devices) memories.push_back({device.name, device.hbm.size});
  return memories;
}

SheetCell gigabytes(Bytes bytes) {
  return {.value = bytes.value(), .text = fixed(static_cast<double>(bytes.value()) / 1e9, 4)};
}

std::vector<SheetCell> row_of(const Memory& memory, const CacheRequest& request) {
  const CacheCapacity capacity = cache_capacity(request);
  return {words(memory.name),
          words(request.model.name),
          words(format_text(request.weights)),
          words(format_text(request.cache)),
          count(request.tokens),
          gigabytes(request.memory),
          gigabytes(capacity.weights),
          gigabytes(capacity.room),
          count(capacity.per_token.value()),
          gigabytes(capacity.per_sequence),
          count(capacity.sequences),
          real(capacity.sequences_exact, 2)};
}

std::vector<std::string> notes_of(const ModelShape& model, Bytes reserve) {
  return {model.name + ": " + std::to_string(model.layers) + " layers, " + std::to_string(model.kv_heads) +
              " K/V heads, head dimension " + std::to_string(model.head_dim) + ", " +
              with_separators(model.parameters) + " parameters; " + model.source,
          "a token takes 2 x layers x K/V heads x head dimension elements in the cache",
          "GB are decimal (1e9 bytes); \"80 GB\" of a data sheet is taken as 80e9, --memory 80GiB as 80 x 2^30",
          reserve == Bytes(0) ? "nothing is kept free for activations, workspace or fragmentation (--reserve)"
                              : "kept free: " + with_separators(reserve.value()) + " bytes (--reserve)",
          "one GPU holds all weights and whole sequences, no prefix is shared; give --memory 640GB for eight"};
}

}  // namespace

Result kv_cache(const Arguments& arguments) {
  Result result;
  if (arguments.has("--device") || !arguments.has("--memory")) {
    result.devices = devices_of(arguments, NoDevice::refused);
  }
  const ModelShape model = model_of(arguments);
  const Count tokens = count_of(arguments, "--tokens", 1, std::nullopt, kv_cache_view);
  const Bytes reserve =
      parse_bytes(arguments.find("--reserve").value_or("0B"), "--reserve", ByteUnits::binary_or_decimal, Zero::allowed);
  result.sheet.title = "KV cache: sequences that fit beside the weights";
  result.sheet.columns = kv_cache_columns;
  result.sheet.notes = notes_of(model, reserve);
  for (const Memory& memory : memories_of(arguments, result.devices)) {
    for (const NumberFormat& weights : formats_of(arguments, "--weight-dtype", "bf16")) {
      for (const NumberFormat& cache : formats_of(arguments, "--cache-dtype", "bf16")) {
        const CacheRequest request{model, weights, cache, tokens, memory.size, reserve};
        result.sheet.rows.push_back(row_of(memory, request));
        const Bytes missing = cache_capacity(request).missing;
        if (missing == Bytes(0)) continue;
        result.sheet.notes.push_back(memory.name + ": weights" + (reserve == Bytes(0) ? "" : " and reserve") +
                                     " alone pass it by " + with_separators(missing.value()) + " bytes");
      }
    }
  }
  return result;
}

}  // namespace tilemeter::roofline
