#include <graze/gpu.h>

#include <cstdio>
#include <vector>

int main() {
  const graze::Mesh mesh = graze::make_mesh(4, {{0, 1, 2}});
  const std::vector<graze::Vec3> x0 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}};
  std::vector<graze::Vec3> x1 = x0;
  x1[3].z() = -1;
  graze::gpu::StepSearch search(mesh);                // topology and memory on the device
  const auto first = search.earliest_impact(x0, x1);  // host arrays or gpu::DevicePositions
  const auto step = search.collision_free_step(x0, x1, 1e-4);  // step.step is 0 without an answer
  if (!first.outcome) std::puts(first.outcome.message.c_str());
  return !first.outcome || (first.impact.toi == 0.5 && step.step > 0 && step.step < 0.5) ? 0 : 1;
}
