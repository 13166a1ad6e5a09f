#include "graze/narrow/rivals/safe_cubic.h"

#include <optional>

#include "graze/core/numeric/bounded.h"
#include "graze/core/numeric/bracketed_root.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/rivals/time_polynomial.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

using namespace rivals;
using exact::Cubic;

struct Interval {
  double lo, hi;
};

// ---- The cubic solver -----------------------------------------------------------------------

// Times outside of which the corners are proven not to be coplanar.
struct CoplanarTimes {
  double lo, hi;
  double cubic_max;  // no less than the modulus of the exact cubic in between
};

class CoplanarTimesList {
 public:
  void append(const CoplanarTimes& times) {
    if (count_ > 0 && items_[count_ - 1].hi == times.lo) {
      items_[count_ - 1].hi = times.hi;
      items_[count_ - 1].cubic_max = std::max(items_[count_ - 1].cubic_max, times.cubic_max);
    } else {
      items_[count_++] = times;
    }
  }
  bool empty() const { return count_ == 0; }
  const CoplanarTimes* begin() const { return items_.data(); }
  const CoplanarTimes* end() const { return items_.data() + count_; }

 private:
  std::array<CoplanarTimes, 3> items_;  // a cubic has three monotone pieces
  std::size_t count_ = 0;
};

// Returns a root of p in [lo, hi], where p changes sign, with an error of about `tol`. Uses
// Newton's step, or bisection where that leaves the bracket.
double newton_bisection(const Cubic& p, double lo, double hi, double tol) {
  const auto& c = p.c;
  const double f_lo = p.value_at(lo), f_hi = p.value_at(hi);
  return numeric::bracketed_root(
      {lo, hi, f_lo < 0, lo + (hi - lo) * (f_lo / (f_lo - f_hi))}, 100,
      [&](double t) { return p.value_at(t); },
      [&](double t, double f) { return t - f / ((3 * c[3] * t + 2 * c[2]) * t + c[1]); },
      [&](double) { return tol; });
}

// Appends the part of a monotone piece of p outside of which its sign is proven, if any: about
// `tol` on both sides of a root, more where rounding hides the sign. s_lo and s_hi are the signs at
// its ends.
void append_coplanar(const Cubic& p, Interval piece, int s_lo, int s_hi, double tol,
                     CoplanarTimesList& list) {
  if (s_lo != 0 && s_lo == s_hi) return;
  const double t = s_lo == 0   ? piece.lo
                   : s_hi == 0 ? piece.hi
                               : newton_bisection(p, piece.lo, piece.hi, tol / 8);
  Interval times = piece;
  if (s_lo != 0) {
    double below = tol;
    while (t - below > piece.lo && p.sign_at(t - below) != s_lo) below *= 2;
    times.lo = std::max(piece.lo, t - below);
  }
  if (s_hi != 0) {
    double above = tol;
    while (t + above < piece.hi && p.sign_at(t + above) != s_hi) above *= 2;
    times.hi = std::min(piece.hi, t + above);
  }
  // p.err bounds the error of each value, and how far the exact cubic may leave the range of its
  // values at the ends of a part of a monotone piece.
  const double ends = std::max(std::abs(p.value_at(times.lo)), std::abs(p.value_at(times.hi)));
  list.append({times.lo, times.hi, ends + 2 * p.err});
}

CoplanarTimesList coplanar_times(const Cubic& p, double t_max, double tol) {
  CoplanarTimesList list;
  double lo = 0;
  int s_lo = p.sign_at(0);
  const auto extrema = p.extrema();
  for (const double knot : {extrema[0], extrema[1], t_max}) {
    if (!(knot > lo && knot <= t_max)) continue;
    const int s_hi = p.sign_at(knot);
    append_coplanar(p, {lo, knot}, s_lo, s_hi, tol, list);
    lo = knot;
    s_lo = s_hi;
  }
  return list;
}

// ---- Values with error bounds ---------------------------------------------------------------

