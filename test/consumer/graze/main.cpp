#include <graze/graze.h>

#include <cstdio>

// A vertex falls through a triangle and touches it at t = 1/2.
int main() {
  const graze::Vec3 a(-1, -1, 0), b(1, -1, 0), c(0, 1, 0);
  const graze::VertexFace query{{graze::Vec3(0, 0, 1), a, b, c}, {graze::Vec3(0, 0, -1), a, b, c}};
  const graze::Impact impact = graze::first_contact(query);
  std::printf("%s at %.17g\n", name(impact.verdict), impact.toi);
  return impact.verdict == graze::Verdict::contact && impact.toi == 0.5 ? 0 : 1;
}
