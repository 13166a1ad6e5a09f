#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/body.h"
#include "graze/rigid/distance.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/shapes/compound_parts.h"
#include "graze/rigid/shapes/containment.h"
#include "graze/rigid/shapes/convex_parts.h"
#include "graze/rigid/shapes/depth.h"
#include "graze/rigid/shapes/grid_parts.h"
#include "graze/rigid/shapes/mesh_parts.h"
#include "graze/rigid/shapes/solid.h"

namespace graze::rigid {
namespace {

constexpr double largest = 0x1p300;

bool is_length(double x) {
  return x >= 0 && x <= largest;
}
bool is_positive(double x) {
  return x > 0 && x <= largest;
}
bool is_point(const Vec3& x) {
  return x.cwiseAbs().maxCoeff() <= largest && x.allFinite();
}

Body bad_body() {
  Model model;
  model.status = Status::bad_size;
  return Body(std::make_shared<const Model>(std::move(model)));
}

// Returns the body of a shape without a mesh, in a box from lo to hi, that contains `point`.
Body shape_body(std::shared_ptr<const Parts> parts, bool convex, const Vec3& lo, const Vec3& hi,
                const Vec3& point) {
  Model model;
  model.status = Status::ok;
  model.parts = std::move(parts);
  model.convex = convex;
  model.lo = lo;
  model.hi = hi;
  model.size = (hi - lo).stableNorm();
  model.islands = {point};
  return Body(std::make_shared<const Model>(std::move(model)));
}

// Returns the body of a convex polytope with a mesh.
Body polytope_body(std::vector<Vec3> vertices, std::vector<Face> faces, bool solid, double radius) {
  auto parts = convex_points(vertices);
  Model model = make_model(std::move(vertices), std::move(faces), {.solid = solid});
  model.parts = std::move(parts);
  model.convex = true;
  model.degenerate = 0;  // points and segments are intended
  return Body(std::make_shared<const Model>(std::move(model)), radius);
}

bool is_finite_placement(const Placement& at) {
  return at.rotation.allFinite() && at.offset.allFinite();
}

SignedDistance with_verdict(SignedDistance result) {
  result.verdict = result.lo > 0    ? Verdict::separated
                   : result.hi <= 0 ? Verdict::contact
                                    : Verdict::undecided;
  return result;
}

}  // namespace

Body rounded(const Body& body, double radius) {
  if (body.status() != Status::ok) return body;
  const double sum = body.radius() + radius;
  if (!is_length(radius) || !is_length(sum)) return bad_body();
  return body.with_radius(sum);
}

Body make_sphere(double radius) {
  const FloatEnvironment environment;
  return is_length(radius) ? polytope_body({Vec3::Zero()}, {{0, 0, 0}}, false, radius) : bad_body();
}

Body make_capsule(const Vec3& from, const Vec3& to, double radius) {
  const FloatEnvironment environment;
  if (!is_point(from) || !is_point(to) || !is_length(radius)) return bad_body();
  return polytope_body({from, to}, {{0, 1, 1}}, false, radius);
}

Body make_box(const Vec3& half_extents) {
  const FloatEnvironment environment;
  if (!is_point(half_extents) || !(half_extents.minCoeff() >= 0)) return bad_body();
  std::vector<Vec3> corners;
  for (const double z : {-1, 1})
    for (const double y : {-1, 1})
      for (const double x : {-1, 1}) corners.push_back(half_extents.cwiseProduct(Vec3(x, y, z)));
  return polytope_body(std::move(corners),
                       {{0, 2, 1},
                        {1, 2, 3},
                        {4, 5, 6},
                        {5, 7, 6},
                        {0, 1, 4},
                        {1, 5, 4},
                        {2, 6, 3},
                        {3, 6, 7},
                        {0, 4, 2},
                        {2, 4, 6},
                        {1, 3, 5},
                        {3, 7, 5}},
                       true, 0);
}

Body make_cylinder(double radius, double half_height) {
  const FloatEnvironment environment;
  if (!is_positive(radius) || !is_positive(half_height)) return bad_body();
  const Vec3 corner(radius, radius, half_height);
  return shape_body(convex_cylinder(radius, half_height), true, -corner, corner, Vec3::Zero());
}

// The sides of a regular n-gon around a circle of radius r touch it; its corners lie at
// r/cos(pi/n). The factor 1 + 2^-40 covers the rounding of the corners and of libm.
Body enclosing_prism(double radius, double half_height, double excess) {
  const FloatEnvironment environment;
  if (!is_positive(radius) || !is_positive(half_height) || !is_positive(excess)) return bad_body();
  const auto corner_at = [&](double n) {
    return radius / std::cos(std::numbers::pi / n) * (1 + 0x1p-40);
  };
  constexpr std::uint32_t most_sides = 1 << 20;
  std::uint32_t sides = 8;
  while (sides < most_sides && corner_at(sides) - radius > excess) sides += sides / 8;
  if (sides >= most_sides) return bad_body();
  const double corner = corner_at(sides);
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    for (const double z : {-half_height, half_height})
      vertices.emplace_back(corner * std::cos(angle), corner * std::sin(angle), z);
    const std::uint32_t low = 2 * i, next = 2 * ((i + 1) % sides);
    faces.push_back({low, next, low + 1});
    faces.push_back({next, next + 1, low + 1});
    if (i < 2) continue;
    faces.push_back({0, low, low - 2});
    faces.push_back({1, low - 1, low + 1});
  }
  return polytope_body(std::move(vertices), std::move(faces), true, 0);
}

