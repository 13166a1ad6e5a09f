#include <graze/rigid/advance.h>

#include <iostream>
#include <vector>

// Finds when and where a box that flies and turns first touches a resting box.
int main() {
  namespace rigid = graze::rigid;
  std::vector<graze::Vec3> vertices;  // of a cube: the bits of the index choose x, y and z
  for (int i = 0; i < 8; ++i) vertices.emplace_back(i & 1, i >> 1 & 1, i >> 2 & 1);
  const std::vector<graze::Face> faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                          {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                          {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  const rigid::Body cube = rigid::make_body(vertices, faces);

  const graze::Pose from = graze::Pose::from_axis_angle({0, 0, 1}, 0, {4, 0, 0.5});
  const graze::Pose to = graze::Pose::from_axis_angle({0, 1, 0}, 1.5, {-4, 0, 0});
  const rigid::BodyImpact found =
      rigid::advance(cube, rigid::linear_motion(from, to), cube, rigid::resting({}));
  std::cout << name(found.impact.verdict) << " at t = " << found.impact.toi << ", faces "
            << found.face_a << " and " << found.face_b << ", distance " << found.distance << " at "
            << found.point_a.transpose() << "\n";
  return found.impact.verdict == graze::Verdict::contact ? 0 : 1;
}
