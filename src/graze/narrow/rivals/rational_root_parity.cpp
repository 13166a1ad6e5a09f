#include "graze/narrow/rivals/rational_root_parity.h"

#include "graze/exact/judge/algebraic_root.h"
#include "graze/exact/judge/integer_motion.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/rivals/boundary_rays.h"

namespace graze::narrow {
namespace {

using boundary::Crossing;
using boundary::Patch;
using exact::AlgebraicRoot;
using exact::Polynomial;

template <class Query>
struct EveryDegeneracy : boundary::EnoughRays {
  const Query& query;
  double t_max;

  EveryDegeneracy(const Query& asked, double end) : query(asked), t_max(end) {}

  // Modulo 2 a flat patch is the sum of its two triangles, also where it is folded.
  static Crossing folded() { return Crossing::even; }

  // Returns whether the segment from a to b, which moves in a plane through the origin or on a line
  // through it, passes over the origin. It does at a root of one component of a x b that is not
  // zero throughout (then neither is the normal of the plane in that component, so all three vanish
  // together) at which a.b <= 0. On a line a.b <= 0 alone decides; that begins at t = 0 or at a
  // root.
  template <class Views>
  bool on_flat(const Patch& q, const Views&) const {
    using D = boundary::Domain<Query>;
    const auto motion = exact::integer_motion(query);
    const auto difference = [&](std::size_t m) {
      return motion[D::differences[m][0]] - motion[D::differences[m][1]];
    };
    const auto a = difference(q[0]), b = difference(q[1]);
    const Polynomial distance = dot(a, b);
    const auto until = exact::Dyadic::of(t_max);
    const auto found = [&](const Polynomial& event) {
      auto times = exact::roots(event, until);
      return std::any_of(times.begin(), times.end(),
                         [&](AlgebraicRoot& t) { return t.sign_of(distance) <= 0; });
    };
    for (const Polynomial& component : cross(a, b))
      if (!component.is_zero()) return found(component);
    return sign(distance.c[0]) <= 0 || found(distance);
  }
};

template <class Query>
Impact answer(const Query& query, const Options& options) {
  boundary::ExactCorners corners(query, options.t_max);
  return boundary::shoot<Query>(corners, EveryDegeneracy<Query>{query, options.t_max},
                                options.t_max);
}

template <class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer(query, options); });
}

}  // namespace

void rational_root_parity(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}
void rational_root_parity(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}

}  // namespace graze::narrow
