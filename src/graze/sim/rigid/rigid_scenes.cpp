#include "graze/sim/rigid/rigid_scenes.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace graze::sim::rigid {
namespace {

// A linear congruential generator for the poses and velocities of scenes.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  double uniform(double lo, double hi) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  Vec3 cube(double lo, double hi) {
    const double x = uniform(lo, hi), y = uniform(lo, hi), z = uniform(lo, hi);
    return {x, y, z};
  }

 private:
  std::uint64_t state_;
};

Body static_at(std::uint32_t shape, const Vec3& place) {
  Body body;
  body.shape = shape;
  body.is_static = true;
  body.pose.translation = place;
  return body;
}

// A sphere of 20 triangles.
Shape ball(double radius, double density) {
  const double phi = std::numbers::phi, size = radius / std::sqrt(1 + phi * phi);
  std::vector<Vec3> vertices;
  for (int k = 0; k < 3; ++k)
    for (const double x : {-size, size})
      for (const double y : {-phi * size, phi * size}) {
        Vec3 vertex = Vec3::Zero();
        vertex[k] = x;
        vertex[(k + 1) % 3] = y;
        vertices.push_back(vertex);
      }
  std::vector<std::vector<std::uint32_t>> faces;
  const auto n = static_cast<std::uint32_t>(vertices.size());
  const double side = 2 * size * (1 + 1e-9);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = i + 1; j < n; ++j)
      for (std::uint32_t k = j + 1; k < n; ++k) {
        const Vec3 &a = vertices[i], &b = vertices[j], &c = vertices[k];
        if ((a - b).norm() > side || (b - c).norm() > side || (c - a).norm() > side) continue;
        const bool out = (b - a).cross(c - a).dot(a) > 0;
        faces.push_back(out ? std::vector{i, j, k} : std::vector{i, k, j});
      }
  return make_convex_shape(vertices, faces, density);
}

Shape regular_polygon(int corners, double radius, double thickness, double density) {
  std::vector<Vec3> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
  }
  return make_polygon_shape(points, thickness, density);
}

// The shapes of a wall, in the order of Model::shapes.
enum WallShape : std::uint32_t { floor_shape, brick, half_brick, shell, triangle, pentagon, grain };
const Vec3 brick_size = {0.25, 0.12, 0.065};
constexpr double brick_density = 1800, brick_joint = 0.0015;
constexpr std::uint32_t shot_bodies = 19;

}  // namespace

Scene falling_pile(const Shape& shape, std::uint32_t count, std::uint64_t seed) {
  Scene scene;
  Model& model = scene.model;
  std::vector<Body>& bodies = scene.state.bodies;
  const double size = shape.radius();
  model.gap = 2e-3 * size;
  model.gravity *= size;
  model.rolling_friction = 0.1 * size;
  const double thick = size / 2;
  model.shapes.push_back(make_box_shape({20 * size, 20 * size, thick}));
  model.shapes.push_back(shape);
  bodies.push_back(static_at(0, {0, 0, -thick}));
  Dice dice(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    body.shape = 1;
    const double x = dice.uniform(-1, 1), y = dice.uniform(-1, 1), z = dice.uniform(-1, 1),
                 w = dice.uniform(-1, 1);
    body.pose.rotation = Eigen::Quaterniond(w, x, y, z).normalized();
    const double dx = dice.uniform(-1, 1), dy = dice.uniform(-1, 1);
    body.pose.translation = size * Vec3(0.2 * dx, 0.2 * dy, 1.2 + 2.1 * i);
    bodies.push_back(body);
  }
  return scene;
}

