#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "graze/generate/random.h"
#include "graze/io/robot_files.h"
#include "graze/rigid/robot.h"

// Robots of the real data, worlds around them and random edges, for the benchmark and the soak.
namespace graze::bench {

struct NamedRobot {
  std::string name;
  io::RobotFile file;
  rigid::Robot robot;
};

// Reads one of panda, panda_primitives and ur5 below the folder of real data.
inline NamedRobot read_named_robot(const std::filesystem::path& data, const std::string& name) {
  const std::filesystem::path folder = data / "robots" / (name == "ur5" ? "ur5" : "panda");
  NamedRobot result;
  result.name = name;
  result.file = io::read_robot(folder / (name + ".urdf"),
                               folder / (name == "ur5" ? "ur5.srdf" : "panda.srdf"));
  result.robot = rigid::make_robot(result.file.description);
  return result;
}

// Returns a world: "none", "table" (with objects), "shelf" (narrow) or "cage". The links that
// stand on the floor may touch it.
inline rigid::RobotWorld named_world(const std::string& name, const rigid::Robot& robot) {
  rigid::RobotWorld world;
  const auto add = [&](const std::string& body, const rigid::Body& shape, const Vec3& centre) {
    world.names.push_back(body);
    world.bodies.push_back({shape, rigid::resting({Eigen::Quaterniond::Identity(), centre})});
  };
  const auto box = [&](const std::string& body, const Vec3& half, const Vec3& centre) {
    add(body, rigid::make_box(half), centre);
  };
  if (name == "none") return world;
  box("floor", {1.2, 1.2, 0.05}, {0, 0, -0.06});
  for (const std::string& link : robot.links())
    if (link.ends_with("link0") || link.ends_with("link1") || link.starts_with("base"))
      world.may_touch.push_back({"floor", link});
  if (name == "table") {
    box("table", {0.3, 0.5, 0.02}, {0.6, 0, 0.3});
    box("parcel", {0.06, 0.08, 0.1}, {0.55, 0.2, 0.43});
    add("ball", rigid::make_sphere(0.07), {0.6, -0.2, 0.4});
    add("can", rigid::enclosing_prism(0.04, 0.08, 1e-4), {0.45, -0.05, 0.41});
    add("rod", rigid::make_capsule({0, 0, -0.15}, {0, 0, 0.15}, 0.02), {0.7, 0.05, 0.5});
  } else if (name == "shelf") {
    box("left", {0.2, 0.01, 0.5}, {0.6, 0.42, 0.5});
    box("right", {0.2, 0.01, 0.5}, {0.6, -0.42, 0.5});
    box("back", {0.01, 0.43, 0.5}, {0.81, 0, 0.5});
    for (int i = 0; i < 4; ++i)
      box("board " + std::to_string(i), {0.2, 0.41, 0.01}, {0.6, 0, 0.1 + 0.3 * i});
  } else {
    for (int i = 0; i < 12; ++i) {
      const double angle = 2 * 3.141592653589793 * i / 12;
      box("bar " + std::to_string(i), {0.02, 0.02, 0.6},
          {0.75 * std::cos(angle), 0.75 * std::sin(angle), 0.6});
    }
    box("roof", {0.8, 0.8, 0.02}, {0, 0, 1.25});
  }
  return world;
}

// Random edges: starts within the limits, ends at most `step` away in every joint, exactly `step`
// in the one that moves most. Fingers, whose range is short, keep their start.
struct Edges {
  std::vector<double> from, to;
};
inline Edges random_edges(const rigid::Robot& robot, std::size_t count, double step,
                          std::uint64_t seed) {
  Edges edges;
  const std::size_t joints = robot.joints().size();
  for (std::size_t i = 0; i < count; ++i) {
    generate::Random random("robot edges", 0, seed, i);
    std::vector<double> start(joints), way(joints), lo(joints), hi(joints);
    double most = 1e-9;
    for (std::size_t j = 0; j < joints; ++j) {
      lo[j] = std::max(robot.lower()[j], -3.1);
      hi[j] = std::min(robot.upper()[j], 3.1);
      start[j] = random.uniform(lo[j], hi[j]);
      way[j] = hi[j] - lo[j] < 0.1 ? 0 : random.uniform(-1, 1);
      most = std::max(most, std::abs(way[j]));
    }
    for (std::size_t j = 0; j < joints; ++j) {
      edges.from.push_back(start[j]);
      edges.to.push_back(std::clamp(start[j] + way[j] * (step / most), lo[j], hi[j]));
    }
  }
  return edges;
}

}  // namespace graze::bench
