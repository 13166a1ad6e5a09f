#include <graze/generate/models.h>
#include <graze/graze.h>

#include <iostream>

// A torus knot flies and turns towards a ring that lies still: when do they touch, and where?
int main() {
  graze::SurfaceModel knot = graze::torus_knot(120, 12), ring = graze::ring(100, 50);
  const graze::RigidModel a = graze::make_rigid_model(knot.vertices, knot.faces);
  const graze::RigidModel b = graze::make_rigid_model(ring.vertices, ring.faces);

  const graze::Pose from = graze::Pose::from_axis_angle({0, 0, 1}, 0, {4, 0, 0.5});
  const graze::Pose to = graze::Pose::from_axis_angle({0, 1, 0}, 1.5, {-4, 0, 0});
  const graze::RigidImpact found =
      graze::advance(a, graze::linear_motion(from, to), b, graze::resting({}));
  std::cout << name(found.impact.verdict) << " at t = " << found.impact.toi << ", faces "
            << found.face_a << " and " << found.face_b << ", " << found.distance << " apart at "
            << found.point_a.transpose() << "\n";
  return found.impact.verdict == graze::Verdict::contact ? 0 : 1;
}
