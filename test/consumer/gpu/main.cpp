#include <graze/gpu.h>

#include <cstdio>
#include <vector>

// A vertex falls onto a face at half the step: on a device, or the reason why there is none.
int main() {
  const graze::Mesh mesh = graze::make_mesh(6, {{0, 1, 2}, {3, 4, 5}}, {});
  const std::vector<graze::Vec3> start = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0},
                                          {1, 1, 1}, {9, 9, 9}, {9, 8, 9}};
  std::vector<graze::Vec3> end = start;
  end[3][2] = -1;
  graze::gpu::StepSearch search(mesh);
  const graze::gpu::FirstAnswer first = search.earliest_impact(start, end);
  std::printf("%s: %s, toi %g\n", name(first.outcome.status), first.outcome.message.c_str(),
              first.impact.toi);
  if (first.outcome) return first.impact.toi == 0.5 ? 0 : 1;
  return first.outcome.status == graze::gpu::Status::no_device && first.impact.toi == 0 ? 0 : 1;
}
