#include "tools/options/axis.hpp"

#include "model/error.hpp"

namespace tilemeter {

PointGrid::PointGrid(std::vector<Axis> axes) : axes_(std::move(axes)) {
  for (const Axis& axis : axes_) {
    if (axis.size > most_points / size_) {
      throw InputError(axis.option + " with " + std::to_string(axis.size) + " values: the sweep would have more than " +
                       std::to_string(most_points) + " points; give fewer values");
    }
    size_ *= axis.size;
  }
}

PointRequest PointGrid::operator[](std::size_t point) const {
  PointRequest request;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].apply(request, point % axes_[i].size);
    point /= axes_[i].size;
  }
  return request;
}

}  // namespace tilemeter
