#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "graze/rigid/robot.h"
#include "test/support/triangle_gap.h"

// A judge of robot paths that shares no code with graze/rigid: its own kinematics, its own boxes
// around triangles, contact decided by signs of determinants in rational numbers.
namespace graze::test {

using JudgeRational = boost::multiprecision::cpp_rational;
using JudgePoint = std::array<JudgeRational, 3>;

inline JudgePoint judge_point(const Vec3& x) {
  return {JudgeRational(x[0]), JudgeRational(x[1]), JudgeRational(x[2])};
}

// Returns the sign of the volume of the tetrahedron a b c d, exactly.
inline int volume_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double volume = u.dot(v.cross(w));
  const double size = u.cwiseAbs().maxCoeff() * v.cwiseAbs().maxCoeff() * w.cwiseAbs().maxCoeff();
  const double far = std::max({a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff(),
                               c.cwiseAbs().maxCoeff(), d.cwiseAbs().maxCoeff()});
  const double widest =
      std::max({u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff(), w.cwiseAbs().maxCoeff()});
  if (std::abs(volume) > 1e-13 * size + 1e-14 * far * widest * widest) return volume > 0 ? 1 : -1;
  const JudgePoint p = judge_point(a);
  std::array<JudgePoint, 3> m = {judge_point(b), judge_point(c), judge_point(d)};
  for (auto& row : m)
    for (std::size_t i = 0; i < 3; ++i) row[i] -= p[i];
  const JudgeRational exact = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                              m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                              m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return exact > 0 ? 1 : exact < 0 ? -1 : 0;
}

// Returns whether the segment p q passes through the triangle, not within its plane.
inline bool segment_meets(const Vec3& p, const Vec3& q, const Triangle& t) {
  const int a = volume_sign(t[0], t[1], t[2], p), b = volume_sign(t[0], t[1], t[2], q);
  if (a == b) return false;
  const int x = volume_sign(p, q, t[0], t[1]), y = volume_sign(p, q, t[1], t[2]),
            z = volume_sign(p, q, t[2], t[0]);
  return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

// Returns whether two triangles meet, unless they lie in one plane.
inline bool triangles_cross(const Triangle& s, const Triangle& t) {
  for (std::size_t i = 0; i < 3; ++i)
    if (segment_meets(s[i], s[(i + 1) % 3], t) || segment_meets(t[i], t[(i + 1) % 3], s))
      return true;
  return false;
}

// Returns whether the plane of t leaves the triangle s on one side, more than `reach` away. The
// slack is far above the rounding of coordinates of a few units.
inline bool plane_separates(const Triangle& s, const Triangle& t, double reach) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double length = n.norm(), needed = reach + 1e-9;
  if (!(length > 1e-12)) return false;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Vec3& x : s) {
    low = std::min(low, n.dot(x - t[0]));
    high = std::max(high, n.dot(x - t[0]));
  }
  return low > needed * length || high < -needed * length;
}

