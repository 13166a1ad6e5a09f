#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "graze/rigid/advance.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Bodies that are no meshes, and queries of them besides advance(), distance(), contacts_within()
// and check_path(). docs/shapes.md has the table of all pairs.
//
// Lengths are in the units of the caller. Sizes that are out of their range, or coordinates beyond
// 2^300, give a body whose status is bad_size. Convex shapes are solid: their inside belongs to
// them. A shape is the set that its numbers define in real arithmetic.

// Returns the set of all points within `radius` >= 0 of a body: the radius is added to that of the
// body. Costs nothing: the mesh is shared.
Body rounded(const Body& body, double radius);

Body make_sphere(double radius);  // around the origin; radius >= 0

// Returns all points within `radius` >= 0 of the segment between two points.
Body make_capsule(const Vec3& from, const Vec3& to, double radius);

Body make_box(const Vec3& half_extents);                // around the origin; each >= 0
Body make_cylinder(double radius, double half_height);  // along z around the origin; both > 0
Body make_ellipsoid(const Vec3& radii);                 // around the origin; each > 0

// Returns the cone with its base in the plane z = -half_height and its tip at z = half_height. Both
// arguments are > 0.
Body make_cone(double radius, double half_height);

// Returns the convex hull of points, at least one. Cost: each test of two parts of bodies visits
// all points.
Body make_convex(std::span<const Vec3> points);

// Returns the half space z <= 0. It moves and turns like any body.
Body make_half_space();

// Returns the surface over a grid: vertex (i, j) is at (i spacing_x, j spacing_y, heights[j columns
// + i]), the products rounded to doubles, i < columns, j < rows. The cell whose lowest vertex is
// (i, j) has the triangles 2 (j (columns - 1) + i) with the vertices (i, j), (i+1, j), (i+1, j+1)
// and the next one with (i, j), (i+1, j+1), (i, j+1). No mesh is built: the body stores the heights
// and bounds of blocks of cells, about 14 bytes per cell. At least 2 columns and 2 rows; spacings
// > 0; at most 2^28 cells.
Body make_height_field(std::size_t columns, std::size_t rows, double spacing_x, double spacing_y,
                       std::span<const double> heights);

// A certified signed distance.
struct SignedDistance {
  // separated: lo > 0; contact: hi <= 0; undecided: the bounds leave both possible; invalid.
  Verdict verdict = Verdict::invalid;
  double lo = Impact::nan, hi = Impact::nan;  // lengths: lo <= signed distance <= hi
  // The direction that proves `lo`, from b to a, of length 1 up to rounding. If lo < 0: moved by
  // -lo along it, body a no longer overlaps with b; no translation shorter than -hi achieves that.
  Vec3 normal = Vec3::Constant(Impact::nan);
  std::uint32_t checks = 0;  // support points that were computed
};

struct SignedDistanceOptions {
  double tol = 1e-6;  // in (0, 1): the search ends when hi - lo <= tol times the size of the bodies
  std::uint32_t max_checks =
      20000;  // > 0: budget of support points; the bounds hold when it is spent
};

// Returns the signed distance of two placed convex bodies: their distance, or minus the length of
// the shortest translation after which their insides have no common point.
//   (1) lo <= signed distance <= hi, where the placements are maps of real numbers and rounding is
//       included.
//   (2) The result depends on the arguments alone.
// Convex bodies are those of make_sphere() to make_half_space() above, with any radius; two half
// spaces, other bodies, placements that are not finite and options out of their range are
// `invalid`. Each placement is expected to be a rotation and a translation.
// Cost: about 20 support points if the bodies are apart; some hundreds if they overlap; up to the
// budget if many directions are as good, as for concentric balls.
SignedDistance signed_distance(const Body& a, const Placement& at_a, const Body& b,
                               const Placement& at_b, const SignedDistanceOptions& options = {});

// Returns the signed distance of a point of the world to the surface of a placed solid mesh
// (BodyOptions::solid, or make_box()): negative inside. `normal` is the direction from the closest
// point of the surface to the point, or away from the point if that is inside. Promises (1) and (2)
// hold. `invalid`: a body that is no solid mesh or has a radius, or numbers that are not finite.
SignedDistance signed_distance(const Vec3& point, const Body& solid, const Placement& at);

struct ApproachOptions {
  double t_max = 1;  // fraction of the step, in (0, 1]
  double tol = 0;    // length >= 0: the bounds are at most this far apart; 0: a thousandth of the
                     // size of the larger body
  std::uint32_t max_checks = 1000000;  // budget of each call of advance(); 0: no limit
};

// The smallest distance of two bodies on their way.
struct ClosestApproach {
  // separated: lo > 0; contact: the bodies come within tol, lo is 0; undecided: the budget was
  // spent or rounding exceeds tol, and the bounds are further apart than tol; invalid.
  Verdict verdict = Verdict::invalid;
  double lo = Impact::nan, hi = Impact::nan;  // lengths: lo <= smallest distance <= hi
  double t = Impact::nan;                     // the distance at t is at most hi
  std::uint64_t checks = 0;                   // sum over all calls of advance()
};

// Returns bounds on the smallest distance of two moving bodies, and a time at which it is within
// them.
//   (1) On [0, t_max] the distance is never below lo. At t it is at most hi.
//   (2) The result depends on the arguments alone.
// Bodies, motions and options as for advance(), including what is `invalid`.
// Cost: one call of advance() for each halving of the bounds, about 10.
ClosestApproach closest_approach(const Body& a, const Motion& motion_a, const Body& b,
                                 const Motion& motion_b, const ApproachOptions& options = {});

}  // namespace graze::rigid
