#include "graze/polyhedron/move.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "graze/core/float_environment.h"
#include "graze/polyhedron/exact_touch.h"
#include "graze/polyhedron/move_scratch.h"
#include "graze/polyhedron/position_test.h"
#include "graze/polyhedron/rotate.h"
#include "graze/polyhedron/rough_mover.h"
#include "graze/polyhedron/translate.h"

namespace graze::polyhedron {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const Aabb everywhere{Vec3::Constant(-inf), Vec3::Constant(inf)};

Interval reciprocal(const Interval& x) {  // of x > 0; infinite where that is not certain
  return x.lo > 0 && std::isfinite(x.hi) ? exact::widened(1 / x.hi, 1 / x.lo) : Interval(-inf, inf);
}

Aabb box_of(const IntervalPoint& x) {
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const Interval& c = x[static_cast<std::size_t>(k)];
    const bool bounded = c.lo <= c.hi;
    box.lo[k] = bounded ? c.lo : -inf;
    box.hi[k] = bounded ? c.hi : inf;
  }
  return box;
}

// The heights of all points are clearly on one side of the plane.
bool clearly_beside(std::span<const IntervalPoint> points, const PlaneFrame<Interval>& plane) {
  const int side = clear_sign(plane.height(points[0]));
  return side != 0 && std::all_of(points.begin() + 1, points.end(), [&](const IntervalPoint& x) {
           return clear_sign(plane.height(x)) == side;
         });
}

// Of a point: nothing.
template <class Place>
PlaneFrame<Interval> plane_of(const Facet& facet, const Place& place) {
  if (facet.count == 1) return {IntervalPoint(), IntervalPoint(), IntervalPoint()};
  return {place(facet.plane[0]), place(facet.plane[1]), place(facet.plane[2])};
}

