#include "graze/narrow/separation_filter.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "graze/core/strict_arithmetic.h"
#include "graze/narrow/pair_arithmetic.h"

namespace graze {
namespace {

// Throughout: u = 2^-53; M = polygon.largest; E bounds the error of every coordinate of a corner
// at a time t. A coordinate of start or end is off by u M at most, and so is their exact mean; in
// fl((1-t) start + t end) the difference 1-t, the products and the sum add 3 u M: with second-order
// terms 5 u M. Between two times the exact corner is the exact mean of the exact ones, so the same
// E bounds the error of both ends of a piece of time and of everything linear between.
//
// The stages work where 2^-60 <= M <= 2^60 and 2^-200 <= d <= 2^60. Then nothing overflows: the
// largest products are of eight lengths. What underflows is below 2^-1074 and is multiplied by at
// most 6 lengths in fewer than 2^10 terms: less than 2^-700.
constexpr double u = 0x1p-53;
constexpr double floor_err = 0x1p-700;

double largest_of(const Vec3& x) {
  return x.cwiseAbs().maxCoeff();
}
double sum_of(const Vec3& x) {
  return x.cwiseAbs().sum();
}

// ---- a polynomial on a piece of time -----------------------------------------------------------

enum class Sign { positive, negative, falls, unknown };

// Bernstein coefficients, each off by at most err.
template <int degree>
struct Curve {
  std::array<double, degree + 1> c;
  double err;

  bool all_above(double bound) const {
    return std::all_of(c.begin(), c.end(), [&](double x) { return x > bound; });
  }
  bool all_below(double bound) const {
    return std::all_of(c.begin(), c.end(), [&](double x) { return x < bound; });
  }
  // `falls`: certainly positive, then at most one coefficient of unknown sign, then certainly
  // negative: one variation whatever that sign, so exactly one root, a simple one.
  Sign sign() const {
    if (all_above(err)) return Sign::positive;
    if (all_below(-err)) return Sign::negative;
    std::size_t i = 0;
    while (i <= degree && c[i] > err) ++i;
    if (i == 0) return Sign::unknown;
    if (!(c[i] < -err)) ++i;
    if (i > degree) return Sign::unknown;
    for (; i <= degree; ++i)
      if (!(c[i] < -err)) return Sign::unknown;
    return Sign::falls;
  }
};

// Vectors that change with time: Bernstein coefficients, each coordinate off by at most err; size
// bounds all coordinates.
template <int degree>
struct VectorCurve {
  std::array<Vec3, degree + 1> c;
  double err, size;

