#include "graze/broad/moving/search_scale.h"

#include <cmath>
#include <vector>

namespace graze::broad {
namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::array<Rounding, 3> roundings(std::span<const Vec3> sample) {
  std::array<double, 3> middle;
  double reach = 0;
  std::vector<double> values;
  for (int k = 0; k < 3; ++k) {
    values.clear();
    for (const Vec3& position : sample) values.push_back(position[k]);
    middle[static_cast<std::size_t>(k)] = median(values);
    for (double& x : values) x = std::abs(x / 2 - middle[static_cast<std::size_t>(k)] / 2);
    reach = std::max(reach, median(values));
  }
  const double scale = reach > 0 ? std::ldexp(1.0, std::min(-std::ilogb(reach), 1000)) : 1;
  return {Rounding(middle[0], scale), Rounding(middle[1], scale), Rounding(middle[2], scale)};
}

}  // namespace graze::broad
