#include "graze/rigid/advance.h"

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model_advance.h"
#include "graze/rigid/motion/boxes_apart.h"
#include "graze/rigid/rivals/advance_pieces.h"
#include "graze/rigid/rivals/advance_rivals.h"
#include "graze/rigid/rivals/screw_interval.h"
#include "graze/rigid/shapes/containment.h"
#include "graze/rigid/shapes/round_points.h"
#include "graze/rigid/shapes/shape_advance.h"

namespace graze::rigid {
namespace {

// Returns the contact at 0 of two half spaces, which intersect unless their normals are opposite.
BodyImpact advance_half_spaces(const Motion& a, const Motion& b, const AdvanceOptions& options,
                               const Roundness& round) {
  BodyImpact result;
  result.impact = Impact::undecided(0, options.t_max);
  const double error = placement_error(a, 0) + placement_error(b, 0);
  result.threshold = contact_threshold(round.size, options, error);
  if (!(error < 0x1p400)) return result;
  if (const auto point = common_point(placement_at(a, 0), placement_at(b, 0))) {
    result.impact = Impact::contact(0, options.t_max);
    result.impact.normal = placement_at(b, 0).rotation.col(2).normalized();
    result.point_a = result.point_b = *point;
    result.distance = 0;
  }
  return result;
}

// Replaces the answer of the search between the surfaces, which are apart at the start, if a solid
// contains the other body at the start. If rounding leaves containment open, the surfaces are
// closer than the error of positions: the answer is then a contact if they are within the
// threshold, else undecided.
void examine_solids(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                    const StoppableOptions& options, BodyImpact& result) {
  if (!a.model().has_inside() && !b.model().has_inside()) return;
  if (is_stopped(options)) {
    const double used = result.threshold;
    result = {};
    result.impact = Impact::undecided(0, options.t_max);
    result.threshold = used;
    return;
  }
  if (result.impact.verdict == Verdict::contact && result.impact.toi == 0) return;
  const Placement at_a = placement_at(motion_a, 0), at_b = placement_at(motion_b, 0);
  const double error = placement_error(motion_a, 4 * reach_of(a.model())) +
                       placement_error(motion_b, 4 * reach_of(b.model()));
  if (!(error < 0x1p400)) return;
  const Containment found = containment(a.model(), at_a, b.model(), at_b, error);
  if (found.verdict == Verdict::separated) return;
  const std::uint32_t checks = result.impact.checks;
  const BodyDistance& surfaces = found.surfaces;
  const bool contains = found.verdict == Verdict::contact;
  const double threshold = result.threshold;
  if (!contains && !(surfaces.hi + error <= threshold + a.radius() + b.radius())) {
    result = {};
    result.impact = Impact::undecided(0, options.t_max, checks);
    result.threshold = threshold;
    return;
  }
  result.impact = Impact::contact(0, options.t_max, checks);
  result.impact.normal = found.normal;
  result.face_a = surfaces.face_a;
  result.face_b = surfaces.face_b;
  result.point_a = contains ? found.point : surfaces.point_a;
  result.point_b = contains ? found.point : surfaces.point_b;
  result.distance = (result.point_a - result.point_b).norm();
  result.iterations = 0;
}

// Returns the answer for two meshes whose boxes stay apart, with the threshold that the search
// uses.
BodyImpact boxes_apart(const Model& a, const Motion& motion_a, const Model& b,
                       const Motion& motion_b, const AdvanceOptions& options,
                       const Roundness& round) {
  const double error = position_error(a, motion_a, b, motion_b, round);
  BodyImpact result;
  result.impact = Impact::separated(1);
  result.threshold = contact_threshold(round.size, options, error);
  return result;
}

bool is_plain(const Body& body) {
  return body.radius() == 0 && !body.model().solid &&
         (body.model().has_mesh() || !body.model().valid());
}
bool is_plain(const Body& a, const Body& b, const AdvanceOptions& options) {
  return is_plain(a) && is_plain(b) && !options.front_faces;
}

BodyImpact certified(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                     const AdvanceOptions& options, const std::atomic<bool>* stop) {
  return advance(a, motion_a, b, motion_b, options, {}, stop);
}
BodyImpact fast(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                const AdvanceOptions& options, const std::atomic<bool>* stop) {
  if (!is_plain(a, b, options)) return BodyImpact::invalid();
  return advance_hierarchical(a.model(), motion_a, b.model(), motion_b, {options, stop});
}
BodyImpact pieces(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                  const AdvanceOptions& options, const std::atomic<bool>* stop) {
  if (!is_plain(a, b, options)) return BodyImpact::invalid();
  return advance_pieces(a.model(), motion_a, b.model(), motion_b, {options, stop});
}
BodyImpact undirected(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                      const AdvanceOptions& options, const std::atomic<bool>* stop) {
  if (!is_plain(a, b, options)) return BodyImpact::invalid();
  return advance_undirected(a.model(), motion_a, b.model(), motion_b, {options, stop});
}
BodyImpact screw_interval(const Body& a, const Motion& motion_a, const Body& b,
                          const Motion& motion_b, const AdvanceOptions& options,
                          const std::atomic<bool>* stop) {
  if (!is_plain(a, b, options)) return BodyImpact::invalid();
  return advance_intervals(a.model(), motion_a, b.model(), motion_b, {options, stop});
}

constexpr AdvanceMethod methods[] = {
    {"certified", "search in space and time with a bound for each pair of nodes", certified},
    {"fast", "[Zhang 2006] Alg. 2: distances by the hull trees, directed motion bound", fast},
    {"pieces", "[Zhang 2006] Alg. 1: all pairs of convex pieces, hill climbing", pieces},
    {"undirected", "the dynamic checker of [Schwarzer 2002]: undirected motion bound", undirected},
    {"screw_interval", "[Redon 2002] (CONTACT): boxes in interval arithmetic over pieces of time",
     screw_interval},
};

}  // namespace

BodyImpact advance(const Body& a, const Motion& motion_a, const Body& b, const Motion& motion_b,
                   const AdvanceOptions& chosen, const MotionObserver& observer,
                   const std::atomic<bool>* stop) {
  const FloatEnvironment environment;
  const StoppableOptions options{chosen, stop};
  const Model &first = a.model(), &second = b.model();
  if (!advance_accepts(first, motion_a, second, motion_b, options)) return BodyImpact::invalid();
  const Roundness round{a.radius() + b.radius(), std::max(a.size(), b.size())};
  if (first.half_space && second.half_space)
    return advance_half_spaces(motion_a, motion_b, options, round);
  const bool meshes = first.has_mesh() && second.has_mesh();
  const bool divided = first.tree.size() > 1 && second.tree.size() > 1;
  if (meshes && divided &&
      boxes_stay_apart(first, motion_a, second, motion_b, options.margin + round.radii,
                       options.t_max))
    return boxes_apart(first, motion_a, second, motion_b, options, round);
  BodyImpact result = meshes ? advance(first, motion_a, second, motion_b, options, observer, round)
                             : advance_shapes(first, motion_a, second, motion_b, options, round);
  if (!options.front_faces) examine_solids(a, motion_a, b, motion_b, options, result);
  if (result.impact.verdict == Verdict::contact && round.radii > 0)
    result.distance = round_points(a.radius(), b.radius(), result.point_a, result.point_b);
  return result;
}

std::span<const AdvanceMethod> advance_methods() {
  return methods;
}

const AdvanceMethod* find_advance_method(std::string_view name) {
  for (const AdvanceMethod& row : methods)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace graze::rigid
