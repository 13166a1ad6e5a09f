#include <graze/graze.h>

#include <cstdio>

// A vertex falls through a triangle half way.
int main() {
  const graze::Vec3 a(-1, -1, 0), b(1, -1, 0), c(0, 1, 0);
  const graze::VertexFace query{{graze::Vec3(0, 0, 1), a, b, c}, {graze::Vec3(0, 0, -1), a, b, c}};
  for (const graze::Method& method : graze::methods()) {
    if (!method.vertex_face || method.guarantee == graze::Guarantee::heuristic) continue;
    const graze::Impact impact = graze::solve(method, query);
    std::printf("%s: %s at %.17g\n", method.name.data(), name(impact.verdict), impact.toi);
    if (impact.verdict != graze::Verdict::contact || impact.toi > 0.5) return 1;
  }
  return 0;
}
