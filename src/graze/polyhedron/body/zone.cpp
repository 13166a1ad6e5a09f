#include "graze/polyhedron/zone.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/body/push_cells.h"
#include "graze/polyhedron/body/stop_zone.h"
#include "graze/polyhedron/contacts.h"
#include "graze/polyhedron/model/facet_frame.h"
#include "graze/polyhedron/model/facet_index.h"

namespace graze::polyhedron {
namespace {

// Returns the sum S of the sizes of all terms in a query; no coordinate in it is larger.
double size_of(std::span<const Obstacle> world, const Model& mover, const Path& path) {
  const auto reach = [](const Aabb& box) {
    return box.lo.cwiseAbs().cwiseMax(box.hi.cwiseAbs()).stableNorm();
  };
  double farthest = 0;
  for (const Obstacle& obstacle : world) farthest = std::max(farthest, reach(obstacle.model.box));
  return path.start.translation.stableNorm() + reach(mover.box) + farthest +
         (path.turns ? path.pivot.stableNorm() : path.way.stableNorm());
}

// Returns a bound of the distance of a stored pose from its path plus the error of a height. With S
// as above:
//   translation   p + f way: a product and a sum for each coordinate, less than 4 u S in all.
//   rotation      each part of (1-f) begin + f end is off by 3 u of the sum of both sizes, which is
//                 at most twice |q(f)|, since they are less than a right angle apart. So the
//                 quaternion is off by 6 u of its length, and a point turns by 12 u too much or too
//                 little. The translation, of two turned vectors of 20 u each and two sums, is off
//                 by less than 44 u S.
//   heights       a unit normal is off by 8 u if the two directions it is made of are not nearly
//                 parallel, a turned point by 20 u S, the product and sums of the height by 4 u S.
// The sum is below 2^7 u S.
double rounding_of(double size) {
  return 0x1p7 * numeric::u * size;
}

// Returns the distance e from the plane ahead at which a body stops: a quarter of the thickness.
// The body may also be beside the facet by about e (see StopZone), so it is within 4 e of it.
double zone_of(double thickness) {
  return thickness / 4;
}

constexpr int most_rounds = 4;  // of pushes, each with the planes that stopped the last round

// Adds the planes at which a body was stopped: across the normal of the contact, and of all facets
// near it. Where corners coincide, the contact has the normal of one facet and the way out may be
// along another.
void add_planes_at(const ExpelResult& stop, std::span<const Obstacle> world, const Model& mover,
                   PushCells& cells) {
  cells.add(stop.contact.normal);
  const double reach = 2 * stop.thickness;
  const Aabb near = grown({stop.contact.point, stop.contact.point}, reach);
  const auto add = [&](const Model& model, const Facet& facet, std::span<const Vec3> points) {
    if (facet.count == 1) return;
    const FacetFrame frame = make_frame(facet, model.corners_of(facet), points);
    if (std::abs(frame.height(stop.contact.point)) <= reach) cells.add(frame.normal);
  };
  std::vector<Vec3> vertices;
  for (const Vec3& x : mover.vertices) vertices.push_back(stop.end * x);
  for (const Facet& facet : mover.facets)
    if (overlap(near, box_of(vertices, mover.corners_of(facet)))) add(mover, facet, vertices);
  const Model& other = world[stop.contact.obstacle].model;
  const double here = 0;
  world[stop.contact.obstacle].index->tree.visit(
      {near, Vec3::Zero()}, here, [&](std::uint32_t entry) {
        const std::uint32_t f = world[stop.contact.obstacle].index->tree.box_of(entry);
        if (overlap(near, other.boxes[f])) add(other, other.facets[f], other.vertices);
      });
}

// Returns the pose moved by `push` if, exactly, the body shares no point with the world from there
// back to a sixteenth of the push; otherwise nothing. For closed models thicker than a quarter of e
// this excludes that the push takes one body into another: a push into D makes the surfaces meet as
// soon as it begins, and until it is as long as a body is thick.
std::optional<Pose> pushed_by(std::span<const Obstacle> world, const Model& mover, const Pose& pose,
                              const Vec3& push, Scratch& scratch) {
  Pose there = pose;
  there.translation += push;
  if (move(world, mover, translating(there, -0.9375 * push), scratch).verdict != Verdict::separated)
    return std::nullopt;
  return there;
}

// Follows a path from a start that does not touch.
ExpelResult follow(std::span<const Obstacle> world, const Model& mover, const Path& path,
                   const MoveResult& exact, double thickness, double rounding, Scratch& scratch) {
  const double e = zone_of(thickness);
  ExpelResult result;
  result.verdict = Verdict::contact;
  result.end = path.start;
  result.thickness = thickness;
  const double until = std::min(exact.toi, 1.);
  StopZone zone(world, mover, path, until, e, rounding, scratch.data());
  const Sweep& sweep = zone.sweep();
  double at = sweep.parameter(until);
  bool stops = exact.verdict == Verdict::contact;
  // The zone may have holes, so the body always stops at least e before the contact, along the
  // path.
  const double step = e / zone.speed();
  if (stops) {
    at = sweep.before(at, step);
    result.contact = exact.contact;
  }
  if (const auto stop = zone.run(); stop && stop->at <= at) {
    at = stop->at;
    stops = true;
    result.contact = stop->contact;
  }

  // If the rounded pose touches, the body stops further back.
  double f = stops ? std::min(sweep.fraction(at), until) : 1;
  for (double back = step; f > 0; back *= 2) {
    const Pose candidate = pose_at(path, f);
    const TouchResult touched = position_test(world, mover, candidate, scratch);
    if (!touched.touches()) {
      result.end = candidate;
      break;
    }
    if (!stops) {
      const auto near = contacts(world, mover, candidate, e, scratch);
      result.contact = near.empty() ? touched.contact : static_cast<const Contact&>(near.front());
    }
    stops = true;
    at = sweep.before(std::min(at, sweep.end), back);
    f = at > 0 ? std::min(sweep.fraction(at), f) : 0;
  }
  result.fraction = f;
  if (!stops) result.verdict = Verdict::separated;
  return result;
}

// Pushes a touching body off the world and follows the path from there: first along the normals of
// all contacts, then, if that does not reach the end, into every other cell, and again with the
// planes at which it was stopped, so that the start also keeps clear of what the path passes
// or ends at. Returns the answer that gets furthest (by more than a push can make up), the first of
// several; nothing if the body is wedged.
// Cost: at most 58 pushes in each of 4 rounds; one if the first push suffices.
std::optional<ExpelResult> follow_from_touching(std::span<const Obstacle> world, const Model& mover,
                                                const Path& path, double thickness, double rounding,
                                                Scratch& scratch) {
  const double e = zone_of(thickness);
  const Sweep sweep(path);
  double speed = 0;
  for (const Vec3& x : mover.vertices)
    speed = std::max(speed, sweep.velocity(path.start * x, 1).norm());
  const double margin = 2 * longest_push * e / speed;  // in f or angle: what a push can gain
  const auto found = contacts(world, mover, path.start, std::min(e, 8 * rounding), scratch);
  std::optional<ExpelResult> best;
  std::vector<ExpelResult> stops;  // the attempts that got about as far as `best`
  const auto consider = [&](const Vec3& push) {
    const auto there = pushed_by(world, mover, path.start, e * push, scratch);
    if (!there) return;
    Path moved = path;
    moved.start = *there;
    const MoveResult exact = move(world, mover, moved, scratch);
    ExpelResult result = follow(world, mover, moved, exact, thickness, rounding, scratch);
    result.expelled = true;
    const double at = sweep.parameter(result.fraction),
                 known = best ? sweep.parameter(best->fraction) : 0;
    const bool is_further = !best || sweep.before(at, margin) > known;
    if (!is_further && sweep.before(known, margin) > at) return;
    if (is_further) stops.clear();
    stops.push_back(result);
    if (is_further || result.verdict == Verdict::separated) best = result;
  };
  const auto is_done = [&] { return best && best->verdict == Verdict::separated; };

  Vec3 out = Vec3::Zero();
  for (int round = 0; round < 64; ++round)
    for (const ContactPoint& contact : found)
      out += std::max(0., push_clearance - contact.normal.dot(out)) * contact.normal;
  if (!found.empty() && out.norm() <= longest_push) consider(out);
  // A push against the normal is safe only between solids: a point or a single polygon would pass
  // through the surface that it lies on.
  const auto is_closed = [](const Obstacle& obstacle) { return obstacle.model.closed; };
  if (is_done() || !mover.closed || !std::all_of(world.begin(), world.end(), is_closed))
    return best;
  PushCells cells;
  for (const ContactPoint& contact : found) cells.add(contact.normal);
  for (int round = 0; round < most_rounds && !is_done(); ++round) {
    for (const Vec3& push : cells.pushes()) {
      consider(push);
      if (is_done()) break;
    }
    const std::size_t known = cells.size();
    for (const ExpelResult& stop : stops) add_planes_at(stop, world, mover, cells);
    if (cells.size() == known) break;
  }
  return best;
}

ExpelResult moved_before_contact(std::span<const Obstacle> world, const Model& mover,
                                 const Path& given, Scratch& scratch, const ExpelOptions& options) {
  ExpelResult result;
  if (!given.begins_at_start() || !(options.thickness >= 0)) return result;
  const MoveResult exact = move(world, mover, given, scratch);
  if (exact.verdict == Verdict::invalid) return result;
  const double thickness = std::max(options.thickness, expel_thickness(world, mover, given));
  const double rounding = rounding_of(size_of(world, mover, given));
  if (exact.verdict != Verdict::contact || exact.contact.meeting != Meeting::start)
    return follow(world, mover, given, exact, thickness, rounding, scratch);
  if (const auto pushed = follow_from_touching(world, mover, given, thickness, rounding, scratch))
    return *pushed;
  result.verdict = Verdict::contact;
  result.end = given.start;
  result.contact = exact.contact;
  result.thickness = thickness;
  return result;
}

// Returns the shortest of the moves whose components along -normals differ least from `by`, by
// least squares: the solution of M x = -by sum n, M = sum n n^T. Eigenvectors of M along which the
// normals have hardly a component (an angle below 1e-6) are left out.
Vec3 inward_by(std::span<const Vec3> normals, double by) {
  Eigen::Matrix3d m = Eigen::Matrix3d::Zero();
  Vec3 sum = Vec3::Zero();
  for (const Vec3& normal : normals) {
    m += normal * normal.transpose();
    sum += normal;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(m);
  Vec3 inward = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()[k] > 1e-12 * eigen.eigenvalues()[2]) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      inward -= by * axis.dot(sum) / eigen.eigenvalues()[k] * axis;
    }
  return inward;
}

}  // namespace

