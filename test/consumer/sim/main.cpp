#include <graze/mesh.h>
#include <graze/sim/line_search.h>

#include <cstdio>
#include <vector>

// A vertex moves through a triangle: the step ends before the contact at t = 1/2.
int main() {
  const graze::Mesh mesh = graze::make_mesh(4, {{0, 1, 2}}, {});
  const std::vector<graze::Vec3> start = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<graze::Vec3> end = start;
  end[3] = graze::Vec3(0, 0, -1);
  const graze::sim::StepBound bound = graze::sim::step_bound({mesh, start, end});
  std::printf("step %.17g\n", bound.step);
  return bound.step > 0 && bound.step < 0.5 ? 0 : 1;
}
