#include "graze/rigid/robot.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graze/broad/with_threads.h"
#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/model.h"
#include "graze/rigid/robot/link_motion.h"
#include "graze/rigid/robot/mechanism.h"
#include "graze/rigid/robot/scene.h"

namespace graze::rigid {
namespace {

const std::shared_ptr<const Mechanism>& no_robot() {
  static const auto empty = [] {
    auto mechanism = std::make_shared<Mechanism>();
    mechanism->problem = "the robot has no links";
    return std::shared_ptr<const Mechanism>(std::move(mechanism));
  }();
  return empty;
}

// Adds routes, limbs and pairs to a scene, each once.
class SceneBuilder {
 public:
  explicit SceneBuilder(PathChecker::Scene& scene) : scene_(scene) {}

  void build(const Margins& margins) {
    const auto& shapes = scene_.mechanism.shapes;
    for (std::uint32_t i = 0; i < shapes.size(); ++i)
      for (std::uint32_t j = i + 1; j < shapes.size(); ++j) {
        if (!scene_.mechanism.is_tested(shapes[i], shapes[j])) continue;
        const std::uint32_t base = common_frame(shapes[i].frame, shapes[j].frame);
        const double clear = margins.of(shapes[i].item, shapes[j].item);
        const double reach = clear + shapes[i].body.radius() + shapes[j].body.radius();
        scene_.pairs.push_back({limb(base, i), limb(base, j), base, reach * (1 + 0x1p-50), clear,
                                shapes[i].body.model().solid || shapes[j].body.model().solid});
      }
    put_moving_limbs_first();
    find_obstacles();
    for (const MovingFrame& frame : scene_.mechanism.frames) {
      const Eigen::Matrix3d& r = frame.origin.rotation;
      const Vec3& a = frame.axis;
      const Eigen::Matrix3d along = a * a.transpose();
      Eigen::Matrix3d turn;
      turn << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
      scene_.turns.push_back({r * along, r * (Eigen::Matrix3d::Identity() - along), r * turn});
    }
  }

 private:
  std::uint32_t common_frame(std::uint32_t a, std::uint32_t b) const {
    while (a != b) (a > b ? a : b) = scene_.mechanism.frames[std::max(a, b)].parent;
    return a;
  }
  std::uint32_t route(std::uint32_t base, std::uint32_t frame) {
    if (const auto known = routes_.find({base, frame}); known != routes_.end())
      return known->second;
    const std::uint32_t up = frame == base ? 0 : route(base, scene_.mechanism.frames[frame].parent);
    const auto index = static_cast<std::uint32_t>(scene_.routes.size());
    scene_.routes.push_back({frame, frame == base ? index : up});
    return routes_[{base, frame}] = index;
  }
  std::uint32_t limb(std::uint32_t base, std::uint32_t shape) {
    const auto [at, is_new] = limbs_.try_emplace({base, shape}, scene_.limbs.size());
    if (is_new) {
      const FrameShape& from = scene_.mechanism.shapes[shape];
      const HullNode& root = from.body.model().tree.node(0);
      scene_.limbs.push_back({shape, route(base, from.frame), root.centre, root.radius});
    }
    return at->second;
  }

  void put_moving_limbs_first() {
    const auto is_moving = [&](const Limb& limb) {
      return scene_.routes[limb.route].up != limb.route;
    };
    std::vector<std::uint32_t> place(scene_.limbs.size());
    std::vector<Limb> ordered;
    for (const bool moving : {true, false}) {
      for (std::size_t i = 0; i < scene_.limbs.size(); ++i)
        if (is_moving(scene_.limbs[i]) == moving) {
          place[i] = static_cast<std::uint32_t>(ordered.size());
          ordered.push_back(scene_.limbs[i]);
          const Body& body = scene_.mechanism.shapes[ordered.back().shape].body;
          if (!moving) ordered.back().still_error = still_error(body.model().tree.reach());
        }
      if (moving) scene_.moving = static_cast<std::uint32_t>(ordered.size());
    }
    scene_.limbs = std::move(ordered);
    for (LimbPair& pair : scene_.pairs) {
      pair.a = place[pair.a];
      pair.b = place[pair.b];
    }
  }

