#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "graze/mesh.h"
#include "graze/rigid/motion.h"

// A judge of the distance of shapes that shares no code with the library. Every shape is a union of
// convex sets, each represented by the projection of a point onto it, in closed form (ellipsoid: by
// Newton's method). The distance of two convex sets is found by alternating projections,
// whose points give upper bounds that decrease to the distance. Motions are evaluated in long
// double by Eigen's rotations.
namespace graze::test {

struct ConvexJudge {
  std::function<Vec3(const Vec3&)> project;  // in body coordinates
  Vec3 inside;                               // a point of the set
};

struct ShapeJudge {
  std::vector<ConvexJudge> pieces;
  double radius = 0;
  // Of a solid: the oriented triangles of its closed surface. Otherwise empty.
  std::vector<std::array<Vec3, 3>> surface;
};

namespace shape_judge {

inline Vec3 onto_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 d = b - a;
  const double dd = d.squaredNorm();
  return a + d * (dd > 0 ? std::clamp((x - a).dot(d) / dd, 0.0, 1.0) : 0.0);
}

// A triangle, with the directions that its projection uses.
struct Triangle {
  std::array<Vec3, 3> corners;
  Vec3 normal;                 // not of length 1
  std::array<Vec3, 3> within;  // normals of the sides, in the plane, to the inside
  double scale;                // 1 / normal^2

  explicit Triangle(const std::array<Vec3, 3>& t)
      : corners(t), normal((t[1] - t[0]).cross(t[2] - t[0])), scale(1 / normal.squaredNorm()) {
    for (std::size_t i = 0; i < 3; ++i) within[i] = normal.cross(t[(i + 1) % 3] - t[i]);
  }
  // Returns the point of the triangle closest to x.
  Vec3 onto(const Vec3& x) const {
    if (std::isfinite(scale)) {
      const Vec3 foot = x - normal * (normal.dot(x - corners[0]) * scale);
      if (within[0].dot(foot - corners[0]) >= 0 && within[1].dot(foot - corners[1]) >= 0 &&
          within[2].dot(foot - corners[2]) >= 0)
        return foot;
    }
    Vec3 best = corners[0];
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 p = onto_segment(x, corners[i], corners[(i + 1) % 3]);
      if (const double d = (p - x).squaredNorm(); d < least) least = d, best = p;
    }
    return best;
  }
};

inline Vec3 onto_triangle(const Vec3& x, const std::array<Vec3, 3>& corners) {
  return Triangle(corners).onto(x);
}

// Returns the point y with y_i = r_i^2 x_i/(r_i^2 + s), where s > 0 makes sum (y_i/r_i)^2 = 1. The
// sum is convex and decreasing in s, so Newton's method increases s towards the root from where one
// term alone is 1.
inline Vec3 onto_ellipsoid(const Vec3& x, const Vec3& r) {
  if (x.cwiseQuotient(r).squaredNorm() <= 1) return x;
  double s = 0;
  for (int i = 0; i < 3; ++i) s = std::max(s, r[i] * std::abs(x[i]) - r[i] * r[i]);
  for (int k = 0; k < 60; ++k) {
    double sum = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double width = r[i] * r[i] + s, q = r[i] * x[i] / width;
      sum += q * q;
      slope += 2 * q * q / width;
    }
    const double next = s + sum / slope;
    if (!(next > s)) break;
    s = next;
  }
  Vec3 y;
  for (int i = 0; i < 3; ++i) y[i] = r[i] * r[i] * x[i] / (r[i] * r[i] + s);
  return y;
}

// Projects onto a body of revolution about z by a projection in the half plane (rho, z), in which a
// cylinder is a rectangle and a cone a triangle.
inline Vec3 onto_turned(const Vec3& x, const std::function<Vec3(const Vec3&)>& in_half_plane) {
  const double rho = std::hypot(x[0], x[1]);
  const Vec3 p = in_half_plane({rho, 0, x[2]});
  if (rho == 0) return {p[0], 0, p[2]};
  return {x[0] / rho * p[0], x[1] / rho * p[0], p[2]};
}

inline Vec3 clamped(const Vec3& x, const Vec3& h) {
  return x.cwiseMax(-h).cwiseMin(h);
}