  void measure() {
    size = 0;
    for (const Vec3& x : c) size = std::max(size, largest_of(x));
  }
};

// x and y linear. Each coordinate is a difference of two products (or the mean of two such): the
// errors of the factors, 2 (|x| err_y + |y| err_x) + 2 err_x err_y, and 6 u |x||y| of rounding.
VectorCurve<2> cross(const VectorCurve<1>& x, const VectorCurve<1>& y) {
  VectorCurve<2> result;
  result.c = {x.c[0].cross(y.c[0]), 0.5 * (x.c[0].cross(y.c[1]) + x.c[1].cross(y.c[0])),
              x.c[1].cross(y.c[1])};
  result.err = 2.01 * (x.size * y.err + y.size * x.err) + 2.01 * x.err * y.err +
               7 * u * x.size * y.size + floor_err;
  result.measure();
  return result;
}

// Products of coefficients enter with weights that add up to 1. One dot product is off by
// 3 (|x| err_y + |y| err_x + err_x err_y) and 3 * 3 u |x||y| of rounding; the weights, their
// products and up to five sums add less than 3 * 9 u |x||y|.
double dot_err(double x_size, double x_err, double y_size, double y_err) {
  return 3.02 * (x_size * y_err + y_size * x_err + x_err * y_err) + 40 * u * x_size * y_size +
         floor_err;
}
Curve<2> dot(const VectorCurve<1>& x, const VectorCurve<1>& y) {
  return {{x.c[0].dot(y.c[0]), 0.5 * (x.c[0].dot(y.c[1]) + x.c[1].dot(y.c[0])), x.c[1].dot(y.c[1])},
          dot_err(x.size, x.err, y.size, y.err)};
}
Curve<3> dot(const VectorCurve<1>& x, const VectorCurve<2>& y) {
  return {{x.c[0].dot(y.c[0]), (x.c[1].dot(y.c[0]) + 2 * x.c[0].dot(y.c[1])) / 3,
           (2 * x.c[1].dot(y.c[1]) + x.c[0].dot(y.c[2])) / 3, x.c[1].dot(y.c[2])},
          dot_err(x.size, x.err, y.size, y.err)};
}
Curve<4> dot(const VectorCurve<2>& x, const VectorCurve<2>& y) {
  return {{x.c[0].dot(y.c[0]), 0.5 * (x.c[0].dot(y.c[1]) + x.c[1].dot(y.c[0])),
           (x.c[0].dot(y.c[2]) + 4 * x.c[1].dot(y.c[1]) + x.c[2].dot(y.c[0])) / 6,
           0.5 * (x.c[1].dot(y.c[2]) + x.c[2].dot(y.c[1])), x.c[2].dot(y.c[2])},
          dot_err(x.size, x.err, y.size, y.err)};
}
Curve<6> square(const Curve<3>& x) {
  double size = 0;
  for (const double c : x.c) size = std::max(size, std::abs(c));
  const auto& c = x.c;
  return {{c[0] * c[0], c[0] * c[1], (2 * c[0] * c[2] + 3 * c[1] * c[1]) / 5,
           (c[0] * c[3] + 9 * c[1] * c[2]) / 10, (2 * c[1] * c[3] + 3 * c[2] * c[2]) / 5,
           c[2] * c[3], c[3] * c[3]},
          dot_err(size, x.err, size, x.err)};
}

// a - d^2 b, b raised to the degree of a. Raising takes means with up to 6 roundings of the largest
// b, d^2 and the product 2, the difference 1 of both.
template <int degree>
Curve<degree> gap(const Curve<degree>& a, double d_sq, const Curve<degree>& b) {
  Curve<degree> result;
  double size = 0;
  for (std::size_t i = 0; i <= degree; ++i) {
    result.c[i] = a.c[i] - d_sq * b.c[i];
    size = std::max({size, std::abs(a.c[i]), 10 * d_sq * std::abs(b.c[i])});
  }
  result.err = (a.err + d_sq * b.err + 4 * u * size) * (1 + 0x1p-20) + floor_err;
  return result;
}
Curve<4> raised(const Curve<2>& x) {
  const auto& c = x.c;
  return {{c[0], 0.5 * (c[0] + c[1]), (c[0] + 4 * c[1] + c[2]) / 6, 0.5 * (c[1] + c[2]), c[2]},
          x.err};
}
Curve<6> raised(const Curve<4>& x) {
  const auto& c = x.c;
  return {
      {c[0], (c[0] + 2 * c[1]) / 3, (c[0] + 8 * c[1] + 6 * c[2]) / 15, (c[1] + 3 * c[2] + c[3]) / 5,
       (6 * c[2] + 8 * c[3] + c[4]) / 15, (2 * c[3] + c[4]) / 3, c[4]},
      x.err};
}

// ---- the features of the polygon on a piece of time --------------------------------------------

class Piece {
 public:
  Piece(const MovingPolygon& polygon, double d, double lo, double hi)
      : size_(polygon.size), d_sq_(d * d), lo_(lo), hi_(hi) {
    const DifferencePolygon a = polygon.at(lo), b = polygon.at(hi);
    const double err = 5 * u * polygon.largest;
    for (std::size_t i = 0; i < size_; ++i) {
      corner_[i] = {{a.corners[i], b.corners[i]}, err, 0};
      corner_[i].measure();
    }
    // A difference of corners: 2 E and the rounding of 2 M at most, 2 u M = 0.4 E.
    for (std::size_t i = 0; i < edges(); ++i) {
      const std::size_t j = i + 1 == size_ ? 0 : i + 1;
      edge_[i] = {
          {corner_[j].c[0] - corner_[i].c[0], corner_[j].c[1] - corner_[i].c[1]}, 2.5 * err, 0};
      edge_[i].measure();
    }
  }

  std::size_t corners() const { return size_; }
  std::size_t edges() const { return size_ > 2 ? size_ : size_ - 1; }
  std::size_t features() const { return size_ + edges() + (size_ > 2 ? 1 : 0); }
  double lo() const { return lo_; }
  double hi() const { return hi_; }

