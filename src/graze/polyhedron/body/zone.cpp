#include "graze/polyhedron/zone.h"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/contacts.h"
#include "graze/polyhedron/model/facet_frame.h"
#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/sweep.h"

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
// The body may also be beside the facet by about e (see Zone), so it is within 4 e of it.
double zone_of(double thickness) {
  return thickness / 4;
}

// Finds where a moving body enters the zone of a feature that it would hit: a vertex and a facet,
// or two edges, along a translation or a rotation. The zone of a facet or of two edges extends e
// beyond them to each side and is e high.
//
// DEVIATION: the paper stops the body at the distance e from the *plane* ahead, however far away
// the polygon is along a grazing way. Here the body must be next to the polygon itself, so that it
// never stops in mid-air. At a sharp edge or corner the box of the facet limits the zone to within
// 3 e (the paper moves the intersection line of both planes back). Since move() keeps the bodies
// apart exactly, the zone may have holes, need not be extended at open edges, and is computed in
// plain doubles.
class Zone {
 public:
  struct Stop {
    double at;  // parameter of the sweep
    double facing;
    Contact contact;
  };

  Zone(std::span<const Obstacle> world, const Model& mover, const Path& path, double until,
       double e, double rounding, Scratch::Data& data)
      : world_(world),
        mover_(mover),
        path_(path),
        sweep_(path),
        until_(sweep_.parameter(until)),
        e_(e),
        tol_(rounding),
        data_(data) {
    for (const Vec3& vertex : mover.vertices) {
      vertices_.push_back(path.start * vertex);
      const Vec3& x = vertices_.back();
      const Vec3 end = sweep_.position(x, until_, 1);
      Aabb box{x.cwiseMin(end), x.cwiseMax(end)};
      if (sweep_.turns) box = grown(box, sweep_.bulge(until_) * (x - sweep_.centre).norm());
      swept_.push_back(grown(box, 2 * e));
    }
    for (const Facet& facet : mover.facets) {
      frames_.push_back(make_frame(facet, mover.corners_of(facet), vertices_));
      boxes_.push_back(box_of(vertices_, mover.corners_of(facet)));
      swept_boxes_.push_back(swept_[mover.corners_of(facet)[0]]);
      for (const std::uint32_t corner : mover.corners_of(facet))
        swept_boxes_.back().include(swept_[corner]);
    }
    start_box_ = swept_box_ = {Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (const Aabb& box : boxes_) start_box_.include(box);
    for (const Aabb& box : swept_boxes_) swept_box_.include(box);
  }

  std::optional<Stop> run() {
    const Vec3 way = sweep_.turns ? Vec3(Vec3::Zero()) : path_.way;
    const BoxMotion motion(sweep_.turns ? swept_box_ : grown(start_box_, 2 * e_), way);
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      const Obstacle& obstacle = world_[o];
      if (!overlap(swept_box_, obstacle.model.box)) continue;
      data_.begin_round(obstacle.model.facets.size());
      const double end = sweep_.turns ? 0 : until_;
      obstacle.index->tree.visit(motion, end, [&](std::uint32_t entry) {
        const std::uint32_t f = obstacle.index->tree.box_of(entry);
        if (data_.first_visit(f) && overlap(swept_box_, obstacle.model.boxes[f])) examine(o, f);
      });
    }
    return first_;
  }

  const Sweep& sweep() const { return sweep_; }

  // Returns the largest speed of a vertex with respect to f, or to the angle.
  double speed() const {
    double most = 0;
    for (const Vec3& x : vertices_) most = std::max(most, sweep_.velocity(x, 1).norm());
    return most;
  }

 private:
  struct Polygon {
    const FacetFrame& frame;
    std::span<const Vec3> points;
    std::span<const std::uint32_t> corners;
    const Aabb& box;
    bool one_sided;
  };