class Move {
 public:
  // `rough`: of a translation, or none.
  Move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
       const MoveOptions& options, const RoughMover* rough, Scratch::Data& data)
      : world_(world),
        rough_(rough),
        front_(options.sides == Sides::front),
        mover_(mover),
        path_(path),
        data_(data),
        kinematics_(
            path, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); }),
        standing_(make_standing(path)),
        first_(world, mover, path, data) {
    for (std::size_t i = 0; i < 3; ++i) weight_[i] = kinematics_.weight(i);
    prepare();
  }

  // Whether it touches at the start; then `contact`.
  std::optional<Contact> start() {
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      std::optional<Contact> found;
      const double here = 0;
      data_.begin_round(world_[o].model.facets.size());
      world_[o].tree.visit({start_box_, Vec3::Zero()}, here, [&](std::uint32_t entry) {
        const std::uint32_t f = world_[o].tree.box_of(entry);
        if (!found && data_.first_visit(f) && may_touch(o, entry)) found = start_on(o, f);
      });
      if (found) return found;
    }
    return std::nullopt;
  }

  MoveResult run() {
    const Vec3 way = path_.turns ? Vec3(Vec3::Zero()) : path_.way;
    const Aabb& box = path_.turns ? swept_box_ : start_box_;
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      if (!overlap(swept_box_, world_[o].model.box)) continue;
      data_.begin_round(world_[o].model.facets.size());
      world_[o].tree.visit({box, way}, first_.bound(), [&](std::uint32_t entry) {
        const std::uint32_t f = world_[o].tree.box_of(entry);
        if (data_.first_visit(f) && may_touch(o, entry)) examine(o, f);
      });
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  static Kinematics<Interval> make_standing(const Path& path) {
    Path still;
    still.start = path.start;
    return {still, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); }};
  }

  bool may_touch(std::uint32_t o, std::uint32_t entry) const {
    return !rough_ || rough_->may_touch(world_[o], entry);
  }

  void prepare() {
    Scratch::Data& d = data_;
    const Interval per_scale = reciprocal(kinematics_.scale());
    const auto in_world = [&](const IntervalPoint& x, const Interval& weight) {
      const IntervalPoint whole = reciprocal(weight) * x;
      return box_of(per_scale * (path_.turns ? whole + kinematics_.origin() : whole));
    };
    d.points.clear();
    d.curves.clear();
    d.lines.clear();
    d.planes.clear();
    d.start_boxes.clear();
    d.swept_boxes.clear();
    d.vertex_boxes.clear();
    for (const Vec3& vertex : mover_.vertices) {
      d.points.push_back(kinematics_.body(interval(vertex)));
      d.curves.push_back(kinematics_.moving_body(d.points.back()));
      const CurveVector<Interval>& x = d.curves.back();
      const Aabb begin = in_world(x[0], weight_[0]);
      Aabb whole = begin;
      whole.include(in_world(x[2], weight_[2]));
      if (path_.turns) whole.include(in_world(x[1], weight_[1]));
      d.vertex_boxes.push_back({begin, whole});
    }
    if (path_.turns)
      for (const ModelEdge& edge : mover_.edges)
        d.lines.push_back(kinematics_.moving_line(d.points[edge.a], d.points[edge.b]));
    start_box_ = swept_box_ = {Vec3::Constant(inf), Vec3::Constant(-inf)};
    for (const Facet& facet : mover_.facets) {
      d.planes.push_back(plane_of(facet, [&](std::uint32_t v) { return d.points[v]; }));
      Aabb begin{Vec3::Constant(inf), Vec3::Constant(-inf)}, whole = begin;
      for (const std::uint32_t corner : mover_.corners_of(facet)) {
        begin.include(d.vertex_boxes[corner][0]);
        whole.include(d.vertex_boxes[corner][1]);
      }
      d.start_boxes.push_back(begin);
      d.swept_boxes.push_back(whole);
      start_box_.include(begin);
      swept_box_.include(whole);
    }
    d.facing.clear();
    for (std::size_t m = 0; front_ && m < mover_.facets.size(); ++m)
      d.facing.push_back(facing(true, mover_, mover_.facets[m], d.planes[m].normal));
    d.corners.clear();
    for (const std::uint32_t corner : mover_.corners) d.corners.push_back(d.points[corner]);
  }

  std::optional<Contact> start_on(std::uint32_t o, std::uint32_t f) {
    const BrushModel& world = world_[o].model;
    if (!overlap(start_box_, world.boxes[f])) return std::nullopt;
    const Facet& facet = world.facets[f];
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      if (facet.count == 1 && mover_.facets[m].count == 1) continue;
      if (!overlap(data_.start_boxes[m], world.boxes[f])) continue;
      if (clearly_apart(facet, world, m)) continue;
      if (!exact_facets_touch(path_.start, mover_, mover_.facets[m], world, facet, data_.arena))
        continue;
      Contact contact{Meeting::start, o, m, f, {}, {}};
      contact.point = path_.start * mover_.vertices[mover_.corners[mover_.facets[m].first]];
      contact.normal = Vec3::Zero();
      return contact;
    }
    return std::nullopt;
  }

  // At the start, by the planes of both.
  bool clearly_apart(const Facet& facet, const BrushModel& world, std::uint32_t m) {
    std::vector<IntervalPoint>& corners = data_.world_corners;
    corners.clear();
    for (const std::uint32_t corner : world.corners_of(facet))
      corners.push_back(standing_.world(interval(world.vertices[corner])));
    const Facet& own = mover_.facets[m];
    const auto ours = [&](std::uint32_t v) { return standing_.body(interval(mover_.vertices[v])); };
    if (own.count > 1 && clearly_beside(corners, plane_of(own, ours))) return true;
    if (facet.count == 1) return false;
    const auto plane = plane_of(
        facet, [&](std::uint32_t v) { return standing_.world(interval(world.vertices[v])); });
    corners.clear();
    for (const std::uint32_t corner : mover_.corners_of(own)) corners.push_back(ours(corner));
    return clearly_beside(corners, plane);
  }

  int facing(bool of_body, const BrushModel& model, const Facet& facet,
             const IntervalPoint& normal) {
    if (facet.count == 1) return 0;
    const int sign = clear_sign(dot(normal, kinematics_.way()));
    return sign != 0 ? sign : exact_facing(path_, of_body, model, facet, data_.arena);
  }
  int world_facing(const BrushModel& world, std::uint32_t f) {
    const Facet& facet = world.facets[f];
    if (facet.count == 1) return 0;
    const auto plane = plane_of(
        facet, [&](std::uint32_t v) { return kinematics_.world(interval(world.vertices[v])); });
    return facing(false, world, facet, plane.normal);
  }
  // Whether the edge may come onto or be met by another one, given what its facets must face.
  template <class FacingOf>
  bool counts(const ModelEdge& edge, int wanted, const FacingOf& facing_of) {
    if (!front_ || edge.kind == EdgeKind::open) return true;
    return edge.kind == EdgeKind::convex &&
           (facing_of(edge.facets[0]) == wanted || facing_of(edge.facets[1]) == wanted);
  }

  bool may_meet(std::uint32_t m, const Aabb& box) const {
    if (path_.turns) return overlap(data_.swept_boxes[m], box);
    return meets_moving({data_.start_boxes[m], path_.way}, box, first_.bound());
  }

  void examine(std::uint32_t o, std::uint32_t f) {
    const BrushModel& world = world_[o].model;
    if (!overlap(swept_box_, world.boxes[f])) return;
    const Facet& facet = world.facets[f];
    bool prepared = false;
    std::optional<PlaneFrame<Interval>> plane;
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      if (!may_meet(m, world.boxes[f])) continue;
      if (!prepared) {
        prepared = true;
        place_world(world, facet, plane);
      }
      examine(o, f, m, *plane);
    }
  }

  void place_world(const BrushModel& world, const Facet& facet,
                   std::optional<PlaneFrame<Interval>>& plane) {
    const auto place = [&](std::uint32_t v) {
      return kinematics_.world(interval(world.vertices[v]));
    };
    data_.world_corners.clear();
    for (const std::uint32_t corner : world.corners_of(facet))
      data_.world_corners.push_back(place(corner));
    plane = plane_of(facet, place);
    data_.world_curves.clear();
    if (path_.turns)
      for (const std::uint32_t v : world.vertices_of(facet))
        data_.world_curves.push_back(kinematics_.moving_world(place(v)));
  }

  void examine(std::uint32_t o, std::uint32_t f, std::uint32_t m,
               const PlaneFrame<Interval>& plane) {
    const BrushModel& world = world_[o].model;
    const Facet &theirs = world.facets[f], &ours = mover_.facets[m];
    if (theirs.count > 1 && (!front_ || world_facing(world, f) < 0))
      for (const std::uint32_t v : mover_.vertices_of(ours)) {
        if (front_ && mover_.hidden[v]) continue;
        const IntervalFacet facet{data_.world_corners, plane};
        judge(path_.turns ? rotate_vertex_facet(data_.curves[v], weight_, facet)
                          : translate_vertex_facet(data_.points[v], kinematics_.way(), facet),
              {Meeting::vertex_facet, o, f, v, 0, 0});
      }
    if (ours.count > 1 && (!front_ || data_.facing[m] > 0)) {
      const IntervalFacet facet{
          std::span<const IntervalPoint>(data_.corners).subspan(ours.first, ours.count),
          data_.planes[m]};
      const auto& way = kinematics_.way();
      const IntervalPoint back{-way[0], -way[1], -way[2]};
      std::size_t i = 0;
      for (const std::uint32_t v : world.vertices_of(theirs)) {
        if (front_ && world.hidden[v]) continue;
        judge(path_.turns ? rotate_vertex_facet(data_.world_curves[i++], weight_, facet)
                          : translate_vertex_facet(kinematics_.world(interval(world.vertices[v])),
                                                   back, facet),
              {Meeting::facet_vertex, o, v, m, 0, 0});
      }
    }
    for (const std::uint32_t their_edge : world.edges_of(theirs)) {
      const ModelEdge& b = world.edges[their_edge];
      if (!counts(b, -1, [&](std::uint32_t g) { return world_facing(world, g); })) continue;
      const IntervalPoint b0 = kinematics_.world(interval(world.vertices[b.a])),
                          b1 = kinematics_.world(interval(world.vertices[b.b]));
      for (const std::uint32_t our_edge : mover_.edges_of(ours)) {
        const ModelEdge& a = mover_.edges[our_edge];
        if (!counts(a, 1, [&](std::uint32_t g) { return data_.facing[g]; })) continue;
        judge(path_.turns ? rotate_edge_edge(data_.lines[our_edge], data_.curves[a.a],
                                             data_.curves[a.b], weight_, b0, b1)
                          : translate_edge_edge(data_.points[a.a], data_.points[a.b], b0, b1,
                                                kinematics_.way()),
              {Meeting::edge_edge, o, their_edge, our_edge, 0, 0});
      }
    }
  }

  void judge(const Filtered& filtered, Candidate pair) {
    ++examined_;
    if (filtered.verdict == Filtered::unclear) {
      first_.decide(pair);
    } else if (filtered.verdict == Filtered::touching) {
      pair.lo = filtered.time.lo;
      pair.hi = filtered.time.hi;
      first_.add(pair);
    }
  }

  std::span<const Obstacle> world_;
  const RoughMover* rough_;
  bool front_;
  const BrushModel& mover_;
  const Path& path_;
  Scratch::Data& data_;
  Kinematics<Interval> kinematics_, standing_;
  Curve<Interval> weight_;
  FirstContact first_;
  Aabb start_box_ = everywhere, swept_box_ = everywhere;
  std::uint32_t examined_ = 0;
};