  // Whether 0 projects into the interior of the feature: never, always, or not known.
  enum class Inside { never, always, unknown };
  Inside inside(std::size_t feature) {
    if (feature < size_) return Inside::always;
    Inside result = Inside::always;
    const auto require = [&](const auto& curve, double sign) {
      bool above = true, below = true;
      for (const double c : curve.c) {
        above = above && sign * c > curve.err;
        below = below && sign * c < -curve.err;
      }
      if (below) result = Inside::never;
      if (!above && result == Inside::always) result = Inside::unknown;
    };
    if (feature < size_ + edges()) {
      const std::size_t i = feature - size_, j = i + 1 == size_ ? 0 : i + 1;
      require(dot(corner_[i], edge_[i]), -1);
      require(dot(corner_[j], edge_[i]), 1);
    } else {
      for (std::size_t i = 0; i < edges() && result != Inside::never; ++i)
        require(dot(normal(), turn(i)), 1);
    }
    return result;
  }

  // Calls visit(curve) with the gap of the feature.
  template <class Visit>
  auto with_gap(std::size_t feature, Visit&& visit) {
    if (feature < size_)
      return visit(gap(dot(corner_[feature], corner_[feature]), d_sq_, Curve<2>{{1, 1, 1}, 0}));
    if (feature < size_ + edges()) {
      const std::size_t i = feature - size_;
      return visit(gap(dot(turn(i), turn(i)), d_sq_, raised(dot(edge_[i], edge_[i]))));
    }
    return visit(gap(square(dot(corner_[0], normal())), d_sq_, raised(dot(normal(), normal()))));
  }

 private:
  // corner i x edge i = corner i x next corner.
  const VectorCurve<2>& turn(std::size_t i) {
    if (!turn_[i]) turn_[i] = cross(corner_[i], edge_[i]);
    return *turn_[i];
  }
  // Along the first edge and from the first corner to the last: minus the last edge.
  const VectorCurve<2>& normal() {
    if (!normal_) normal_ = cross(edge_[size_ - 1], edge_[0]);
    return *normal_;
  }

