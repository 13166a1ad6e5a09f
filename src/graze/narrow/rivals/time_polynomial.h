#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "graze/exact/judge/coplanarity.h"
#include "graze/query.h"

// Polynomials in time in plain doubles, for the methods that solve them without error bounds.
// (sign_classification.h has those of the methods that only need signs: Bernstein coefficients of
// any numbers, and no division.)
namespace graze::narrow::rivals {

// Coefficients in ascending powers.
template <std::size_t degree>
using Polynomial = std::array<double, degree + 1>;
template <std::size_t degree>
using VectorPolynomial = std::array<Vec3, degree + 1>;

template <class C, class A, std::size_t n, class B, std::size_t m, class Times>
std::array<C, n + m - 1> product(const std::array<A, n>& a, const std::array<B, m>& b, C zero,
                                 Times&& times) {
  std::array<C, n + m - 1> c;
  c.fill(zero);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) c[i + j] += times(a[i], b[j]);
  return c;
}
template <std::size_t n, std::size_t m>
std::array<double, n + m - 1> operator*(const std::array<double, n>& a,
                                        const std::array<double, m>& b) {
  return product(a, b, 0.0, [](double s, double t) { return s * t; });
}
template <std::size_t n, std::size_t m>
std::array<double, n + m - 1> dot(const std::array<Vec3, n>& a, const std::array<Vec3, m>& b) {
  return product(a, b, 0.0, [](const Vec3& s, const Vec3& t) { return s.dot(t); });
}
template <std::size_t n, std::size_t m>
std::array<Vec3, n + m - 1> cross(const std::array<Vec3, n>& a, const std::array<Vec3, m>& b) {
  return product(a, b, Vec3(Vec3::Zero()),
                 [](const Vec3& s, const Vec3& t) { return Vec3(s.cross(t)); });
}
template <class C, std::size_t n>
std::array<C, n> operator-(std::array<C, n> a, const std::array<C, n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] -= b[i];
  return a;
}
template <class C, std::size_t n>
std::array<C, n> operator+(std::array<C, n> a, const std::array<C, n>& b) {
  for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
  return a;
}

template <class C, std::size_t n>
C value_at(const std::array<C, n>& p, double t) {
  C value = p[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) value = value * t + p[i];
  return value;
}

// Returns the differences of corners x, y and z: from the first corner of the face to the vertex
// and to its other two corners; or from edge a to edge b, along a, along b.
inline std::array<exact::MovingVector, 3> differences(const VertexFace& query) {
  return {exact::difference(query, 1, 0), exact::difference(query, 1, 2),
          exact::difference(query, 1, 3)};
}
inline std::array<exact::MovingVector, 3> differences(const EdgeEdge& query) {
  return {exact::difference(query, 0, 2), exact::difference(query, 0, 1),
          exact::difference(query, 2, 3)};
}

// The differences x, y and z scaled by one power of two, to components below 1 at both ends.
struct Motion {
  VectorPolynomial<1> x, y, z;
  int exponent;  // lengths here are those of the query times 2^-exponent

  explicit Motion(const std::array<exact::MovingVector, 3>& d)
      : exponent(std::max({d[0].exponent, d[1].exponent, d[2].exponent})) {
    const auto path = [&](const exact::MovingVector& vector) -> VectorPolynomial<1> {
      const auto [start, end] = vector.with_exponent(exponent).at;
      return {start, end - start};
    };
    x = path(d[0]);
    y = path(d[1]);
    z = path(d[2]);
  }
};

// A corner of one primitive and an edge of the other: the ways from the corner to the edge's ends.
struct CornerAndEdge {
  VectorPolynomial<1> end0, end1;
};
inline std::array<CornerAndEdge, 3> corners_and_edges(const VertexFace&, const Motion& m) {
  const auto f0 = VectorPolynomial<1>{Vec3::Zero(), Vec3::Zero()} - m.x;
  const auto f1 = m.y - m.x, f2 = m.z - m.x;
  return {{{f0, f1}, {f1, f2}, {f2, f0}}};
}
inline std::array<CornerAndEdge, 4> corners_and_edges(const EdgeEdge&, const Motion& m) {
  const auto a0 = VectorPolynomial<1>{Vec3::Zero(), Vec3::Zero()} - m.x;
  const auto a1 = m.y - m.x, b1 = m.x + m.z;
  return {{{m.x, b1}, {m.x - m.y, b1 - m.y}, {a0, a1}, {a0 - m.z, a1 - m.z}}};
}

// A short ascending list of times.
template <std::size_t capacity>
class Times {
 public:
  void add(double t) {
    if (count_ == capacity) return;
    std::size_t i = count_++;
    for (; i > 0 && items_[i - 1] > t; --i) items_[i] = items_[i - 1];
    items_[i] = t;
  }
  const double* begin() const { return items_.data(); }
  const double* end() const { return items_.data() + count_; }

 private:
  std::array<double, capacity> items_;
  std::size_t count_ = 0;
};