using Vec3l = Eigen::Matrix<long double, 3, 1>;

// The placement of a body by its definition in motion.h.
struct JudgePose {
  Eigen::Matrix<long double, 3, 3> turn;
  Vec3l offset;

  JudgePose(const rigid::Motion& motion, double t) {
    const auto wide = [](const Vec3& v) { return Vec3l(v.cast<long double>()); };
    const Eigen::Matrix<long double, 3, 3> start =
        motion.start.rotation.cast<long double>().normalized().toRotationMatrix();
    const Vec3l axis = wide(motion.rotation);
    const long double angle = axis.norm() * t;
    turn.setIdentity();
    if (angle != 0)
      turn = Eigen::AngleAxis<long double>(angle, axis.normalized()).toRotationMatrix();
    offset = wide(motion.centre) + t * wide(motion.velocity) +
             turn * (wide(motion.start.translation) - wide(motion.centre));
    turn = (turn * start).eval();
  }
  Vec3 world(const Vec3& x) const { return (turn * x.cast<long double>() + offset).cast<double>(); }
  Vec3 body(const Vec3& x) const {
    return (turn.transpose() * (x.cast<long double>() - offset)).cast<double>();
  }
};

}  // namespace shape_judge

inline ShapeJudge judge_triangles(std::span<const Vec3> vertices, std::span<const Face> faces,
                                  bool solid = false) {
  ShapeJudge judge;
  for (const Face& face : faces) {
    const std::array<Vec3, 3> t = {vertices[face[0]], vertices[face[1]], vertices[face[2]]};
    judge.pieces.push_back(
        {[side = shape_judge::Triangle(t)](const Vec3& x) { return side.onto(x); }, t[0]});
    if (solid) judge.surface.push_back(t);
  }
  return judge;
}
inline ShapeJudge judge_one(std::function<Vec3(const Vec3&)> project, double radius = 0,
                            const Vec3& inside = Vec3::Zero()) {
  ShapeJudge judge;
  judge.pieces.push_back({std::move(project), inside});
  judge.radius = radius;
  return judge;
}
inline ShapeJudge judge_capsule(const Vec3& a, const Vec3& b, double radius) {
  return judge_one([=](const Vec3& x) { return shape_judge::onto_segment(x, a, b); }, radius, a);
}
inline ShapeJudge judge_box(const Vec3& h) {
  return judge_one([=](const Vec3& x) { return shape_judge::clamped(x, h); });
}
inline ShapeJudge judge_cylinder(double r, double h) {
  return judge_one([=](const Vec3& x) {
    return shape_judge::onto_turned(
        x, [=](const Vec3& p) { return Vec3(std::min(p[0], r), 0, std::clamp(p[2], -h, h)); });
  });
}
inline ShapeJudge judge_cone(double r, double h) {
  const shape_judge::Triangle half({Vec3(0, 0, -h), Vec3(r, 0, -h), Vec3(0, 0, h)});
  return judge_one([=](const Vec3& x) {
    return shape_judge::onto_turned(x, [&](const Vec3& p) { return half.onto(p); });
  });
}
inline ShapeJudge judge_ellipsoid(const Vec3& radii) {
  return judge_one([=](const Vec3& x) { return shape_judge::onto_ellipsoid(x, radii); });
}
inline ShapeJudge judge_tetrahedron(const std::array<Vec3, 4>& corners) {
  std::vector<shape_judge::Triangle> sides;
  for (std::size_t i = 0; i < 4; ++i)
    sides.emplace_back(
        std::array{corners[(i + 1) % 4], corners[(i + 2) % 4], corners[(i + 3) % 4]});
  const auto project = [corners, sides](const Vec3& x) {
    // x is inside if it is on the side of the fourth corner of each face.
    bool inside = true;
    Vec3 best = x;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3& a = sides[i].corners[0];
      const double above = sides[i].normal.dot(x - a);
      if (above * sides[i].normal.dot(corners[i] - a) > 0) continue;
      inside = false;
      const Vec3 y = sides[i].onto(x);
      if (const double d = (x - y).norm(); d < least) least = d, best = y;
    }
    return inside ? x : best;
  };
  return judge_one(project, 0, corners[0]);
}
inline ShapeJudge judge_half_space() {
  return judge_one([](const Vec3& x) { return Vec3(x[0], x[1], std::min(x[2], 0.0)); });
}

