#include <graze/rigid/advance.h>
#include <graze/rigid/body.h>
#include <graze/rigid/motion.h>

#include <cstdio>
#include <vector>

// A triangle moves by 2 towards another one at distance 1: they touch at t = 1/2.
int main() {
  const std::vector<graze::Vec3> vertices = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  const std::vector<graze::Face> faces = {{0, 1, 2}};
  const graze::rigid::Body body = graze::rigid::make_body(vertices, faces);
  if (body.status() != graze::rigid::Status::ok) return 1;
  graze::rigid::Motion falling, resting;
  falling.start.translation = graze::Vec3(0, 0, 1);
  falling.velocity = graze::Vec3(0, 0, -2);
  const graze::rigid::BodyImpact result = graze::rigid::advance(body, falling, body, resting);
  std::printf("%s at %.17g\n", name(result.impact.verdict), result.impact.toi);
  const bool near = result.impact.toi > 0.49 && result.impact.toi <= 0.5;
  return result.impact.verdict == graze::Verdict::contact && near ? 0 : 1;
}
