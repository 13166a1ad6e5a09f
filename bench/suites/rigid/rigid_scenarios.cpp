#include "bench/suites/rigid/rigid_scenarios.h"

#include "bench/harness/real_data.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "graze/generate/decimate.h"
#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/rigid/contacts/manifold.h"
#include "graze/sim/rigid/rigid_scenes.h"

namespace graze::bench {
namespace {

namespace fs = std::filesystem;
using std::numbers::pi;

generate::SurfaceModel centred(generate::SurfaceModel model) {
  const Vec3 centre = rigid::mass_properties(model.vertices, model.faces).centre;
  for (Vec3& vertex : model.vertices) vertex -= centre;
  return model;
}

generate::SurfaceModel generated(const char* name) {
  return centred(generate::find_model_recipe(name)->make());
}

generate::SurfaceModel read_model(const fs::path& file) {
  io::MeshFrame frame = io::read_mesh(file);
  return centred({std::move(frame.positions), std::move(frame.mesh.faces)});
}

RigidScenario between(std::string name, std::string figure, generate::SurfaceModel a,
                      generate::SurfaceModel b) {
  RigidScenario scenario{std::move(name), std::move(figure), std::move(a), std::move(b), {}};
  scenario.threshold = 1e-3 * std::max(size_of(scenario.a), size_of(scenario.b));
  return scenario;
}

// The first 40 % are translations, as 100 of 250 in the paper; the others also rotate.
RigidScenario shots_at_itself(std::string name, std::string figure, generate::SurfaceModel model,
                              std::size_t shots, std::uint64_t seed) {
  RigidScenario scenario = between(std::move(name), std::move(figure), model, model);
  scenario.translations = shots * 2 / 5;
  const double size = size_of(model);
  for (std::size_t i = 0; i < shots; ++i)
    scenario.shots.push_back(random_shot(size, i >= scenario.translations, seed, i));
  return scenario;
}

// The figure moves down by 5 times its size while it turns; the board lies across its way, lower in
// every shot.
RigidScenario figure_and_board(std::size_t shots) {
  RigidScenario scenario =
      between("figure against board", "Figure 4", generated("figure"), generated("board"));
  const double size = size_of(scenario.a);
  scenario.threshold = 1e-3 * size;
  const Pose from, to = Pose::from_axis_angle({1, 0, 0}, pi / 3, {0, 0, -5 * size});
  for (std::size_t i = 0; i < shots; ++i) {
    const double way = 0.7 + 4 * static_cast<double>(i) / static_cast<double>(shots);
    const Pose board = Pose::from_axis_angle({0, 1, 0}, 0.2, {0, 0, -way * size});
    scenario.shots.push_back({rigid::linear_motion(from, to), rigid::resting(board)});
  }
  return scenario;
}

// Returns steps of runs in which one body falls onto a static one, from a place where their
// bounding balls overlap. The pose at the end of each step is moved on into penetration. Steps that
// begin within the threshold are left out.
RigidScenario dynamics(std::string name, generate::SurfaceModel model, std::size_t shots) {
  RigidScenario scenario = between(std::move(name), "Figure 8", model, model);
  const sim::rigid::Shape shape = sim::rigid::make_mesh_shape(model.vertices, model.faces);
  sim::rigid::Scene scene = sim::rigid::falling_pile(shape, 2, 3);
  const double radius = shape.radius();
  scene.model.gap = 4 * scenario.threshold;
  scene.model.restitution = 0.6;
  auto& bodies = scene.state.bodies;
  bodies.erase(bodies.begin());  // no floor: a body that slips off ends the run
  bodies[0].is_static = true;
  sim::rigid::Body &fixed = bodies[0], &falling = bodies[1];
  const sim::rigid::Body begin = falling;
  for (std::uint64_t run = 0; scenario.shots.size() < shots && run < 50; ++run) {
    generate::Random random("dynamics", 0, 1, run);
    falling = begin;
    falling.pose.rotation.coeffs() << random.cube(-1, 1), 1;
    falling.pose.translation += 0.3 * radius * random.cube(-1, 1);
    falling.spin = random.cube(-2, 2);
    for (int step = 0; step < 240 && scenario.shots.size() < shots; ++step) {
      const Pose from = falling.pose;
      const bool touching =
          !find_manifold(shape.data(), rigid::placement_at(rigid::resting(fixed.pose), 0),
                         shape.data(), rigid::placement_at(rigid::resting(from), 0),
                         1.5 * scenario.threshold)
               .empty();
      sim::rigid::step(scene.model, scene.state);
      const double apart = (from.translation - fixed.pose.translation).norm();
      if (apart > 5 * radius) break;
      if (apart > 1.6 * radius) continue;
      if (touching) continue;
      Pose to = falling.pose;
      to.translation +=
          0.5 * radius * (fixed.pose.translation - falling.pose.translation).normalized();
      scenario.shots.push_back({rigid::linear_motion(from, to), rigid::resting(fixed.pose)});
    }
  }
  return scenario;
}

// Figure 6: one ring slides over another that lies flat, so close that only a bound along the
// direction of the gap shows that there is no contact.
RigidScenario hovering(std::size_t shots) {
  RigidScenario scenario = between("hovering", "Figure 6", generated("ring"), generated("ring"));
  const double size = size_of(scenario.a), thick = 0.5;
  for (std::size_t i = 0; i < shots; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(shots);
    const double gap = size * std::pow(10, -2.4 + 1.4 * share);  // 0.004 to 0.1
    const double angle = 2 * pi * share;
    const Vec3 way = size * Vec3(std::cos(angle), std::sin(angle), 0);
    scenario.shots.push_back(
        {rigid::translation({Eigen::Quaterniond::Identity(), Vec3(0, 0, thick + gap) - way},
                            2 * way),
         rigid::resting({})});
  }
  scenario.translations = shots;
  return scenario;
}

}  // namespace

double size_of(const generate::SurfaceModel& model) {
  if (model.vertices.empty()) return 0;
  Vec3 lo = model.vertices[0], hi = lo;
  for (const Vec3& vertex : model.vertices) {
    lo = lo.cwiseMin(vertex);
    hi = hi.cwiseMax(vertex);
  }
  return (hi - lo).norm();
}

RigidShot random_shot(double size, bool turning, std::uint64_t seed, std::uint64_t index) {
  generate::Random random("rigid shot", 0, seed, index);
  const Vec3 away = 1.2 * size * random.cube(-1, 1).normalized();
  const Vec3 aside = 0.3 * size * random.cube(-1, 1);
  const Vec3 axis = random.cube(-1, 1);
  const Pose from = Pose::from_axis_angle(axis, random.uniform(-pi, pi), away);
  Pose to = from;
  to.translation = aside - away;
  if (turning)
    to.rotation = Eigen::AngleAxisd(pi / 3, Vec3::UnitX()) *
                  Eigen::AngleAxisd(pi / 3, Vec3::UnitY()) * from.rotation;
  return {rigid::linear_motion(from, to), rigid::resting({})};
}

std::vector<RigidScenario> rigid_scenarios(const fs::path& data, std::size_t shots,
                                           std::uint64_t seed, std::vector<std::string>& missing) {
  std::vector<RigidScenario> all;
  const auto add = [&](RigidScenario scenario, double published_ms) {
    scenario.published_ms = published_ms;
    all.push_back(std::move(scenario));
  };
  constexpr double none = RigidScenario::unknown;
  const std::size_t some = std::max<std::size_t>(1, shots * 2 / 5),
                    few = std::max<std::size_t>(1, shots / 10);
  add(figure_and_board(some), 0.065);
  const fs::path bunny = inside(data, "models/stanford-bunny.obj");
  if (fs::exists(bunny)) {
    const generate::SurfaceModel model = read_model(bunny);
    add(shots_at_itself("bunnies", "Figure 5", model, shots, seed), 8.0);
    add(dynamics("bunnies, dynamics", model, some), none);
    // Scenario 4: 1555 frames per second.
    add(dynamics("bunnies 26K, dynamics", generate::decimated(model, 26'000), some), 1000.0 / 1555);
  } else {
    missing.push_back("models/stanford-bunny.obj");
  }
  add(shots_at_itself("knots 2,880", "Figure 7", generated("knot_2880"), shots, seed), 0.95);
  add(shots_at_itself("knots 11,520", "Figure 7", generated("knot_11520"), shots, seed), 2.2);
  add(shots_at_itself("knots 34,560", "Figure 7", generated("knot_34560"), shots, seed), 5.3);
  add(dynamics("rings, dynamics", generated("ring"), some), 0.74);
  add(hovering(few), none);
  add(shots_at_itself("rings", "", generated("ring"), shots, seed), none);
  add(shots_at_itself("figures", "", generated("figure"), shots, seed), none);
  return all;
}

}  // namespace graze::bench
