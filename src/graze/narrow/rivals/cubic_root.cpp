#include "graze/narrow/rivals/cubic_root.h"

#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/time_set.h"

namespace graze::narrow {
namespace {

using namespace rivals;

// Edges count as parallel below this sine. DEVIATION: the public code compares the cross product
// itself with 1e-8, whatever the lengths of the edges.
constexpr double parallel_sin = 1e-8;

// Returns the times in `within` at which p >= 0. Between roots the sign in the middle decides.
TimeSet not_negative(const Polynomial<4>& p, Interval within) {
  TimeSet set;
  Times<6> knots;
  BernsteinPiece<4>(p, within.lo, within.hi).append_roots(knots);
  double lo = within.lo;
  const auto add_until = [&](double hi) {
    if (value_at(p, lo + (hi - lo) / 2) >= 0) set.add({lo, hi});
    lo = hi;
  };
  for (const double knot : knots) {
    add_until(knot);
    set.add({knot, knot});
  }
  add_until(within.hi);
  return set;
}

// Returns three polynomials. If the corners are coplanar, the vertex is inside the face exactly
// where none is negative: they are its barycentric coordinates from x = u y + v z, times |n|^2 with
// n = y cross z.
//
// DEVIATION: the public code treats the normal of the face as linear in t (cubic_root_published.cpp
// does so too).
std::array<Polynomial<4>, 3> inside(const VertexFace&, const Motion& m) {
  const auto n = cross(m.y, m.z);
  const auto u = dot(cross(m.x, m.z), n), v = dot(cross(m.y, m.x), n);
  return {u, v, dot(n, n) - u - v};
}

bool can_decide(const VertexFace&, const Motion&, double) {
  return true;
}
bool can_decide(const EdgeEdge&, const Motion& m, double t) {
  const Vec3 y = value_at(m.y, t), z = value_at(m.z, t);
  return y.cross(z).norm() > parallel_sin * y.norm() * z.norm();
}

// Returns the times of coplanarity, each widened by the tolerance; all times if the cubic is zero.
//
// DEVIATION: the public code solves the square of the cubic less eta^2 |n|^2, a sextic, with a
// length eta as its tolerance. At eta = 0 all its roots are double and many of them are lost:
// cubic_root_published. This method solves the cubic itself.
TimeSet coplanar_times(const Polynomial<3>& cubic, double t_max, double tol) {
  TimeSet set;
  if (std::all_of(cubic.begin(), cubic.end(), [](double c) { return c == 0; })) {
    set.add({0, t_max});
    return set;
  }
  Times<5> roots;
  BernsteinPiece<3>(cubic, -tol, t_max + tol).append_roots(roots);
  for (const double root : roots)
    set.add({std::clamp(root - tol, 0.0, t_max), std::clamp(root + tol, 0.0, t_max)});
  return set;
}

template <class Query>
Impact answer(const Query& query, const Options& options) {
  const Motion motion(differences(query));
  const double tol = std::min(options.time_tol, 1.0);
  const auto candidates =
      coplanar_times(dot(motion.x, cross(motion.y, motion.z)), options.t_max, tol);
  std::uint32_t checks = 0;
  if (candidates.empty()) return Impact::separated();
  const auto conditions = inside(query, motion);
  for (const Interval& candidate : candidates) {
    ++checks;
    if (!can_decide(query, motion, candidate.lo + (candidate.hi - candidate.lo) / 2)) continue;
    TimeSet times;
    times.add(candidate);
    for (const auto& condition : conditions) {
      times = intersection(times, not_negative(condition, candidate));
      if (times.empty()) break;
    }
    if (!times.empty()) return Impact::contact(times.begin()->lo, options.t_max, checks);
  }
  return Impact::separated(checks);
}

template <class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer(query, options); });
}

}  // namespace

void cubic_root(std::span<const VertexFace> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}
void cubic_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}

}  // namespace graze::narrow