  void examine(std::uint32_t o, std::uint32_t f) {
    const Model& world = world_[o].model;
    const Facet& theirs = world.facets[f];
    const FacetFrame frame = make_frame(theirs, world.corners_of(theirs), world.vertices);
    const Polygon polygon{frame, world.vertices, world.corners_of(theirs), world.boxes[f],
                          world.closed};
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      if (!overlap(swept_boxes_[m], world.boxes[f])) continue;
      const Facet& ours = mover_.facets[m];
      if (theirs.count > 1)
        for (const std::uint32_t v : mover_.vertices_of(ours))
          if (!(mover_.closed && mover_.hidden[v]) && overlap(swept_[v], world.boxes[f]))
            vertex(vertices_[v], 1, polygon, {Meeting::vertex_facet, o, v, f, {}, {}});
      if (ours.count > 1)
        for (const std::uint32_t v : world.vertices_of(theirs))
          if (!(world.closed && world.hidden[v]))
            vertex(world.vertices[v], -1,
                   {frames_[m], vertices_, mover_.corners_of(ours), boxes_[m], mover_.closed},
                   {Meeting::facet_vertex, o, m, v, {}, {}});
      for (const std::uint32_t b : world.edges_of(theirs))
        for (const std::uint32_t a : mover_.edges_of(ours)) edges(o, world, a, b);
    }
  }

  // [van Waveren 2005] 3.1 and 3.3. `sign`: 1 for a vertex of the mover and a facet of the world,
  // -1 for a vertex of the world and a facet of the mover.
  void vertex(const Vec3& x, double sign, const Polygon& polygon, Contact contact) {
    Vec3 n = polygon.frame.normal;
    double height = polygon.frame.height(x);
    if (height < -tol_) {
      if (polygon.one_sided) return;
      n = -n;
      height = -height;
    }
    const Vec3 v = sweep_.velocity(x, sign);
    const double a = n.dot(v);
    const double b = sweep_.turns ? -n.dot(sweep_.axis.cross(v)) * sign : 0;
    if (!sweep_.turns && (a >= 0 || height + until_ * a > e_)) return;
    const double hit = first_descent(sweep_.turns, height, a, b, e_);
    if (!std::isfinite(hit)) return;
    const auto beyond = [&](const Vec3& y) {
      return polygon.frame.beyond(y, polygon.points, polygon.corners);
    };
    if (beyond(sweep_.position(x, hit, sign)) > tol_) return;
    const Aabb near = grown(polygon.box, e_);
    const auto inside = [&](double at) {
      const Vec3 y = sweep_.position(x, at, sign);
      return n.dot(y - polygon.frame.origin) <= e_ && approaches(n, sweep_.velocity(y, sign)) &&
             overlap({y, y}, near) && beyond(y) <= e_;
    };
    const std::optional<double> at = entry(std::min(hit, until_), inside);
    if (!at) return;
    contact.point = sign > 0 ? sweep_.position(x, *at, 1) : x;
    contact.normal = sign > 0 ? n : Vec3(-turned(n, *at));
    keep(*at, contact);
  }

  // [van Waveren 2005] 3.2 and 3.4. The sidedness of the lines is their distance times |A x B|.
  void edges(std::uint32_t o, const Model& world, std::uint32_t mine, std::uint32_t other) {
    const ModelEdge &a = mover_.edges[mine], &b = world.edges[other];
    if ((mover_.closed && a.kind == EdgeKind::internal) ||
        (world.closed && b.kind == EdgeKind::internal))
      return;
    const Vec3 &a0 = vertices_[a.a], &a1 = vertices_[a.b], &b0 = world.vertices[b.a];
    const Vec3 along = a1 - a0, other_along = world.vertices[b.b] - b0;
    const Vec3 normal = along.cross(other_along);
    const double size = normal.norm(), length = along.norm(), other_length = other_along.norm();
    double side = normal.dot(a0 - b0), slope = 0, bend = 0;
    if (sweep_.turns) {
      const Vec3 moment = (a0 - sweep_.centre).cross(along), &axis = sweep_.axis;
      const Vec3 other_moment = (b0 - sweep_.centre).cross(other_along);
      const auto product = [&](const Vec3& d, const Vec3& m) {
        return d.dot(other_moment) + m.dot(other_along);
      };
      const Vec3 d = axis.cross(along), m = axis.cross(moment);
      slope = product(d, m);
      bend = -product(axis.cross(d), axis.cross(m));
    } else {
      slope = normal.dot(path_.way);
    }
    const double tol = tol_ * (sweep_.turns ? length * other_length : size);
    const double sign = (std::abs(side) > tol ? side < 0 : slope > 0) ? -1 : 1;
    if (!sweep_.turns && (sign * slope >= 0 || sign * side + until_ * sign * slope > e_ * size))
      return;
    const double hit =
        first_descent(sweep_.turns, sign * side, sign * slope, sign * bend, e_ * size);
    if (!std::isfinite(hit)) return;
    const auto place = [&](double at, double margin) -> std::optional<LineCrossing> {
      const Vec3 p = sweep_.position(a0, at, 1), q = sweep_.position(a1, at, 1);
      const auto crossing = cross_lines(p, q - p, b0, other_along);
      const double s = margin / length, r = margin / other_length;
      if (!crossing || crossing->s < -s || crossing->s > 1 + s || crossing->r < -r ||
          crossing->r > 1 + r)
        return std::nullopt;
      return crossing;
    };
    if (!place(hit, tol_)) return;
    const auto on_mine = [&](const LineCrossing& crossing, double at) {
      return sweep_.position(a0 + crossing.s * along, at, 1);
    };
    const auto inside = [&](double at) {
      const auto crossing = place(at, e_);
      if (!crossing) return false;
      const Vec3 n = sign * crossing->normal, y = on_mine(*crossing, at);
      return n.dot(y - b0) <= e_ && approaches(n, sweep_.velocity(y, 1));
    };
    const std::optional<double> at = entry(std::min(hit, until_), inside);
    if (!at) return;
    Contact contact{Meeting::edge_edge, o, mine, other, {}, {}};
    auto crossing = place(*at, e_);
    if (!crossing) crossing = place(std::min(hit, until_), e_);
    contact.normal = sign * crossing->normal;
    contact.point = b0 + std::clamp(crossing->r, 0., 1.) * other_along;
    keep(*at, contact);
  }

  // Returns whether the velocity goes against the normal by more than rounding.
  static bool approaches(const Vec3& n, const Vec3& velocity) {
    return n.dot(velocity) < -16 * numeric::u * velocity.norm();
  }

  Vec3 turned(const Vec3& direction, double at) const {
    if (!sweep_.turns) return direction;
    return sweep_.position(sweep_.centre + direction, at, 1) - sweep_.centre;
  }

  // Returns the parameter from which on the body is inside the zone up to `end`, rounded outward;
  // nothing if it is not inside at `end`. A body that starts inside does not move at all (Figure
  // 2); otherwise the interval begins where the body enters the zone (Figure 4) or turns back in it
  // (Figure 3).
  template <class Inside>
  std::optional<double> entry(double end, const Inside& inside) const {
    if (!inside(end)) return std::nullopt;
    if (inside(0)) return 0;
    double in = end, out = 0;
    for (double step = 0x1p-30 * end;; step *= 2) {
      out = std::max(0., end - step);
      if (!inside(out)) break;
      in = out;
    }
    for (int i = 0; i < 60 && in - out > numeric::u * in; ++i) {
      const double middle = out + (in - out) / 2;
      (inside(middle) ? in : out) = middle;
    }
    return out;
  }

  // Keeps the first stop; of several at one parameter, the one that faces the motion most.
  void keep(double at, const Contact& contact) {
    const Vec3 v = sweep_.velocity(contact.point, 1);
    const double facing = contact.normal.dot(v) / v.norm();
    if (first_ && std::tie(first_->at, first_->facing) <= std::tie(at, facing)) return;
    first_ = Stop{at, facing, contact};
  }

  std::span<const Obstacle> world_;
  const Model& mover_;
  const Path& path_;
  Sweep sweep_;
  double until_, e_, tol_;
  Scratch::Data& data_;
  std::vector<Vec3> vertices_;  // of the mover at the start
  std::vector<FacetFrame> frames_;
  std::vector<Aabb> boxes_, swept_, swept_boxes_;
  Aabb start_box_, swept_box_;
  std::optional<Stop> first_;
};

