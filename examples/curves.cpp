#include <graze/graze.h>

#include <array>
#include <iostream>
#include <vector>

using namespace graze;

int main() {
  // The control points of a vertex that falls on a parabola and of a triangle at rest.
  using Corners = std::array<Vec3, 4>;
  const Corners start = {Vec3(0.2, 0.2, 1), {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  Corners control = start, end = start;
  control[0].z() = 0.9;
  end[0].z() = -1;
  // The same motion as a mesh with positions and velocities at both ends of the step.
  const Mesh mesh = make_mesh(4, {{1, 2, 3}});
  const std::vector<Vec3> x0(start.begin(), start.end()), x1(end.begin(), end.end());
  std::vector<Vec3> v0(4, Vec3::Zero()), v1 = v0;
  v0[0].z() = -0.3;
  v1[0].z() = -5.7;
  // An edge that turns about an axis by a quarter turn, and an upright edge in its way.
  const Corners corners = {Vec3(0, 0, 0), {1, 0, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 1}};
  const Vec3 point(0, 0, 0), axis(0, 0, 1);
  const double angle = 1.5707963267948966;

  Curved<VertexFace> query{Curve::cubic, {start, control, control, end}};  // graze/query.h
  Impact impact = first_contact(query);                                    // graze/first_contact.h
  ContactTimes times = contact_times(query);                               // all contacts
  FirstImpact first = earliest_impact(CurvedMesh::hermite(mesh, x0, v0, x1, v1));  // graze/step.h
  Turning<EdgeEdge> turning{corners, {Turn{point, axis, angle}, Turn{}}};  // the second edge rests
  Impact turned = first_contact(turning);
  ContactTimes turns = contact_times(turning);  // in every full turn
  std::cout << name(impact.verdict) << " at t = " << impact.toi << ", " << times.intervals.size()
            << " interval; the mesh: " << first.impact.toi << "; turning: " << turned.toi << ", "
            << turns.intervals.size() << " interval\n";
  for (const Verdict verdict : {impact.verdict, first.impact.verdict, turned.verdict})
    if (verdict != Verdict::contact) return 1;
  return 0;
}