// Covers the rounding of the bounds themselves, and underflow in products of four factors.
constexpr double bound_slack = 1 + 0x1p-45, underflow = 0x1p-1000;

// A vector up to `err`, in the Euclidean norm.
struct VectorWithin {
  Vec3 v;
  double err;

  double size() const { return (v.norm() + err) * bound_slack + 0x1p-500; }
};
struct VectorSlack {
  static double of_sum(double err) { return err * bound_slack; }
  static double of_product(double err) { return err * bound_slack + underflow; }
  static double when_read(double err) { return err; }
};
using Within = numeric::Bounded<VectorSlack>;

// a b - a' b' = (a - a') b + a' (b - b') for any bilinear product that is at most |a||b|. Rounding:
// a component of the cross product is off by 2u (|a_i b_j| + |a_j b_i|), the vector of these by
// 2 sqrt(2) u |a||b|; three products and two sums of a dot product by 3u |a||b| and a little.
double product_err(const VectorWithin& a, const VectorWithin& b) {
  const double a_size = a.size(), b_size = b.size();
  return (a.err * b_size + a_size * b.err + 4 * numeric::u * a_size * b_size) * bound_slack +
         underflow;
}
VectorWithin cross(const VectorWithin& a, const VectorWithin& b) {
  return {a.v.cross(b.v), product_err(a, b)};
}
Within dot(const VectorWithin& a, const VectorWithin& b) {
  return {a.v.dot(b.v), product_err(a, b)};
}
// Components of x, y, z at the start and the end are below 1 and off by u; the way by 4u, its
// product with t by 6u, the position by 8u. sqrt(3) 8 < 14.
constexpr double position_err = 14 * numeric::u, way_err = 7 * numeric::u;

// Returns the vector at `from`, with an error bound that holds for all of [from, from + length].
VectorWithin during(const VectorPolynomial<1>& path, double from, double length) {
  const double drift = length > 0 ? (path[1].norm() + way_err) * length : 0;
  return {value_at(path, from), (position_err + drift) * bound_slack + underflow};
}

// ---- The inside test ------------------------------------------------------------------------

// Returns the parameters u, v of x = u y + v z + w n (vertex-face) or x = u y - v z + w n, with
// n = y cross z, and their complements to 1, all times |n|^2. All are >= 0 if and only if the
// vertex is in the prism over the face, or the common perpendicular of the edges' lines ends in
// both edges.
std::array<Within, 3> weights(const VertexFace&, const VectorWithin& x, const VectorWithin& y,
                              const VectorWithin& z, const VectorWithin& n) {
  const Within a = dot(cross(x, z), n), b = dot(cross(y, x), n);
  return {a, b, dot(n, n) - a - b};
}
std::array<Within, 4> weights(const EdgeEdge&, const VectorWithin& x, const VectorWithin& y,
                              const VectorWithin& z, const VectorWithin& n) {
  const Within a = dot(cross(x, z), n), b = dot(cross(x, y), n), nn = dot(n, n);
  return {a, nn - a, b, nn - b};
}

enum class Place { inside, outside, unknown };

template <class Query>
Place place(const Query& query, const VectorWithin& x, const VectorWithin& y, const VectorWithin& z,
            const VectorWithin& n) {
  const auto w = weights(query, x, y, z, n);
  if (std::any_of(w.begin(), w.end(), [](const Within& a) { return a.is_negative(); }))
    return Place::outside;
  const auto positive = [](const Within& a) { return a.is_positive(); };
  return std::all_of(w.begin(), w.end(), positive) ? Place::inside : Place::unknown;
}

// Returns a lower bound on the modulus of n in an interval, by the Bernstein coefficients of its
// components.
double normal_min(const Motion& m, Interval times) {
  const auto y0 = during(m.y, times.lo, 0), y1 = during(m.y, times.hi, 0);
  const auto z0 = during(m.z, times.lo, 0), z1 = during(m.z, times.hi, 0);
  const auto first = cross(y0, z0), last = cross(y1, z1);
  const auto rise = cross(y0, z1), fall = cross(y1, z0);
  const double err = std::max({first.err, last.err, rise.err + fall.err});
  double result = 0;
  for (int k = 0; k < 3; ++k) {
    const double b0 = first.v[k], b1 = (rise.v[k] + fall.v[k]) / 2, b2 = last.v[k];
    const double least = std::min({b0, b1, b2}), most = std::max({b0, b1, b2});
    result = std::max({result, least - 2 * err, -most - 2 * err});
  }
  return result;
}