// The bodies of a robot in a world. Boxes around groups of triangles rule out pairs that are
// further apart than `within`; every other pair of triangles is tested.
class RobotJudge {
 public:
  RobotJudge(rigid::RobotDescription robot, rigid::RobotWorld world)
      : robot_(std::move(robot)), world_(std::move(world)) {
    for (const rigid::RobotJoint& joint : robot_.joints) mover_[joint.child] = &joint;
    for (const rigid::RobotLink& link : robot_.links)
      for (const rigid::RobotShape& shape : link.shapes) bodies_.push_back(body(link.name, shape));
    const std::size_t links = bodies_.size();
    for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
      const rigid::Body& from = world_.bodies[i].body;
      bodies_.push_back(finished(world_.names[i], {from.vertices().begin(), from.vertices().end()},
                                 {from.faces().begin(), from.faces().end()}, from.radius()));
    }
    for (std::size_t i = 0; i < links; ++i)
      for (std::size_t j = i + 1; j < bodies_.size(); ++j)
        if (is_tested(bodies_[i].name, bodies_[j].name)) pairs_.push_back({i, j});
  }

  RobotJudge(const RobotJudge&) = delete;
  RobotJudge& operator=(const RobotJudge&) = delete;

  struct Found {
    bool meets = false;
    double lower = HUGE_VAL;  // of the distance of any two bodies that are tested
    double upper = HUGE_VAL;
  };

  // Judges one configuration. `time`: the fraction of the path, for moving bodies. Distances beyond
  // `within` are not measured. With `within` 0 the judge stops at the first two bodies that meet.
  Found at(const std::map<std::string, double>& q, double time, double within) const {
    const std::vector<Eigen::Isometry3d> places = placements(q, time);
    Found found;
    for (const auto& [i, j] : pairs_) {
      judge(bodies_[i], places[i], bodies_[j], places[j], within, found);
      if (within == 0 && found.meets) break;
    }
    return found;
  }

  // Returns a box around all links at a configuration, without the bodies of the world.
  Aabb box(const std::map<std::string, double>& q) const {
    const std::vector<Eigen::Isometry3d> places = placements(q, 0);
    Aabb all{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (std::size_t i = 0; i + world_.bodies.size() < bodies_.size(); ++i)
      for (const Vec3& x : bodies_[i].vertices) {
        const Vec3 y = places[i] * x, around = Vec3::Constant(bodies_[i].radius);
        all.include({y - around, y + around});
      }
    return all;
  }

 private:
  // A box in the coordinates of its body around the faces [begin, end). Leaves have no children.
  struct Node {
    Vec3 centre, half;
    std::size_t begin, end, first_child = 0, second_child = 0;
  };
  // A body in coordinates of its own: those of its shape, or of its mesh.
  struct JudgedBody {
    std::string name;
    std::vector<Vec3> vertices;
    std::vector<Face> faces;  // ordered, so that each node has a range
    double radius = 0;
    std::vector<Node> nodes;
  };

  static JudgedBody finished(const std::string& name, std::vector<Vec3> vertices,
                             std::vector<Face> faces, double radius) {
    JudgedBody body{name, std::move(vertices), std::move(faces), radius, {}};
    divide(body, 0, body.faces.size());
    return body;
  }

  // Adds the node of a range of faces and those below it; returns its index.
  static std::size_t divide(JudgedBody& body, std::size_t begin, std::size_t end) {
    Vec3 lo = Vec3::Constant(HUGE_VAL), hi = -lo;
    for (std::size_t i = begin; i < end; ++i)
      for (const std::uint32_t v : body.faces[i]) {
        lo = lo.cwiseMin(body.vertices[v]);
        hi = hi.cwiseMax(body.vertices[v]);
      }
    const std::size_t at = body.nodes.size();
    body.nodes.push_back({0.5 * (lo + hi), 0.5 * (hi - lo), begin, end});
    if (end - begin <= 2) return at;
    Eigen::Index axis;
    (hi - lo).maxCoeff(&axis);
    const auto first = body.faces.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::size_t middle = begin + (end - begin) / 2;
    const auto place = [&](const Face& f) {
      return body.vertices[f[0]][axis] + body.vertices[f[1]][axis] + body.vertices[f[2]][axis];
    };
    std::nth_element(first, body.faces.begin() + static_cast<std::ptrdiff_t>(middle),
                     body.faces.begin() + static_cast<std::ptrdiff_t>(end),
                     [&](const Face& f, const Face& g) { return place(f) < place(g); });
    body.nodes[at].first_child = divide(body, begin, middle);
    const std::size_t second = divide(body, middle, end);
    body.nodes[at].second_child = second;
    return at;
  }

  static JudgedBody body(const std::string& link, const rigid::RobotShape& shape) {
    using Kind = rigid::RobotShape::Kind;
    if (shape.kind == Kind::mesh) return finished(link, shape.vertices, shape.faces, 0);
    // A cylinder is judged by a prism that lies inside of it.
    const rigid::Body body =
        shape.kind == Kind::box      ? rigid::make_box(shape.half_extents)
        : shape.kind == Kind::sphere ? rigid::make_sphere(shape.radius)
        : shape.kind == Kind::capsule
            ? rigid::make_capsule(-shape.half_height * Vec3::UnitZ(),
                                  shape.half_height * Vec3::UnitZ(), shape.radius)
            : rigid::enclosing_prism(shape.radius * (1 - 1e-3), shape.half_height,
                                     1e-3 * shape.radius);
    return finished(link, {body.vertices().begin(), body.vertices().end()},
                    {body.faces().begin(), body.faces().end()}, body.radius());
  }

  static Eigen::Isometry3d isometry(const Pose& pose) {
    return Eigen::Translation3d(pose.translation) * pose.rotation.normalized();
  }

  // Returns the placements of all bodies.
  std::vector<Eigen::Isometry3d> placements(const std::map<std::string, double>& q,
                                            double time) const {
    std::vector<Eigen::Isometry3d> places;
    Places known;
    for (const rigid::RobotLink& link : robot_.links) {
      if (link.shapes.empty()) continue;
      const Eigen::Isometry3d at = place(link.name, q, known);
      for (const rigid::RobotShape& shape : link.shapes) places.push_back(at * isometry(shape.at));
    }
    for (const rigid::MovingBody& moving : world_.bodies) {
      const rigid::Placement at = rigid::placement_at(moving.motion, time);
      Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
      place.linear() = at.rotation;
      place.translation() = at.offset;
      places.push_back(place);
    }
    return places;
  }

  // Returns the placement of a link; `known` keeps those that are computed.
  using Places = std::map<std::string, Eigen::Isometry3d>;
  Eigen::Isometry3d place(const std::string& link, const std::map<std::string, double>& q,
                          Places& known) const {
    const auto found = mover_.find(link);
    if (found == mover_.end()) return Eigen::Isometry3d::Identity();
    if (const auto at = known.find(link); at != known.end()) return at->second;
    const rigid::RobotJoint& joint = *found->second;
    using Kind = rigid::RobotJoint::Kind;
    const auto value = [&](const std::string& suffix) {
      if (!joint.mimic.empty()) return joint.multiplier * q.at(joint.mimic) + joint.shift;
      return q.at(joint.name + suffix);
    };
    Eigen::Isometry3d moved = Eigen::Isometry3d::Identity();
    const Vec3 axis = joint.axis.normalized();
    if (joint.kind == Kind::revolute || joint.kind == Kind::continuous)
      moved = Eigen::AngleAxisd(value(""), axis);
    else if (joint.kind == Kind::prismatic)
      moved = Eigen::Translation3d(value("") * axis);
    else if (joint.kind == Kind::floating)
      moved = Eigen::Translation3d(value("/x"), value("/y"), value("/z")) *
              Eigen::AngleAxisd(value("/yaw"), Vec3::UnitZ()) *
              Eigen::AngleAxisd(value("/pitch"), Vec3::UnitY()) *
              Eigen::AngleAxisd(value("/roll"), Vec3::UnitX());
    return known[link] = place(joint.parent, q, known) * isometry(joint.origin) * moved;
  }

  // Returns the nearest link at or above `link` that a joint moves, or the root.
  std::string carrier(std::string link) const {
    for (auto found = mover_.find(link);
         found != mover_.end() && found->second->kind == rigid::RobotJoint::Kind::fixed;
         found = mover_.find(link))
      link = found->second->parent;
    return link;
  }

  bool is_tested(const std::string& a, const std::string& b) const {
    const auto listed = [&](const auto& pairs) {
      return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
      });
    };
    if (a == b || listed(robot_.may_touch) || listed(world_.may_touch)) return false;
    const bool b_is_link = std::any_of(robot_.links.begin(), robot_.links.end(),
                                       [&](const auto& link) { return link.name == b; });
    if (!b_is_link) return true;
    const std::string x = carrier(a), y = carrier(b);
    if (x == y) return false;
    if (!robot_.neighbours_may_touch) return true;
    const auto above = [&](const std::string& link) {
      const auto found = mover_.find(link);
      return found == mover_.end() ? std::string() : carrier(found->second->parent);
    };
    return above(x) != y && above(y) != x;
  }

  // Tests two bodies. `from_b` takes coordinates of b to those of a. The distance of two boxes
  // along an axis of either box is a lower bound on the distance of what they contain; the slack is
  // far above the rounding of coordinates of a few units.
  static void judge(const JudgedBody& a, const Eigen::Isometry3d& at_a, const JudgedBody& b,
                    const Eigen::Isometry3d& at_b, double within, Found& found) {
    const double radii = a.radius + b.radius, reach = within + radii;
    const Eigen::Isometry3d from_b = at_a.inverse(Eigen::Isometry) * at_b;
    const Eigen::Matrix3d turn = from_b.linear(), spread = turn.cwiseAbs();
    const auto are_near = [&](const Node& x, const Node& y) {
      const Vec3 way = from_b * y.centre - x.centre;
      const Vec3 in_a = way.cwiseAbs() - x.half - spread * y.half;
      if (in_a.maxCoeff() > reach + 1e-9) return false;
      const Vec3 in_b = (turn.transpose() * way).cwiseAbs() - y.half - spread.transpose() * x.half;
      return in_b.maxCoeff() <= reach + 1e-9;
    };
    const auto triangle = [](const JudgedBody& body, const Eigen::Isometry3d& at, const Face& f) {
      return Triangle{at * body.vertices[f[0]], at * body.vertices[f[1]], at * body.vertices[f[2]]};
    };
    std::vector<std::array<std::size_t, 2>> open = {{0, 0}};
    while (!open.empty()) {
      const auto [i, j] = open.back();
      open.pop_back();
      const Node &x = a.nodes[i], &y = b.nodes[j];
      if (!are_near(x, y)) continue;
      const bool x_is_leaf = x.first_child == 0, y_is_leaf = y.first_child == 0;
      if (!x_is_leaf && (y_is_leaf || x.half.sum() >= y.half.sum())) {
        open.push_back({x.second_child, j});
        open.push_back({x.first_child, j});
        continue;
      }
      if (!y_is_leaf) {
        open.push_back({i, y.second_child});
        open.push_back({i, y.first_child});
        continue;
      }
      for (std::size_t f = x.begin; f < x.end; ++f) {
        const Triangle s = triangle(a, at_a, a.faces[f]);
        for (std::size_t g = y.begin; g < y.end; ++g) {
          const Triangle t = triangle(b, at_b, b.faces[g]);
          if (plane_separates(s, t, reach) || plane_separates(t, s, reach)) continue;
          compare(s, t, radii, found);
          if (within == 0 && found.meets) return;
        }
      }
    }
  }

  static void compare(const Triangle& s, const Triangle& t, double radii, Found& found) {
    const Gap gap = triangle_gap(s, t);
    found.lower = std::min(found.lower, gap.lower - radii);
    found.upper = std::min(found.upper, gap.upper - radii);
    const bool crosses = gap.lower <= 0 && triangles_cross(s, t);
    if (crosses) found.lower = found.upper = std::min(found.upper, -radii);
    found.meets = found.meets || crosses || gap.upper <= radii;
  }

  const rigid::RobotDescription robot_;
  const rigid::RobotWorld world_;
  std::map<std::string, const rigid::RobotJoint*> mover_;  // by the link that the joint moves
  std::vector<JudgedBody> bodies_;                 // shapes of links, then bodies of the world
  std::vector<std::array<std::size_t, 2>> pairs_;  // those that are tested
};

}  // namespace graze::test
