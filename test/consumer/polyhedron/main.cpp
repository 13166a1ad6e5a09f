#include <graze/polyhedron/model.h>
#include <graze/polyhedron/move.h>

#include <cstdio>

// A point falls by 2 onto a box 1 below it: it stops half-way.
int main() {
  const auto box = graze::polyhedron::make_obstacle(
      graze::polyhedron::model_of_box({graze::Vec3(-1, -1, -1), graze::Vec3(1, 1, 0)}));
  graze::polyhedron::Scratch scratch;
  const auto result = graze::polyhedron::trace_point({&box, 1}, graze::Vec3(0, 0, 1),
                                                     graze::Vec3(0, 0, -2), scratch);
  std::printf("%s at %.17g\n", name(result.verdict), result.toi);
  const bool near = result.toi > 0.49 && result.toi <= 0.5;
  return result.verdict == graze::Verdict::contact && near ? 0 : 1;
}
