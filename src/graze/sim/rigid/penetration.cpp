#include "graze/sim/rigid/penetration.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/triangle_meet.h"
#include "graze/rigid/distance/convex_distance.h"

namespace graze::sim::rigid {
namespace {

using exact::Integer;
using exact::IntegerPoint;
using exact::IntegerTriangle;
using Triangle = std::array<Vec3, 3>;

// A pose in doubles. The entries of R are off by less than 16u: they are sums of at most four
// products of entries of q, divided by |q|^2. So R x + translation is off by less than
// 64u (|x| + |translation|) in length.
struct Placed {
  Eigen::Matrix3d rotation;
  Vec3 translation;
  double err;

  Placed(const Pose& pose, double reach)
      : rotation(pose.rotation.normalized().toRotationMatrix()),
        translation(pose.translation),
        err(0x1p-47 * (2 * reach + translation.lpNorm<1>()) + 0x1p-1000) {}
  Vec3 operator()(const Vec3& x) const { return rotation * x + translation; }
};

// |q|^2 (R x + translation) for the corners of a face, in units of one common length.
struct ExactFace {
  IntegerTriangle corners;
  Integer norm;
};

ExactFace exact_face(const graze::rigid::Model& model, std::uint32_t face, const Pose& pose,
                     const numeric::CommonScale& length) {
  numeric::CommonScale turn;
  for (const double x : pose.rotation.coeffs()) turn.include(x);
  const auto turned = [&](double c) { return exact::to_integer(turn.scaled(c)); };
  const auto scaled = [&](double c) { return exact::to_integer(length.scaled(c)); };
  const Integer w = turned(pose.rotation.w()), x = turned(pose.rotation.x()),
                y = turned(pose.rotation.y()), z = turned(pose.rotation.z());
  const Integer ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  const std::array<IntegerPoint, 3> rows = {
      {{ww + xx - yy - zz, 2 * (x * y - w * z), 2 * (x * z + w * y)},
       {2 * (x * y + w * z), ww - xx + yy - zz, 2 * (y * z - w * x)},
       {2 * (x * z - w * y), 2 * (y * z + w * x), ww - xx - yy + zz}}};
  ExactFace result{{}, ww + xx + yy + zz};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& vertex = model.vertices[model.faces[face][i]];
    for (std::size_t k = 0; k < 3; ++k)
      result.corners[i][k] = rows[k][0] * scaled(vertex[0]) + rows[k][1] * scaled(vertex[1]) +
                             rows[k][2] * scaled(vertex[2]) +
                             result.norm * scaled(pose.translation[static_cast<int>(k)]);
  }
  return result;
}

bool meet_exactly(const graze::rigid::Model& a, std::uint32_t face_a, const Pose& pose_a,
                  const graze::rigid::Model& b, std::uint32_t face_b, const Pose& pose_b) {
  numeric::CommonScale length;
  length.include(pose_a.translation);
  length.include(pose_b.translation);
  for (std::size_t i = 0; i < 3; ++i) {
    length.include(a.vertices[a.faces[face_a][i]]);
    length.include(b.vertices[b.faces[face_b][i]]);
  }
  ExactFace p = exact_face(a, face_a, pose_a, length), q = exact_face(b, face_b, pose_b, length);
  for (auto& corner : p.corners)
    for (Integer& x : corner) x *= q.norm;
  for (auto& corner : q.corners)
    for (Integer& x : corner) x *= p.norm;
  return exact::triangles_meet(p.corners, q.corners);
}

// Returns whether some direction separates the triangles, whose corners are off by at most err. The
// tested directions include a separating one whenever there is one; |n| <= 1 up to rounding.
bool clearly_apart(const Triangle& a, const Triangle& b, double err) {
  double extent = 0;
  for (const Triangle* t : {&a, &b})
    for (const Vec3& corner : *t) extent = std::max(extent, corner.lpNorm<1>());
  const double margin = 2 * err + 0x1p-48 * extent;
  const auto separates = [&](const Vec3& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return false;
    const Vec3 n = direction / length;
    const double a0 = n.dot(a[0]), a1 = n.dot(a[1]), a2 = n.dot(a[2]);
    const double b0 = n.dot(b[0]), b1 = n.dot(b[1]), b2 = n.dot(b[2]);
    return std::min({a0, a1, a2}) - std::max({b0, b1, b2}) > margin ||
           std::min({b0, b1, b2}) - std::max({a0, a1, a2}) > margin;
  };
  const std::array<Vec3, 3> u = {a[1] - a[0], a[2] - a[1], a[0] - a[2]};
  const std::array<Vec3, 3> v = {b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  const Vec3 n = u[0].cross(u[1]), m = v[0].cross(v[1]);
  if (separates(n) || separates(m)) return true;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      if (separates(u[i].cross(v[j]))) return true;
    if (separates(n.cross(u[i])) || separates(m.cross(v[i]))) return true;
  }
  return false;
}

}  // namespace

std::optional<CrossingFaces> find_crossing(const graze::rigid::Model& a, const Pose& pose_a,
                                           const graze::rigid::Model& b, const Pose& pose_b) {
  const FloatEnvironment guard;
  const Placed at_a(pose_a, a.tree.reach()), at_b(pose_b, b.tree.reach());
  const graze::rigid::RelativePlacement relative =
      graze::rigid::relative_placement({at_a.rotation, at_a.translation}, a.tree.reach(),
                                       {at_b.rotation, at_b.translation}, b.tree.reach());
  const double err = at_a.err + at_b.err + relative.err;
  const auto triangle = [](const graze::rigid::Model& model, std::uint32_t face, const Placed& at) {
    const Face& f = model.faces[face];
    return Triangle{at(model.vertices[f[0]]), at(model.vertices[f[1]]), at(model.vertices[f[2]])};
  };
  std::vector<std::array<std::uint32_t, 2>> stack = {{0, 0}};
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const graze::rigid::HullNode &x = a.tree.node(i), &y = b.tree.node(j);
    const double apart = (at_a(x.centre) - at_b(y.centre)).norm() * (1 - 0x1p-48);
    if (apart > (x.radius + y.radius) * (1 + 0x1p-48) + err) continue;
    const bool leaves = x.is_leaf() && y.is_leaf();
    if (!leaves &&
        convex_distance(polytope(a.tree, x), polytope(b.tree, y), relative, {}, err).lo > err)
      continue;
    if (leaves) {
      if (!clearly_apart(triangle(a, x.face, at_a), triangle(b, y.face, at_b), err) &&
          meet_exactly(a, x.face, pose_a, b, y.face, pose_b))
        return CrossingFaces{x.face, y.face};
    } else {
      push_parts(stack, i, x, j, y);
    }
  }
  return std::nullopt;
}

}  // namespace graze::sim::rigid
