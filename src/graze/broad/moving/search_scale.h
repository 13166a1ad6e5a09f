#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "graze/vec3.h"

namespace graze::broad {

// A non-decreasing map from doubles to finite floats with the best resolution around `middle`.
class Rounding {
 public:
  Rounding(double middle, double scale) : middle_(middle), scale_(scale) {}
  float operator()(double x) const {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp((x - middle_) * scale_, -most, most));
  }

 private:
  double middle_, scale_;
};

// The numbers that a search derives from a sample of the mesh. The pairs that moving_tree() reports
// depend on the scale and on the two features of a pair alone, so parts of one mesh that are
// searched with the scale of the whole mesh have the pairs of the whole mesh.
struct SearchScale {
  std::array<Rounding, 3> rounding;  // one per axis
  double motion;                     // relative_motion()
};

// The samples consist of the vertices, or edges, 0, stride, 2 * stride, ... below the count.
inline std::size_t vertex_sample_stride(std::size_t vertices) {
  return vertices / 1024 + 1;
}
inline std::size_t edge_sample_stride(std::size_t edges) {
  return edges / 4096 + 1;
}

// Returns the maps of the three axes for a sample of the positions, not empty: the middle is the
// median of the sample, the unit of length about the median distance from it.
std::array<Rounding, 3> roundings(std::span<const Vec3> sample);

}  // namespace graze::broad
