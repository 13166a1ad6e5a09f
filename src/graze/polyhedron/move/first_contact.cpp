#include <Eigen/Geometry>

#include "graze/polyhedron/move/exact_touch.h"
#include "graze/polyhedron/move/move_scratch.h"

namespace graze::polyhedron {
namespace {

bool precedes(const Candidate& a, const Candidate& b) {
  return std::tie(a.lo, a.hi, a.slides, a.meeting, a.obstacle, a.world_feature, a.mover_feature) <
         std::tie(b.lo, b.hi, b.slides, b.meeting, b.obstacle, b.world_feature, b.mover_feature);
}

Vec3 facet_normal(const Model& model, const Facet& facet) {
  const Vec3 &a = model.vertices[facet.plane[0]], &b = model.vertices[facet.plane[1]],
             &c = model.vertices[facet.plane[2]];
  return Vec3(b / 2 - a / 2).stableNormalized().cross(Vec3(c / 2 - a / 2).stableNormalized());
}

// Returns the point of the segment p-q nearest to the line through r along s, approximately.
Vec3 crossing(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
  const Vec3 d = q - p, n = d.cross(s), across = s.cross(n);
  const double share = across.dot(r - p) / across.dot(d);
  return p + std::clamp(std::isfinite(share) ? share : 0.5, 0., 1.) * d;
}

// Returns the doubles next to the one root in `bracket` of a quadratic with the given Bernstein
// coefficients, which changes its sign there. Nothing if the root is too close to a double.
//
// Newton's method in double-doubles starts in the middle of the bracket and proposes two
// neighbouring doubles of the bracket. Clear and opposite signs at both prove that the root is
// between them.
std::optional<Interval> rounded_root(const Curve<Wide>& b, const Interval& bracket) {
  const auto value_at = [&](double t) {
    const Wide s = Wide(1) - Wide(t);
    return (b[0] * s + b[1] * t) * s + (b[1] * s + b[2] * t) * t;
  };
  const auto sign = [](const Wide& x) {
    return std::abs(x.hi) * (1 - 0x1p-50) > x.err ? (x.hi > 0 ? 1 : -1) : 0;
  };
  double t = bracket.lo / 2 + bracket.hi / 2;
  for (int round = 0; round < 3; ++round) {
    const double slope = 2 * ((b[1].hi - b[0].hi) * (1 - t) + (b[2].hi - b[1].hi) * t);
    t = std::clamp(t - value_at(t).hi / slope, bracket.lo, bracket.hi);
    const int here = sign(value_at(t));
    if (here == 0) return std::nullopt;  // also NaN
    const double other = std::nextafter(t, (here > 0) == (slope > 0) ? -HUGE_VAL : HUGE_VAL);
    if (!(other >= bracket.lo && other <= bracket.hi)) continue;
    const int there = sign(value_at(other));
    if (there == -here) return Interval(std::min(t, other), std::max(t, other));
    if (there == 0) return std::nullopt;
  }
  return std::nullopt;
}

// Computes the time of contact of features that touch along a path but not at all times: the
// doubles next to the zero of a height or of the sidedness of two lines. Nothing if the zero is too
// close to a double.
class RoundedTime {
 public:
  explicit RoundedTime(const Path& path)
      : kinematics_(path, wide, [](double x) { return Wide(x); }), turns_(path.turns) {}

  std::optional<Interval> operator()(const Candidate& pair, const Model& mover,
                                     const Model& world) const {
    const auto ours = [&](std::uint32_t v) { return kinematics_.body(wide(mover.vertices[v])); };
    const auto theirs = [&](std::uint32_t v) { return kinematics_.world(wide(world.vertices[v])); };
    const auto plane = [](const Facet& facet, const auto& place) {
      return PlaneFrame<Wide>(place(facet.plane[0]), place(facet.plane[1]), place(facet.plane[2]));
    };
    if (pair.meeting == Meeting::vertex_facet) {
      const auto frame = plane(world.facets[pair.world_feature], theirs);
      const Triple<Wide> x = ours(pair.mover_feature);
      if (turns_) return on_plane(frame, kinematics_.moving_body(x), pair);
      return rounded_quotient(-frame.height(x), dot(frame.normal, kinematics_.way()));
    }
    if (pair.meeting == Meeting::facet_vertex) {
      const auto frame = plane(mover.facets[pair.mover_feature], ours);
      const Triple<Wide> x = theirs(pair.world_feature);
      if (turns_) return on_plane(frame, kinematics_.moving_world(x), pair);
      return rounded_quotient(frame.height(x), dot(frame.normal, kinematics_.way()));
    }
    const ModelEdge &a = mover.edges[pair.mover_feature], &b = world.edges[pair.world_feature];
    const Triple<Wide> a0 = ours(a.a), a1 = ours(a.b), b0 = theirs(b.a), b1 = theirs(b.b);
    if (turns_) {
      const std::array<Line<Wide>, 3> moving = kinematics_.moving_line(a0, a1);
      const Line<Wide> fixed = line_through(b0, b1);
      return rounded_root({side(moving[0], fixed), side(moving[1], fixed), side(moving[2], fixed)},
                          {pair.lo, pair.hi});
    }
    const Triple<Wide> normal = cross(a1 - a0, b1 - b0);
    return rounded_quotient(dot(normal, b0 - a0), dot(normal, kinematics_.way()));
  }

