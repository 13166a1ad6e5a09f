#include "graze/sim/rigid/contacts/manifold.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/convex_distance.h"
#include "graze/rigid/distance/model_contacts.h"

namespace graze::sim::rigid {
namespace {

struct Facing {
  const ShapeFace* face = nullptr;
  double cosine = -1;
};

// Returns the face whose normal is closest to n, in coordinates of the body.
Facing facing(const ShapeData& shape, const Vec3& n) {
  Facing best;
  for (const ShapeFace& face : shape.faces)
    if (const double cosine = face.normal.dot(n); cosine > best.cosine) best = {&face, cosine};
  return best;
}

// Returns the part of the polygon on the inner side of the plane.
std::vector<Vec3> clipped(const std::vector<Vec3>& polygon, const Vec3& inward, const Vec3& on) {
  std::vector<Vec3> result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double hp = inward.dot(p - on), hq = inward.dot(q - on);
    if (hp >= 0) result.push_back(p);
    if ((hp < 0 && hq > 0) || (hp > 0 && hq < 0)) result.push_back(p + hp / (hp - hq) * (q - p));
  }
  return result;
}

// Keeps four points that span about the same area as all: the nearest, the one furthest from it,
// the one furthest from the line through both, and the one furthest on the other side of that line.
void keep_four(std::vector<ManifoldPoint>& points) {
  if (points.size() <= 4) return;
  const auto take = [&](std::size_t place, const auto& value) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(place);
    std::iter_swap(begin, std::max_element(begin, points.end(), [&](const auto& x, const auto& y) {
                     return value(x) < value(y);
                   }));
  };
  take(0, [](const ManifoldPoint& p) { return -p.distance; });
  const Vec3 first = points[0].point, normal = points[0].normal;
  take(1, [&](const ManifoldPoint& p) { return (p.point - first).squaredNorm(); });
  const Vec3 across = normal.cross(points[1].point - first);
  take(2, [&](const ManifoldPoint& p) { return std::abs(across.dot(p.point - first)); });
  const double side = across.dot(points[2].point - first) > 0 ? -1 : 1;
  take(3, [&](const ManifoldPoint& p) { return side * across.dot(p.point - first); });
  points.resize(4);
}

// Appends the corners of `other_face` clipped to the prism over `face`. `first`: the face belongs
// to body a.
void clip_faces(const ShapeData& shape, const ShapeFace& face, const graze::rigid::Placement& at,
                const ShapeData& other, const ShapeFace& other_face,
                const graze::rigid::Placement& other_at, bool first, double reach,
                std::vector<ManifoldPoint>& points) {
  const Vec3 out = at.rotation * face.normal;
  std::vector<Vec3> polygon;
  for (const std::uint32_t corner : other_face.corners)
    polygon.push_back(other_at * other.model.vertices[corner]);
  const auto corner = [&](std::size_t i) {
    return Vec3(at * shape.model.vertices[face.corners[i % face.corners.size()]]);
  };
  const Vec3 on = corner(0);
  for (std::size_t i = 0; i < face.corners.size(); ++i) {
    const Vec3 p = corner(i);
    polygon = clipped(polygon, out.cross(corner(i + 1) - p), p);
  }
  for (const Vec3& p : polygon) {
    const double distance = out.dot(p - on);
    if (distance <= reach && distance >= 0)
      points.push_back({p - distance / 2 * out, first ? Vec3(-out) : out, distance});
  }
  keep_four(points);
}

std::vector<ManifoldPoint> convex_manifold(const ShapeData& a, const graze::rigid::Placement& at_a,
                                           const ShapeData& b, const graze::rigid::Placement& at_b,
                                           double reach) {
  const graze::rigid::HullTree &x = a.model.tree, &y = b.model.tree;
  const graze::rigid::PolytopeView p = polytope(x, x.node(0)), q = polytope(y, y.node(0));
  const graze::rigid::RelativePlacement relative =
      relative_placement(at_a, x.reach(), at_b, y.reach());
  const graze::rigid::ConvexDistance near = convex_distance(p, q, relative, {}, reach, 1e-6);
  std::vector<ManifoldPoint> points;
  if (near.lo > reach || near.normal.isZero(0)) return points;
  const Vec3 normal = (at_a.rotation * near.normal).normalized();  // from b to a
  const Facing of_a = facing(a, -near.normal), of_b = facing(b, at_b.rotation.transpose() * normal);
  constexpr double flat = 0.995;  // cosine: a face further from the normal than this does not touch
  const Vec3 on_a = at_a * near.point_a, on_b = at_a * near.point_b;
  const double distance = (on_a - on_b).norm();
  double by_face = -1;  // distance along the normal of the face
  if (std::max(of_a.cosine, of_b.cosine) > flat && of_a.face && of_b.face) {
    const bool of_b_first = of_b.cosine >= of_a.cosine;
    if (of_b_first)
      clip_faces(b, *of_b.face, at_b, a, *of_a.face, at_a, false, reach, points);
    else
      clip_faces(a, *of_a.face, at_a, b, *of_b.face, at_b, true, reach, points);
    const Vec3 out = of_b_first ? Vec3(relative.rotation * of_b.face->normal) : -of_a.face->normal;
    by_face = separation_along(p, q, relative, out);
  }
  // An edge may be nearer than a face whose normal has nearly the same direction.
  if (points.empty() || by_face < 0.9 * distance)
    points.push_back({(on_a + on_b) / 2, normal, distance});
  return points;
}

