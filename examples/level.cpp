#include <graze/polyhedron/slide.h>

#include <iostream>
#include <vector>

// A player walks along a floor, up a step, and into a wall.
int main() {
  namespace polyhedron = graze::polyhedron;
  const auto box = [](const graze::Vec3& lo, const graze::Vec3& hi) {
    return polyhedron::model_of_box({lo, hi});
  };
  const std::vector<polyhedron::Obstacle> world = {
      polyhedron::make_obstacle(box({-10, -10, -1}, {10, 10, 0})),  // the floor
      polyhedron::make_obstacle(box({2, -10, 0}, {10, 10, 0.3})),   // a step
      polyhedron::make_obstacle(box({5, -10, 0}, {6, 10, 3}))};     // a wall
  const polyhedron::Model player = box({-0.4, -0.4, 0}, {0.4, 0.4, 1.8});

  polyhedron::SlideOptions options;
  options.step_height = 0.5;
  polyhedron::Scratch scratch;
  graze::Pose pose;
  pose.translation = {0, 0, 0.01};
  for (int frame = 0; frame < 200; ++frame) {
    const graze::Vec3 way(0.05, 0.01, -0.02);  // walk, drift to the side, fall
    const polyhedron::SlideResult moved =
        polyhedron::slide_move(world, player, pose, way, scratch, options);
    if (moved.verdict == graze::Verdict::invalid) return 1;
    pose = moved.end;
  }
  std::cout << "the player stands at " << pose.translation.transpose() << "\n";
  // Past the step, on top of it, and stopped by the wall.
  return pose.translation.x() > 4.5 && pose.translation.x() < 4.6 && pose.translation.z() >= 0.3 &&
                 pose.translation.z() < 0.32
             ? 0
             : 1;
}