Scene brick_wall(std::uint32_t count, std::uint32_t shots) {
  Scene scene;
  Model& model = scene.model;
  std::vector<Body>& bodies = scene.state.bodies;
  model.gap = 5e-4;
  model.friction = 0.3;
  model.restitution = 0.2;
  const Vec3 half = brick_size / 2;
  const Vec3 short_half = {brick_size[0] / 4 - brick_joint / 4, half[1], half[2]};
  model.shapes = {make_box_shape({50, 50, 0.5}),
                  make_box_shape(half, brick_density),
                  make_box_shape(short_half, brick_density),
                  ball(0.12, 7800),
                  regular_polygon(3, 0.04, 0.004, brick_density),
                  regular_polygon(5, 0.03, 0.004, brick_density),
                  make_particle_shape(0.005)};
  bodies.push_back(static_at(floor_shape, {0, 0, -0.5}));
  // About 16 bricks wide and 13 high.
  const auto columns = static_cast<std::uint32_t>(std::ceil(1.12 * std::sqrt(count)));
  const double pitch = brick_size[0] + brick_joint;
  for (std::uint32_t row = 0; bodies.size() <= count; ++row) {
    const double z = half[2] + (brick_size[2] + model.gap / 2) * row + model.gap / 2;
    const auto lay = [&](std::uint32_t shape, double x) {
      Body body;
      body.shape = shape;
      body.pose.translation = {x, 0, z};
      bodies.push_back(body);
    };
    const double left = -pitch * (columns - 1) / 2;
    if (row % 2 == 0) {
      for (std::uint32_t i = 0; i < columns; ++i) lay(brick, left + pitch * i);
    } else {
      lay(half_brick, left - pitch / 4);
      for (std::uint32_t i = 0; i + 1 < columns; ++i) lay(brick, left + pitch * (i + 0.5));
      lay(half_brick, -(left - pitch / 4));
    }
  }
  for (std::uint32_t i = 0; i < shots * shot_bodies; ++i) {
    const std::uint32_t piece = i % shot_bodies;
    const std::uint32_t shape = piece == 0       ? shell
                                : piece % 3 == 0 ? triangle
                                : piece % 3 == 1 ? pentagon
                                                 : grain;
    bodies.push_back(static_at(shape, {0.2 * piece - 2, -4 - 0.2 * (i / shot_bodies), 0.2}));
  }
  return scene;
}

bool shoot(Scene& scene, std::uint32_t shot) {
  const auto is_brick = [](const Body& body) {
    return body.shape == brick || body.shape == half_brick;
  };
  std::vector<Body>& bodies = scene.state.bodies;
  const auto end = std::find_if(bodies.begin() + 1, bodies.end(),
                                [&](const Body& body) { return !is_brick(body); });
  const auto first = static_cast<std::size_t>(end - bodies.begin()) + shot_bodies * shot;
  if (first + shot_bodies > bodies.size()) return false;
  double wide = 0, high = 0;
  for (auto body = bodies.begin() + 1; body != end; ++body) {
    wide = std::max(wide, std::abs(body->pose.translation[0]));
    high = std::max(high, body->pose.translation[2]);
  }
  Dice dice(shot + 1);
  const double x = dice.uniform(-0.5, 0.5) * std::min(wide, 2.0);
  const double z = std::max(0.15, dice.uniform(0.4, 0.8) * high);
  const double aside = dice.uniform(-2, 2), up = dice.uniform(0, 1);
  const State before = scene.state;
  for (std::uint32_t i = 0; i < shot_bodies; ++i) {
    Body& body = bodies[first + i];
    body.is_static = false;
    body.velocity = {aside, 30, up};
    body.pose.translation = {x, -1.5, z};
    if (i == 0) continue;
    const double angle = std::numbers::pi * i / shot_bodies, y = dice.uniform(-0.05, 0.05);
    body.pose.translation += Vec3(0.5 * std::cos(angle), y, 0.5 * std::sin(angle));
    const Vec3 spin = dice.cube(-20, 20);
    if (body.shape != grain) body.spin = spin;
  }
  if (find_penetration(scene.model, scene.state).verdict == Verdict::separated) return true;
  scene.state = before;
  return false;
}

namespace {

// A limb along z that tapers to both ends: ten corners.
Shape limb(double length, double width, double depth) {
  const double end = length / 2, waist = 0.28 * length;
  std::vector<Vec3> corners = {{0, 0, -end}, {0, 0, end}};
  for (const double z : {-waist, waist})
    for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}})
      corners.emplace_back(x * width / 2, y * depth / 2, z);
  std::vector<std::vector<std::uint32_t>> faces;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t next = (i + 1) % 4;
    faces.push_back({0, 2 + next, 2 + i});
    faces.push_back({2 + i, 2 + next, 6 + next, 6 + i});
    faces.push_back({1, 6 + i, 6 + next});
  }
  return make_convex_shape(corners, faces, 1000);
}

}  // namespace