// A push of a touching body, in units of e: its distance from every plane is at least `clearance`
// and its length at most `longest_push`.
constexpr double clearance = 1.0625, longest_push = 4;
constexpr std::size_t most_planes = 8;  // limits the number of cells to 58
constexpr int most_rounds = 4;

// The planes through the origin that decide where a touching body can be pushed.
//
// Let W be the world, M the mover at the start, and D = W - M the translations at which they share
// a point. Near 0, D is a union of closed polyhedral cones. The planes of their facets have the
// normals of contacts: of a facet and a vertex, or across two edges. Hence each open cell of the
// arrangement of these planes is either free of D or inside it, and the body can be pushed off the
// world without touching it iff some cell is free. A cell is named by the side of each plane on
// which it lies. A contact at a face has one free side; where edges or corners coincide, every side
// may belong to a free cell: a body whose corner touches a corner can leave along either face.
class PushCells {
 public:
  void add(const Vec3& normal) {
    const auto same = [&](const Vec3& n) { return std::abs(n.dot(normal)) > 1 - 1e-9; };
    if (std::abs(normal.norm() - 1) < 1e-6 && planes_.size() < most_planes &&
        std::none_of(planes_.begin(), planes_.end(), same))
      planes_.push_back(normal);
  }
  std::size_t size() const { return planes_.size(); }

