#include "graze/polyhedron/contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/model/facet_frame.h"
#include "graze/polyhedron/model/facet_index.h"
#include "graze/polyhedron/move/move_scratch.h"

namespace graze::polyhedron {
namespace {

// The slack, about a degree, by which a direction may exceed the normals of an edge's facets: a box
// on a table, tilted by rounding, also touches the edge of the table.
constexpr double loose = 0.02;
constexpr double same_direction = 1 - 1e-4;

struct Found : ContactPoint {
  bool beside = false;  // the point is on the border, and the vertex is not above the facet
};

bool precedes(const ContactPoint& a, const ContactPoint& b) {
  return std::tie(a.gap, a.obstacle, a.meeting, a.world_feature, a.mover_feature) <
         std::tie(b.gap, b.obstacle, b.meeting, b.world_feature, b.mover_feature);
}

class Search {
 public:
  Search(std::span<const Obstacle> world, const Model& mover, const Pose& pose, double distance,
         Scratch::Data& data)
      : world_(world), mover_(mover), distance_(distance), data_(data) {
    for (const Vec3& vertex : mover.vertices) vertices_.push_back(pose * vertex);
    box_ = {vertices_[0], vertices_[0]};
    for (const Vec3& x : vertices_) box_.include({x, x});
    const Vec3 size = box_.lo.cwiseAbs().cwiseMax(box_.hi.cwiseAbs());
    rounding_ = 0x1p-46 * size.maxCoeff();
    // A vertex this far beside a facet counts as above it.
    slack_ = std::max(distance / 8, rounding_);
    box_ = grown(box_, distance + slack_);
    for (const Facet& facet : mover.facets) {
      frames_.push_back(make_frame(facet, mover.corners_of(facet), vertices_));
      boxes_.push_back(grown(box_of(vertices_, mover.corners_of(facet)), distance + slack_));
    }
  }

  std::vector<ContactPoint> run() {
    for (std::uint32_t o = 0; o < world_.size(); ++o) {
      const Obstacle& obstacle = world_[o];
      if (!overlap(box_, obstacle.model.box)) continue;
      data_.begin_round(obstacle.model.facets.size());
      const double here = 0;
      obstacle.index->tree.visit({box_, Vec3::Zero()}, here, [&](std::uint32_t entry) {
        const std::uint32_t f = obstacle.index->tree.box_of(entry);
        if (data_.first_visit(f) && overlap(box_, obstacle.model.boxes[f])) examine(o, f);
      });
    }
    return chosen();
  }

 private:
  void examine(std::uint32_t o, std::uint32_t f) {
    const Model& world = world_[o].model;
    const Facet& theirs = world.facets[f];
    const FacetFrame frame = make_frame(theirs, world.corners_of(theirs), world.vertices);
    for (std::uint32_t m = 0; m < mover_.facets.size(); ++m) {
      if (!overlap(boxes_[m], world.boxes[f])) continue;
      // The direction between closest points is a positive combination of the normals of facets
      // there, so two of these facets face each other.
      if (world.closed && mover_.closed && frame.normal.dot(frames_[m].normal) >= 0) continue;
      const Facet& ours = mover_.facets[m];
      for (const std::uint32_t v : mover_.corners_of(ours))
        if (!(mover_.closed && mover_.hidden[v]))
          vertex(frame, theirs, world, vertices_[v], 1, {Meeting::vertex_facet, o, v, f, {}, {}});
      for (const std::uint32_t v : world.corners_of(theirs))
        if (!(world.closed && world.hidden[v]))
          vertex(frames_[m], ours, mover_, world.vertices[v], -1,
                 {Meeting::facet_vertex, o, m, v, {}, {}});
      for (const std::uint32_t a : mover_.sides_of(ours))
        for (const std::uint32_t b : world.sides_of(theirs)) edges(o, world, a, b);
    }
  }

  // Tests a vertex against a facet. `side`: 1 if the facet belongs to the world, -1 if to the
  // mover.
  void vertex(const FacetFrame& frame, const Facet& facet, const Model& model, const Vec3& x,
              double side, const Contact& contact) {
    if (facet.count == 1) return;
    const std::span<const Vec3> points = side > 0 ? std::span(model.vertices) : vertices_;
    const double height = frame.height(x);
    if (std::abs(height) > distance_ || (model.closed && height < -rounding_)) return;
    const double beyond = frame.beyond(x, points, model.corners_of(facet));
    if (beyond > distance_) return;
    Found found{{contact, std::abs(height)}, false};
    found.normal = std::copysign(side, model.closed ? side : side * height) * frame.normal;
    Vec3 there = x - height * frame.normal;
    if (beyond > 0) {
      there = frame.nearest_on_border(x, points, model.corners_of(facet));
      found.gap = (x - there).norm();
      if (found.gap > distance_) return;
      found.beside = (x - height * frame.normal - there).norm() > slack_;
      if (found.beside) found.normal = (side / found.gap) * (x - there);
    }
    found.point = side > 0 ? there : x;
    found_.push_back(found);
  }

