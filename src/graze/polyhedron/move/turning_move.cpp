#include "graze/polyhedron/move/turning_move.h"

#include <cmath>

#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move/move_scratch.h"
#include "graze/polyhedron/move/position_test.h"
#include "graze/polyhedron/move/rotate.h"

namespace graze::polyhedron {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

// Returns 1 / x for x > 0; everything if x may be 0.
Interval reciprocal(const Interval& x) {
  return x.lo > 0 && std::isfinite(x.hi) ? exact::widened(1 / x.hi, 1 / x.lo)
                                         : Interval(-unbounded, unbounded);
}

Aabb box_of(const IntervalPoint& x) {
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const Interval& c = x[static_cast<std::size_t>(k)];
    const bool bounded = c.lo <= c.hi;
    box.lo[k] = bounded ? c.lo : -unbounded;
    box.hi[k] = bounded ? c.hi : unbounded;
  }
  return box;
}

// Returns the plane of the facet; meaningless for a single point.
template <class Place>
PlaneFrame<Interval> plane_of(const Facet& facet, const Place& place) {
  if (facet.count == 1) return {IntervalPoint(), IntervalPoint(), IntervalPoint()};
  return {place(facet.plane[0]), place(facet.plane[1]), place(facet.plane[2])};
}

class TurningMove {
 public:
  TurningMove(std::span<const Obstacle> world, const Model& mover, const Path& path, double t_max,
              Scratch::Data& data)
      : world_(world),
        mover_(mover),
        data_(data),
        kinematics_(
            path, [](const Vec3& x) { return interval(x); }, [](double x) { return Interval(x); }),
        first_(world, mover, path, t_max, data) {
    for (std::size_t i = 0; i < 3; ++i) weight_[i] = kinematics_.weight(i);
    prepare();
  }

  MoveResult run() {
    const double here = 0;
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      if (!overlap(swept_box_, world_[o].model.box)) continue;
      data_.begin_round(world_[o].model.facets.size());
      world_[o].index->tree.visit({swept_box_, Vec3::Zero()}, here, [&](std::uint32_t entry) {
        const std::uint32_t f = world_[o].index->tree.box_of(entry);
        if (data_.first_visit(f) && overlap(swept_box_, world_[o].model.boxes[f])) examine(o, f);
      });
    }
    MoveResult result = first_.result();
    result.examined = examined_;
    return result;
  }

 private:
  void prepare() {
    Scratch::Data& d = data_;
    const Interval per_scale = reciprocal(kinematics_.scale());
    d.points.clear();
    d.curves.clear();
    d.lines.clear();
    d.planes.clear();
    d.swept_boxes.clear();
    d.vertex_boxes.clear();
    for (const Vec3& vertex : mover_.vertices) {
      d.points.push_back(kinematics_.body(interval(vertex)));
      d.curves.push_back(kinematics_.moving_body(d.points.back()));
      Aabb box{Vec3::Constant(unbounded), Vec3::Constant(-unbounded)};
      for (std::size_t i = 0; i < 3; ++i) {
        const IntervalPoint whole = reciprocal(weight_[i]) * d.curves.back()[i];
        box.include(box_of(per_scale * (whole + kinematics_.origin())));
      }
      d.vertex_boxes.push_back(box);
    }
    for (const ModelEdge& edge : mover_.edges)
      d.lines.push_back(kinematics_.moving_line(d.points[edge.a], d.points[edge.b]));
    swept_box_ = {Vec3::Constant(unbounded), Vec3::Constant(-unbounded)};
    for (const Facet& facet : mover_.facets) {
      d.planes.push_back(plane_of(facet, [&](std::uint32_t v) { return d.points[v]; }));
      Aabb whole{Vec3::Constant(unbounded), Vec3::Constant(-unbounded)};
      for (const std::uint32_t corner : mover_.corners_of(facet))
        whole.include(d.vertex_boxes[corner]);
      d.swept_boxes.push_back(whole);
      swept_box_.include(whole);
    }
    d.corners.clear();
    for (const std::uint32_t corner : mover_.corners) d.corners.push_back(d.points[corner]);
  }

  void examine(std::uint32_t o, std::uint32_t f) {
    const Model& world = world_[o].model;
    std::optional<PlaneFrame<Interval>> plane;
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      if (!overlap(data_.swept_boxes[m], world.boxes[f])) continue;
      if (!plane) place_world(world, world.facets[f], plane);
      examine(o, f, m, *plane);
    }
  }

  void place_world(const Model& world, const Facet& facet,
                   std::optional<PlaneFrame<Interval>>& plane) {
    const auto place = [&](std::uint32_t v) {
      return kinematics_.world(interval(world.vertices[v]));
    };
    data_.world_corners.clear();
    for (const std::uint32_t corner : world.corners_of(facet))
      data_.world_corners.push_back(place(corner));
    plane = plane_of(facet, place);
    data_.world_curves.clear();
    for (const std::uint32_t v : world.vertices_of(facet))
      data_.world_curves.push_back(kinematics_.moving_world(place(v)));
  }

  void examine(std::uint32_t o, std::uint32_t f, std::uint32_t m,
               const PlaneFrame<Interval>& plane) {
    const Model& world = world_[o].model;
    const Facet &theirs = world.facets[f], &ours = mover_.facets[m];
    if (theirs.count > 1)
      for (const std::uint32_t v : mover_.vertices_of(ours))
        judge(rotate_vertex_facet(data_.curves[v], weight_, {data_.world_corners, plane}),
              {Meeting::vertex_facet, o, f, v, 0, 0});
    if (ours.count > 1) {
      const IntervalFacet facet{
          std::span<const IntervalPoint>(data_.corners).subspan(ours.first, ours.count),
          data_.planes[m]};
      std::size_t i = 0;
      for (const std::uint32_t v : world.vertices_of(theirs))
        judge(rotate_vertex_facet(data_.world_curves[i++], weight_, facet),
              {Meeting::facet_vertex, o, v, m, 0, 0});
    }
    for (const std::uint32_t their_edge : world.edges_of(theirs)) {
      const ModelEdge& b = world.edges[their_edge];
      const IntervalPoint b0 = kinematics_.world(interval(world.vertices[b.a])),
                          b1 = kinematics_.world(interval(world.vertices[b.b]));
      for (const std::uint32_t our_edge : mover_.edges_of(ours)) {
        const ModelEdge& a = mover_.edges[our_edge];
        judge(rotate_edge_edge(data_.lines[our_edge], data_.curves[a.a], data_.curves[a.b], weight_,
                               b0, b1),
              {Meeting::edge_edge, o, their_edge, our_edge, 0, 0});
      }
    }
  }

  void judge(const Filtered& filtered, const Candidate& pair) {
    ++examined_;
    first_.judge(filtered, pair);
  }

  std::span<const Obstacle> world_;
  const Model& mover_;
  Scratch::Data& data_;
  Kinematics<Interval> kinematics_;
  Curve<Interval> weight_;
  FirstContact first_;
  Aabb swept_box_;
  std::uint32_t examined_ = 0;
};

}  // namespace

MoveResult turning_move(std::span<const Obstacle> world, const Model& mover, const Path& path,
                        double t_max, Scratch::Data& data) {
  if (path.begins_at_start())
    if (const std::optional<Contact> contact = touching(world, mover, path.start, data))
      return {Verdict::contact, 0, 0, 0, path.start, *contact, 0, 1};
  return TurningMove(world, mover, path, t_max, data).run();
}

}  // namespace graze::polyhedron
