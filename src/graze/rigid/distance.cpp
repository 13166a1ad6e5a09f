#include "graze/rigid/distance.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "graze/rigid/distance/model_contacts.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/distance/triangle_distance.h"

namespace graze::rigid {
namespace {

bool is_finite(const Placement& placement) {
  return placement.rotation.allFinite() && placement.offset.allFinite();
}

bool are_usable(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b) {
  return a.status() == Status::ok && b.status() == Status::ok && is_finite(at_a) && is_finite(at_b);
}

}  // namespace

BodyDistance distance(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b,
                      const DistanceOptions& options) {
  if (!are_usable(a, at_a, b, at_b) || std::isnan(options.enough) ||
      !(options.tol >= 0 && options.tol < 1))
    return {};
  return distance(a.model(), at_a, b.model(), at_b, options);
}

SurfaceContacts contacts_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within, std::size_t max_contacts) {
  SurfaceContacts result;
  if (!are_usable(a, at_a, b, at_b) || !(within >= 0 && std::isfinite(within))) return result;
  result.list = contacts_within(a.model(), at_a, b.model(), at_b, within, max_contacts);
  result.verdict = result.list.size() >= max_contacts ? Verdict::undecided
                   : result.list.empty()              ? Verdict::separated
                                                      : Verdict::contact;
  return result;
}

namespace {

// The sides and corners of a face as features.
ClosestFeature corner(const Face& face, std::size_t i) {
  return {1, {face[i], 0, 0}};
}
ClosestFeature side(const Face& face, std::size_t i) {
  const std::uint32_t u = face[i], v = face[(i + 1) % 3];
  return {2, {std::min(u, v), std::max(u, v), 0}};
}

// A vertex or an edge as a triangle without area.
Triangle placed(const Body& body, const Placement& at, const ClosestFeature& feature) {
  Triangle triangle;
  for (std::uint32_t i = 0; i < 3; ++i)
    triangle[i] = at * body.vertices()[feature.vertices[std::min(i, feature.size - 1)]];
  return triangle;
}

auto order_of(const SurfaceContact& contact) {
  return std::tuple(contact.feature_a.size, contact.feature_b.size, contact.feature_a.vertices,
                    contact.feature_b.vertices);
}

}  // namespace

// Features of two faces are no closer than the faces, so the pairs of faces within the distance
// have all features that are.
SurfaceContacts features_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within) {
  SurfaceContacts result = contacts_within(a, at_a, b, at_b, within);
  double largest = 0;
  for (const SurfaceContact& faces : result.list)
    largest = std::max({largest, faces.point_a.lpNorm<Eigen::Infinity>() + a.size(),
                        faces.point_b.lpNorm<Eigen::Infinity>() + b.size()});
  const double enough = within + 0x1p-42 * largest;  // triangle_distance() and placements round
  std::vector<SurfaceContact> features;
  for (const SurfaceContact& faces : result.list) {
    const Face &f = a.faces()[faces.face_a], &g = b.faces()[faces.face_b];
    const auto test = [&](const ClosestFeature& x, const ClosestFeature& y) {
      const TriangleDistance d = triangle_distance(placed(a, at_a, x), placed(b, at_b, y));
      if (!(d.distance <= enough)) return;
      const Vec3 apart = d.a - d.b;
      const Vec3 normal = d.distance > 0x1p-30 * largest ? apart.normalized() : faces.normal;
      features.push_back({faces.face_a, faces.face_b, d.distance, d.a, d.b, normal, x, y});
    };
    for (std::size_t i = 0; i < 3; ++i) {
      test(corner(f, i), {3, g});
      test({3, f}, corner(g, i));
      for (std::size_t j = 0; j < 3; ++j) test(side(f, i), side(g, j));
    }
  }
  std::sort(features.begin(), features.end(), [](const auto& x, const auto& y) {
    return std::tuple(order_of(x), x.face_a, x.face_b) <
           std::tuple(order_of(y), y.face_a, y.face_b);
  });
  features.erase(
      std::unique(features.begin(), features.end(),
                  [](const auto& x, const auto& y) { return order_of(x) == order_of(y); }),
      features.end());
  result.list = std::move(features);
  return result;
}

}  // namespace graze::rigid