  void edges(std::uint32_t o, const Model& world, std::uint32_t mine, std::uint32_t other) {
    const ModelEdge &a = mover_.edges[mine], &b = world.edges[other];
    if (!may_meet(mover_, a) || !may_meet(world, b)) return;
    const Vec3 &a0 = vertices_[a.a], &b0 = world.vertices[b.a];
    const Vec3 along_a = vertices_[a.b] - a0, along_b = world.vertices[b.b] - b0;
    const auto crossing = cross_lines(a0, along_a, b0, along_b);
    if (!crossing) return;
    const double slack_a = slack_ / 2 / along_a.norm(), slack_b = slack_ / 2 / along_b.norm();
    if (crossing->s < -slack_a || crossing->s > 1 + slack_a || crossing->r < -slack_b ||
        crossing->r > 1 + slack_b)
      return;
    Found found{{{Meeting::edge_edge, o, mine, other, {}, {}}, 0}, false};
    found.point = b0 + std::clamp(crossing->r, 0., 1.) * along_b;
    const Vec3 apart = a0 + std::clamp(crossing->s, 0., 1.) * along_a - found.point;
    const double height = crossing->normal.dot(apart);
    found.gap = apart.norm();
    if (found.gap > distance_) return;
    for (const double sign : {1., -1.}) {
      found.normal = sign * crossing->normal;
      if (sign * height < -rounding_) continue;
      if (!outward(world, b, world.vertices, found.normal) ||
          !outward(mover_, a, vertices_, -found.normal))
        continue;
      found_.push_back(found);
      return;
    }
  }

  static bool may_meet(const Model& model, const ModelEdge& edge) {
    return edge.kind == EdgeKind::open || edge.kind == EdgeKind::convex ||
           (!model.closed && edge.kind == EdgeKind::internal);
  }

  // Returns whether all facets at the edge are behind the plane with normal n, up to `loose`.
  static bool outward(const Model& model, const ModelEdge& edge, std::span<const Vec3> points,
                      const Vec3& n) {
    for (const std::uint32_t f : edge.facets) {
      if (f == no_facet) continue;
      const Facet& facet = model.facets[f];
      const FacetFrame frame = make_frame(facet, model.corners_of(facet), points);
      if (frame.inward(points[edge.a], points[edge.b]).dot(n) > loose) return false;
    }
    return true;
  }

  std::vector<ContactPoint> chosen() {
    std::sort(found_.begin(), found_.end(), precedes);
    std::vector<ContactPoint> kept;
    for (const Found& next : found_) {
      if (data_.is_stopped()) break;
      if (next.beside && is_beside_closer(next)) continue;
      const bool is_new = std::none_of(kept.begin(), kept.end(), [&](const ContactPoint& old) {
        return old.obstacle == next.obstacle && old.normal.dot(next.normal) > same_direction &&
               (old.point - next.point).norm() <= distance_;
      });
      if (is_new) kept.push_back(next);
    }
    return kept;
  }

  // Returns whether the vertex is closer to, or above, a neighbour of the facet it is beside.
  bool is_beside_closer(const Found& next) const {
    return std::any_of(found_.begin(), found_.end(), [&](const Found& other) {
      const bool same_vertex = next.meeting == Meeting::vertex_facet
                                   ? other.mover_feature == next.mover_feature
                                   : other.world_feature == next.world_feature;
      return same_vertex && other.meeting == next.meeting && other.obstacle == next.obstacle &&
             other.gap < next.gap && other.normal.dot(next.normal) > 0;
    });
  }

  std::span<const Obstacle> world_;
  const Model& mover_;
  double distance_, rounding_ = 0, slack_ = 0;
  Scratch::Data& data_;
  std::vector<Vec3> vertices_;  // of the mover, in the world
  std::vector<FacetFrame> frames_;
  std::vector<Aabb> boxes_;
  Aabb box_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<ContactPoint> contacts(std::span<const Obstacle> world, const Model& mover,
                                   const Pose& pose, double distance, Scratch& scratch) {
  const FloatEnvironment environment;
  Path path;
  path.start = pose;
  const auto is_ok = [](const Obstacle& obstacle) { return obstacle.ok(); };
  if (!path.is_valid() || !mover.ok() || !(distance >= 0) || !std::isfinite(distance) ||
      !std::all_of(world.begin(), world.end(), is_ok))
    return {};
  auto found = Search(world, mover, pose, distance, scratch.data()).run();
  if (scratch.is_stopped()) found.clear();
  return found;
}

}  // namespace graze::polyhedron
