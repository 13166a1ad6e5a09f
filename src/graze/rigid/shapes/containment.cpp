#include "graze/rigid/shapes/containment.h"

#include <Eigen/Geometry>
#include <cmath>

#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/shapes/shape_distance.h"
#include "graze/rigid/shapes/solid.h"

namespace graze::rigid {
namespace {

BodyDistance surface_distance(const Model& a, const Placement& at_a, const Model& b,
                              const Placement& at_b) {
  return a.has_mesh() && b.has_mesh() ? distance(a, at_a, b, at_b)
                                      : distance_of_shapes(a, at_a, b, at_b, {});
}

Vec3 in_body(const Placement& at, const Vec3& point) {
  return at.rotation.transpose() * (point - at.offset);
}

bool may_contain(const Model& solid, const Vec3& point, double error) {
  const Vec3 room = Vec3::Constant(error);
  return ((point - (solid.lo - room)).array() >= 0).all() &&
         ((solid.hi + room - point).array() >= 0).all();
}

}  // namespace

Containment containment(const Model& a, const Placement& at_a, const Model& b,
                        const Placement& at_b, double error) {
  Containment result;
  bool measured = false;
  const auto examine_mesh = [&](const Model& inner, const Placement& at_inner, const Model& outer,
                                const Placement& at_outer) {
    for (const Vec3& island : inner.islands) {
      if (result.verdict != Verdict::separated) return;
      const Vec3 point = at_inner * island, inside = in_body(at_outer, point);
      if (!may_contain(outer, inside, error)) continue;
      if (!measured) {
        result.surfaces = surface_distance(a, at_a, b, at_b);
        const Vec3 between = result.surfaces.point_b - result.surfaces.point_a;
        if (const double length = between.norm(); length > 0) result.normal = between / length;
        measured = true;
      }
      if (!(result.surfaces.lo > error)) {
        result.verdict = Verdict::undecided;
      } else if (is_inside(outer, inside)) {
        result.verdict = Verdict::contact;
        result.point = point;
      }
    }
  };
  const auto examine = [&](const Model& inner, const Placement& at_inner, const Model& outer,
                           const Placement& at_outer) {
    if (outer.solid) examine_mesh(inner, at_inner, outer, at_outer);
    for (const SolidPart& part : outer.solid_parts)
      examine_mesh(inner, at_inner, part.body.model(),
                   {at_outer.rotation * part.at.rotation, at_outer * part.at.offset});
  };
  examine(a, at_a, b, at_b);
  examine(b, at_b, a, at_a);
  return result;
}

// The planes intersect in a line if their normals m and n are not parallel: the point of it that is
// closest to the middle of the origins is found by two equations. If the normals are equal up to
// rounding, one of the origins lies in both half spaces.
std::optional<Vec3> common_point(const Placement& a, const Placement& b) {
  const Vec3 m = a.rotation.col(2), n = b.rotation.col(2);
  const double cosine = m.dot(n), determinant = m.cross(n).squaredNorm();
  if (determinant > 0x1p-40) {
    const Vec3 middle = a.offset / 2 + b.offset / 2;
    const double x = m.dot(a.offset - middle), y = n.dot(b.offset - middle);
    const double mm = m.squaredNorm(), nn = n.squaredNorm();
    return middle + m * ((x * nn - y * cosine) / determinant) +
           n * ((y * mm - x * cosine) / determinant);
  }
  if (!(cosine > 0)) return std::nullopt;
  return n.dot(a.offset - b.offset) <= 0 ? a.offset : b.offset;
}

}  // namespace graze::rigid