  std::size_t size_;
  double d_sq_, lo_, hi_;
  std::array<VectorCurve<1>, 4> corner_, edge_;
  std::array<std::optional<VectorCurve<2>>, 4> turn_;
  std::optional<VectorCurve<2>> normal_;
};

// ---- the gap at one double, in pairs of doubles ------------------------------------------------

struct Residual {
  PairNumber value;
  double err;
};

// Every corner at t in pairs: each difference of coordinates is exact, and e(0) + t (e(1) - e(0))
// costs three operations, (3*2 + 4*2 + 3*3) u^2 M < 24 u^2 M at most. From there the formulas are
// those of the curves with E = 24 u^2 M and 16 u^2 for u, which covers every operation on pairs
// (their errors are at most 8 u^2 where those of doubles are u, and sums 6 u^2).
Residual residual(const MovingPolygon& polygon, std::size_t feature, double d, double t) {
  constexpr double uu = 16 * u * u;
  const double err = 24 * u * u * polygon.largest;
  const auto at = [&](std::size_t i) {
    PairVector e;
    for (int k = 0; k < 3; ++k) {
      const auto difference = [&](std::size_t time) {
        return two_sum((*polygon.second[i][time])[k], -(*polygon.first[i][time])[k]);
      };
      const PairNumber start = difference(0);
      e[static_cast<std::size_t>(k)] = start + t * (difference(1) - start);
    }
    return e;
  };
  const auto size = [](const PairVector& x) {
    return std::max({std::abs(x[0].hi), std::abs(x[1].hi), std::abs(x[2].hi)}) * (1 + 0x1p-40);
  };
  // |x|^2 - d^2 |y|^2 with coordinates off by x_err and y_err.
  const PairNumber d_sq = two_product(d, d);
  const auto difference = [&](PairNumber x_sq, double x_size, double x_err, PairNumber y_sq,
                              double y_size, double y_err) -> Residual {
    const auto square_err = [&](double s, double e) {
      return 3.02 * (2 * s * e + e * e) + 40 * uu * s * s;
    };
    const PairNumber y = d_sq * y_sq;
    const double bound = square_err(x_size, x_err) + d_sq.hi * square_err(y_size, y_err) +
                         4 * uu * (std::abs(x_sq.hi) + std::abs(y.hi));
    return {x_sq - y, bound * (1 + 0x1p-20) + floor_err};
  };
  const std::size_t n = polygon.size, edges = n > 2 ? n : n - 1;
  if (feature < n) {
    const PairVector e = at(feature);
    return difference(dot(e, e), size(e), err, {1, 0}, 0, 0);
  }
  const auto cross_err = [&](double s, double s_err, double r, double r_err) {
    return 2.01 * (s * r_err + r * s_err + s_err * r_err) + 7 * uu * s * r;
  };
  const double edge_err = 2.5 * err;
  if (feature < n + edges) {
    const std::size_t i = feature - n, j = i + 1 == n ? 0 : i + 1;
    const PairVector e = at(i), g = at(j) - e, turn = cross(e, g);
    return difference(dot(turn, turn), size(turn), cross_err(size(e), err, size(g), edge_err),
                      dot(g, g), size(g), edge_err);
  }
  const PairVector e = at(0), p = at(1) - e, q = at(n - 1) - e, normal = cross(p, q);
  const double normal_err = cross_err(size(p), edge_err, size(q), edge_err);
  const PairNumber offset = dot(e, normal);
  const double offset_err = 3.02 * (size(e) * normal_err + size(normal) * err + err * normal_err) +
                            40 * uu * size(e) * size(normal);
  return difference(offset * offset, std::abs(offset.hi), offset_err, dot(normal, normal),
                    size(normal), normal_err);
}

// ---- a root ------------------------------------------------------------------------------------

// A narrow certified bracket around the root of a gap, and bounds of its derivative there.
struct Bracket {
  double lo, hi, t;         // t inside, near the root
  double rate_lo, rate_hi;  // both negative
};

// Where a Bernstein curve with opposite signs at its ends crosses 0, roughly.
template <int degree>
double crossing(const Curve<degree>& curve) {
  double s = curve.c.front() / (curve.c.front() - curve.c.back());
  for (int k = 0; k < 3; ++k) {  // Newton's method, value and slope by de Casteljau's scheme
    auto c = curve.c;
    double slope = 0;
    for (std::size_t n = degree; n > 0; --n) {
      if (n == 1) slope = degree * (c[1] - c[0]);
      for (std::size_t j = 0; j < n; ++j) c[j] = (1 - s) * c[j] + s * c[j + 1];
    }
    const double next = s - c[0] / slope;
    if (!(next >= 0 && next <= 1)) break;
    s = next;
  }
  return s;
}

// For a gap with one root in [lo, hi]. Pieces shrink around the root to 2^12 times the width that
// rounding leaves uncertain, or until the rate is known to 1 in 1000.
std::optional<Bracket> bracket_root(const MovingPolygon& polygon, std::size_t feature, double d,
                                    double lo, double hi) {
  for (int i = 0; i < 12; ++i) {
    Bracket result{lo, hi, 0, 0, 0};
    bool certain = false, done = false;
    Piece(polygon, d, lo, hi).with_gap(feature, [&]<int degree>(const Curve<degree>& gap) {
      const double first = gap.c.front(), last = gap.c.back(), width = hi - lo;
      certain = first > gap.err && last < -gap.err;
      if (!certain) return;
      result.t = std::clamp(lo + crossing(gap) * width, lo, hi);
      double least = gap.c[1] - gap.c[0], most = least;
      for (std::size_t k = 1; k < degree; ++k) {
        least = std::min(least, gap.c[k + 1] - gap.c[k]);
        most = std::max(most, gap.c[k + 1] - gap.c[k]);
      }
      // A difference of two coefficients is off by 2 err and a rounding, the width by 2 u hi.
      result.rate_lo = (least - 2.01 * gap.err) * degree / (width - 4 * u * hi) * (1 + 8 * u);
      result.rate_hi = (most + 2.01 * gap.err) * degree / (width + 4 * u * hi) * (1 - 8 * u);
      const double rest = 0x1p12 * gap.err * width / (first - last) + 0x1p6 * u * hi;
      done = width < 4 * rest || result.rate_lo > 1.001 * result.rate_hi;
      const double half = std::max(rest, width * 0x1p-10);
      lo = std::max(lo, result.t - half);
      hi = std::min(hi, result.t + half);
    });
    if (!certain || (done && !(result.rate_hi < 0))) return std::nullopt;
    if (done) return result;
  }
  return std::nullopt;
}

// Where a root lies relative to a double.
struct Cell {
  double at;
  int side;  // between `at` and its neighbour above (1) or below (-1); 0: not known which
};

// One interval-Newton step from t: root = t - gap(t) / rate for some rate between the bounds. With
// an error below u/8 of the result the root lies strictly between the neighbours of the double
// `at` (the nearer one is at least u away).
std::optional<Cell> locate(const MovingPolygon& polygon, std::size_t feature, double d,
                           const Bracket& bracket) {
  double t = bracket.t;
  for (int i = 0; i < 2; ++i) {
    const Residual f = residual(polygon, feature, d, t);
    const double rate = 0.5 * (bracket.rate_lo + bracket.rate_hi), slowest = -bracket.rate_hi;
    const double spread = 0.5 * (bracket.rate_hi - bracket.rate_lo) / slowest;
    const double step = f.value.hi / rate;
    const double err = (std::abs(step) * (spread + 8 * u) + f.err / slowest) * 1.0001;
    const PairNumber root = two_sum(t, -step);
    if (err < 0.125 * u * root.hi && root.hi > 0x1p-900)
      return Cell{root.hi, root.lo > err ? 1 : root.lo < -err ? -1 : 0};
    t = std::clamp(root.hi, bracket.lo, bracket.hi);
  }
  return std::nullopt;
}

// ---- a piece of time that ends in contact ------------------------------------------------------

double neighbour(double x, int side) {  // x > 0
  return std::bit_cast<double>(std::bit_cast<std::int64_t>(x) + side);
}

// [lo, hi] with a distance above d at lo. The first time within d is a root of the gap of a feature
// into which 0 projects there. If no feature has one, they stay apart; if a certain one is the
// first, or all that may be agree on the cell, and `ends_within` (the distance at hi is <= d), that
// is the time.
Proven examine_l2(const MovingPolygon& polygon, double d, double lo, double hi, bool ends_within) {
  struct Candidate {
    std::size_t feature;
    Cell cell;
    bool certain;
  };
  std::array<Candidate, 9> candidates;
  std::size_t count = 0;
  Piece piece(polygon, d, lo, hi);
  for (std::size_t feature = 0; feature < piece.features(); ++feature) {
    if (piece.inside(feature) == Piece::Inside::never) continue;
    const Sign sign = piece.with_gap(feature, [](const auto& gap) { return gap.sign(); });
    if (sign == Sign::positive) continue;
    if (sign != Sign::falls) return {};
    const auto bracket = bracket_root(polygon, feature, d, lo, hi);
    if (!bracket) return {};
    const auto inside = Piece(polygon, d, bracket->lo, bracket->hi).inside(feature);
    if (inside == Piece::Inside::never) continue;
    const auto cell = locate(polygon, feature, d, *bracket);
    if (!cell) return {};
    candidates[count++] = {feature, *cell, inside == Piece::Inside::always};
  }
  if (count == 0) return {Proven::Result::separated};
  const auto first = std::min_element(
      candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
      [](const Candidate& a, const Candidate& b) {
        return a.cell.at != b.cell.at ? a.cell.at < b.cell.at : a.cell.side < b.cell.side;
      });
  bool certain = first->certain || ends_within;
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& other = candidates[i];
    if (&other == &*first) continue;
    const bool same = other.cell.at == first->cell.at && other.cell.side == first->cell.side;
    // Cells that share a double may hold roots in either order.
    const bool later = neighbour(other.cell.at, -1) >= neighbour(first->cell.at, 1);
    if (same && first->cell.side != 0) {
      certain = certain || other.certain;
    } else if (!later || !first->certain) {
      return {};
    }
  }
  if (!certain) return {};
  return {Proven::Result::root, first->cell.at, first->cell.side, first->feature};
}

// ---- directions --------------------------------------------------------------------------------

struct Euclidean {
  static ClosestPoint closest(const DifferencePolygon& at) { return closest_to_zero(at); }
  static double dual_norm(const Vec3& n) { return n.norm(); }
  static Proven examine(const MovingPolygon& polygon, double d, double lo, double hi,
                        bool ends_within) {
    return examine_l2(polygon, d, lo, hi, ends_within);
  }
};
struct MaxNorm {
  static ClosestPoint closest(const DifferencePolygon& at) { return closest_to_zero_linf(at); }
  static double dual_norm(const Vec3& n) { return sum_of(n); }
  static Proven examine(const MovingPolygon&, double, double, double, bool) { return {}; }
};

template <class Norm>
class Prover {
 public:
  Prover(const MovingPolygon& polygon, double d, double t_max)
      : polygon_(polygon), d_(d), t_max_(t_max) {}