// Keeps at most `most` points: the first, then in turn the one furthest from those kept. (The
// nearest points may all be on one side of a body, which then turns about them.) Points whose
// normals differ count as apart, by up to twice the radius.
void keep_spread(std::vector<ManifoldPoint>& points, std::size_t most, double radius) {
  if (points.size() <= most) return;
  std::vector<double> apart(points.size(), std::numeric_limits<double>::infinity());
  for (std::size_t kept = 1; kept < most; ++kept) {
    const ManifoldPoint& last = points[kept - 1];
    std::size_t best = kept;
    for (std::size_t i = kept; i < points.size(); ++i) {
      apart[i] =
          std::min(apart[i], (points[i].point - last.point).squaredNorm() +
                                 radius * radius * (points[i].normal - last.normal).squaredNorm());
      if (apart[i] > apart[best]) best = i;
    }
    std::swap(points[kept], points[best]);
    std::swap(apart[kept], apart[best]);
  }
  points.resize(most);
}

std::vector<ManifoldPoint> mesh_manifold(const ShapeData& a, const graze::rigid::Placement& at_a,
                                         const ShapeData& b, const graze::rigid::Placement& at_b,
                                         double reach) {
  constexpr std::size_t most = 32;
  auto found = contacts_within(a.model, at_a, b.model, at_b, reach);
  std::sort(found.begin(), found.end(),
            [](const auto& x, const auto& y) { return x.distance < y.distance; });
  const double spread = 0.02 * std::min(a.radius, b.radius);
  std::vector<ManifoldPoint> points;
  for (const auto& near : found) {
    if (near.normal.isZero(0)) continue;
    const Vec3 point = (near.point_a + near.point_b) / 2;
    const bool is_new = std::none_of(points.begin(), points.end(), [&](const ManifoldPoint& kept) {
      return (kept.point - point).norm() < spread && kept.normal.dot(near.normal) > 0.9;
    });
    if (is_new) points.push_back({point, near.normal, near.distance});
  }
  keep_spread(points, most, std::min(a.radius, b.radius));
  return points;
}

}  // namespace

Separation convex_separation(const ShapeData& a, const graze::rigid::Placement& at_a,
                             const ShapeData& b, const graze::rigid::Placement& at_b) {
  const graze::rigid::HullTree &x = a.model.tree, &y = b.model.tree;
  const graze::rigid::PolytopeView p = polytope(x, x.node(0)), q = polytope(y, y.node(0));
  const graze::rigid::RelativePlacement relative =
      relative_placement(at_a, x.reach(), at_b, y.reach());
  const graze::rigid::ConvexDistance near = convex_distance(p, q, relative);
  double best = near.lo;
  Vec3 normal = near.normal;
  const auto offer = [&](const Vec3& n) {
    const double distance = separation_along(p, q, relative, n);
    if (distance > best) best = distance, normal = n;
  };
  constexpr double flat = 0.99;
  if (const Facing face = facing(a, -near.normal); face.cosine > flat) offer(-face.face->normal);
  if (const Facing face = facing(b, relative.rotation.transpose() * near.normal);
      face.cosine > flat)
    offer(relative.rotation * face.face->normal);
  return {best - relative.err, (at_a.rotation * normal).normalized()};
}

std::vector<ManifoldPoint> find_manifold(const ShapeData& a, const graze::rigid::Placement& at_a,
                                         const ShapeData& b, const graze::rigid::Placement& at_b,
                                         double reach) {
  const FloatEnvironment environment;
  return a.convex && b.convex ? convex_manifold(a, at_a, b, at_b, reach)
                              : mesh_manifold(a, at_a, b, at_b, reach);
}

}  // namespace graze::sim::rigid
