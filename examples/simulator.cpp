#include <graze/step.h>

#include <iostream>
#include <vector>

// A falling vertex above a triangle, integrated by a simulator that calls Graze in every step.
int main() {
  const graze::Mesh mesh = graze::make_mesh(4, {{0, 1, 2}});  // vertex 3 is a point
  std::vector<graze::Vec3> x = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}};
  graze::Vec3 velocity(0, 0, 0);
  graze::StepSearch search(mesh);  // keeps topology, pairs and memory from step to step

  graze::StepOptions options;
  options.start_check = false;  // nothing intersects at the start, and no step makes it so
  const double dt = 0.01, keep_distance = 1e-3;
  for (int step = 0; step < 100; ++step) {
    velocity.z() -= 9.81 * dt;
    std::vector<graze::Vec3> end = x;
    end[3] += dt * velocity;  // the proposal of the integrator

    // The largest step that keeps every pair further apart than keep_distance.
    const double free = search.collision_free_step(x, end, keep_distance, options);
    for (std::size_t v = 0; v < x.size(); ++v) x[v] += 0.9 * free * (end[v] - x[v]);
    if (free < 1) velocity.setZero();  // a real solver applies an impulse here
  }
  std::cout << "at rest " << x[3].z() << " above the triangle\n";
  return x[3].z() > 0.9 * keep_distance && x[3].z() < 0.01 ? 0 : 1;
}