Body make_cone(double radius, double half_height) {
  const FloatEnvironment environment;
  if (!is_positive(radius) || !is_positive(half_height)) return bad_body();
  const Vec3 corner(radius, radius, half_height);
  return shape_body(convex_cone(radius, half_height), true, -corner, corner, Vec3::Zero());
}

Body make_ellipsoid(const Vec3& radii) {
  const FloatEnvironment environment;
  if (!is_point(radii) || !(radii.minCoeff() > 0)) return bad_body();
  return shape_body(convex_ellipsoid(radii), true, -radii, radii, Vec3::Zero());
}

Body make_convex(std::span<const Vec3> points) {
  const FloatEnvironment environment;
  if (points.empty() || !std::all_of(points.begin(), points.end(), is_point)) return bad_body();
  Vec3 lo = points[0], hi = points[0];
  for (const Vec3& point : points) {
    lo = lo.cwiseMin(point);
    hi = hi.cwiseMax(point);
  }
  return shape_body(convex_points({points.begin(), points.end()}), true, lo, hi, points[0]);
}

Body make_half_space() {
  Model model;
  model.status = Status::ok;
  model.half_space = true;
  return Body(std::make_shared<const Model>(std::move(model)));
}

Body make_height_field(std::size_t columns, std::size_t rows, double spacing_x, double spacing_y,
                       std::span<const double> heights) {
  const FloatEnvironment environment;
  constexpr std::size_t most = std::size_t{1} << 28;  // cells
  if (columns < 2 || rows < 2 || columns > most + 1 || rows > most + 1 ||
      (columns - 1) * (rows - 1) > most || heights.size() / columns != rows ||
      heights.size() % columns != 0 || !is_positive(spacing_x) || !is_positive(spacing_y) ||
      !is_positive(spacing_x * double(columns)) || !is_positive(spacing_y * double(rows)) ||
      !std::all_of(heights.begin(), heights.end(), [](double z) { return std::abs(z) <= largest; }))
    return bad_body();
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  return shape_body(height_grid(columns, rows, spacing_x, spacing_y, heights), false, {0, 0, *low},
                    {spacing_x * double(columns - 1), spacing_y * double(rows - 1), *high},
                    {0, 0, heights[0]});
}

Body make_compound(std::span<const CompoundPart> parts) {
  const FloatEnvironment environment;
  constexpr double inf = std::numeric_limits<double>::infinity();
  Model model;
  model.status = Status::ok;
  model.lo = Vec3::Constant(inf);
  model.hi = -model.lo;
  std::vector<CompoundChild> children;
  for (const CompoundPart& part : parts) {
    const Model& child = part.body.model();
    const Placement at = placement_of(part.pose);
    if (!child.valid() || child.half_space || !at.rotation.allFinite() || !is_point(at.offset) ||
        !is_length(part.body.size()))
      return bad_body();
    children.push_back({child.parts, part.body.radius(), at});
    if (!child.parts) {  // the parts are the nodes of the mesh, kept alive by the body
      struct Owner {
        Body body;
        MeshParts parts;
      };
      const auto owner = std::make_shared<const Owner>(Owner{part.body, MeshParts(child)});
      children.back().parts = {owner, &owner->parts};
    }
    if (child.solid && !child.convex) model.solid_parts.push_back({part.body, at});
    for (const SolidPart& solid : child.solid_parts)
      model.solid_parts.push_back(
          {solid.body, {at.rotation * solid.at.rotation, at * solid.at.offset}});
    for (const Vec3& island : child.islands) model.islands.push_back(at * island);
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner =
          at * Vec3(k & 1 ? child.lo[0] : child.hi[0], k & 2 ? child.lo[1] : child.hi[1],
                    k & 4 ? child.lo[2] : child.hi[2]);
      model.lo = model.lo.cwiseMin(corner - Vec3::Constant(part.body.radius()));
      model.hi = model.hi.cwiseMax(corner + Vec3::Constant(part.body.radius()));
    }
  }
  if (children.empty()) return bad_body();
  model.size = (model.hi - model.lo).stableNorm();
  model.parts = compound(std::move(children));
  return model.parts ? Body(std::make_shared<const Model>(std::move(model))) : bad_body();
}

