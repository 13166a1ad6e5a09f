#include "graze/polyhedron/body/stop_zone.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/model/facet_index.h"

namespace graze::polyhedron {
namespace {

// Returns whether the velocity goes against the normal by more than rounding.
bool approaches(const Vec3& n, const Vec3& velocity) {
  return n.dot(velocity) < -16 * numeric::u * velocity.norm();
}

// Returns the parameter from which on the body is inside the zone up to `end`, rounded outward;
// nothing if it is not inside at `end`. A body that starts inside does not move at all (Figure
// 2); otherwise the interval begins where the body enters the zone (Figure 4) or turns back in it
// (Figure 3).
template <class Inside>
std::optional<double> entry(double end, const Inside& inside) {
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

}  // namespace

StopZone::StopZone(std::span<const Obstacle> world, const Model& mover, const Path& path,
                   double until, double e, double rounding, Scratch::Data& data)
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

std::optional<StopZone::Stop> StopZone::run() {
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

double StopZone::speed() const {
  double most = 0;
  for (const Vec3& x : vertices_) most = std::max(most, sweep_.velocity(x, 1).norm());
  return most;
}

void StopZone::examine(std::uint32_t o, std::uint32_t f) {
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

void StopZone::vertex(const Vec3& x, double sign, const Polygon& polygon, Contact contact) {
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

void StopZone::edges(std::uint32_t o, const Model& world, std::uint32_t mine, std::uint32_t other) {
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
  const double hit = first_descent(sweep_.turns, sign * side, sign * slope, sign * bend, e_ * size);
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

Vec3 StopZone::turned(const Vec3& direction, double at) const {
  if (!sweep_.turns) return direction;
  return sweep_.position(sweep_.centre + direction, at, 1) - sweep_.centre;
}

void StopZone::keep(double at, const Contact& contact) {
  const Vec3 v = sweep_.velocity(contact.point, 1);
  const double facing = contact.normal.dot(v) / v.norm();
  if (first_ && std::tie(first_->at, first_->facing) <= std::tie(at, facing)) return;
  first_ = Stop{at, facing, contact};
}

}  // namespace graze::polyhedron
