#include "graze/rigid/robot/mechanism.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/model.h"

namespace graze::rigid {
namespace {

constexpr double largest_length = 0x1p100, largest_angle = 0x1p20;

Placement compose(const Placement& a, const Placement& b) {
  return {a.rotation * b.rotation, a.rotation * b.offset + a.offset};
}

bool is_usable(const Pose& pose) {
  return pose.is_finite() && !pose.rotation.coeffs().isZero(0) &&
         pose.translation.cwiseAbs().maxCoeff() <= largest_length;
}

Body body_of(const RobotShape& shape) {
  switch (shape.kind) {
    case RobotShape::Kind::mesh:
      return make_body(shape.vertices, shape.faces);
    case RobotShape::Kind::box:
      return make_box(shape.half_extents);
    case RobotShape::Kind::sphere:
      return make_sphere(shape.radius);
    case RobotShape::Kind::cylinder:
      return enclosing_prism(shape.radius, shape.half_height, std::min(1e-4, 0.01 * shape.radius));
    case RobotShape::Kind::capsule:
      return make_capsule(-shape.half_height * Vec3::UnitZ(), shape.half_height * Vec3::UnitZ(),
                          shape.radius);
  }
  return {};
}

bool is_identity(const Placement& at) {
  return at.rotation == Eigen::Matrix3d::Identity() && at.offset.isZero(0);
}

}  // namespace

Body moved(const Body& body, const Placement& at) {
  if (is_identity(at)) return body;
  std::vector<Vec3> vertices(body.vertices().begin(), body.vertices().end());
  for (Vec3& x : vertices) x = at * x;
  const BodyOptions options{.refuse_degenerate = false, .solid = body.model().solid};
  return rounded(make_body(vertices, body.faces(), options), body.radius());
}

namespace {

// Allows an item to touch the earlier items whose frame is the parent or a child of its own.
void allow_neighbours(Mechanism& mechanism, std::uint32_t item) {
  for (std::uint32_t i = 0; i < item; ++i) {
    const std::uint32_t f = mechanism.item_frames[i], g = mechanism.item_frames[item];
    if ((f > 0 && mechanism.frames[f].parent == g) || (g > 0 && mechanism.frames[g].parent == f))
      mechanism.may_touch.insert({i, item});
  }
}

// Adds a body that a link carries. Returns a description of the first problem, or "".
std::string attach(Mechanism& to, const std::string& name, const Body& body,
                   const std::string& link, const Pose& at,
                   std::span<const std::string> may_touch) {
  const auto find = [&](const std::string& item) {
    return static_cast<std::uint32_t>(std::find(to.items.begin(), to.items.end(), item) -
                                      to.items.begin());
  };
  const std::string where = "attached body \"" + name + "\": ";
  const std::uint32_t item = static_cast<std::uint32_t>(to.items.size()), holder = find(link);
  if (find(name) < item) return where + "the name is used twice";
  if (holder == item) return where + "no link has the name \"" + link + "\"";
  if (!is_usable(at)) return where + "the pose is not finite";
  if (body.status() != Status::ok) return where + body.problem();
  if (!body.model().has_mesh()) return where + "only meshes and shapes with a mesh can be attached";
  const Placement in_frame = compose(to.item_placements[holder], placement_of(at));
  const Body there = moved(body, in_frame);
  if (there.status() != Status::ok) return where + there.problem();
  for (const std::string& other : may_touch) {
    if (find(other) == item) return where + "no link has the name \"" + other + "\"";
    to.may_touch.insert({find(other), item});
  }
  const std::uint32_t frame = to.item_frames[holder];
  to.items.push_back(name);
  to.item_frames.push_back(frame);
  to.item_placements.push_back(in_frame);
  to.shapes.push_back({there, frame, item, 0});
  ++to.links;
  if (to.neighbours_may_touch) allow_neighbours(to, item);
  return "";
}

// Turns a description into a mechanism, link by link from the root.
class Builder {
 public:
  explicit Builder(const RobotDescription& description) : from_(description) {}

  Mechanism build() {
    to_.name = from_.name;
    to_.problem = connect();
    if (to_.problem.empty()) to_.problem = place();
    if (to_.problem.empty()) to_.problem = add_mimics();
    if (to_.problem.empty()) to_.problem = allow();
    return std::move(to_);
  }