SignedDistance signed_distance(const Body& a, const Placement& at_a, const Body& b,
                               const Placement& at_b, const SignedDistanceOptions& options) {
  const FloatEnvironment environment;
  const Model &first = a.model(), &second = b.model();
  const auto is_usable = [](const Model& model, const Placement& at) {
    return model.valid() && (model.convex || model.half_space) && is_finite_placement(at);
  };
  if (!is_usable(first, at_a) || !is_usable(second, at_b) ||
      (first.half_space && second.half_space) || !(options.tol > 0 && options.tol < 1))
    return {};
  const double size = std::max(a.size(), b.size()), radii = a.radius() + b.radius();
  SignedDistance result =
      signed_core_distance(first, at_a, second, at_b, options.tol * size, options.max_checks);
  // Three roundings of relative size 2^-53.
  result.lo -= radii;
  result.hi -= radii;
  const double rounding = 0x1p-50 * (std::abs(result.lo) + std::abs(result.hi) + radii);
  result.lo -= rounding;
  result.hi += rounding;
  return with_verdict(result);
}

// The point as computed in the coordinates of the solid is on the right side of its surface if it
// is further from it than the error of that map.
SignedDistance signed_distance(const Vec3& point, const Body& solid, const Placement& at) {
  const FloatEnvironment environment;
  const Model& model = solid.model();
  if (!model.valid() || !model.solid || solid.radius() != 0 || !point.allFinite() ||
      !is_finite_placement(at))
    return {};
  const Model tip = make_model({Vec3::Zero()}, {{0, 0, 0}});
  const Placement at_point{Eigen::Matrix3d::Identity(), point};
  const BodyDistance found = distance(tip, at_point, model, at);
  const double error = 0x1p-44 * (4 * model.tree.reach() + point.cwiseAbs().maxCoeff() +
                                  at.offset.cwiseAbs().maxCoeff());
  SignedDistance result;
  result.checks = found.checks;
  result.lo = found.lo;
  result.hi = found.hi;
  result.normal = found.normal;
  if (!(found.lo > error)) {
    result.lo = -found.hi;
  } else if (is_inside(model, at.rotation.transpose() * (point - at.offset))) {
    result.lo = -found.hi;
    result.hi = -found.lo;
    result.normal = -found.normal;
  }
  return with_verdict(result);
}

// If advance() with the margin m is `separated`, the distance exceeds m. If it is `contact`, the
// distance at toi is at most m plus the threshold, a quarter of the tolerance. So each call halves
// the difference of the bounds, up to that quarter.
ClosestApproach closest_approach(const Body& a, const Motion& motion_a, const Body& b,
                                 const Motion& motion_b, const ApproachOptions& options) {
  const FloatEnvironment environment;
  ClosestApproach result;
  if (!(options.tol >= 0 && options.tol < Impact::inf)) return result;
  const double tol = options.tol > 0 ? options.tol : 1e-3 * std::max(a.size(), b.size());
  AdvanceOptions query;
  query.t_max = options.t_max;
  query.max_checks = options.max_checks;
  query.threshold = tol / 4;
  double lo = 0, hi = Impact::inf;
  const auto try_margin = [&](double margin) {
    query.margin = margin;
    const BodyImpact found = advance(a, motion_a, b, motion_b, query);
    result.checks += found.impact.checks;
    if (found.impact.verdict == Verdict::separated) lo = margin;
    if (found.impact.verdict == Verdict::contact) {
      hi = std::min(hi, (margin + found.threshold) * (1 + 0x1p-51));
      result.t = found.impact.toi;
    }
    return found.impact.verdict;
  };
  Verdict last = try_margin(0);
  if (last == Verdict::invalid) return result;
  if (last == Verdict::separated) {
    for (const double t : {0.0, options.t_max}) {
      const BodyDistance end = distance(a, placement_at(motion_a, t), b, placement_at(motion_b, t));
      const double error = placement_error(motion_a, reach_of(a.model())) +
                           placement_error(motion_b, reach_of(b.model()));
      if (end.hi + error < hi) {
        hi = end.hi + error;
        result.t = t;
      }
    }
    while (hi - lo > tol && last != Verdict::undecided) {
      const double middle = lo / 2 + hi / 2;
      if (!(middle < Impact::inf)) break;
      last = try_margin(middle);
    }
  }
  result.lo = lo;
  result.hi = hi;
  result.verdict = !(hi - lo <= tol) ? Verdict::undecided
                   : lo > 0          ? Verdict::separated
                                     : Verdict::contact;
  return result;
}

}  // namespace graze::rigid