  // Returns the shortest push into each cell that has one, fewest sides behind a plane first.
  // The shortest u with s_i n_i.u >= c for all i is a combination of at most three s_i n_i whose
  // constraints hold with equality (Karush, Kuhn and Tucker; Caratheodory), so all subsets of one
  // to three planes with all signs yield it.
  std::vector<Vec3> pushes() const {
    struct Push {
      unsigned behind;  // bit i: on the side of plane i that its normal points away from
      Vec3 by;
    };
    std::vector<Push> found;
    const std::size_t k = planes_.size();
    const auto consider = [&](std::span<const std::size_t> subset) {
      const auto rows = static_cast<Eigen::Index>(subset.size());
      for (unsigned signs = 0; signs < 1u << subset.size(); ++signs) {
        Eigen::Matrix<double, Eigen::Dynamic, 3, 0, 3, 3> normals(rows, 3);
        for (std::size_t i = 0; i < subset.size(); ++i)
          normals.row(static_cast<Eigen::Index>(i)) =
              (signs >> i & 1 ? -1. : 1.) * planes_[subset[i]].transpose();
        const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3> gram =
            normals * normals.transpose();
        if (gram.determinant() < 1e-6) continue;
        const Vec3 by =
            normals.transpose() * gram.inverse() * Eigen::VectorXd::Constant(rows, clearance);
        if (!(by.norm() <= longest_push)) continue;
        Push push{0, by};
        bool is_clear = true;
        for (std::size_t i = 0; i < k; ++i) {
          const double side = planes_[i].dot(by);
          if (side < 0) push.behind |= 1u << i;
          is_clear = is_clear && std::abs(side) >= clearance * (1 - 1e-9);
        }
        if (!is_clear) continue;
        const auto same = std::find_if(found.begin(), found.end(), [&](const Push& other) {
          return other.behind == push.behind;
        });
        if (same == found.end())
          found.push_back(push);
        else if (by.norm() < same->by.norm())
          same->by = by;
      }
    };
    for (std::size_t i = 0; i < k; ++i) {
      consider(std::array{i});
      for (std::size_t j = 0; j < i; ++j) {
        consider(std::array{i, j});
        for (std::size_t l = 0; l < j; ++l) consider(std::array{i, j, l});
      }
    }
    std::sort(found.begin(), found.end(), [](const Push& a, const Push& b) {
      return std::tuple(std::popcount(a.behind), a.behind) <
             std::tuple(std::popcount(b.behind), b.behind);
    });
    std::vector<Vec3> result;
    for (const Push& push : found) result.push_back(push.by);
    return result;
  }

 private:
  std::vector<Vec3> planes_;
};

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

// Returns the pose pushed by `push`, or nothing unless, exactly, the body shares no point with the
// world from there back to a sixteenth of the push. For closed models thicker than a quarter of e
// this excludes that the push takes one body into another: a push into D makes the surfaces meet
// as soon as it begins, and until it is as long as a body is thick.
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
  Zone zone(world, mover, path, exact.toi, e, rounding, scratch.data());
  const Sweep& sweep = zone.sweep();
  double at = sweep.parameter(exact.toi);
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
  double f = stops ? std::min(sweep.fraction(at), exact.toi) : 1;
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
  result.toi = f;
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
  const double margin = 2 * longest_push * e / speed;  // f or angle: what a push makes up
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
    const double at = sweep.parameter(result.toi), known = best ? sweep.parameter(best->toi) : 0;
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
      out += std::max(0., clearance - contact.normal.dot(out)) * contact.normal;
  if (!found.empty() && out.norm() <= longest_push) consider(out);
  // A push to the side from which a normal points away is safe only between solids: a point or a
  // single polygon would pass through what it lies on.
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

}  // namespace

double expel_thickness(std::span<const Obstacle> world, const Model& mover, const Path& path) {
  return std::max(0x1p11 * rounding_of(size_of(world, mover, path)), 0x1p-900);
}

ExpelResult expel_move(std::span<const Obstacle> world, const Model& mover, const Path& given,
                       Scratch& scratch, const ExpelOptions& options) {
  const FloatEnvironment environment;
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
  std::vector<std::vector<Vec3>> normals(model.vertices.size());
  for (const Facet& facet : model.facets) {
    const FacetFrame frame = make_frame(facet, model.corners_of(facet), model.vertices);
    for (const std::uint32_t corner : model.corners_of(facet))
      normals[corner].push_back(frame.normal);
  }
  std::vector<Vec3> vertices = model.vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    Eigen::MatrixX3d rows(static_cast<Eigen::Index>(normals[i].size()), 3);
    for (std::size_t k = 0; k < normals[i].size(); ++k)
      rows.row(static_cast<Eigen::Index>(k)) = normals[i][k].transpose();
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-9);
    const Vec3 inward = svd.solve(Eigen::VectorXd::Constant(rows.rows(), -by));
    vertices[i] += std::min(1., 4 * by / inward.norm()) * inward;
  }
  ModelOptions options;
  options.accept_soup = true;
  return make_model(vertices, model.polygons, options);
}

}  // namespace graze::polyhedron
