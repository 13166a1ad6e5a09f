#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graze/impact.h"
#include "graze/rigid/body.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// Options of distance().
struct DistanceOptions {
  // Length: the search ends when two points within this distance are found; `lo` is then 0. A
  // negative value never ends the search early.
  double enough = -1;
  double tol = 0;  // in [0, 1): the search ends when lo >= (1 - tol) hi
};

// The part of a face that contains a closest point, given by the indices of its vertices: 1 for a
// vertex, 2 for an edge, 3 for the inside of the face.
struct ClosestFeature {
  std::uint32_t size = 0;  // how many of `vertices` are used
  std::array<std::uint32_t, 3> vertices{};
};

// The distance of two placed bodies, A and B. Points and normals are in world coordinates.
struct BodyDistance {
  // With d = max(enough, 0): separated if lo > d; contact if hi <= d; undecided if the bounds leave
  // both possible, as they do for surfaces that touch when d is 0; invalid for unusable input.
  Verdict verdict = Verdict::invalid;
  double lo = 0;                                        // length: a lower bound on the distance
  double hi = std::numeric_limits<double>::infinity();  // an upper bound, that of the two points
  std::uint32_t face_a = 0, face_b = 0;                 // the two closest triangles
  ClosestFeature feature_a, feature_b;                  // the parts of them with the closest points
  Vec3 point_a = Vec3::Zero(), point_b = Vec3::Zero();  // the closest points, within rounding
  Vec3 normal = Vec3::Zero();  // from B to A, of length about 1: proves `lo` for the two triangles;
                               // 0 if they intersect
  std::uint32_t checks = 0;    // tests of two tree nodes
};

// Returns certified bounds on the distance of two placed bodies, and their closest points. The
// distance is 0 if the bodies intersect or a solid contains the other body; radii are subtracted.
//   (1) lo <= distance <= hi, where the placements are maps of real numbers and rounding is
//       included. hi - lo is about 2^-40 of the largest coordinate, plus tol * hi; about 2^-30 if a
//       body is a cylinder, a cone or an ellipsoid.
//   (2) The result depends on the arguments alone.
// `invalid`: a body whose status is not ok, a placement that is not finite, an option that is NaN
// or out of its range. Each placement is expected to be a rotation and a translation.
// If another thread sets `*stop`, the call ends soon, with lo = 0 and the hi found so far, which
// may be infinite. `stop` may be null. Reference: [Zhang 2006] Sec. 3.3, Alg. 3.
BodyDistance distance(const Body& a, const Placement& at_a, const Body& b, const Placement& at_b,
                      const DistanceOptions& options = {}, const std::atomic<bool>* stop = nullptr);

// Two triangles that are close to each other, and their closest points, in world coordinates.
struct SurfaceContact {
  std::uint32_t face_a, face_b;  // indices in Body::faces()
  double distance;               // length: an upper bound on the distance, tight up to rounding
  Vec3 point_a, point_b;         // the closest points
  Vec3 normal;                   // from B to A, of length about 1; 0 if the triangles intersect
  ClosestFeature feature_a, feature_b;  // the parts with the closest points
};

// The answer of contacts_within() and features_within(): pairs of triangles.
struct SurfaceContacts {
  // separated: no pair is within the distance. contact: `list` has all pairs. undecided: the list
  // was cut at max_contacts and more pairs may exist. invalid: unusable input, empty list.
  Verdict verdict = Verdict::invalid;
  std::vector<SurfaceContact> list;  // ordered by (face_a, face_b)
};

// Returns all pairs of triangles of two placed bodies that are within a distance of each other. A
// convex shape without a mesh and a half space count as one triangle with the index 0. The inside
// of a solid is not examined.
//   (1) No pair at a distance <= `within` is left out, unless the list is cut; every listed pair is
//       at a distance <= within + 2^-40 of the largest coordinate.
//   (2) The result depends on the arguments alone.
// `invalid`: as for distance(); also if `within` is negative or not finite.
SurfaceContacts contacts_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within,
                                std::size_t max_contacts = std::size_t{1} << 20);

// Returns all pairs of features of two placed bodies that are within a distance of each other: a
// vertex of one and a face of the other, and two edges, each pair once. feature_a and feature_b
// name them; face_a and face_b are faces to which they belong. Ordered by the numbers of vertices
// of the features, then by the vertices. For a shape without a mesh: contacts_within().
//   (1) No pair at a distance <= `within` is left out, unless the list of contacts_within() is cut;
//       every listed pair is at a distance <= within + 2^-40 of the largest coordinate.
//   (2) The result depends on the arguments alone.
SurfaceContacts features_within(const Body& a, const Placement& at_a, const Body& b,
                                const Placement& at_b, double within);

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

// Options of signed_distance().
struct SignedDistanceOptions {
  double tol = 1e-6;  // in (0, 1): the search ends when hi - lo <= tol times the size of the bodies
  // Budget of support points; the bounds hold when it is spent. 0: no limit.
  std::uint32_t max_checks = 20000;
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
// budget if many directions are as good, as for concentric balls. Without a limit, time and memory
// of such bodies grow like 1 / tol.
SignedDistance signed_distance(const Body& a, const Placement& at_a, const Body& b,
                               const Placement& at_b, const SignedDistanceOptions& options = {});

// Returns the signed distance of a point of the world to the surface of a placed solid mesh
// (BodyOptions::solid, or make_box()): negative inside. `normal` is the direction from the closest
// point of the surface to the point, or away from the point if that is inside. Promises (1) and (2)
// hold. `invalid`: a body that is no solid mesh or has a radius, or numbers that are not finite.
SignedDistance signed_distance(const Vec3& point, const Body& solid, const Placement& at);

// Options of closest_approach().
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
