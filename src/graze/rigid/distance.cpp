#include "graze/rigid/distance.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/model_contacts.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/distance/triangle_distance.h"
#include "graze/rigid/shapes/containment.h"
#include "graze/rigid/shapes/round_points.h"
#include "graze/rigid/shapes/shape_distance.h"

namespace graze::rigid {
namespace {

bool is_finite(const Placement& placement) {
  return placement.rotation.allFinite() && placement.offset.allFinite();
}

bool are_usable(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b) {
  return a.status() == Status::ok && b.status() == Status::ok && is_finite(at_a) && is_finite(at_b);
}

BodyDistance distance_of_half_spaces(const Placement& at_a, const Placement& at_b) {
  BodyDistance result;
  const auto point = common_point(at_a, at_b);
  if (!point) return result;
  result.hi = 0;
  result.point_a = result.point_b = *point;
  return result;
}

// Sets both bounds to 0 if a solid contains the other body, and only the lower bound if rounding
// leaves that open. The surfaces are apart.
void examine_insides(const Model& a, const Placement& at_a, const Model& b, const Placement& at_b,
                     BodyDistance& result) {
  if (!a.has_inside() && !b.has_inside()) return;
  // The error is bounded as in placing_error(), for the map of a point to the other body.
  const auto size = [](const Model& model, const Placement& at) {
    return 4 * reach_of(model) + at.offset.cwiseAbs().maxCoeff();
  };
  const double error = 0x1p-44 * (size(a, at_a) + size(b, at_b));
  const Containment found = containment(a, at_a, b, at_b, error);
  if (found.verdict == Verdict::separated) return;
  result.lo = 0;
  if (found.verdict != Verdict::contact) return;
  result.hi = 0;
  result.point_a = result.point_b = found.point;
  result.normal = Vec3::Zero();
}

// Subtracts the radii from the bounds, rounded outward. Their sum has a relative error of 2^-53.
void subtract_radii(double of_a, double of_b, BodyDistance& result) {
  const double radii = of_a + of_b;
  result.lo = std::max(result.lo - radii * (1 + 0x1p-51), 0.0) * (1 - 0x1p-50);
  result.hi = std::max(result.hi - radii * (1 - 0x1p-51), 0.0) * (1 + 0x1p-50);
  round_points(of_a, of_b, result.point_a, result.point_b);
}

}  // namespace

BodyDistance distance(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b,
                      const DistanceOptions& options, const std::atomic<bool>* stop) {
  if (!are_usable(a, at_a, b, at_b) || std::isnan(options.enough) ||
      !(options.tol >= 0 && options.tol < 1))
    return {};
  const FloatEnvironment environment;
  const Model &first = a.model(), &second = b.model();
  const double radii = a.radius() + b.radius();
  DistanceOptions core = options;
  if (radii > 0) {
    core.enough = options.enough < 0 ? -1 : options.enough + radii;
    core.tol = 0;
  }
  BodyDistance result;
  if (first.half_space && second.half_space)
    result = distance_of_half_spaces(at_a, at_b);
  else if (first.has_mesh() && second.has_mesh())
    result = distance(first, at_a, second, at_b, core, nullptr, stop);
  else
    result = distance_of_shapes(first, at_a, second, at_b, core, stop);
  if (result.lo > 0) examine_insides(first, at_a, second, at_b, result);
  if (radii > 0) subtract_radii(a.radius(), b.radius(), result);
  const double limit = std::max(options.enough, 0.0);
  if (result.hi <= options.enough) result.lo = 0;
  result.verdict = result.lo > limit    ? Verdict::separated
                   : result.hi <= limit ? Verdict::contact
                                        : Verdict::undecided;
  return result;
}

SurfaceContacts contacts_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within, std::size_t max_contacts) {
  SurfaceContacts result;
  if (!are_usable(a, at_a, b, at_b) || !(within >= 0 && std::isfinite(within))) return result;
  const FloatEnvironment environment;
  const Model &first = a.model(), &second = b.model();
  const double radii = a.radius() + b.radius();
  if (first.half_space && second.half_space) {
    const BodyDistance found = distance(a, at_a, b, at_b);
    result.verdict = found.verdict;
    if (found.verdict == Verdict::contact)
      result.list.push_back({0, 0, 0, found.point_a, found.point_b, found.normal, {}, {}});
    return result;
  }
  // The sum of the radii is rounded up, and what is subtracted below is rounded down.
  const double core = radii > 0 ? (within + radii) * (1 + 0x1p-50) : within;
  result.list = first.has_mesh() && second.has_mesh()
                    ? contacts_within(first, at_a, second, at_b, core, max_contacts)
                    : shape_contacts_within(first, at_a, second, at_b, core, max_contacts);
  if (radii > 0)
    for (SurfaceContact& contact : result.list) {
      const double upper = std::max(contact.distance - radii * (1 - 0x1p-51), 0.0);
      round_points(a.radius(), b.radius(), contact.point_a, contact.point_b);
      contact.distance = upper * (1 + 0x1p-50);
    }
  result.verdict = result.list.size() >= max_contacts ? Verdict::undecided
                   : result.list.empty()              ? Verdict::separated
                                                      : Verdict::contact;
  return result;
}

namespace {

// Return a corner and a side of a face as features.
ClosestFeature corner(const Face& face, std::size_t i) {
  return {1, {face[i], 0, 0}};
}
ClosestFeature side(const Face& face, std::size_t i) {
  const std::uint32_t u = face[i], v = face[(i + 1) % 3];
  return {2, {std::min(u, v), std::max(u, v), 0}};
}

// Returns a placed feature as a triangle; that of a vertex or an edge has no area.
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

// Two faces are at least as close as any features of theirs. So every pair of features within the
// distance belongs to a pair of faces within the distance.
SurfaceContacts features_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within) {
  SurfaceContacts result = contacts_within(a, at_a, b, at_b, within);
  if (a.vertices().empty() || b.vertices().empty()) return result;
  double largest = 0;
  for (const SurfaceContact& faces : result.list)
    largest = std::max({largest, faces.point_a.lpNorm<Eigen::Infinity>() + a.size(),
                        faces.point_b.lpNorm<Eigen::Infinity>() + b.size()});
  const double radii = a.radius() + b.radius();
  // The last term covers the rounding of triangle_distance() and of the placements.
  const double enough = within + radii + 0x1p-42 * largest;
  std::vector<SurfaceContact> features;
  for (const SurfaceContact& faces : result.list) {
    const Face &f = a.faces()[faces.face_a], &g = b.faces()[faces.face_b];
    const auto test = [&](const ClosestFeature& x, const ClosestFeature& y) {
      TriangleDistance d = triangle_distance(placed(a, at_a, x), placed(b, at_b, y));
      if (!(d.distance <= enough)) return;
      const Vec3 apart = d.a - d.b;
      const Vec3 normal = d.distance > 0x1p-30 * largest ? apart.normalized() : faces.normal;
      if (radii > 0) d.distance = round_points(a.radius(), b.radius(), d.a, d.b);
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
