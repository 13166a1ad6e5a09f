#include <graze/graze.h>

#include <iostream>

int main() {
  // A vertex falls from above through a triangle that tilts meanwhile.
  graze::VertexFace query;
  query.start = {graze::Vec3(0, 0, 1), {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  query.end = {graze::Vec3(0, 0, -1), {-1, -1, 0}, {1, -1, 0.25}, {0, 1, -0.25}};

  const graze::Impact impact = graze::solve(*graze::find_method("exact"), query);
  std::cout << name(impact.verdict) << " at t = " << impact.toi << "\n";
  return impact.verdict == graze::Verdict::contact ? 0 : 1;
}
