// The values of one option, and the grid that several options span.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/request.hpp"

namespace tilemeter {

/// An option with `size` values; `apply` writes value number i into a request.
struct Axis {
  std::string option;
  std::size_t size = 1;
  std::function<void(PointRequest&, std::size_t)> apply;
};

/// An axis over `values`, each written by `write(request, value)`.
template <class Value, class Write>
Axis axis_of(std::string_view option, std::vector<Value> values, Write write) {
  const std::size_t size = values.size();
  return {std::string(option), size,
          [values = std::move(values), write](PointRequest& request, std::size_t i) { write(request, values[i]); }};
}

/// The Cartesian product of axes; the last axis changes fastest.
class PointGrid {
 public:
  explicit PointGrid(std::vector<Axis> axes);

  /// Number of points. At most most_points.
  std::size_t size() const { return size_; }
  PointRequest operator[](std::size_t point) const;
  const std::vector<Axis>& axes() const { return axes_; }

  static constexpr std::size_t most_points = 100'000'000;

 private:
  std::vector<Axis> axes_;
  std::size_t size_ = 1;
};

}  // namespace tilemeter