  // Boxes of obstacles are in the coordinates of their base, which is that of the limbs they are
  // paired with: mostly the world.
  void find_obstacles() {
    const std::uint32_t moving = scene_.moving;
    std::vector<Aabb> boxes;
    for (std::uint32_t i = moving; i < scene_.limbs.size(); ++i) {
      const Body& body = scene_.mechanism.shapes[scene_.limbs[i].shape].body;
      Aabb box{body.vertices()[0], body.vertices()[0]};
      for (const Vec3& x : body.vertices()) box.include({x, x});
      box.lo -= Vec3::Constant(body.radius() * (1 + 0x1p-50));
      box.hi += Vec3::Constant(body.radius() * (1 + 0x1p-50));
      boxes.push_back(box);
    }
    scene_.obstacles = StillTree(boxes);
    scene_.reached.resize(moving);
    const auto is_mover = [&](std::uint32_t limb) {
      return limb < moving &&
             scene_.mechanism.shapes[scene_.limbs[limb].shape].item >= scene_.mechanism.links;
    };
    std::vector<std::uint32_t> number(scene_.limbs.size(), PathChecker::Scene::none);
    for (std::uint32_t i = 0; i < scene_.limbs.size(); ++i) {
      if (i >= moving) number[i] = i - moving;
      if (!is_mover(i)) continue;
      number[i] = static_cast<std::uint32_t>(boxes.size() + scene_.movers.size());
      scene_.movers.push_back(i);
    }
    const std::size_t obstacles = boxes.size() + scene_.movers.size();
    for (std::uint32_t i = 0; i < scene_.pairs.size(); ++i) {
      const LimbPair& pair = scene_.pairs[i];
      std::uint32_t limb = pair.a, obstacle = pair.b;
      if (limb >= moving || (is_mover(limb) && obstacle < moving)) std::swap(limb, obstacle);
      if (limb >= moving || number[obstacle] == PathChecker::Scene::none) {
        scene_.close_pairs.push_back(i);
        continue;
      }
      auto& reached = scene_.reached[limb];
      reached.pair_of.resize(obstacles, PathChecker::Scene::none);
      reached.pair_of[number[obstacle]] = i;
      reached.margin = std::max(reached.margin, pair.clear);
    }
  }

  PathChecker::Scene& scene_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> routes_, limbs_;
};

}  // namespace

Robot::Robot() : mechanism_(no_robot()) {}
const std::string& Robot::name() const {
  return mechanism_->name;
}
const std::string& Robot::problem() const {
  return mechanism_->problem;
}
std::span<const std::string> Robot::joints() const {
  return mechanism_->coordinates;
}
std::span<const double> Robot::lower() const {
  return mechanism_->lower;
}
std::span<const double> Robot::upper() const {
  return mechanism_->upper;
}
std::span<const std::string> Robot::links() const {
  return mechanism_->items;
}

std::vector<std::string> Robot::links_without_shapes() const {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < mechanism_->items.size(); ++i)
    if (std::none_of(mechanism_->shapes.begin(), mechanism_->shapes.end(),
                     [&](const FrameShape& shape) { return shape.item == i; }))
      names.push_back(mechanism_->items[i]);
  return names;
}

std::vector<Body> Robot::bodies(std::size_t link) const {
  std::vector<Body> bodies;
  if (link >= mechanism_->items.size()) return bodies;
  const Placement& in_frame = mechanism_->item_placements[link];
  const Placement back{in_frame.rotation.transpose(),
                       -(in_frame.rotation.transpose() * in_frame.offset)};
  for (const FrameShape& shape : mechanism_->shapes)
    if (shape.item == link) bodies.push_back(moved(shape.body, back));
  return bodies;
}

Placement Robot::placement(std::size_t link, std::span<const double> configuration) const {
  const FloatEnvironment environment;
  Placement at{Eigen::Matrix3d::Identity(), Vec3::Zero()};
  if (link >= mechanism_->items.size() || configuration.size() != mechanism_->coordinates.size())
    return at;
  at = mechanism_->item_placements[link];
  for (std::uint32_t f = mechanism_->item_frames[link]; f != 0; f = mechanism_->frames[f].parent) {
    const MovingFrame& frame = mechanism_->frames[f];
    const double q = frame.scale * configuration[frame.source] + frame.shift;
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    if (frame.revolute) turn = Eigen::AngleAxisd(q, frame.axis).toRotationMatrix();
    const Placement step{
        frame.origin.rotation * turn,
        frame.revolute ? frame.origin.offset
                       : Vec3(frame.origin.offset + frame.origin.rotation * (q * frame.axis))};
    at = {step.rotation * at.rotation, step.rotation * at.offset + step.offset};
  }
  return at;
}

Trajectory straight_path(std::span<const double> configurations, std::size_t joints,
                         std::span<const double> times) {
  if (joints == 0 || configurations.empty() || configurations.size() % joints != 0) return {};
  const std::size_t knots = configurations.size() / joints;
  if (!times.empty() && times.size() != knots) return {};
  Trajectory path;
  path.joints = joints;
  const std::size_t pieces = std::max<std::size_t>(knots - 1, 1);
  for (std::size_t i = 0; i <= pieces; ++i)
    path.times.push_back(!times.empty() && i < knots ? times[i] : static_cast<double>(i));
  if (knots == 1 && !times.empty()) path.times[1] = times[0] + 1;
  for (std::size_t i = 0; i < pieces; ++i)
    for (std::size_t j = 0; j < joints; ++j) {
      const double from = configurations[i * joints + j];
      const double to = knots == 1 ? from : configurations[(i + 1) * joints + j];
      path.coefficients.push_back(from);
      path.coefficients.push_back(to - from);
    }
  return path;
}