// ---- Corners against edges ------------------------------------------------------------------

// In units of u as above: the way from a corner to an end of an edge adds or subtracts up to three
// of x, y, z. At the start it is off by 9, its way by 24, the product with t by 28, the position by
// 9 + 28 + 2.
constexpr double corner_err = 64 * numeric::u;

class CornerEdgeSearch {
 public:
  explicit CornerEdgeSearch(const MethodOptions& options, double tol)
      : options_(options), tol_(tol) {}

  // Returns a lower bound on the first time at which the corner is within `rho` of the edge;
  // empty if it never is.
  //
  // If the corner is within rho of the edge, every component of one point of the edge is within rho
  // of the corner's, and the moment end0 cross end1 is at most rho times the length of the edge.
  // Both are bounded over an interval: components are linear in t, those of the moment have
  // Bernstein coefficients, and the length is convex. A component of the moment, of two products of
  // numbers below m + corner_err, is off by 4 m corner_err and 4u m^2, m < 4.
  //
  // An edge may have any length, so a corner against a corner is a case of this.
  std::optional<double> first_near(const CornerAndEdge& c, Interval times, double rho) {
    count_check(checks_);
    const Vec3 p0 = value_at(c.end0, times.lo), p1 = value_at(c.end0, times.hi);
    const Vec3 q0 = value_at(c.end1, times.lo), q1 = value_at(c.end1, times.hi);
    const Vec3 least = p0.cwiseMin(p1).cwiseMin(q0).cwiseMin(q1);
    const Vec3 most = p0.cwiseMax(p1).cwiseMax(q0).cwiseMax(q1);
    const double reach = (rho + corner_err) * bound_slack;
    if (least.maxCoeff() > reach || most.minCoeff() < -reach) return {};

    const Vec3 b0 = p0.cross(q0), b2 = p1.cross(q1), b1 = (p0.cross(q1) + p1.cross(q0)) / 2;
    const double size = std::max(most.maxCoeff(), -least.minCoeff());
    const double length = std::sqrt(std::max((q0 - p0).squaredNorm(), (q1 - p1).squaredNorm()));
    const double moment =
        (rho * (length + 4 * corner_err) + 5 * corner_err * size) * bound_slack + underflow;
    if (b0.cwiseMin(b1).cwiseMin(b2).maxCoeff() > moment ||
        b0.cwiseMax(b1).cwiseMax(b2).minCoeff() < -moment)
      return {};

    const double middle = times.lo + (times.hi - times.lo) / 2;
    if (is_short(times) || !(times.lo < middle && middle < times.hi)) return times.lo;
    if (is_spent(checks_, options_)) {
      spent_ = true;
      return times.lo;
    }
    const auto first = first_near(c, {times.lo, middle}, rho);
    return first ? first : first_near(c, {middle, times.hi}, rho);
  }

  bool spent() const { return spent_; }
  std::uint32_t checks() const { return checks_; }

 private:
  bool is_short(Interval times) const {
    if (options_.no_zero_toi && times.lo == 0 && times.hi > 0x1p-60) return false;
    return times.hi - times.lo <= tol_;
  }

  const MethodOptions& options_;
  double tol_;
  std::uint32_t checks_ = 0;
  bool spent_ = false;
};

// ---- The first contact ----------------------------------------------------------------------