 private:
  std::optional<Interval> on_plane(const PlaneFrame<Wide>& plane, const CurveVector<Wide>& x,
                                   const Candidate& pair) const {
    Curve<Wide> height;
    for (std::size_t i = 0; i < 3; ++i) height[i] = plane.height(x[i], kinematics_.weight(i));
    return rounded_root(height, {pair.lo, pair.hi});
  }

  Kinematics<Wide> kinematics_;
  bool turns_;
};

}  // namespace

std::optional<Touch> FirstContact::touch(const Candidate& pair) {
  ++exact_calls_;
  const Model& world = world_[pair.obstacle].model;
  switch (pair.meeting) {
    case Meeting::vertex_facet:
      return exact_vertex_facet(path_, true, mover_.vertices[pair.mover_feature], world,
                                world.facets[pair.world_feature], data_.arena, enters_);
    case Meeting::facet_vertex:
      return exact_vertex_facet(path_, false, world.vertices[pair.world_feature], mover_,
                                mover_.facets[pair.mover_feature], data_.arena, enters_);
    default: {
      const ModelEdge &a = mover_.edges[pair.mover_feature], &b = world.edges[pair.world_feature];
      if (enters_) return exact_entering_edges(path_, mover_, a, world, b, data_.arena);
      return exact_edge_edge(path_, mover_.vertices[a.a], mover_.vertices[a.b], world.vertices[b.a],
                             world.vertices[b.b], data_.arena);
    }
  }
}

void FirstContact::decide(Candidate pair) {
  if (data_.is_stopped()) return;
  const std::optional<Touch> found = touch(pair);
  if (!found) return;
  pair.lo = found->lo;
  pair.hi = found->hi;
  pair.slides = found->slides;
  pair.tight = true;
  add(pair);
}

MoveResult FirstContact::result() {
  MoveResult result;
  const Candidate* first = nullptr;
  std::optional<RoundedTime> rounded;
  for (Candidate& pair : data_.candidates) {
    if (pair.lo > bound_ || data_.is_stopped()) continue;
    if (!pair.tight) {
      std::optional<Interval> time;
      if (wide_times_) {
        if (!rounded) rounded.emplace(path_);
        time = (*rounded)(pair, mover_, world_[pair.obstacle].model);
      }
      if (!time) {
        const std::optional<Touch> found = touch(pair);
        assert(found);
        if (found) time = {found->lo, found->hi};
      }
      if (time) pair.lo = time->lo, pair.hi = time->hi;
      pair.tight = true;
      bound_ = std::min(bound_, pair.hi);
    }
    // The time t of the contact is lo = hi, or it is between these two neighbouring doubles: t is
    // at most t_max exactly if hi is.
    if (pair.hi <= t_max_ && (!first || precedes(pair, *first))) first = &pair;
  }
  result.exact = exact_calls_;
  result.verdict = first ? Verdict::contact : Verdict::separated;
  result.toi = first ? first->lo : Impact::inf;
  result.toi_hi = first ? first->hi : Impact::inf;
  result.end = pose_at(path_, first ? first->lo : t_max_);
  if (first) result.contact = contact_of(*first, first->lo);
  return result;
}

Contact FirstContact::contact_of(const Candidate& pair, double f) const {
  Contact contact{pair.meeting, pair.obstacle, pair.mover_feature, pair.world_feature, {}, {}};
  const Model& world = world_[pair.obstacle].model;
  const Pose pose = pose_at(path_, f);
  const Vec3 centre = path_.start * path_.pivot;
  const auto velocity = [&](const Vec3& x) -> Vec3 {
    if (!path_.turns) return path_.way;
    const Eigen::Quaterniond turn = path_.end * path_.begin.conjugate();
    return turn.vec().cross(x - centre);
  };
  if (pair.meeting == Meeting::edge_edge) {
    const ModelEdge &a = mover_.edges[pair.mover_feature], &b = world.edges[pair.world_feature];
    const Vec3 a0 = pose * mover_.vertices[a.a], a1 = pose * mover_.vertices[a.b];
    const Vec3 &b0 = world.vertices[b.a], &b1 = world.vertices[b.b];
    contact.point = crossing(b0, b1, a0, a1 - a0);
    contact.normal = (a1 - a0).stableNormalized().cross((b1 - b0).stableNormalized());
  } else if (pair.meeting == Meeting::vertex_facet) {
    contact.point = pose * mover_.vertices[pair.mover_feature];
    contact.normal = facet_normal(world, world.facets[pair.world_feature]);
  } else {
    contact.point = world.vertices[pair.world_feature];
    contact.normal = pose.rotation.normalized()._transformVector(
        facet_normal(mover_, mover_.facets[pair.mover_feature]));
  }
  contact.normal = contact.normal.stableNormalized();
  if (contact.normal.dot(velocity(contact.point)) > 0) contact.normal = -contact.normal;
  contact.normal += Vec3::Zero();  // no negative zeros
  return contact;
}

}  // namespace graze::polyhedron