 private:
  // Finds the joint of each link and the order in which links are placed.
  std::string connect() {
    if (from_.links.empty()) return "the robot has no links";
    for (const RobotLink& link : from_.links) {
      if (!index_.emplace(link.name, to_.items.size()).second)
        return "link \"" + link.name + "\": the name is used twice";
      to_.items.push_back(link.name);
    }
    to_.links = to_.items.size();
    to_.neighbours_may_touch = from_.neighbours_may_touch;
    std::vector<const RobotJoint*> above(from_.links.size(), nullptr);
    std::vector<std::vector<const RobotJoint*>> below(from_.links.size());
    std::set<std::string> names;
    for (const RobotJoint& joint : from_.joints) {
      const std::string where = "joint \"" + joint.name + "\": ";
      if (!names.insert(joint.name).second) return where + "the name is used twice";
      for (const std::string& link : {joint.parent, joint.child})
        if (!index_.contains(link)) return where + "no link has the name \"" + link + "\"";
      const RobotJoint*& mover = above[index_[joint.child]];
      if (mover)
        return where + "link \"" + joint.child + "\" is moved by joint \"" + mover->name + "\" too";
      mover = &joint;
      below[index_[joint.parent]].push_back(&joint);
      if (!is_usable(joint.origin)) return where + "the origin is not finite";
      if (!(joint.axis.allFinite() && joint.axis.stableNorm() > 0x1p-500))
        return where + "the axis has length 0 or is not finite";
      if (std::isnan(joint.lower) || std::isnan(joint.upper) || joint.lower > joint.upper)
        return where + "the limits are no range";
      if (!(std::isfinite(joint.multiplier) && std::isfinite(joint.shift)))
        return where + "the multiplier and the offset must be finite";
    }
    std::size_t root = from_.links.size();
    for (std::size_t i = 0; i < from_.links.size(); ++i) {
      if (above[i]) continue;
      if (root < from_.links.size())
        return "links \"" + from_.links[root].name + "\" and \"" + from_.links[i].name +
               "\" are both roots";
      root = i;
    }
    if (root == from_.links.size()) return "the joints form a loop";
    to_.item_frames.assign(from_.links.size(), 0);
    to_.item_placements.assign(from_.links.size(), {Eigen::Matrix3d::Identity(), Vec3::Zero()});
    std::vector<std::size_t> open = {root};
    std::size_t placed = 0;
    for (; placed < open.size(); ++placed)
      for (const RobotJoint* joint : below[open[placed]]) {
        move(*joint, open[placed], index_[joint->child]);
        open.push_back(index_[joint->child]);
      }
    return placed < from_.links.size() ? "the joints form a loop" : "";
  }

  void add_frame(const std::string& name, std::uint32_t parent, const Placement& origin,
                 const Vec3& axis, bool revolute, const RobotJoint& joint) {
    MovingFrame frame;
    frame.parent = parent;
    frame.revolute = revolute;
    frame.origin = origin;
    frame.axis = axis.stableNormalized();
    frame.scale = joint.multiplier;
    frame.shift = joint.shift;
    if (joint.mimic.empty()) {
      frame.scale = 1;
      frame.shift = 0;
      frame.source = static_cast<std::uint32_t>(to_.coordinates.size());
      to_.coordinates.push_back(name);
      to_.lower.push_back(joint.lower);
      to_.upper.push_back(joint.upper);
    } else {
      mimics_.emplace_back(to_.frames.size(), &joint);
    }
    to_.frames.push_back(frame);
  }

  void move(const RobotJoint& joint, std::size_t parent, std::size_t child) {
    const Placement origin = compose(to_.item_placements[parent], placement_of(joint.origin));
    std::uint32_t frame = to_.item_frames[parent];
    const Placement identity{Eigen::Matrix3d::Identity(), Vec3::Zero()};
    const auto add = [&](const char* suffix, const Vec3& axis, bool revolute, bool first) {
      add_frame(joint.name + suffix, frame, first ? origin : identity, axis, revolute, joint);
      frame = static_cast<std::uint32_t>(to_.frames.size() - 1);
    };
    using Kind = RobotJoint::Kind;
    switch (joint.kind) {
      case Kind::fixed:
        to_.item_placements[child] = origin;
        break;
      case Kind::revolute:
      case Kind::continuous:
        add("", joint.axis, true, true);
        break;
      case Kind::prismatic:
        add("", joint.axis, false, true);
        break;
      case Kind::planar: {
        // The plane is perpendicular to the axis; x is the first direction of a frame around it.
        const Vec3 z = joint.axis.stableNormalized(), x = z.unitOrthogonal();
        add("/x", x, false, true);
        add("/y", z.cross(x), false, false);
        add("/yaw", z, true, false);
        break;
      }
      case Kind::floating:
        add("/x", Vec3::UnitX(), false, true);
        add("/y", Vec3::UnitY(), false, false);
        add("/z", Vec3::UnitZ(), false, false);
        add("/yaw", Vec3::UnitZ(), true, false);
        add("/pitch", Vec3::UnitY(), true, false);
        add("/roll", Vec3::UnitX(), true, false);
        break;
    }
    to_.item_frames[child] = frame;
  }