Scene stairs_with_figures(std::uint32_t figures, std::uint32_t steps, std::uint64_t seed) {
  Scene scene;
  Model& model = scene.model;
  std::vector<Body>& bodies = scene.state.bodies;
  model.gap = 1e-3;
  model.friction = 0.5;
  model.restitution = 0.1;
  model.joint_damping = 4;
  const double tread = 0.3, rise = 0.17, width = 3;
  model.shapes.push_back(make_box_shape({20, 20, 0.5}));
  bodies.push_back(static_at(0, {0, 0, -0.5}));
  for (std::uint32_t i = 0; i < steps; ++i) {
    // Each step stands on the floor, 1 mm away from it and 2 mm away from the next step.
    const double top = rise * (i + 1);
    model.shapes.push_back(make_box_shape({tread / 2 - 1e-3, width / 2, top / 2 - 1e-3}));
    bodies.push_back(static_at(i + 1, {-tread * (i + 0.5), 0, top / 2}));
  }
  const auto shape = [&](Shape made) {
    model.shapes.push_back(std::move(made));
    return static_cast<std::uint32_t>(model.shapes.size() - 1);
  };
  struct Part {
    std::uint32_t shape;
    Vec3 place;   // of the standing figure, its feet at 0
    bool across;  // the limb lies along y
  };
  const std::uint32_t torso = shape(make_box_shape({0.09, 0.15, 0.16}, 1000)),
                      hips = shape(make_box_shape({0.08, 0.13, 0.06}, 1000)),
                      head = shape(limb(0.26, 0.16, 0.16)), thigh = shape(limb(0.42, 0.13, 0.13)),
                      shin = shape(limb(0.42, 0.11, 0.11)), arm = shape(limb(0.3, 0.09, 0.09)),
                      hand = shape(limb(0.28, 0.08, 0.08));
  constexpr double slit = 0.02;  // between jointed parts; the joint is in its middle
  const double knee = 0.42 + slit / 2, hip = 2 * 0.42 + 1.5 * slit, waist = hip + slit + 0.12,
               neck = waist + 0.32 + slit, shoulder = 0.15 + slit / 2;
  const Vec3 legs = {0, 0.08, 0};
  std::vector<Part> parts = {{torso, {0, 0, waist + slit / 2 + 0.16}, false},
                             {hips, {0, 0, waist - slit / 2 - 0.06}, false},
                             {head, {0, 0, neck + slit / 2 + 0.13}, false}};
  struct Link {
    std::uint32_t a, b;
    Vec3 place;
  };
  std::vector<Link> links = {{0, 1, {0, 0, waist}}, {0, 2, {0, 0, neck}}};
  for (const double side : {-1.0, 1.0}) {
    const auto n = static_cast<std::uint32_t>(parts.size());
    const double y = side * legs[1], z = neck - 0.08;
    parts.push_back({thigh, {0, y, knee + slit / 2 + 0.21}, false});
    parts.push_back({shin, {0, y, 0.21}, false});
    parts.push_back({arm, {0, side * (shoulder + slit / 2 + 0.15), z}, true});
    parts.push_back({hand, {0, side * (shoulder + 1.5 * slit + 0.3 + 0.14), z}, true});
    links.push_back({1, n, {0, y, hip}});
    links.push_back({n, n + 1, {0, y, knee}});
    links.push_back({0, n + 2, {0, side * shoulder, z}});
    links.push_back({n + 2, n + 3, {0, side * (shoulder + slit + 0.3), z}});
  }
  Dice dice(seed);
  for (std::uint32_t i = 0; i < figures; ++i) {
    const auto first = static_cast<std::uint32_t>(bodies.size());
    const double lean = dice.uniform(0.1, 0.5), turn = dice.uniform(-0.6, 0.6);
    const Eigen::Quaterniond whole =
        Eigen::AngleAxisd(turn, Vec3::UnitZ()) * Eigen::AngleAxisd(lean, Vec3::UnitY());
    const Vec3 foot = {-tread * (steps - 2.0), 0, rise * steps + 0.3 + 2.2 * i};
    for (const Part& part : parts) {
      Body body;
      body.shape = part.shape;
      body.pose.rotation = whole;
      if (part.across)
        body.pose.rotation = whole * Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitX());
      body.pose.translation = foot + whole * part.place;
      body.velocity = {1.5, 0, 0};
      bodies.push_back(body);
    }
    for (const Link& link : links) {
      const auto inside = [&](std::uint32_t part) {
        const Pose& pose = bodies[first + part].pose;
        return Vec3(pose.rotation.conjugate() * (foot + whole * link.place - pose.translation));
      };
      model.joints.push_back({first + link.a, first + link.b, inside(link.a), inside(link.b)});
    }
  }
  return scene;
}

}  // namespace graze::sim::rigid
