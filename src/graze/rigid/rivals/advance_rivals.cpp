#include "graze/rigid/rivals/advance_rivals.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/distance/model_distance.h"
#include "graze/rigid/rivals/rival_query.h"

namespace graze::rigid {
namespace {

struct Query : RivalQuery {
  using RivalQuery::RivalQuery;

  // A lower bound on the distance beyond the margin, and whether it is a contact.
  struct Look {
    double lo;
    bool contact;
  };
  Look look(double t, DistanceFront* front, double tol) {
    ++result.impact.checks;
    ++result.iterations;
    const BodyDistance found = distance(a.model, placement_at(a.motion, t), b.model,
                                        placement_at(b.motion, t), {.tol = tol}, front);
    if (found.hi + error > threshold) return {found.lo - error - options.margin, false};
    const std::uint32_t checks = result.impact.checks;
    result.impact = Impact::contact(t, options.t_max, checks);
    result.impact.normal = found.normal;
    result.face_a = found.face_a;
    result.face_b = found.face_b;
    result.point_a = found.point_a;
    result.point_b = found.point_b;
    result.distance = (found.point_a - found.point_b).norm();
    return {0, true};
  }

  // Computes a distance, advances to the time advanced(t), and repeats.
  template <class Advanced>
  BodyImpact step_by_step(DistanceFront* front, double tol, const Advanced& advanced) {
    if (answered()) return result;
    for (double t = 0;;) {
      const Look at = look(t, front, tol);
      if (at.contact) return result;
      const double next = advanced(t);
      if (next > options.t_max) return result;
      if (next <= t || is_over(result.impact.checks, options)) return undecided(t);
      t = next;
    }
  }
};

}  // namespace

BodyImpact advance_hierarchical(const Model& a, const Motion& motion_a, const Model& b,
                                const Motion& motion_b, const StoppableOptions& options) {
  const FloatEnvironment environment;
  Query query(a, motion_a, b, motion_b, options);
  DistanceFront front;
  return query.step_by_step(&front, 0.1, [&](double t) {
    const Placement at_a = placement_at(motion_a, t), at_b = placement_at(motion_b, t);
    double next = 2;
    for (const FrontPair& pair : front.pairs) {
      // If the balls prove the gap, its direction is the line of their centres.
      Vec3 n = at_a.rotation * pair.normal;
      if (pair.normal.isZero(0))
        n = (at_a * a.tree.node(pair.a).centre - at_b * b.tree.node(pair.b).centre)
                .stableNormalized();
      const double speed =
          query.approach(n, query.a.axis_distance(pair.a), query.b.axis_distance(pair.b));
      next = std::min(next, Query::after(t, pair.lo - query.error - options.margin, speed));
    }
    return next;
  });
}

BodyImpact advance_undirected(const Model& a, const Motion& motion_a, const Model& b,
                              const Motion& motion_b, const StoppableOptions& options) {
  const FloatEnvironment environment;
  Query query(a, motion_a, b, motion_b, options);
  if (query.answered()) return query.result;
  const double speed = (motion_a.velocity - motion_b.velocity).norm() * (1 + 0x1p-40) +
                       query.a.bound.turn * query.a.axis_distance(0) * (1 + 0x1p-40) +
                       query.b.bound.turn * query.b.axis_distance(0) * (1 + 0x1p-40);
  // The ends of the remaining intervals, the earliest last, with lower bounds on the distances; 0
  // at a contact, after which nothing is tested.
  struct End {
    double t, lo;
  };
  const auto end_at = [&](double t) {
    return End{t, std::max(query.look(t, nullptr, 0.1).lo, 0.0)};
  };
  End begin = end_at(0);
  if (query.answered()) return query.result;
  std::vector<End> ends = {end_at(options.t_max)};
  while (!ends.empty()) {
    const End end = ends.back();
    if (begin.lo > 0 && begin.lo + end.lo > (end.t - begin.t) * speed * (1 + 0x1p-40)) {
      begin = end;
      ends.pop_back();
      continue;
    }
    const double middle = begin.t + (end.t - begin.t) / 2;
    if (middle <= begin.t || middle >= end.t || is_over(query.result.impact.checks, options))
      return query.undecided(begin.t);
    const double known = query.result.impact.toi;
    const End found = end_at(middle);
    if (query.result.impact.toi != known) ends.clear();
    ends.push_back(found);
  }
  return query.result;
}

}  // namespace graze::rigid
