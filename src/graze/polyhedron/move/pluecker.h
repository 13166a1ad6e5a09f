#pragma once

#include "graze/polyhedron/model/exact_sign.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/move/wide.h"

namespace graze::polyhedron {

// A directed line in Pluecker coordinates: direction d and moment m = x cross d, the same for all
// of its points x. ([van Waveren 2005] 2.1 has the six numbers in another order and with other
// signs.)
template <class T>
struct Line {
  Triple<T> d, m;
};

template <class T>
Line<T> line_through(const Triple<T>& a, const Triple<T>& b) {
  return {b - a, cross(a, b)};
}

// Returns the permuted inner product, the sidedness of two lines: 0 if they meet or are parallel.
// For the lines through a, b and through c, e it is -volume(a, b, c, e).
template <class T>
T side(const Line<T>& p, const Line<T>& q) {
  return dot(p.d, q.m) + dot(p.m, q.d);
}

// The Bernstein coefficients on [0, 1] of a quadratic polynomial in f.
template <class T>
using Curve = std::array<T, 3>;
template <class T>
using CurveVector = std::array<Triple<T>, 3>;

// Returns the product of two parts of quaternions, which are exactly given.
template <class T>
T product_of_parts(const T& x, const T& y) {
  return x * y;
}
// The four products of operator* are one.
inline Interval product_of_parts(const Interval& x, const Interval& y) {
  const double product = x.lo * y.lo;
  return exact::widened(product, product);
}
// Two doubles hold the product, but for underflow.
inline Wide product_of_parts(const Wide& x, const Wide& y) {
  return {numeric::two_product(x.hi, y.hi), 0x1p-1000};
}

// The path in numbers of type T, in a frame in which fixed points have no denominators. With
// W = |start quaternion|^2 and M(q) = |q|^2 R(q):
//                 frame        point x of the body   point y of the world
//   translation   W x          M x + W p             W y
//   rotation      W (x - c)    W (x - pivot)         W (y - p) - M pivot
// Moving points are multiplied by the weight w(f) > 0. Seen from the world the points of the body
// move; seen from the body the points of the world move. Under translation the weight is the
// constant 2, so that the middle coefficient of a linear curve needs no halves.
template <class T>
class Kinematics {
 public:
  // `length` converts coordinates to T, `turn` parts of quaternions.
  template <class Length, class Turn>
  Kinematics(const Path& path, const Length& length, const Turn& turn)
      : turns_(path.turns),
        unturned_(path.start.rotation.vec().isZero(0) && path.start.rotation.w() == 1) {
    const auto parts = [&](const Eigen::Quaterniond& q) {
      return std::array<T, 4>{turn(q.w()), turn(q.x()), turn(q.y()), turn(q.z())};
    };
    p_ = length(path.start.translation);
    if (!turns_ && unturned_) {
      scale_ = turn(1);
      way_ = length(path.way);
      return;
    }
    const auto still = parts(path.start.rotation);
    matrix_[0] = matrix(still, still);
    scale_ = product(still, still);
    if (!turns_) {
      way_ = scale_ * length(path.way);
      return;
    }
    pivot_ = length(path.pivot);
    origin_ = scale_ * p_ + turned(0, pivot_);
    const auto q0 = parts(path.begin), q1 = parts(path.end);
    weight_ = {scale_, product(q0, q1), product(q1, q1)};
    if (!path.begins_at_start()) {
      matrix_[0] = matrix(q0, q0);
      weight_[0] = product(q0, q0);
    }
    matrix_[1] = matrix(q0, q1);
    matrix_[2] = matrix(q1, q1);
  }

  // Return a point x of the body, and a point y of the world, as fixed points of the frame.
  Triple<T> body(const Triple<T>& x) const {
    if (turns_) return scale_ * (x - pivot_);
    return unturned_ ? x + p_ : turned(0, x) + scale_ * p_;
  }
  Triple<T> world(const Triple<T>& y) const {
    if (turns_) return scale_ * y - origin_;
    return unturned_ ? y : scale_ * y;
  }

  T weight(std::size_t i) const { return turns_ ? weight_[i] : two(); }
  // A point with the weighted coordinates X in the frame is at (X / weight + origin) / scale.
  const T& scale() const { return scale_; }
  const Triple<T>& origin() const { return origin_; }
  const Triple<T>& way() const { return way_; }

