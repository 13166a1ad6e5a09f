#include <graze/graze.h>

#include <iostream>

int main() {
  // A vertex falls through a triangle that tilts at the same time.
  graze::VertexFace query;
  query.start = {graze::Vec3(0, 0, 1), {-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  query.end = {graze::Vec3(0, 0, -1), {-1, -1, 0}, {1, -1, 0.25}, {0, 1, -0.25}};

  const graze::Impact impact = graze::first_contact(query);
  std::cout << name(impact.verdict) << " at t = " << impact.toi << "\n";
  return impact.verdict == graze::Verdict::contact ? 0 : 1;
}