Trajectory smooth_path(std::span<const double> configurations, std::size_t joints,
                       std::span<const double> times, std::span<const double> velocities,
                       std::span<const double> accelerations) {
  if (joints == 0 || times.size() < 2 || configurations.size() != joints * times.size() ||
      velocities.size() != configurations.size() ||
      (!accelerations.empty() && accelerations.size() != configurations.size()))
    return {};
  Trajectory path;
  path.joints = joints;
  path.degree = accelerations.empty() ? 3 : 5;
  path.times.assign(times.begin(), times.end());
  for (std::size_t i = 0; i + 1 < times.size(); ++i)
    for (std::size_t j = 0; j < joints; ++j) {
      const std::size_t from = i * joints + j, to = from + joints;
      const double h = times[i + 1] - times[i], x0 = configurations[from];
      const double d = configurations[to] - x0, v0 = h * velocities[from], v1 = h * velocities[to];
      if (path.degree == 3) {
        for (const double c : {x0, v0, 3 * d - 2 * v0 - v1, v0 + v1 - 2 * d})
          path.coefficients.push_back(c);
      } else {
        const double a0 = h * h * accelerations[from], a1 = h * h * accelerations[to];
        for (const double c :
             {x0, v0, 0.5 * a0, 10 * d - 6 * v0 - 4 * v1 - 1.5 * a0 + 0.5 * a1,
              -15 * d + 8 * v0 + 7 * v1 + 1.5 * a0 - a1, 6 * d - 3 * (v0 + v1) + 0.5 * (a1 - a0)})
          path.coefficients.push_back(c);
      }
    }
  return path;
}

PathChecker::PathChecker(const Robot& robot, const RobotWorld& world, const RobotOptions& options) {
  const FloatEnvironment environment;
  auto scene = std::make_shared<Scene>();
  scene->mechanism = in_world(robot.mechanism(), world);
  scene->options = options;
  const Margins margins(scene->mechanism, options);
  scene->problem = !scene->mechanism.problem.empty() ? scene->mechanism.problem : margins.problem();
  if (scene->problem.empty() && !(options.threshold > 0 && options.threshold < 0x1p100))
    scene->problem = "the threshold must be positive and finite";
  if (scene->problem.empty()) SceneBuilder(*scene).build(margins);
  scene_ = std::move(scene);
}

const std::string& PathChecker::problem() const {
  return scene_->problem;
}

RobotCheck PathChecker::check(const Trajectory& path, const std::atomic<bool>* stop) const {
  return PathSearch(*scene_).run(path, stop);
}

// Edges are searched in blocks of fixed size, each by a search of its own, so that what is kept
// between edges does not depend on the number of threads.
std::vector<RobotCheck> PathChecker::check_edges(std::span<const double> from,
                                                 std::span<const double> to, const Run& run) const {
  const std::size_t joints = scene_->mechanism.coordinates.size();
  std::vector<RobotCheck> checks;
  if (joints == 0 || from.size() != to.size() || from.size() % joints != 0) return checks;
  constexpr std::size_t block = 64;
  checks.resize(from.size() / joints);
  const std::size_t blocks = (checks.size() + block - 1) / block;
  broad::with_threads(run.threads, [&] {
    broad::for_indices(blocks, [&](std::size_t i) {
      PathSearch search(*scene_);
      std::vector<double> ends(2 * joints);
      for (std::size_t k = i * block; k < std::min((i + 1) * block, checks.size()); ++k) {
        if (run.stop && run.stop->load(std::memory_order_relaxed)) {
          checks[k].verdict = Verdict::undecided;
          checks[k].s = 0;
          continue;
        }
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(k * joints), joints, ends.begin());
        std::copy_n(to.begin() + static_cast<std::ptrdiff_t>(k * joints), joints,
                    ends.begin() + static_cast<std::ptrdiff_t>(joints));
        checks[k] = search.run(straight_path(ends, joints), run.stop);
        checks[k].proof = {};
      }
    });
  });
  return checks;
}

RobotCheck check_path(const Robot& robot, const Trajectory& path, const RobotWorld& world,
                      const RobotOptions& options, const std::atomic<bool>* stop) {
  return PathChecker(robot, world, options).check(path, stop);
}

}  // namespace graze::rigid