  std::string place() {
    for (std::size_t i = 0; i < from_.links.size(); ++i)
      for (std::size_t k = 0; k < from_.links[i].shapes.size(); ++k) {
        const RobotShape& shape = from_.links[i].shapes[k];
        const std::string where =
            "link \"" + from_.links[i].name + "\", shape " + std::to_string(k) + ": ";
        if (!is_usable(shape.at)) return where + "the origin is not finite";
        const Body body = body_of(shape);
        if (body.status() != Status::ok) return where + body.problem();
        const Body there = moved(body, compose(to_.item_placements[i], placement_of(shape.at)));
        if (there.status() != Status::ok) return where + there.problem();
        to_.shapes.push_back({there, to_.item_frames[i], static_cast<std::uint32_t>(i),
                              static_cast<std::uint32_t>(k)});
      }
    return "";
  }

  std::string add_mimics() {
    for (const auto& [frame, joint] : mimics_) {
      const auto found = std::find(to_.coordinates.begin(), to_.coordinates.end(), joint->mimic);
      if (found == to_.coordinates.end())
        return "joint \"" + joint->name + "\": \"" + joint->mimic +
               "\" is no joint that it could mimic";
      to_.frames[frame].source = static_cast<std::uint32_t>(found - to_.coordinates.begin());
      if (const std::string problem = limit_source(to_.frames[frame], *joint); !problem.empty())
        return problem;
    }
    return "";
  }

  // Restricts the coordinate that a joint mimics to values at which the joint is within its own
  // limits.
  std::string limit_source(const MovingFrame& frame, const RobotJoint& joint) {
    bool has_value = joint.lower <= frame.shift && frame.shift <= joint.upper;
    if (frame.scale != 0) {
      double lo = (joint.lower - frame.shift) / frame.scale,
             hi = (joint.upper - frame.shift) / frame.scale;
      if (frame.scale < 0) std::swap(lo, hi);
      double &lower = to_.lower[frame.source], &upper = to_.upper[frame.source];
      lower = std::max(lower, lo);
      upper = std::min(upper, hi);
      has_value = lower <= upper;
    }
    return has_value ? ""
                     : "joint \"" + joint.name + "\": no value of \"" + joint.mimic +
                           "\" keeps it within its limits";
  }

  std::string allow() {
    for (const auto& [a, b] : from_.may_touch) {
      for (const std::string& link : {a, b})
        if (!index_.contains(link)) return "no link has the name \"" + link + "\"";
      const auto i = static_cast<std::uint32_t>(index_[a]),
                 j = static_cast<std::uint32_t>(index_[b]);
      to_.may_touch.insert({std::min(i, j), std::max(i, j)});
    }
    if (!from_.neighbours_may_touch) return "";
    for (std::uint32_t j = 0; j < to_.items.size(); ++j) allow_neighbours(to_, j);
    return "";
  }

