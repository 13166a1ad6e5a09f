#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>

#include "graze/exact/arena/arena_integer.h"
#include "graze/exact/arena/exact_query.h"
#include "graze/exact/interval.h"
#include "graze/vec3.h"

// Formulas are templates on the number type T: with Interval they are a filter, with ArenaInteger
// they are exact.
namespace graze::polyhedron {

using exact::Arena, exact::ArenaInteger, exact::Interval;

template <class T>
using Triple = std::array<T, 3>;

template <class T>
Triple<T> operator+(const Triple<T>& a, const Triple<T>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T>
Triple<T> operator-(const Triple<T>& a, const Triple<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
Triple<T> operator*(const T& s, const Triple<T>& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
template <class T>
T dot(const Triple<T>& a, const Triple<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// Returns six times the volume of the tetrahedron. Positive if the triangle a, b, c appears
// counterclockwise from d.
template <class T>
T volume(const Triple<T>& a, const Triple<T>& b, const Triple<T>& c, const Triple<T>& d) {
  return dot(cross(b - a, c - a), d - a);
}

inline Triple<Interval> interval(const Vec3& x) {
  return {Interval(x[0]), Interval(x[1]), Interval(x[2])};
}

// Converts doubles to integers on one scale: x = integer * 2^lowest. Every double must be included
// before it is converted.
class IntegerScale {
 public:
  explicit IntegerScale(Arena& arena) : arena_(&arena) {}

  void include(double x) { scale_.include(x); }
  void include(const Vec3& x) { scale_.include(x); }

  ArenaInteger operator()(double x) const { return {*arena_, scale_.scaled(x)}; }
  Triple<ArenaInteger> operator()(const Vec3& x) const {
    return {(*this)(x[0]), (*this)(x[1]), (*this)(x[2])};
  }
  Arena& arena() const { return *arena_; }

 private:
  Arena* arena_;
  numeric::CommonScale scale_;
};

// Returns the sign of the interval: -1 or 1 if it excludes zero, otherwise 0.
inline int clear_sign(const Interval& x) {
  return x.lo > 0 ? 1 : x.hi < 0 ? -1 : 0;
}

// Returns the exact sign of a homogeneous formula of points, formula(Triple<T>...) -> T.
template <class Formula, class... Points>
int exact_sign(const Formula& formula, const Points&... points) {
  if (const int sign = clear_sign(formula(interval(points)...))) return sign;
  Arena arena;
  IntegerScale scale(arena);
  (scale.include(points), ...);
  return formula(scale(points)...).sign();
}

inline int volume_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return exact_sign([](const auto&... x) { return volume(x...); }, a, b, c, d);
}

// Returns the orientation of the triangle a, b, c seen from the positive end of the axis: 1 for
// counterclockwise, -1 for clockwise, 0 if the projections lie on a line.
inline int turn_sign(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
  const auto i = static_cast<std::size_t>((axis + 1) % 3);
  const auto j = static_cast<std::size_t>((axis + 2) % 3);
  return exact_sign(
      [&](const auto& x, const auto& y, const auto& z) {
        return (y[i] - x[i]) * (z[j] - x[j]) - (y[j] - x[j]) * (z[i] - x[i]);
      },
      a, b, c);
}

}  // namespace graze::polyhedron
