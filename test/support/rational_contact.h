#pragma once

#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "graze/polyhedron/model.h"
#include "graze/polyhedron/move.h"

// An independent check of polyhedron/move.h in rational numbers, by separating axes instead of
// sidedness. Two convex polygons (or points) are disjoint iff their projections on one of these
// axes are: both normals, the cross products of an edge of each, and, for coplanar pairs, the cross
// product of each normal and an edge of its polygon. These are the normals of the faces of their
// Minkowski difference.
namespace graze::test {

using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational::backend_type,
                                               boost::multiprecision::et_off>;

// The number a + b sqrt(D), where D >= 0 is the same for all numbers of a computation.
struct Surd {
  Rational a = 0, b = 0;
  const Rational* d = nullptr;

  Surd() = default;
  Surd(const Rational& x) : a(x) {}
  Surd(int x) : a(x) {}
  Surd(const Rational& x, const Rational& y, const Rational& root) : a(x), b(y), d(&root) {}

  int sign() const {
    if (b == 0 || *d == 0) return a.sign();
    if (a == 0 || a.sign() == b.sign()) return b.sign();
    const Rational difference = a * a - b * b * *d;
    return difference == 0 ? 0 : difference > 0 ? a.sign() : b.sign();
  }
  double approximate() const {
    const double root = d ? std::sqrt(d->convert_to<double>()) : 0;
    return a.convert_to<double>() + b.convert_to<double>() * root;
  }
  friend Surd operator+(const Surd& x, const Surd& y) { return make(x.a + y.a, x.b + y.b, x, y); }
  friend Surd operator-(const Surd& x, const Surd& y) { return make(x.a - y.a, x.b - y.b, x, y); }
  friend Surd operator*(const Surd& x, const Surd& y) {
    if (x.b == 0 && y.b == 0) return Surd(x.a * y.a);
    const Rational& root = x.d ? *x.d : *y.d;
    return make(x.a * y.a + x.b * y.b * root, x.a * y.b + x.b * y.a, x, y);
  }