  const RobotDescription& from_;
  Mechanism to_;
  std::map<std::string, std::size_t> index_;
  std::vector<std::pair<std::size_t, const RobotJoint*>> mimics_;
};

}  // namespace

bool Mechanism::is_tested(const FrameShape& a, const FrameShape& b) const {
  return a.frame != b.frame &&
         !may_touch.contains({std::min(a.item, b.item), std::max(a.item, b.item)});
}

Mechanism in_world(const Mechanism& robot, const RobotWorld& world) {
  Mechanism result = robot;
  if (!result.problem.empty()) return result;
  const std::uint32_t links = static_cast<std::uint32_t>(robot.items.size());
  if (world.names.size() != world.bodies.size()) {
    result.problem = "the world has another number of names than of bodies";
    return result;
  }
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const auto& [body, motion] = world.bodies[i];
    const std::string where = "body \"" + world.names[i] + "\": ";
    if (std::find(result.items.begin(), result.items.end(), world.names[i]) != result.items.end())
      result.problem = where + "the name is used twice";
    else if (body.status() != Status::ok)
      result.problem = where + body.problem();
    else if (!body.model().has_mesh())
      result.problem = where + "only meshes and shapes with a mesh can be in the world of a robot";
    else if (!motion.is_finite() || !(motion.rotation.norm() <= largest_angle) ||
             !(motion.centre.cwiseAbs().maxCoeff() <= largest_length) ||
             !(motion.velocity.cwiseAbs().maxCoeff() <= largest_length) || !is_usable(motion.start))
      result.problem = where + "the motion is not finite or too large";
    if (!result.problem.empty()) return result;
    Placement at = placement_of(motion.start);
    std::uint32_t frame = 0;
    const auto add = [&](const Vec3& way, const Vec3& origin, bool revolute) {
      MovingFrame moving;
      moving.parent = frame;
      moving.revolute = revolute;
      moving.origin.offset = origin;
      moving.axis = way.stableNormalized();
      moving.source = static_cast<std::uint32_t>(result.coordinates.size() + result.rates.size());
      result.rates.push_back(way.stableNorm());
      frame = static_cast<std::uint32_t>(result.frames.size());
      result.frames.push_back(moving);
    };
    if (!motion.velocity.isZero(0)) add(motion.velocity, Vec3::Zero(), false);
    if (!motion.rotation.isZero(0)) {
      add(motion.rotation, motion.centre, true);
      at.offset -= motion.centre;
    }
    const auto item = static_cast<std::uint32_t>(result.items.size());
    result.items.push_back(world.names[i]);
    result.item_frames.push_back(frame);
    result.item_placements.push_back({Eigen::Matrix3d::Identity(), Vec3::Zero()});
    result.shapes.push_back({moved(body, at), frame, item, 0});
    // Bodies of the world may touch each other.
    for (std::uint32_t j = links; j < item; ++j) result.may_touch.insert({j, item});
  }
  for (const auto& pair : world.may_touch) {
    std::array<std::uint32_t, 2> two;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto found = std::find(result.items.begin(), result.items.end(), pair[k]);
      if (found == result.items.end()) {
        result.problem = "no link or body has the name \"" + pair[k] + "\"";
        return result;
      }
      two[k] = static_cast<std::uint32_t>(found - result.items.begin());
    }
    result.may_touch.insert({std::min(two[0], two[1]), std::max(two[0], two[1])});
  }
  return result;
}

std::array<double, 2> part_of_path(const Trajectory& path, std::size_t piece) {
  const double begin = path.times.front(), whole = path.times.back() - begin;
  return {(path.times[piece] - begin) / whole, (path.times[piece + 1] - begin) / whole};
}

PieceCurves curves_of(const Mechanism& mechanism, const Trajectory& path, std::size_t piece) {
  PieceCurves curves;
  curves.degree = path.degree;
  curves.coefficients.assign(mechanism.frames.size() * (path.degree + 1), 0.0);
  const auto [t0, t1] = part_of_path(path, piece);
  for (std::size_t f = 1; f < mechanism.frames.size(); ++f) {
    const MovingFrame& frame = mechanism.frames[f];
    double* to = &curves.coefficients[f * (path.degree + 1)];
    if (frame.source >= mechanism.coordinates.size()) {
      const double rate = mechanism.rates[frame.source - mechanism.coordinates.size()];
      to[0] = rate * t0;
      to[1] = rate * (t1 - t0);
      continue;
    }
    const auto from = path.polynomial(piece, frame.source);
    for (std::size_t k = 0; k <= path.degree; ++k) to[k] = frame.scale * from[k];
    to[0] += frame.shift;
  }
  return curves;
}

namespace {

// Returns whether a polynomial on [0, 1] stays within [lo, hi], by its Bernstein coefficients b[0]
// to b[degree]. Their range contains that of the polynomial, and the first and the last are values
// of it. If these do not decide, the interval is halved by de Casteljau's scheme, which divides the
// excess of that range by about 4. After `halvings` halvings the answer is false.
bool stays_within(const std::array<double, 6>& b, std::size_t degree, double lo, double hi,
                  int halvings) {
  const auto is_within = [&](double x) { return lo <= x && x <= hi; };
  if (std::all_of(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(degree) + 1, is_within))
    return true;
  if (halvings == 0 || !is_within(b[0]) || !is_within(b[degree])) return false;
  std::array<double, 6> first{}, second = b;
  for (std::size_t i = 0; i <= degree; ++i) {
    first[i] = second[0];
    for (std::size_t k = 0; k + i < degree; ++k) second[k] = 0.5 * (second[k] + second[k + 1]);
  }
  return stays_within(first, degree, lo, hi, halvings - 1) &&
         stays_within(second, degree, lo, hi, halvings - 1);
}

}  // namespace

