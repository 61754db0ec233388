// The names of the tensors that algorithms keep in device memory.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tilemeter {

/// Tensors of attention, as the papers call them. Z is the dropout keep-mask, Pd the dropped-out P.
enum class TensorName { Q, K, V, O, S, P, mask, Z, Pd, l, m, LSE };

inline constexpr std::array<std::string_view, 12> tensor_names = {"Q",    "K", "V",  "O", "S", "P",
                                                                  "mask", "Z", "Pd", "l", "m", "LSE"};
inline constexpr std::size_t tensor_count = tensor_names.size();

constexpr std::size_t index_of(TensorName tensor) { return static_cast<std::size_t>(tensor); }
constexpr std::string_view name_of(TensorName tensor) { return tensor_names[index_of(tensor)]; }

}  // namespace tilemeter