// Returns an upper bound on the distance of the primitives when a contact in `times` begins at a
// border, or lasts since the beginning of `times`.
//
// Let them touch at t* and follow them back in time for as long as the vertex is in the prism over
// the face, or the common perpendicular of the edges' lines ends in both edges. At such a time t
// their distance is |P| / |n|, P the cubic, and no more than each of
//   (a) the relative speed times t* - t;
//   (b) cubic_max / normal_min;
//   (c) cubic_max / N + sqrt(N) / 2, for any N > 0. The first term is enough while |n| > N. Where
//       |n| falls to N, the sum bounds the distance to a border: the vertex is within sqrt(N) / 2
//       of a side of the face, the radius of its inscribed circle being |n| over the perimeter; and
//       of edges that cross at an angle a, |n| = |y||z| sin a, the end nearest to the crossing is
//       within sin(a) min(|y|, |z|) / 2 <= sqrt(N) / 2 of the other edge. The sum is least for
//       N^(3/2) = 4 cubic_max; a power of two near that suffices.
double nearness(const Motion& m, Interval times, double cubic_max) {
  const double speed = m.x[1].norm() + m.y[1].norm() + m.z[1].norm() + 3 * way_err;
  int exponent;
  std::frexp(4 * cubic_max, &exponent);
  const double N = std::ldexp(1, exponent * 2 / 3);
  double result = std::min(speed * (times.hi - times.lo), cubic_max / N + std::sqrt(N) / 2);
  if (const double n = normal_min(m, times); n > 0) result = std::min(result, cubic_max / n);
  return result * bound_slack;
}

// If |n| is below this limit, its rounding, some tens of u, leaves the height above the plane too
// uncertain.
constexpr double thin_normal = 0x1p-26;

template <class Query>
Impact answer(const Query& query, const MethodOptions& options) {
  const double tol = options.no_zero_toi ? 0x1p-52 : std::clamp(options.time_tol, 0x1p-52, 1.0);
  const auto d = differences(query);
  const CoplanarTimesList candidates =
      coplanar_times(exact::coplanarity(d[0], d[1], d[2]), options.t_max, tol);
  if (candidates.empty()) return Impact::separated();

  const Motion m(d);
  const int cubic_exponent = d[0].exponent + d[1].exponent + d[2].exponent - 3 * m.exponent;
  CornerEdgeSearch search(options, tol);
  for (const CoplanarTimes& candidate : candidates) {
    const double lo = candidate.lo, hi = candidate.hi;
    const Interval times{lo, hi};
    const auto place_at_lo = [&](double length) {
      const auto y = during(m.y, lo, length), z = during(m.z, lo, length);
      return place(query, during(m.x, lo, length), y, z, cross(y, z));
    };
    if (place_at_lo((hi - lo) * bound_slack) == Place::outside) continue;

    const double cubic_max = std::ldexp(candidate.cubic_max, cubic_exponent) + underflow;
    double rho = nearness(m, times, cubic_max);
    const auto n = cross(during(m.y, lo, 0), during(m.z, lo, 0));
    const Within height = dot(during(m.x, lo, 0), n);
    const bool is_near = std::abs(height.value) <= (rho * n.size() + height.err) * bound_slack;
    const Place start = is_near ? place_at_lo(0) : Place::outside;
    if (start == Place::inside && n.size() > thin_normal)
      return Impact::contact(lo, options.t_max, search.checks());
    // As in (c): a point in a small face or between short or parallel edges is near their ends.
    if (start != Place::outside) rho = (rho + std::sqrt(n.size()) / 2) * bound_slack;

    std::optional<double> first;
    for (const auto& corner : corners_and_edges(query, m)) {
      const auto near = search.first_near(corner, {lo, first.value_or(hi)}, rho);
      if (search.spent()) return Impact::undecided(lo, options.t_max, search.checks());
      if (near) first = near;
    }
    if (first) return Impact::contact(*first, options.t_max, search.checks());
  }
  return Impact::separated(search.checks());
}

template <class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts,
             [&](const Query& query) { return answer(query, options); });
}

}  // namespace

void safe_cubic(std::span<const VertexFace> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}
void safe_cubic(std::span<const EdgeEdge> queries, const MethodOptions& options,
                std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}

}  // namespace graze::narrow
