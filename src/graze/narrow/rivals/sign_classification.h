#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graze/query.h"

// The algebra of Bernstein sign classification [Tang 2014] and [Wang 2015], over any numbers T with
// +, -, * and times(x, small): doubles with error bounds or integers. The mathematics is in
// docs/methods/bernstein_sign.md. Polynomials on [0, 1] are given by Bernstein coefficients, each
// up to a positive factor. No division is needed: only signs are computed.
namespace graze::narrow::bernstein {

template <class T>
using Vector = std::array<T, 3>;
template <class T, std::size_t degree>
using Polynomial = std::array<T, degree + 1>;

// The two primitives are represented by a point p and a triangle a, b, c: the vertex and the face,
// or the second end of edge b and the triangle of the other three ends. Where all four are
// coplanar, m0, m1, m2 are the crosses of p with the sides opposite to a, b, c and n is the normal
// of the triangle; then g_i = m_i . n is n.n times the barycentric coordinate of p. At a contact
//   vertex-face  g0, g1, g2 >= 0;
//   edge-edge    g0, g1, -g2 >= 0: the edge from p to c meets the side from a to b, so p is beyond
//                that side and in the angle at c.
// These conditions are always necessary (all three vanish where n = 0), and sufficient if n != 0.
template <class Query>
struct Roles;
template <>
struct Roles<VertexFace> {
  static constexpr std::size_t point = 0, triangle[3] = {1, 2, 3};
  static constexpr bool last_negated = false;
};
template <>
struct Roles<EdgeEdge> {
  static constexpr std::size_t point = 3, triangle[3] = {0, 1, 2};
  static constexpr bool last_negated = true;
};

// Differences of the corners at t = 0 and t = 1.
template <class T>
struct Motion {
  std::array<std::array<Vector<T>, 2>, 3> offset;  // a-p, b-p, c-p
  std::array<std::array<Vector<T>, 2>, 3> side;    // b-a, c-b, a-c
};

template <class T>
T dot(const Vector<T>& x, const Vector<T>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// Returns x cross y, for x and y linear in t: the values at 0 and 1 and, between them, twice the
// middle coefficient.
template <class T>
std::array<Vector<T>, 3> cross(const std::array<Vector<T>, 2>& x,
                               const std::array<Vector<T>, 2>& y) {
  std::array<Vector<T>, 3> result;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    result[0][k] = x[0][i] * y[0][j] - x[0][j] * y[0][i];
    result[1][k] =
        (x[0][i] * y[1][j] - x[0][j] * y[1][i]) + (x[1][i] * y[0][j] - x[1][j] * y[0][i]);
    result[2][k] = x[1][i] * y[1][j] - x[1][j] * y[1][i];
  }
  return result;
}

template <class T>
std::array<Vector<T>, 3> normal(const Motion<T>& motion) {
  return cross(motion.side[2], motion.side[0]);
}

// Returns 3 (a-p) . n, which is zero where the corners are coplanar.
template <class T>
Polynomial<T, 3> coplanarity(const Motion<T>& motion, const std::array<Vector<T>, 3>& n) {
  const auto& a = motion.offset[0];
  return {times(dot(a[0], n[0]), 3), dot(a[1], n[0]) + dot(a[0], n[1]),
          dot(a[1], n[1]) + dot(a[0], n[2]), times(dot(a[1], n[2]), 3)};
}

// Returns 12 g_i.
template <class T>
Polynomial<T, 4> inside(const Motion<T>& motion, const std::array<Vector<T>, 3>& n, std::size_t i) {
  const std::size_t next = (i + 1) % 3;
  const auto m = cross(motion.offset[next], motion.side[next]);
  return {times(dot(m[0], n[0]), 12), times(dot(m[0], n[1]) + dot(m[1], n[0]), 3),
          times(dot(m[0], n[2]) + dot(m[1], n[1]) + dot(m[2], n[0]), 2),
          times(dot(m[1], n[2]) + dot(m[2], n[1]), 3), times(dot(m[2], n[2]), 12)};
}

template <class T, std::size_t N>
std::array<T, N> negated(const std::array<T, N>& p) {
  std::array<T, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = -p[i];
  return result;
}

// A part of a polynomial of degree N-1: from 0 to the time t = q / (p+q), or from there to 1, by
// de Casteljau's algorithm in homogeneous form. p, q >= 0.
enum class Part : std::uint8_t { left, right };
template <class T, std::size_t N>
std::array<T, N> part(std::array<T, N> c, const T& p, const T& q, Part which) {
  const T whole = p + q;
  std::array<T, N> result;
  for (std::size_t r = 0; r < N; ++r) {  // c[0 .. N-1-r] are the coefficients of level r
    for (std::size_t i = 0; i < r; ++i) result[i] = result[i] * whole;
    result[r] = which == Part::left ? c[0] : c[N - 1 - r];
    for (std::size_t i = 0; i + 1 + r < N; ++i) c[i] = c[i] * p + c[i + 1] * q;
  }
  if (which == Part::right)
    for (std::size_t i = 0; i < N / 2; ++i) std::swap(result[i], result[N - 1 - i]);
  normalize(result);
  return result;
}

// The possible roots of a cubic Y in [0, 1]. If Y'' keeps its sign (`bend`), Y is `bend` times a
// convex function, so it has at most one root where bend * Y falls and one where it rises (the same
// root if Y only touches zero). `crossing`: Y crosses zero once.
enum Roots : unsigned { none = 0, falling = 1, rising = 2, crossing = 4 };

template <class T>
struct Curve {
  Polynomial<T, 3> y;
  Polynomial<T, 2> slope;  // a third of Y'
  int bend;                // of falling and rising roots; of a crossing, the sign of Y before it