  Proven prove() {
    const double size = polygon_.largest;
    if (!(size > 0x1p-60 && size < 0x1p60 && d_ > 0x1p-200 && d_ < 0x1p60)) return {};
    DifferencePolygon at = polygon_.at(0), end = polygon_.at(t_max_);
    ClosestPoint closest = Norm::closest(at);
    if (is_within(closest)) return {Proven::Result::start};
    if (!(room(closest.direction, at) > 0)) return {};
    double t = 0;
    for (int i = 0; i < max_steps; ++i) {
      // As far as this direction leads.
      const double next = reach(closest.direction, at, end, t);
      if (next >= t_max_) return {Proven::Result::separated};
      const double progress = next - t;
      t = next;
      at = polygon_.at(t);
      closest = Norm::closest(at);
      if (!(room(closest.direction, at) > 0)) break;
      // Where Newton's method expects the distance d, a little further.
      if (const auto hit = expected(t, closest)) {
        const double hi = std::min(t_max_, *hit + 0.0625 * (*hit - t) + 0x1p-30);
        const bool ends_within = is_within(Norm::closest(polygon_.at(hi)));
        const Proven proven = Norm::examine(polygon_, d_, t, hi, ends_within);
        if (proven.result == Proven::Result::root) return proven;
        if (proven.result == Proven::Result::separated && hi == t_max_) return proven;
      } else if (progress < 0.125 * (t_max_ - t)) {
        const Proven proven = Norm::examine(polygon_, d_, t, t_max_, false);
        if (proven.result != Proven::Result::nothing) return proven;
      }
      if (!(progress > 0x1p-40)) break;
    }
    return {};
  }

