#pragma once

#include <vector>

#include "graze/core/pose.h"

namespace graze::polyhedron {

// How a body goes while f runs from 0 to 1. The path is the curve that these doubles say, in real
// arithmetic: everything called exact is about it, and no angle has to be rounded.
//   translation   x -> R x + p + f way,                     R, p of the pose `start`
//   rotation      x -> c + R(f) (x - pivot),                c = R pivot + p, where the pivot is
// a point of the body and R(f) is the rotation of the quaternion (1-f) begin + f end divided by its
// length: one about a fixed axis through c, the fraction f being tan(a/2) up to a projective map
// that sends the angle 0 to 0 and the whole angle to 1 (docs/polyhedron.md). `begin` is the
// rotation of `start`, but for the later pieces of a long rotation, which have one pose `start` and
// follow each other without a gap.
struct Path {
  Pose start;
  Vec3 way = Vec3::Zero();  // of a translation
  bool turns = false;       // a rotation
  Eigen::Quaterniond begin = Eigen::Quaterniond::Identity(), end = begin;
  Vec3 pivot = Vec3::Zero();

  // Finite, quaternions not 0, and by less than half a turn (the product of `begin` and `end` is
  // positive).
  bool is_valid() const;
  // Of the first piece: it is where `start` says, exactly.
  bool begins_at_start() const { return !turns || begin.coeffs() == start.rotation.coeffs(); }
};

Path translating(const Pose& start, const Vec3& way);

// About the pivot of the body from the rotation of `start` to `end`, by less than half a turn.
Path rotating(const Pose& start, const Vec3& pivot, const Eigen::Quaterniond& end);

// About the axis through `point` of the world along `axis` (of any length but 0), by an angle in
// radians of any size, in pieces of at most a quarter turn; a full turn is four. The pivot and the
// quaternions between pieces are rounded to doubles.
std::vector<Path> turning(const Pose& start, const Vec3& point, const Vec3& axis, double angle);

// Within rounding.
Pose pose_at(const Path& path, double f);

}  // namespace graze::polyhedron