 private:
  static Surd make(const Rational& a, const Rational& b, const Surd& x, const Surd& y) {
    Surd z(a);
    z.b = b;
    z.d = x.d ? x.d : y.d;
    return z;
  }
};

inline int sign_of(const Rational& x) {
  return x.sign();
}
inline int sign_of(const Surd& x) {
  return x.sign();
}
inline int sign_of(double x) {
  return (x > 0) - (x < 0);
}

template <class F>
using Point = std::array<F, 3>;

template <class F>
Point<F> minus(const Point<F>& x, const Point<F>& y) {
  return {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
}
template <class F>
Point<F> times(const Point<F>& x, const Point<F>& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
template <class F>
F product(const Point<F>& x, const Point<F>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

inline Point<Rational> rational(const Vec3& x) {
  return {Rational(x[0]), Rational(x[1]), Rational(x[2])};
}

template <class F>
using Corners = std::vector<Point<F>>;

// Calls visit(axis) for these axes until a call returns true. Returns whether one did.
template <class F, class Visit>
bool any_axis(const Corners<F>& p, const Corners<F>& q, const Visit& visit) {
  const auto edges = [](const Corners<F>& c) {
    std::vector<Point<F>> e;
    for (std::size_t i = 0; c.size() > 1 && i < c.size(); ++i)
      e.push_back(minus(c[(i + 1) % c.size()], c[i]));
    return e;
  };
  const auto is_zero = [](const Point<F>& x) {
    return sign_of(x[0]) == 0 && sign_of(x[1]) == 0 && sign_of(x[2]) == 0;
  };
  const auto ep = edges(p), eq = edges(q);
  for (const auto* e : {&ep, &eq})
    for (std::size_t i = 1; i < e->size(); ++i) {
      const Point<F> n = times((*e)[0], (*e)[i]);
      if (is_zero(n)) continue;
      if (visit(n)) return true;
      for (const Point<F>& edge : *e)
        if (visit(times(n, edge))) return true;
      break;
    }
  for (const Point<F>& x : ep)
    for (const Point<F>& y : eq) {
      const Point<F> n = times(x, y);
      if (!is_zero(n) && visit(n)) return true;
    }
  return false;
}

template <class F>
std::array<F, 2> shadow(const Corners<F>& corners, const Point<F>& axis) {
  std::array<F, 2> range{product(corners[0], axis), product(corners[0], axis)};
  for (const Point<F>& x : corners) {
    const F s = product(x, axis);
    if (sign_of(s - range[0]) < 0) range[0] = s;
    if (sign_of(s - range[1]) > 0) range[1] = s;
  }
  return range;
}

template <class F>
bool disjoint(const Corners<F>& p, const Corners<F>& q) {
  const auto separates = [&](const Point<F>& axis) {
    const auto sp = shadow(p, axis), sq = shadow(q, axis);
    return sign_of(sp[1] - sq[0]) < 0 || sign_of(sq[1] - sp[0]) < 0;
  };
  for (std::size_t k = 0; k < 3; ++k) {  // not needed, but fast
    Point<F> axis{F(0), F(0), F(0)};
    axis[k] = F(1);
    if (separates(axis)) return true;
  }
  return any_axis(p, q, separates);
}

// Returns whether the polygons are apart by more than the rounding errors of doubles. Avoids exact
// arithmetic in clear cases.
inline bool clearly_disjoint(const Corners<double>& p, const Corners<double>& q,
                             double margin = 1e-6) {
  return any_axis(p, q, [&](const Point<double>& axis) {
    const auto sp = shadow(p, axis), sq = shadow(q, axis);
    const double size = margin * std::sqrt(product(axis, axis));
    return sp[1] + size < sq[0] || sq[1] + size < sp[0];
  });
}

// Returns the first time in [0, 1] at which p, moving by t way, meets q. The axes are constant, so
// it is the first time at which the projections on all axes overlap.
inline std::optional<Rational> first_meeting(const Corners<Rational>& p, const Corners<Rational>& q,
                                             const Point<Rational>& way) {
  Rational from = 0, to = 1;
  const auto clip = [&](const Point<Rational>& axis) {
    const auto sp = shadow(p, axis), sq = shadow(q, axis);
    const Rational v = product(way, axis);
    if (v == 0) return sp[1] < sq[0] || sq[1] < sp[0];
    Rational enter = (sq[0] - sp[1]) / v, leave = (sq[1] - sp[0]) / v;
    if (v < 0) std::swap(enter, leave);
    if (enter > from) from = enter;
    if (leave < to) to = leave;
    return from > to;
  };
  for (std::size_t k = 0; k < 3; ++k) {  // not needed, but fast
    Point<Rational> axis{};
    axis[k] = 1;
    if (clip(axis)) return std::nullopt;
  }
  const bool apart = any_axis(p, q, clip);
  // Two points have no separating axis; move.h excludes this case.
  if (apart || (p.size() == 1 && q.size() == 1)) return std::nullopt;
  return from;
}

inline Corners<Rational> corners_of(const polyhedron::Model& model,
                                    const polyhedron::Facet& facet) {
  Corners<Rational> corners;
  for (const std::uint32_t c : model.corners_of(facet))
    corners.push_back(rational(model.vertices[c]));
  return corners;
}

using Matrix = std::array<Point<Rational>, 3>;

// Returns |q|^2 times the rotation matrix of the quaternion q = w + x i + y j + z k, from q v q*.
inline Matrix rotation_matrix(const std::array<Rational, 4>& q) {
  Matrix m;
  for (std::size_t k = 0; k < 3; ++k) {
    // (w, u)(0, e)(w, -u): vector part w^2 e + 2 w u x e + (u.e) u + u x (u x e).
    const Point<Rational> u{q[1], q[2], q[3]};
    Point<Rational> e{};
    e[k] = 1;
    const Point<Rational> ue = times(u, e), uue = times(u, ue);
    for (std::size_t i = 0; i < 3; ++i)
      m[i][k] = q[0] * q[0] * e[i] + 2 * q[0] * ue[i] + product(u, e) * u[i] + uue[i];
  }
  return m;
}

inline std::array<Rational, 4> parts(const Eigen::Quaterniond& q) {
  return {Rational(q.w()), Rational(q.x()), Rational(q.y()), Rational(q.z())};
}

// Returns the position of a point of the body at the rational parameter f of the path.
inline Point<Rational> place(const polyhedron::Path& path, const Vec3& x, const Rational& f) {
  const auto rotated = [](const std::array<Rational, 4>& q, const Point<Rational>& v) {
    const Matrix m = rotation_matrix(q);
    const Rational w = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return Point<Rational>{product(m[0], v) / w, product(m[1], v) / w, product(m[2], v) / w};
  };
  const auto still = parts(path.start.rotation), q0 = parts(path.begin), q1 = parts(path.end);
  const Point<Rational> p = rational(path.start.translation);
  Point<Rational> y;
  if (!path.turns) {
    y = rotated(still, rational(x));
    const Point<Rational> way = rational(path.way);
    for (std::size_t k = 0; k < 3; ++k) y[k] += p[k] + f * way[k];
    return y;
  }
  std::array<Rational, 4> q;
  for (std::size_t i = 0; i < 4; ++i) q[i] = (1 - f) * q0[i] + f * q1[i];
  const Point<Rational> c = rational(path.pivot), centre = rotated(still, c);
  y = rotated(q, minus(rational(x), c));
  for (std::size_t k = 0; k < 3; ++k) y[k] += centre[k] + p[k];
  return y;
}

// Returns whether moves with t_max beside the time of a contact report that contact exactly if it
// is at most t_max. `whole` is the answer for the whole path, already judged.
inline bool limits_hold(const polyhedron::Obstacle& world, const polyhedron::Model& mover,
                        const polyhedron::Path& path, polyhedron::Scratch& scratch,
                        const polyhedron::MoveResult& whole) {
  for (const double t_max : {whole.toi / 2, whole.toi, whole.toi_hi, 0.5}) {
    if (!(t_max > 0 && t_max <= 1)) continue;
    polyhedron::MoveOptions options;
    options.t_max = t_max;
    const polyhedron::MoveResult part = move({&world, 1}, mover, path, scratch, options);
    const bool in_time = whole.verdict == Verdict::contact && whole.toi_hi <= t_max;
    if (part.verdict != (in_time ? Verdict::contact : Verdict::separated) ||
        part.toi != (in_time ? whole.toi : Impact::inf) ||
        part.toi_hi != (in_time ? whole.toi_hi : Impact::inf) ||
        (in_time && (part.contact.meeting != whole.contact.meeting ||
                     part.contact.world_feature != whole.contact.world_feature ||
                     part.contact.mover_feature != whole.contact.mover_feature)))
      return false;
  }
  return true;
}

}  // namespace graze::test
