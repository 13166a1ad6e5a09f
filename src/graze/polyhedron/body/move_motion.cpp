#include <algorithm>

#include "graze/core/numeric/float_environment.h"
#include "graze/polyhedron/body/motion_surface.h"
#include "graze/polyhedron/move.h"
#include "graze/rigid/body.h"
#include "graze/rigid/model_advance.h"

namespace graze::polyhedron {
namespace {

rigid::AdvanceOptions advance_options(const MotionOptions& options, double t_max) {
  rigid::AdvanceOptions result;
  result.t_max = t_max;
  result.threshold = options.distance_tol;
  result.smallest_threshold = options.distance_tol == 0;
  result.max_checks = options.max_checks;
  result.margin = options.margin;
  result.front_faces = options.sides == Sides::front;
  return result;
}

Aabb swept_box_of(const MotionModel& model, const rigid::Motion& motion, double margin) {
  const rigid::Body& body = model.surface->body;
  const rigid::HullNode& root = body.model().tree.node(0);
  return swept_box(motion, root.centre, root.radius + (body.radius() + margin) * (1 + 0x1p-50));
}

MotionContact contact_of(const rigid::BodyImpact& found, std::uint32_t body,
                         const MotionModel& mover, const MotionModel& other) {
  return {body,
          mover.surface->facet_of[found.face_a],
          other.surface->facet_of[found.face_b],
          found.point_a,
          found.point_b,
          found.impact.normal};
}

}  // namespace

bool MotionModel::ok() const {
  return model.ok() && surface && surface->body.status() == rigid::Status::ok;
}

// A facet is convex and exactly planar, so the fan around its first corner covers the facet and
// nothing else. A corner on a straight side makes a triangle without area, which is harmless. A
// point becomes a triangle with three equal corners.
MotionModel make_motion_model(Model model, const MotionModelOptions& options) {
  const auto surface = std::make_shared<MotionSurface>();
  MotionModel result{std::move(model), surface};
  const Model& m = result.model;
  std::vector<Face> faces;
  for (std::uint32_t f = 0; f < m.facets.size(); ++f) {
    const auto corners = m.corners_of(m.facets[f]);
    if (corners.size() == 1) faces.push_back({corners[0], corners[0], corners[0]});
    for (std::size_t i = 2; i < corners.size(); ++i)
      faces.push_back({corners[0], corners[i - 1], corners[i]});
    surface->facet_of.resize(faces.size(), f);
  }
  const bool fits = !options.solid || m.is_closed();
  surface->body =
      fits ? rounded(rigid::make_body(m.vertices, faces, {.solid = options.solid}), options.radius)
           : rigid::Body();
  return result;
}

MotionResult move(std::span<const MovingBody> world, const MotionModel& mover,
                  const rigid::Motion& motion, const MotionOptions& options) {
  const FloatEnvironment environment;
  MotionResult result;
  const rigid::AdvanceOptions whole = advance_options(options, options.t_max);
  const auto accepts = [&](const MotionModel& model, const rigid::Motion& path) {
    return mover.ok() && model.ok() &&
           advance_accepts(mover.surface->body.model(), motion, model.surface->body.model(), path,
                           whole);
  };
  const bool sound = accepts(mover, motion) &&
                     std::all_of(world.begin(), world.end(), [&](const MovingBody& body) {
                       return accepts(*body.model, body.motion);
                     });
  if (!sound) return result;
  result.verdict = Verdict::separated;
  double until = options.t_max;  // no body of the world is met before
  const Aabb swept = swept_box_of(mover, motion, options.margin);
  for (std::uint32_t i = 0; i < world.size() && until > 0; ++i) {
    const MotionModel& other = *world[i].model;
    const double radii = mover.surface->body.radius() + other.surface->body.radius();
    if (mover.model.is_point() && other.model.is_point() && radii + options.margin == 0) continue;
    if (!overlap(swept, swept_box_of(other, world[i].motion, 0))) continue;
    const rigid::BodyImpact found =
        rigid::advance(mover.surface->body, motion, other.surface->body, world[i].motion,
                       advance_options(options, until));
    result.checks += found.impact.checks;
    if (found.impact.verdict == Verdict::separated) continue;
    result.verdict = found.impact.verdict;
    until = found.impact.toi;
    if (result.verdict == Verdict::contact) result.contact = contact_of(found, i, mover, other);
  }
  const bool is_free = result.verdict == Verdict::separated;
  result.toi = is_free ? Impact::inf : until;
  result.toi_hi = is_free ? Impact::inf : options.t_max;
  result.end = pose_at(motion, until);
  return result;
}

}  // namespace graze::polyhedron
