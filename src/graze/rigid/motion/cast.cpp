#include "graze/rigid/motion/cast.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/triangle_distance.h"

namespace graze::rigid {

Cast::Cast(const Model& moving, const Motion& motion, const Model& mesh, const Motion& of_mesh,
           double t_max, double slack, double error)
    : motion_(motion),
      of_mesh_(of_mesh),
      mesh_(mesh),
      t_max_(t_max),
      slack_(slack),
      vertices_{moving.vertices.front(), moving.vertices.back()},
      mesh_start_(placement_at(of_mesh, 0)),
      way_(t_max * (motion.velocity - of_mesh.velocity)) {
  const Placement from = placement_at(motion, 0);
  const Eigen::Matrix3d back = mesh_start_.rotation.transpose();
  for (std::size_t i = 0; i < 2; ++i) {
    start_[i] = from * vertices_[i];
    const Vec3 x = back * (start_[i] - mesh_start_.offset);
    lo_ = i == 0 ? x : lo_.cwiseMin(x);
    hi_ = i == 0 ? x : hi_.cwiseMax(x);
  }
  lo_ -= Vec3::Constant(slack + error);
  hi_ += Vec3::Constant(slack + error);
  per_way_ = (back * way_).cwiseInverse();
}

std::optional<double> Cast::reaches(const HullTree::Box& box) const {
  double first = 0, last = 1;  // fractions of t_max
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<int>(k);
    const double near = double(box.lo[k]) - hi_[axis], far = double(box.hi[k]) - lo_[axis];
    if (std::isfinite(per_way_[axis])) {
      const double x = near * per_way_[axis], y = far * per_way_[axis];
      first = std::max(first, std::min(x, y));
      last = std::min(last, std::max(x, y));
    } else if (near > 0 || far < 0) {
      return std::nullopt;
    }
  }
  if (first > last) return std::nullopt;
  return first * t_max_ * (1 - 0x1p-50);
}

bool Cast::misses(const Face& face) {
  if (!end_) {
    const Placement to = placement_at(motion_, t_max_);
    end_ = {{to * vertices_[0], to * vertices_[1]}, placement_at(of_mesh_, t_max_)};
  }
  std::array<Vec3, 3> y0, y1;
  for (std::size_t c = 0; c < 3; ++c) {
    y0[c] = mesh_start_ * mesh_.vertices[face[c]];
    y1[c] = end_->mesh * mesh_.vertices[face[c]];
  }
  // The vertices sweep a segment or a parallelogram, seen from the mesh.
  const Vec3 p = start_[0] + way_, q = start_[1] + way_;
  TriangleDistance closest = triangle_distance({start_[0], p, start_[1]}, y0);
  if (start_[0] != start_[1]) {
    const TriangleDistance other = triangle_distance({start_[1], p, q}, y0);
    if (other.distance < closest.distance) closest = other;
  }
  if (!(closest.distance > slack_)) return false;
  const Vec3 n = (closest.a - closest.b) / closest.distance;
  const auto gap = [&](const std::array<Vec3, 2>& x, const std::array<Vec3, 3>& y) {
    return std::min(n.dot(x[0]), n.dot(x[1])) - std::max({n.dot(y[0]), n.dot(y[1]), n.dot(y[2])}) -
           slack_;
  };
  return gap(start_, y0) > 0 && gap(end_->vertices, y1) > 0;
}

}  // namespace graze::rigid