  // Return Y and Y'/3 at t = q / (p+q), for p, q >= 0, up to a positive factor.
  T value_at(const T& p, const T& q) const {
    const T qq = q * q;
    return p * (p * (y[0] * p + times(y[1] * q, 3)) + times(y[2] * qq, 3)) + y[3] * (qq * q);
  }
  T slope_at(const T& p, const T& q) const {
    return p * (slope[0] * p + times(slope[1] * q, 2)) + slope[2] * (q * q);
  }
};

template <class T>
Polynomial<T, 2> differences(const Polynomial<T, 3>& y) {
  return {y[1] - y[0], y[2] - y[1], y[3] - y[2]};
}

// Returns the weights p, q of the zero t = q / (p+q) of a linear polynomial whose coefficients
// differ in sign; `first` is the sign of l[0].
template <class T>
std::array<T, 2> zero_of(const Polynomial<T, 1>& l, int first) {
  return first > 0 ? std::array{-l[1], l[0]} : std::array{l[1], -l[0]};
}

// The linear quotient L and remainder K with s^2 Y = L J + K for a quadratic J, s its second
// difference. Comparing the four coefficients gives n = s^2 y - m j at both ends and two equations
// for m, solved by Cramer's rule; their determinant is s^2.
template <class T>
struct Division {
  Polynomial<T, 1> quotient, remainder;
  T second_difference;
};
template <class T>
Division<T> divide(const Polynomial<T, 3>& y, const Polynomial<T, 2>& j) {
  const T x0 = j[1] - j[0], x1 = j[2] - j[1], rise = x0 + x1, second = x1 - x0;
  const T d0 = times(y[1] - y[0], 2) + (y[1] - y[3]), d1 = times(y[2] - y[3], 2) + (y[2] - y[0]);
  const T square = second * second;
  const T m0 = rise * d1 - times(x1 * d0, 2), m1 = times(x0 * d1, 2) - rise * d0;
  Division<T> result{{m0, m1}, {y[0] * square - m0 * j[0], y[3] * square - m1 * j[2]}, second};
  normalize(result.quotient);
  normalize(result.remainder);
  return result;
}

// Returns a quadratic J with sign J(t) = sign G(t) at the roots t of Y, or J(t) = 0: if 4 y0 != 0,
//   4 y0 G - g0 Y = t S,   y0 S - s0 Y = t J,   so that 4 y0^2 G(t) = t^2 J(t) where Y(t) = 0 < t.
// If y0 = 0, then J is g0 times a positive number at the root t = 0 and 0 at any other.
template <class T>
Polynomial<T, 2> reduce(const Polynomial<T, 4>& g, const Polynomial<T, 3>& y) {
  const T y4 = times(y[0], 4);  // Y raised to degree 4, times 4: y4, ...
  Polynomial<T, 3> s{times(g[1] * y4 - g[0] * (y[0] + times(y[1], 3)), 12),
                     times(g[2] * y4 - g[0] * times(y[1] + y[2], 2), 6),
                     times(g[3] * y4 - g[0] * (times(y[2], 3) + y[3]), 4),
                     times(g[4] * y4 - g[0] * times(y[3], 4), 3)};
  normalize(s);
  Polynomial<T, 2> j{times(s[1] * y[0] - s[0] * y[1], 6), times(s[2] * y[0] - s[0] * y[2], 3),
                     times(s[3] * y[0] - s[0] * y[3], 2)};
  normalize(j);
  return j;
}

// The sign rules. `Sign` gives signs of T; 0 means zero if Sign::exact, else unknown. Where
// Sign::guesses, a zero of a linear polynomial at which neither Y nor Y' has a known sign counts as
// between the roots of Y, which the public code of [Wang 2015] assumes and nothing proves.
template <class Sign>
class Classifier {
 public:
  explicit Classifier(Sign& sign) : sign_(sign) {}

  // Returns the common sign of all coefficients, or 0.
  template <class T, std::size_t N>
  int common_sign(const std::array<T, N>& c) const {
    const int first = sign_(c[0]);
    for (std::size_t i = 1; i < N && first != 0; ++i)
      if (sign_(c[i]) != first) return 0;
    return first;
  }

