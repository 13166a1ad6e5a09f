#include <graze/graze.h>

#include <iostream>
#include <vector>

int main() {
  // A triangle at rest and a point that falls through it.
  const graze::Mesh mesh = graze::make_mesh(4, {{0, 1, 2}});
  const std::vector<graze::Vec3> start = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}};
  std::vector<graze::Vec3> end = start;
  end[3].z() = -1;

  const graze::FirstImpact first = graze::earliest_impact(mesh, start, end);
  std::cout << name(first.impact.verdict) << " at t = " << first.impact.toi << "\n";
  return first.impact.verdict == graze::Verdict::contact ? 0 : 1;
}