  // Returns a point of the body in coordinates of the world, and below, a point of the world in
  // coordinates of the body, each times the weight.
  CurveVector<T> moving_body(const Triple<T>& a) const {
    if (turns_) return {turned(0, a), turned(1, a), turned(2, a)};
    const Triple<T> twice = a + a;
    return {twice, twice + way_, twice + (way_ + way_)};
  }
  CurveVector<T> moving_world(const Triple<T>& y) const {
    if (turns_) return {turned_back(0, y), turned_back(1, y), turned_back(2, y)};
    const Triple<T> twice = y + y;
    return {twice, twice - way_, twice - (way_ + way_)};
  }
  // Returns a line of the body seen from the world, times the weight.
  std::array<Line<T>, 3> moving_line(const Triple<T>& a, const Triple<T>& b) const {
    const Triple<T> d = b - a;
    if (turns_) {
      const Triple<T> m = cross(a, b);
      return {{{turned(0, d), turned(0, m)},
               {turned(1, d), turned(1, m)},
               {turned(2, d), turned(2, m)}}};
    }
    const CurveVector<T> x = moving_body(a);
    const Triple<T> twice = d + d;
    return {{{twice, cross(x[0], d)}, {twice, cross(x[1], d)}, {twice, cross(x[2], d)}}};
  }

 private:
  using Matrix = std::array<Triple<T>, 3>;
  using Parts = std::array<T, 4>;

  T two() const { return unit() + unit(); }
  T unit() const;

  static T product(const Parts& p, const Parts& q) {
    return (product_of_parts(p[0], q[0]) + product_of_parts(p[1], q[1])) +
           (product_of_parts(p[2], q[2]) + product_of_parts(p[3], q[3]));
  }
  // Returns the symmetric bilinear form whose value at (q, q) is |q|^2 R(q): each product of two
  // parts becomes the mean of the two mixed products, doubled where R(q) doubles it.
  static Matrix matrix(const Parts& p, const Parts& q) {
    const auto square = [&](std::size_t i) { return product_of_parts(p[i], q[i]); };
    const auto mixed = [&](std::size_t i, std::size_t j) {
      return product_of_parts(p[i], q[j]) + product_of_parts(p[j], q[i]);
    };
    const T ww = square(0), xx = square(1), yy = square(2), zz = square(3);
    const T xy = mixed(1, 2), xz = mixed(1, 3), yz = mixed(2, 3);
    const T wx = mixed(0, 1), wy = mixed(0, 2), wz = mixed(0, 3);
    return {{{(ww + xx) - (yy + zz), xy - wz, xz + wy},
             {xy + wz, (ww + yy) - (xx + zz), yz - wx},
             {xz - wy, yz + wx, (ww + zz) - (xx + yy)}}};
  }
  Triple<T> turned(std::size_t i, const Triple<T>& x) const {
    return {dot(matrix_[i][0], x), dot(matrix_[i][1], x), dot(matrix_[i][2], x)};
  }
  Triple<T> turned_back(std::size_t i, const Triple<T>& x) const {
    const Matrix& m = matrix_[i];
    return x[0] * m[0] + x[1] * m[1] + x[2] * m[2];
  }

  bool turns_, unturned_;
  std::array<Matrix, 3> matrix_;
  Curve<T> weight_;
  T scale_;
  Triple<T> p_, pivot_, origin_, way_;
};

template <>
inline Interval Kinematics<Interval>::unit() const {
  return 1;
}
template <>
inline Wide Kinematics<Wide>::unit() const {
  return 1;
}
template <>
inline ArenaInteger Kinematics<ArenaInteger>::unit() const {
  return {scale_.arena(), 1, 0, false};
}

// The plane of a fixed polygon. For a point x times a weight, height() is its height above the
// plane and inner() its distance on the inner side of the side a-b, each up to a positive factor.
template <class T>
struct PlaneFrame {
  Triple<T> origin, normal;

  PlaneFrame(const Triple<T>& a, const Triple<T>& b, const Triple<T>& c)
      : origin(a), normal(cross(b - a, c - a)) {}

  T height(const Triple<T>& x) const { return dot(normal, x - origin); }
  T height(const Triple<T>& x, const T& weight) const { return dot(normal, x - weight * origin); }
  T inner(const Triple<T>& a, const Triple<T>& b, const Triple<T>& x, const T& weight) const {
    return dot(cross(normal, b - a), x - weight * a);
  }
};

}  // namespace graze::polyhedron