// A path may exceed a limit by 1e-9 max(1, sum of |coefficients|), so that it may run along it.
std::string path_problem(const Mechanism& mechanism, const Trajectory& path, bool joint_limits) {
  if (path.joints != mechanism.coordinates.size())
    return "the path has " + std::to_string(path.joints) + " joints, the robot " +
           std::to_string(mechanism.coordinates.size());
  if (path.degree < 1 || path.degree > 5) return "the degree of the path is not in 1 to 5";
  if (path.pieces() < 1 ||
      path.coefficients.size() != path.pieces() * path.joints * (path.degree + 1))
    return "the path is empty or has a wrong number of coefficients";
  for (std::size_t i = 0; i < path.times.size(); ++i)
    if (!std::isfinite(path.times[i]) || (i > 0 && !(path.times[i] > path.times[i - 1])))
      return "the times of the path do not increase";
  if (!std::isfinite(path.times.back() - path.times.front()))
    return "the times of the path are too far apart";
  for (std::size_t piece = 0; piece < path.pieces(); ++piece)
    for (std::size_t j = 0; j < path.joints; ++j) {
      const auto c = path.polynomial(piece, j);
      const auto where = [&] {
        return "joint \"" + mechanism.coordinates[j] + "\", piece " + std::to_string(piece) + ": ";
      };
      double sum = 0;
      for (const double x : c) sum += std::abs(x);
      if (!(sum <= largest_angle)) return where() + "not finite, or beyond 2^20";
      if (!joint_limits) continue;
      std::array<double, 6> bernstein{};
      for (std::size_t i = 0; i <= path.degree; ++i) {
        double share = 1;  // binomial(i, k) / binomial(degree, k)
        for (std::size_t k = 0; k <= i; ++k) {
          bernstein[i] += share * c[k];
          share *= static_cast<double>(i - k) / static_cast<double>(path.degree - k);
        }
      }
      const double slack = 1e-9 * std::max(1.0, sum);
      if (!stays_within(bernstein, path.degree, mechanism.lower[j] - slack,
                        mechanism.upper[j] + slack, 30))
        return where() + "the path leaves the limits [" + std::to_string(mechanism.lower[j]) +
               ", " + std::to_string(mechanism.upper[j]) + "]";
    }
  return "";
}

Margins::Margins(const Mechanism& mechanism, const RobotOptions& options)
    : common_(options.margin) {
  const auto is_margin = [](double x) { return x >= 0 && x <= largest_length; };
  if (!is_margin(options.margin)) problem_ = "the margin is negative or not finite";
  for (const PairMargin& pair : options.margins) {
    std::array<std::uint32_t, 2> two{};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string& name = k == 0 ? pair.a : pair.b;
      const auto found = std::find(mechanism.items.begin(), mechanism.items.end(), name);
      if (found == mechanism.items.end())
        problem_ = "margin: no link or body has the name \"" + name + "\"";
      two[k] = static_cast<std::uint32_t>(found - mechanism.items.begin());
    }
    if (!is_margin(pair.margin))
      problem_ =
          "the margin of \"" + pair.a + "\" and \"" + pair.b + "\" is negative or not finite";
    own_.push_back({{std::min(two[0], two[1]), std::max(two[0], two[1])}, pair.margin});
  }
}

double Margins::of(std::uint32_t item_a, std::uint32_t item_b) const {
  for (const auto& [pair, margin] : own_)
    if (pair[0] == std::min(item_a, item_b) && pair[1] == std::max(item_a, item_b)) return margin;
  return common_;
}

Robot make_robot(const RobotDescription& description) {
  const FloatEnvironment environment;
  return Robot(std::make_shared<const Mechanism>(Builder(description).build()));
}

Robot attached(const Robot& robot, const std::string& name, const Body& body,
               const std::string& link, const Pose& at, std::span<const std::string> may_touch) {
  const FloatEnvironment environment;
  auto mechanism = std::make_shared<Mechanism>(robot.mechanism());
  if (mechanism->problem.empty())
    mechanism->problem = attach(*mechanism, name, body, link, at, may_touch);
  return Robot(std::move(mechanism));
}

}  // namespace graze::rigid