double expel_thickness(std::span<const Obstacle> world, const Model& mover, const Path& path) {
  return std::max(0x1p11 * rounding_of(size_of(world, mover, path)), 0x1p-900);
}

ExpelResult expel_move(std::span<const Obstacle> world, const Model& mover, const Path& given,
                       Scratch& scratch, const ExpelOptions& options) {
  const FloatEnvironment environment;
  const ExpelResult result = moved_before_contact(world, mover, given, scratch, options);
  if (result.verdict == Verdict::invalid || !scratch.is_stopped()) return result;
  ExpelResult stopped;
  stopped.verdict = Verdict::undecided;
  stopped.end = given.start;
  return stopped;
}

ExpelResult expel_move(std::span<const Obstacle> world, const Model& mover,
                       std::span<const Path> pieces, Scratch& scratch,
                       const ExpelOptions& options) {
  ExpelResult result;
  bool expelled = false;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    Path piece = pieces[i];
    if (i > 0) {
      piece.start = result.end;
      piece.begin = piece.start.rotation;
    }
    result = expel_move(world, mover, piece, scratch, options);
    result.piece = i;
    expelled = result.expelled = expelled || result.expelled;
    if (result.verdict != Verdict::separated) break;
  }
  return result;
}

Model shrunk(const Model& model, double by) {
  const FloatEnvironment environment;
  if (!model.ok() || !model.closed || !(by > 0)) return model;
  // Where solids share a vertex, each solid moves its own copy: only corners of facets that an edge
  // joins are one vertex.
  std::vector<std::uint32_t> joined(model.corners.size());
  std::iota(joined.begin(), joined.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (joined[i] != i) i = joined[i] = joined[joined[i]];
    return i;
  };
  const auto corner_at = [&](std::uint32_t f, std::uint32_t vertex) {
    const auto corners = model.corners_of(model.facets[f]);
    const auto at = std::find(corners.begin(), corners.end(), vertex) - corners.begin();
    return root(model.facets[f].first + static_cast<std::uint32_t>(at));
  };
  for (const ModelEdge& edge : model.edges)
    for (const std::uint32_t vertex : {edge.a, edge.b})
      joined[corner_at(edge.facets[0], vertex)] = corner_at(edge.facets[1], vertex);

  std::vector<std::vector<Vec3>> normals(model.corners.size());
  for (const Facet& facet : model.facets) {
    const FacetFrame frame = make_frame(facet, model.corners_of(facet), model.vertices);
    for (std::uint32_t i = 0; i < facet.count; ++i)
      normals[root(facet.first + i)].push_back(frame.normal);
  }
  std::vector<Vec3> vertices(model.corners.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    vertices[i] = model.vertices[model.corners[i]];
    const Vec3 inward = inward_by(normals[i], by);
    if (const double length = inward.norm(); length > 0)
      vertices[i] += std::min(1., 4 * by / length) * inward;
  }
  std::vector<Polygon> polygons = model.polygons;
  for (std::uint32_t f = 0; f < model.facets.size(); ++f) {
    const Facet& facet = model.facets[f];
    const Polygon& given = model.polygons[facet.polygon];
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto corners = model.corners_of(facet);
      if (std::find(corners.begin(), corners.end(), given[i]) != corners.end())
        polygons[facet.polygon][i] = corner_at(f, given[i]);
    }
  }
  ModelOptions options;
  options.accept_soup = true;
  return make_model(vertices, polygons, options);
}

}  // namespace graze::polyhedron