 private:
  static constexpr int max_steps = 24;

  // The point of the polygon is given by coordinates in it, up to u beyond its border. Each of its
  // coordinates is off by E, two differences of corners (2.4 E each) and ten roundings of at most
  // 4 M: below 10 E = 50 u M; 90 u M in any norm. The norm is off by 4 u of itself.
  bool is_within(const ClosestPoint& x) const {
    return x.distance * (1 + 8 * u) + 90 * u * polygon_.largest <= d_;
  }

  // How far n.e exceeds what a distance of d requires, at the corner where it does least; positive
  // only if it certainly does. A product n.e is off by |n|_1 E and 3 u |n|_1 M of rounding, 8 u M
  // |n|_1 in all, and the dual norm by 3 u of itself. (|n| > 2^-400, so underflow is nothing.)
  double threshold(const Vec3& n) const {
    return (d_ * Norm::dual_norm(n) + 9 * u * polygon_.largest * sum_of(n)) * (1 + 16 * u);
  }
  double room(const Vec3& n, const DifferencePolygon& at) const {
    if (!(largest_of(n) > 0x1p-400)) return 0;
    double least = n.dot(at.corners[0]);
    for (std::size_t i = 1; i < at.size; ++i) least = std::min(least, n.dot(at.corners[i]));
    return least - threshold(n);
  }

  // A time until which n certainly separates, if it does so at t: n.e is linear in time, so both
  // ends of a piece prove it.
  double reach(const Vec3& n, const DifferencePolygon& at, const DifferencePolygon& end,
               double t) const {
    const double needed = threshold(n);
    double part = 2;
    for (std::size_t i = 0; i < at.size; ++i) {
      const double from = n.dot(at.corners[i]) - needed, to = n.dot(end.corners[i]) - needed;
      if (!(to > 0)) part = std::min(part, from / (from - to));
    }
    if (part == 2) return t_max_;
    for (const double safety : {1 - 0x1p-20, 0.5}) {
      const double next = t + (t_max_ - t) * part * safety;
      if (next <= t) break;
      if (next < t_max_ && room(n, polygon_.at(next)) > 0) return next;
    }
    return t;
  }