// Returns the pieces of a shape without an inside at a pose, each with the radius of the shape: the
// projection onto a rounded set is that onto the set, moved back towards the point.
inline ShapeJudge judge_placed(const ShapeJudge& shape, const Pose& pose) {
  const Eigen::Matrix3d turn = pose.rotation.normalized().toRotationMatrix();
  const Vec3 offset = pose.translation;
  const double radius = shape.radius;
  ShapeJudge placed;
  for (const ConvexJudge& piece : shape.pieces) {
    const auto project = [=, onto = piece.project](const Vec3& x) {
      const Vec3 y = turn.transpose() * (x - offset), core = onto(y);
      const double distance = (y - core).norm();
      return distance <= radius ? x
                                : Vec3(turn * (core + (y - core) * (radius / distance)) + offset);
    };
    placed.pieces.push_back({project, turn * piece.inside + offset});
  }
  return placed;
}

// Returns whether a point is inside a closed surface, by the sum of the solid angles of its
// triangles.
inline bool judge_inside(const std::vector<std::array<Vec3, 3>>& surface, const Vec3& x) {
  double sum = 0;
  for (const std::array<Vec3, 3>& t : surface) {
    const Vec3 a = t[0] - x, b = t[1] - x, c = t[2] - x;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)),
                          la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return std::abs(sum) > 2 * 3.14159;
}

// Returns the distance of a point of the world from a moving shape at the time t.
inline double judge_distance(const ShapeJudge& shape, const rigid::Motion& motion, double t,
                             const Vec3& point) {
  const Vec3 x = shape_judge::JudgePose(motion, t).body(point);
  if (!shape.surface.empty() && judge_inside(shape.surface, x)) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexJudge& piece : shape.pieces)
    least = std::min(least, (piece.project(x) - x).norm());
  return std::max(least - shape.radius, 0.0);
}

// Returns an upper bound on the distance of two moving shapes at the time t; 0 if they intersect.
// Projections end when 20 of them gained less than a hundredth of `resolution` each, or where the
// bound is at most `enough`. The bound is then above the distance by about the resolution, or more
// for curved shapes that are much closer than their size: the steps become short.
inline double judge_distance(const ShapeJudge& a, const rigid::Motion& motion_a,
                             const ShapeJudge& b, const rigid::Motion& motion_b, double t,
                             double resolution = 1e-10, double enough = 0) {
  const shape_judge::JudgePose at_a(motion_a, t), at_b(motion_b, t);
  const double radii = a.radius + b.radius;
  // The points of b are used in the coordinates of a.
  const Eigen::Matrix3d turn = (at_a.turn.transpose() * at_b.turn).cast<double>();
  const Vec3 offset = (at_a.turn.transpose() * (at_b.offset - at_a.offset)).cast<double>();
  for (const auto& [solid, other, to] : {std::tuple(&a, &b, false), std::tuple(&b, &a, true)}) {
    if (solid->surface.empty()) continue;
    for (const ConvexJudge& piece : other->pieces) {
      const Vec3 x = to ? Vec3(turn.transpose() * (piece.inside - offset))
                        : Vec3(turn * piece.inside + offset);
      if (judge_inside(solid->surface, x)) return 0;
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const ConvexJudge& p : a.pieces)
    for (const ConvexJudge& q : b.pieces) {
      Vec3 x = p.inside, y;
      double best = std::numeric_limits<double>::infinity();
      int idle = 0;
      for (int k = 0; k < 20000 && idle < 20; ++k) {
        y = turn * q.project(turn.transpose() * (x - offset)) + offset;
        x = p.project(y);
        const double d = (x - y).norm();
        idle = d < best - 0.01 * resolution ? 0 : idle + 1;
        best = std::min(best, d);
        if (best - radii <= enough) return std::max(best - radii, 0.0);
      }
      least = std::min(least, best);
    }
  return std::max(least - radii, 0.0);
}

}  // namespace graze::test
