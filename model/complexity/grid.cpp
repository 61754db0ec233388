#include "model/complexity/grid.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tilemeter::complexity {
namespace {

Count& along(Scale& scale, Axis axis) {
  switch (axis) {
    case Axis::seq:
      return scale.seq;
    case Axis::head_dim:
      return scale.head_dim;
    case Axis::capacity:
      break;
  }
  return scale.capacity;
}

void append(std::string& text, std::string_view name, Count least, Count most) {
  text += (text.empty() ? "" : ", ") + std::string(name) + " = " + std::to_string(least);
  if (most != least) text += " to " + std::to_string(most);
}

template <class Size>
void append_range(std::string& text, std::string_view name, const std::vector<Scale>& points, Size size) {
  const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                 [&](const Scale& a, const Scale& b) { return size(a) < size(b); });
  append(text, name, size(*least), size(*most));
}

Grid along_axis(const Scale& base, Axis axis, const std::vector<Count>& sizes) {
  std::vector<Scale> points;
  for (const Count size : sizes) {
    points.push_back(base);
    along(points.back(), axis) = size;
  }
  return grid_of(std::move(points));
}

/// An integer of [least, most], uniform in its logarithm. From the engine's bits alone, because the distributions of
/// the standard library differ between libraries.
Count log_uniform(std::mt19937_64& random, double least, double most) {
  const double share = static_cast<double>(random() >> 11) * 0x1p-53;
  return static_cast<Count>(std::llround(least * std::pow(most / least, share)));
}

}  // namespace

Grid grid_of(std::vector<Scale> points) {
  std::string range;
  append_range(range, "N", points, [](const Scale& scale) { return scale.seq; });
  append_range(range, "d", points, [](const Scale& scale) { return scale.head_dim; });
  append_range(range, "M", points, [](const Scale& scale) { return scale.capacity; });
  if (points.front().keys_back) {
    append_range(range, "keys back", points, [](const Scale& scale) { return scale.keys_back.value_or(scale.seq); });
  }
  return {std::move(points), std::move(range)};
}

Grid doubling(const Scale& base, Axis axis, Count from, Count to) {
  std::vector<Count> sizes;
  for (Count size = from; size <= to; size *= 2) sizes.push_back(size);
  return along_axis(base, axis, sizes);
}

Grid unaligned(const Scale& base, Axis axis, Count from, Count to, Count points) {
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  std::vector<Count> sizes;
  for (Count i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const Count size = std::llround(static_cast<double>(from) * std::pow(ratio, share));
    if (sizes.empty() || size > sizes.back()) sizes.push_back(size);
  }
  return along_axis(base, axis, sizes);
}

Grid random_points(std::uint64_t seed, Count count) {
  std::mt19937_64 random(seed);
  std::vector<Scale> points;
  while (static_cast<Count>(points.size()) < count) {
    Scale scale;
    scale.seq = log_uniform(random, 4096, 1 << 20);
    scale.head_dim = log_uniform(random, 16, 256);
    const Count least = scale.head_dim * (8 * scale.head_dim + 17);
    const Count most = scale.seq * scale.head_dim / 8;
    if (least >= most) continue;
    scale.capacity = log_uniform(random, static_cast<double>(least), static_cast<double>(most));
    points.push_back(scale);
  }
  return grid_of(std::move(points));
}

Grid bands(const Scale& base, Count from, Count to) {
  std::vector<Scale> points;
  for (Count back = from; back <= to; back *= 2) {
    points.push_back(base);
    points.back().keys_back = back;
  }
  return grid_of(std::move(points));
}

}  // namespace tilemeter::complexity