bool all_ok(std::span<const Obstacle> world) {
  return std::all_of(world.begin(), world.end(), [](const Obstacle& o) { return o.model.ok(); });
}

}  // namespace

const char* name(Meeting meeting) {
  switch (meeting) {
    case Meeting::start:
      return "start";
    case Meeting::vertex_facet:
      return "vertex-facet";
    case Meeting::facet_vertex:
      return "facet-vertex";
    case Meeting::edge_edge:
      return "edge-edge";
  }
  return "?";
}

Scratch::Scratch() : data_(std::make_unique<Data>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

MoveResult move(std::span<const Obstacle> world, const BrushModel& mover, const Path& path,
                Scratch& scratch, const MoveOptions& options) {
  const FloatEnvironment environment;
  const bool front = options.sides == Sides::front;
  if (!path.is_valid() || !mover.ok() || !all_ok(world) || (front && path.turns)) return {};
  std::optional<RoughMover> rough;
  if (!path.turns) {
    rough.emplace(mover, path, scratch.data().rough_points);
    if (!rough->is_finite()) rough.reset();
  }
  if (rough && rough->is_clear(world))
    return {Verdict::separated, 1, 1, 0, pose_at(path, 1), {}, 0, 0};
  Move move(world, mover, path, options, rough ? &*rough : nullptr, scratch.data());
  if (path.begins_at_start() && !front)
    if (const std::optional<Contact> contact = move.start())
      return {Verdict::contact, 0, 0, 0, path.start, *contact, 0, 1};
  return move.run();
}

MoveResult move(std::span<const Obstacle> world, const BrushModel& mover,
                std::span<const Path> pieces, Scratch& scratch) {
  MoveResult result;
  for (std::uint32_t i = 0; i < pieces.size(); ++i) {
    result = move(world, mover, pieces[i], scratch);
    result.piece = i;
    if (result.verdict != Verdict::separated) break;
  }
  return result;
}

bool position_test(std::span<const Obstacle> world, const BrushModel& mover, const Pose& pose,
                   Scratch& scratch, Contact* contact) {
  const FloatEnvironment environment;
  Path path;
  path.start = pose;
  if (!path.is_valid() || !mover.ok() || !all_ok(world)) return false;
  const std::optional<Contact> found =
      Move(world, mover, path, {}, nullptr, scratch.data()).start();
  if (found && contact) *contact = *found;
  return found.has_value();
}

}  // namespace graze::polyhedron