// A polynomial on [lo, hi] by its Bernstein coefficients there.
//
// De Casteljau's subdivision only computes means, so its rounding is small compared with the
// coefficients. All later subdivisions are therefore those of one polynomial near the given one,
// whose number of roots is bounded in the same way.
template <std::size_t degree>
class BernsteinPiece {
 public:
  BernsteinPiece(Polynomial<degree> p, double lo, double hi) : lo_(lo), hi_(hi) {
    for (std::size_t i = 0; i < degree; ++i)  // p(t + lo)
      for (std::size_t j = degree; j-- > i;) p[j] += lo * p[j + 1];
    double power = 1;  // p(lo + (hi - lo) s), over the binomials
    for (std::size_t j = 1; j <= degree; ++j) {
      power *= hi - lo;
      p[j] *= power * inverse_binomials[j];
    }
    for (std::size_t i = 1; i <= degree; ++i)
      for (std::size_t j = degree; j >= i; --j) p[j] += p[j - 1];
    b_ = p;
  }

  // Returns a lower bound on the modulus in [lo, hi]; 0 if it may vanish.
  double modulus_min() const {
    const auto [least, most] = std::minmax_element(b_.begin(), b_.end());
    return std::max({0.0, *least, -*most});
  }

  // Appends the roots in [lo, hi]. A cluster of them closer than about 2^-45 may count once.
  template <std::size_t capacity>
  void append_roots(Times<capacity>& roots) const {
    if (b_[0] == 0) roots.add(lo_);
    append_roots_after_lo(roots);
  }

 private:
  static constexpr Polynomial<degree> inverse_binomials = [] {
    Polynomial<degree> inverse{1};
    for (std::size_t j = 1; j <= degree; ++j)
      inverse[j] = inverse[j - 1] * static_cast<double>(j) / static_cast<double>(degree + 1 - j);
    return inverse;
  }();

  BernsteinPiece() = default;

  template <std::size_t capacity>
  void append_roots_after_lo(Times<capacity>& roots) const {
    const int variations = sign_variations();
    if (variations == 0) {
      if (b_[degree] == 0) roots.add(hi_);
    } else if (variations == 1 && b_[0] != 0 && b_[degree] != 0) {
      roots.add(single_root());
    } else if (hi_ - lo_ <= 0x1p-45) {
      roots.add(middle());
    } else {
      BernsteinPiece first, second;
      split(first, second);
      first.append_roots_after_lo(roots);
      second.append_roots_after_lo(roots);
    }
  }

  int sign_variations() const {
    int count = 0;
    double last = 0;
    for (const double b : b_) {
      count += (b < 0 && last > 0) || (b > 0 && last < 0);
      if (b != 0) last = b;
    }
    return count;
  }

  double middle() const { return lo_ + (hi_ - lo_) / 2; }

  void split(BernsteinPiece& first, BernsteinPiece& second) const {
    second.b_ = b_;
    for (std::size_t i = 0; i < degree; ++i) {
      first.b_[i] = second.b_[0];
      for (std::size_t j = 0; j < degree - i; ++j)
        second.b_[j] = (second.b_[j] + second.b_[j + 1]) / 2;
    }
    first.b_[degree] = second.b_[0];
    first.lo_ = lo_;
    second.hi_ = hi_;
    first.hi_ = second.lo_ = middle();
  }

  // Returns the root, by iteration in s = (t - lo) / (hi - lo). A step leads to the root of the
  // parabola with the same value and derivatives, which converges fast also where another root is
  // near; bisection replaces a step out of the bracket. De Casteljau's last rows have the
  // derivatives.
  double single_root() const {
    constexpr double n = static_cast<double>(degree);
    double s0 = 0, s1 = 1, s = b_[0] / (b_[0] - b_[degree]);
    for (int i = 0; i < 60; ++i) {
      auto b = b_;
      for (std::size_t row = degree; row > 2; --row)
        for (std::size_t j = 0; j < row; ++j) b[j] += s * (b[j + 1] - b[j]);
      const double curvature = n * (n - 1) * ((b[2] - b[1]) - (b[1] - b[0])) / 2;
      b[0] += s * (b[1] - b[0]);
      b[1] += s * (b[2] - b[1]);
      const double slope = n * (b[1] - b[0]), value = b[0] + s * (b[1] - b[0]);
      if (value == 0) break;
      ((value < 0) == (b_[0] < 0) ? s0 : s1) = s;
      // At the root the slope has the sign of b_[degree] - b_[0].
      const double root = std::sqrt(std::max(0.0, slope * slope - 4 * curvature * value));
      const double q = slope + (b_[degree] > b_[0] ? root : -root);
      const double step = -2 * value / q;
      if (std::abs(step) <= 0x1p-30) {  // order 3: the next step is below an ulp
        s = std::clamp(s + step, s0, s1);
        break;
      }
      s += step;
      if (!(s > s0 && s < s1)) s = s0 + (s1 - s0) / 2;
    }
    return lo_ + (hi_ - lo_) * s;
  }

  Polynomial<degree> b_;
  double lo_, hi_;
};

}  // namespace graze::narrow::rivals