  // Returns whether the first or the last coefficient alone has the other sign: then Y has one
  // root, by Descartes' rule.
  template <class T>
  bool crosses_once(const Polynomial<T, 3>& y) const {
    const int s0 = sign_(y[0]), s1 = sign_(y[1]), s2 = sign_(y[2]), s3 = sign_(y[3]);
    return s0 * s3 < 0 && s1 == s2 && s1 != 0;
  }

  // Returns the roots in [0, 1] that cannot be excluded, for a curve with a bend.
  template <class T>
  unsigned roots(const Curve<T>& curve) const {
    const int start = curve.bend * sign_(curve.y[0]), end = curve.bend * sign_(curve.y[3]);
    const int leaves = curve.bend * sign_(curve.slope[0]);
    const int arrives = curve.bend * sign_(curve.slope[2]);
    if (start > 0 && (leaves > 0 || (Sign::exact && leaves == 0))) return none;
    if (end > 0 && (arrives < 0 || (Sign::exact && arrives == 0))) return none;
    unsigned result = none;
    if (start >= 0 && leaves <= 0) result |= falling;
    if (end >= 0 && arrives >= 0) result |= rising;
    // If the extremum is in [0, 1], its sign is that of all values there. If it is not, the curve
    // is monotone, and has no root between ends of one sign.
    const bool tells = (start > 0 && end > 0) || (leaves < 0 && arrives > 0);
    if (tells && extremum_sign(curve) == curve.bend) return none;
    return result;
  }

  // Returns the roots at which G >= 0 cannot be excluded.
  template <class T>
  unsigned inside_at(unsigned roots, const Curve<T>& curve, const Polynomial<T, 4>& g) const {
    if (const int all = common_sign(g); all != 0) return all > 0 ? roots : none;
    const auto j = reduce(g, curve.y);
    if (const int all = common_sign(j); all != 0) return all > 0 ? roots : none;
    const auto [quotient, remainder, second] = divide(curve.y, j);
    // Where Y = 0, L J = -K. A J without second difference is linear itself.
    const bool linear = Sign::exact && sign_(second) == 0;
    for (const Roots root : {falling, rising, crossing}) {
      if (!(roots & root)) continue;
      const int at_root = linear
                              ? sign_at(root, curve, Polynomial<T, 1>{j[0], j[2]})
                              : -sign_at(root, curve, quotient) * sign_at(root, curve, remainder);
      if (at_root < 0) roots &= ~static_cast<unsigned>(root);
    }
    return roots;
  }

 private:
  // Returns the sign of Y where Y' = 0, if that is in [0, 1]. There s^2 Y = K, and the zero of K is
  // before that time if the slope has not changed its sign at it yet.
  template <class T>
  int extremum_sign(const Curve<T>& curve) const {
    const auto [quotient, remainder, second] = divide(curve.y, curve.slope);
    if (Sign::exact && sign_(second) == 0) {
      const Polynomial<T, 1> line{curve.slope[0], curve.slope[2]};
      const auto [p, q] = zero_of(line, sign_(line[0]));
      return sign_(curve.value_at(p, q));
    }
    const int first = sign_(remainder[0]), last = sign_(remainder[1]);
    if (first == last) return first;
    if (Sign::exact && first * last == 0) return first + last;
    if (first * last == 0) return 0;
    const auto [p, q] = zero_of(remainder, first);
    const int turned = curve.bend * sign_(curve.slope_at(p, q));
    return turned < 0 ? last : turned > 0 ? first : 0;
  }

  // Returns the sign of a linear polynomial l at a root of Y. The signs of Y and Y' at the zero of
  // l decide on which side of it the root lies.
  template <class T>
  int sign_at(Roots root, const Curve<T>& curve, const Polynomial<T, 1>& l) const {
    const int first = sign_(l[0]), last = sign_(l[1]);
    if (first == last) return first;
    if (first == 0 || last == 0) {  // zero at an end of [0, 1], where the root may be too
      if (!Sign::exact || sign_(curve.y[first == 0 ? 0 : 3]) == 0) return 0;
      return first + last;
    }
    const auto [p, q] = zero_of(l, first);
    const int value = curve.bend * sign_(curve.value_at(p, q));
    if (root == crossing) return value > 0 ? last : value < 0 ? first : 0;
    if (value < 0) return root == falling ? first : last;  // between the two roots
    if (value == 0 && !Sign::exact && !Sign::guesses) return 0;
    const int turned = curve.bend * sign_(curve.slope_at(p, q));
    if (turned == 0) return Sign::guesses ? (root == falling ? first : last) : 0;
    const Roots nearest = turned < 0 ? falling : rising;  // the zero of l is beyond it or equal
    if (value == 0 && nearest == root && !Sign::guesses) return 0;
    return turned < 0 ? last : first;
  }

  Sign& sign_;
};

}  // namespace graze::narrow::bernstein