  // By Newton's method on the distance; only a guess.
  std::optional<double> expected(double t, ClosestPoint x) const {
    for (int i = 0; i < 10; ++i) {
      const std::size_t last = polygon_.size - 1;
      const auto change = [&](std::size_t k) { return Vec3(polygon_.end[k] - polygon_.start[k]); };
      const Vec3 c = change(0), p = change(last > 0 ? 1 : 0) - c, q = change(last) - c;
      const Vec3 velocity = c + x.alpha * p + x.beta * q;
      const double rate = x.direction.dot(velocity) / Norm::dual_norm(x.direction);
      const double step = (d_ - x.distance) / rate;
      const double next = std::min(t + step, t_max_);
      if (!(next > 0) || (rate > 0 && x.distance > d_)) return std::nullopt;
      if (std::abs(next - t) <= 0x1p-34 * t_max_)
        return next < t_max_ ? std::optional(next) : std::nullopt;
      t = next;
      x = Norm::closest(polygon_.at(t));
    }
    return std::nullopt;
  }

  const MovingPolygon& polygon_;
  double d_, t_max_;
};

// Along x, y, z the sign of fl(x - y) - d is exact, rounding being monotone. Along x+-y and the
// like a corner is off by 2 u M for its coordinates and 2 u M for the sum, and d, times the norm of
// (1, 1, 0) that is dual to the norm of the distance, by 3 u: 8 u M leaves room.
template <int axes>
bool separates(const MovingPolygon& polygon, double needed) {
  for (int k = 0; k < 3; ++k)
    for (int sign = axes == 1 ? 1 : -1; sign <= 1; sign += 2) {
      double lo = std::numeric_limits<double>::infinity(), hi = -lo;
      for (std::size_t i = 0; i < polygon.size; ++i)
        for (const auto* e : {&polygon.start[i], &polygon.end[i]}) {
          const double x = axes == 1 ? (*e)[k] : (*e)[k] + sign * (*e)[(k + 1) % 3];
          lo = std::min(lo, x);
          hi = std::max(hi, x);
        }
      if (lo > needed || hi < -needed) return true;
    }
  return false;
}

template <class Query>
MovingPolygon polygon_of(const Query& query, std::size_t size, const std::size_t (&pairs)[4][2]) {
  MovingPolygon polygon;
  polygon.size = size;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [a, b] = pairs[i];
    polygon.first[i] = {&query.start[a], &query.end[a]};
    polygon.second[i] = {&query.start[b], &query.end[b]};
    polygon.start[i] = query.start[b] - query.start[a];
    polygon.end[i] = query.end[b] - query.end[a];
    polygon.largest =
        std::max({polygon.largest, largest_of(polygon.start[i]), largest_of(polygon.end[i])});
  }
  return polygon;
}

}  // namespace

bool axis_separates(const MovingPolygon& polygon, double d) {
  return separates<1>(polygon, d);
}
bool diagonal_separates_l2(const MovingPolygon& polygon, double d) {
  return separates<2>(polygon, d * (1.4142135623730951 * (1 + 8 * u)) + 8 * u * polygon.largest);
}
bool diagonal_separates_linf(const MovingPolygon& polygon, double d) {
  return separates<2>(polygon, d * (2 + 8 * u) + 8 * u * polygon.largest);
}

DifferencePolygon MovingPolygon::at(double t) const {
  DifferencePolygon polygon;
  polygon.size = size;
  for (std::size_t i = 0; i < size; ++i) polygon.corners[i] = (1 - t) * start[i] + t * end[i];
  return polygon;
}

MovingPolygon moving_polygon(const VertexFace& query) {
  return polygon_of(query, 3, {{0, 1}, {0, 2}, {0, 3}});
}
MovingPolygon moving_polygon(const EdgeEdge& query) {
  return polygon_of(query, 4, {{0, 2}, {0, 3}, {1, 3}, {1, 2}});
}
MovingPolygon moving_polygon(const PointEdge& query) {
  return polygon_of(query, 2, {{0, 1}, {0, 2}});
}
MovingPolygon moving_polygon(const PointPoint& query) {
  return polygon_of(query, 1, {{0, 1}});
}

Proven prove_l2(const MovingPolygon& polygon, double d, double t_max) {
  return Prover<Euclidean>(polygon, d, t_max).prove();
}
Proven prove_linf(const MovingPolygon& polygon, double d, double t_max) {
  return Prover<MaxNorm>(polygon, d, t_max).prove();
}

}  // namespace graze
