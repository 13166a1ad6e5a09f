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

// A judge of robot paths that shares no code with the room: kinematics from the description, meshes
// triangle by triangle, contact decided by signs of determinants in rational numbers.
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

// The bodies of a robot in a world, by brute force.
class RobotJudge {
 public:
  RobotJudge(const rigid::RobotDescription& robot, const rigid::RobotWorld& world)
      : robot_(robot), world_(world) {
    for (const rigid::RobotJoint& joint : robot.joints) mover_[joint.child] = &joint;
  }

  struct Found {
    bool meets = false;
    double lower = HUGE_VAL;  // of the distance of any two bodies that are tested
    double upper = HUGE_VAL;
  };

  // Judges one configuration. `time`: the fraction of the path, for moving bodies. Distances beyond
  // `within` are not measured.
  Found at(const std::map<std::string, double>& q, double time, double within) const {
    std::vector<Placed> bodies;
    for (const rigid::RobotLink& link : robot_.links)
      for (const rigid::RobotShape& shape : link.shapes)
        bodies.push_back(placed(link.name, shape, q));
    const std::size_t links = bodies.size();
    for (std::size_t i = 0; i < world_.bodies.size(); ++i) {
      const auto& [body, motion] = world_.bodies[i];
      Placed to{world_.names[i], {}, body.radius(), {}};
      const rigid::Placement at = rigid::placement_at(motion, time);
      for (const Face& f : body.faces())
        to.triangles.push_back(
            {at * body.vertices()[f[0]], at * body.vertices()[f[1]], at * body.vertices()[f[2]]});
      bodies.push_back(finished(std::move(to)));
    }
    Found found;
    for (std::size_t i = 0; i < links; ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j)
        if (is_tested(bodies[i].name, bodies[j].name)) judge(bodies[i], bodies[j], within, found);
    return found;
  }

 private:
  struct Placed {
    std::string name;
    std::vector<Triangle> triangles;
    double radius = 0;
    std::vector<Aabb> boxes;  // of the triangles, then of all
  };

  static Placed finished(Placed body) {
    Aabb all{Vec3::Constant(HUGE_VAL), Vec3::Constant(-HUGE_VAL)};
    for (const Triangle& t : body.triangles) {
      Aabb box{t[0], t[0]};
      box.include({t[1], t[1]});
      box.include({t[2], t[2]});
      body.boxes.push_back(box);
      all.include(box);
    }
    body.boxes.push_back(all);
    return body;
  }

  Placed placed(const std::string& link, const rigid::RobotShape& shape,
                const std::map<std::string, double>& q) const {
    using Kind = rigid::RobotShape::Kind;
    Eigen::Isometry3d at = place(link, q) * isometry(shape.at);
    Placed to{link, {}, 0, {}};
    std::vector<Vec3> vertices = shape.vertices;
    std::vector<Face> faces = shape.faces;
    if (shape.kind != Kind::mesh) {
      // A cylinder is judged by a prism that lies inside of it.
      const rigid::Body body =
          shape.kind == Kind::box      ? rigid::make_box(shape.half_extents)
          : shape.kind == Kind::sphere ? rigid::make_sphere(shape.radius)
          : shape.kind == Kind::capsule
              ? rigid::make_capsule(-shape.half_height * Vec3::UnitZ(),
                                    shape.half_height * Vec3::UnitZ(), shape.radius)
              : rigid::enclosing_prism(shape.radius * (1 - 1e-3), shape.half_height,
                                       1e-3 * shape.radius);
      vertices.assign(body.vertices().begin(), body.vertices().end());
      faces.assign(body.faces().begin(), body.faces().end());
      to.radius = body.radius();
    }
    for (const Face& f : faces)
      to.triangles.push_back({at * vertices[f[0]], at * vertices[f[1]], at * vertices[f[2]]});
    return finished(std::move(to));
  }

  static Eigen::Isometry3d isometry(const Pose& pose) {
    return Eigen::Translation3d(pose.translation) * pose.rotation.normalized();
  }

  Eigen::Isometry3d place(const std::string& link, const std::map<std::string, double>& q) const {
    const auto found = mover_.find(link);
    if (found == mover_.end()) return Eigen::Isometry3d::Identity();
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
    return place(joint.parent, q) * isometry(joint.origin) * moved;
  }

  // The nearest link above that a joint moves, or the root.
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

  static void judge(const Placed& a, const Placed& b, double within, Found& found) {
    const double reach = within + a.radius + b.radius;
    const auto near = [&](Aabb x, const Aabb& y) {
      x.lo.array() -= reach;
      x.hi.array() += reach;
      return overlap(x, y);
    };
    if (!near(a.boxes.back(), b.boxes.back())) return;
    for (std::size_t i = 0; i < a.triangles.size(); ++i) {
      if (!near(a.boxes[i], b.boxes.back())) continue;
      for (std::size_t j = 0; j < b.triangles.size(); ++j) {
        if (!near(a.boxes[i], b.boxes[j])) continue;
        const Gap gap = triangle_gap(a.triangles[i], b.triangles[j]);
        const double radii = a.radius + b.radius;
        found.lower = std::min(found.lower, gap.lower - radii);
        found.upper = std::min(found.upper, gap.upper - radii);
        const bool crosses = gap.lower <= 0 && triangles_cross(a.triangles[i], b.triangles[j]);
        if (crosses) found.lower = found.upper = std::min(found.upper, -radii);
        found.meets = found.meets || crosses || gap.upper <= radii;
      }
    }
  }

  const rigid::RobotDescription& robot_;
  const rigid::RobotWorld& world_;
  std::map<std::string, const rigid::RobotJoint*> mover_;
};

}  // namespace graze::test
