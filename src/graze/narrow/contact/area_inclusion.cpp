#include "graze/narrow/contact/area_inclusion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <type_traits>

#include "graze/core/numeric/bracketed_root.h"
#include "graze/exact/judge/coplanarity.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

using exact::Cubic;
using exact::MovingVector;

struct Interval {
  double lo, hi;
};

// A short list of intervals of fixed capacity. A cubic has at most three roots; the dimensional
// reduction adds time 0 and the roots of four quadratics or eight linear functions.
class Intervals {
 public:
  static constexpr std::size_t capacity = 16;

  void append(Interval interval) {
    assert(count_ < capacity);
    items_[count_++] = interval;
  }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  Interval& back() { return items_[count_ - 1]; }
  Interval* begin() { return items_.data(); }
  Interval* end() { return items_.data() + count_; }
  const Interval* begin() const { return items_.data(); }
  const Interval* end() const { return items_.data() + count_; }

 private:
  std::array<Interval, capacity> items_;
  std::size_t count_ = 0;
};

// ---- Times of coplanarity -------------------------------------------------------------------

// Returns a root of p in [lo, hi], where p changes its sign, with an error of about `tol`. Uses
// Householder's iteration of the third order, kept inside the bracket by bisection.
double householder_root(const Cubic& p, double lo, double hi, double tol) {
  const auto& c = p.c;
  const double f_lo = p.value_at(lo), f_hi = p.value_at(hi);
  return numeric::bracketed_root(
      {lo, hi, f_lo < 0, lo + (hi - lo) * (f_lo / (f_lo - f_hi))}, 100,
      [&](double t) { return p.value_at(t); },
      [&](double t, double f) {
        const double f1 = (3 * c[3] * t + 2 * c[2]) * t + c[1];
        const double f2 = 6 * c[3] * t + 2 * c[2], f3 = 6 * c[3];
        return t - f * (6 * f1 * f1 - 3 * f * f2) / (6 * f1 * (f1 * f1 - f * f2) + f * f * f3);
      },
      [&](double) { return tol; });
}

// Appends an interval that contains the roots of the exact polynomial in a piece between extrema,
// or extends the last interval if the two are adjacent. s_lo and s_hi are the signs at the ends of
// the piece. Does nothing if the signs prove that there is no root.
//
// DEVIATION: [Huh 2014] assumes that the iteration ends within E_tol of the root and searches for
// sign changes only. Here the signs at both ends of the interval certify it; the interval is
// widened until they do. An extremum or an end that may be a root counts as one, so that double
// roots and contacts at 0 and t_max are found.
void append_root(const Cubic& p, Interval piece, int s_lo, int s_hi, double tol, Intervals& roots) {
  if (s_lo != 0 && s_lo == s_hi) return;
  Interval root = piece;
  if (s_lo != 0 || s_hi != 0) {
    const double t = s_lo == 0   ? piece.lo
                     : s_hi == 0 ? piece.hi
                                 : householder_root(p, piece.lo, piece.hi, tol / 8);
    if (s_lo != 0) {
      double below = tol;
      while (t - below > piece.lo && p.sign_at(t - below) != s_lo) below *= 2;
      root.lo = std::max(piece.lo, t - below);
    }
    if (s_hi != 0) {
      double above = tol;
      while (t + above < piece.hi && p.sign_at(t + above) != s_hi) above *= 2;
      root.hi = std::min(piece.hi, t + above);
    }
  }
  const bool continues = s_lo == 0 && !roots.empty() && roots.back().hi == root.lo;
  if (continues)
    roots.back().hi = root.hi;
  else
    roots.append(root);
}

// Returns ascending intervals that contain all roots of p in [0, t_max] and share at most their
// ends.
Intervals roots_of(const Cubic& p, double t_max, double tol) {
  Intervals roots;
  Interval piece{0, 0};
  int s_lo = p.sign_at(0);
  const auto extrema = p.extrema();
  for (const double knot : {extrema[0], extrema[1], t_max}) {
    if (!(knot > piece.lo && knot <= t_max)) continue;
    piece.hi = knot;
    const int s_hi = p.sign_at(knot);
    append_root(p, piece, s_lo, s_hi, tol, roots);
    piece.lo = knot;
    s_lo = s_hi;
  }
  return roots;
}

bool is_all(const Intervals& roots, double t_max) {
  return roots.size() == 1 && roots.begin()->lo == 0 && roots.begin()->hi == t_max;
}

// ---- Dimensional reduction ------------------------------------------------------------------

// A corner and an edge that it may meet.
struct Meeting {
  std::size_t corner, end0, end1;
};
constexpr auto meetings(const VertexFace&) {
  return std::to_array<Meeting>({{0, 1, 2}, {0, 2, 3}, {0, 3, 1}});
}
constexpr auto meetings(const EdgeEdge&) {
  return std::to_array<Meeting>({{0, 2, 3}, {1, 2, 3}, {2, 0, 1}, {3, 0, 1}});
}

// Returns intervals that contain the possible first times of contact of corners that are always
// coplanar [Huh 2014, 4.2].
//
// If the primitives touch at t > 0 but not before, a corner is on an edge: a contact inside the
// face or a proper crossing of the edges would exist just before t, too. So t is a root of the
// cross product (10) of the vectors from the corner to the ends of the edge. If that is identically
// zero, the corner meets an end of the edge at t, because a contact inside the edge would exist
// just before t, too.
//
// DEVIATION: whether a polynomial is identically zero is decided exactly. [Huh 2014] uses the
// computed coefficients; here a polynomial that is zero only up to rounding yields all times.
template <class Query>
Intervals reduced_times(const Query& query, double t_max, double tol) {
  Intervals times;
  times.append({0, 0});
  const auto append_all = [&](const Intervals& more) {
    for (const Interval& interval : more) times.append(interval);
  };
  for (const auto& [corner, end0, end1] : meetings(query)) {
    const auto x = exact::difference(query, corner, end0);
    const auto y = exact::difference(query, corner, end1);
    const Intervals roots = roots_of(exact::collinearity(x, y), t_max, tol);
    if (is_all(roots, t_max) && exact::always_collinear(query, corner, end0, end1)) {
      for (const auto* end : {&x, &y})
        if (!end->is_zero()) append_all(roots_of(exact::coincidence(*end), t_max, tol));
    } else {
      append_all(roots);
    }
  }
  std::sort(times.begin(), times.end(), [](auto& a, auto& b) { return a.lo < b.lo; });
  Intervals merged;
  for (const Interval& time : times)
    if (!merged.empty() && time.lo <= merged.back().hi)
      merged.back().hi = std::max(merged.back().hi, time.hi);
    else
      merged.append(time);
  return merged;
}

// ---- Area inclusion -------------------------------------------------------------------------

using Path = std::array<Vec3, 2>;  // a point at t = 0 and its displacement until t = 1

Path operator-(const Path& a, const Path& b) {
  return {a[0] - b[0], a[1] - b[1]};
}
Path operator+(const Path& a, const Path& b) {
  return {a[0] + b[0], a[1] + b[1]};
}
Vec3 at(const Path& path, double t) {
  return path[0] + t * path[1];
}

// Rounding errors of the tests below, in units of u = 2^-53 times the largest component on the axis
// (boxes) or of all axes (areas), which is below 1: 1 for a component of x, y or z, 4 for its
// displacement, 6 for the product with t, 8 for the position, 18 for a difference of two positions
// (at most 2), 29 for one of three. A component of a cross product of two differences: products (at
// most 4) 72 + 4, their difference 8, in all 160; the norm (at most 14) sqrt(3) 160 + 42 < 320, an
// area 160. Four areas and their sum (at most 28): 640 + 3 * 28 < 2^10.
constexpr double box_err = 0x1p-48, area_err = 0x1p-43;
// The rounding error of a length or a speed in C1 and C2.
constexpr double bound_err = 0x1p-46;
// Covers underflow, which is a few times 2^-1074.
constexpr double underflow = 0x1p-1060;

// The motion of a query relative to one of its corners, scaled to components below 1:
// x = vertex, y, z = the other corners of the face as seen from its first one, or
// x = b0 - a0, y = a1 - a0, z = b1 - b0.
struct Frame {
  Path x, y, z;
  Vec3 box_margin;

  Frame(const MovingVector& x_motion, const MovingVector& y_motion, const MovingVector& z_motion) {
    const int scale = std::max({x_motion.exponent, y_motion.exponent, z_motion.exponent});
    Vec3 largest = Vec3::Zero();
    const auto path = [&](const MovingVector& motion) -> Path {
      const auto [start, end] = motion.with_exponent(scale).at;
      largest = largest.cwiseMax(start.cwiseAbs()).cwiseMax(end.cwiseAbs());
      return {start, end - start};
    };
    x = path(x_motion);
    y = path(y_motion);
    z = path(z_motion);
    box_margin = box_err * largest + Vec3::Constant(underflow);
  }
};

// Returns whether the boxes of the primitives are apart during the whole interval: for some axis,
// that component of all differences of corners has the same sign at both ends of the interval and
// thus, being linear in time, inside it. `differences` computes the components of the differences
// from those of x, y, z.
template <class Differences>
bool boxes_apart(const Frame& f, Interval times, Differences&& differences) {
  for (int k = 0; k < 3; ++k) {
    double least = Impact::inf, most = -Impact::inf;
    for (const double t : {times.lo, times.hi})
      for (const double difference : differences(
               f.x[0][k] + t * f.x[1][k], f.y[0][k] + t * f.y[1][k], f.z[0][k] + t * f.z[1][k])) {
        least = std::min(least, difference);
        most = std::max(most, difference);
      }
    if (least > f.box_margin[k] || most < -f.box_margin[k]) return true;
  }
  return false;
}

// A bound on the change of a sum of areas within a time h.
struct Drift {
  double linear = 0, quadratic = 0;

  double within(double h) const { return (linear + quadratic * h) * h; }

  // Adds E(x, y, z) of Lemma 4.1 for the triangle with these sides.
  void add_triangle(const Path& a, const Path& b, const Path& c) {
    const auto longest = [&](std::size_t i) {
      const double sq = std::max({a[i].squaredNorm(), b[i].squaredNorm(), c[i].squaredNorm()});
      return std::sqrt(sq) + bound_err;
    };
    const double c2 = longest(1), c1 = longest(0) + c2;
    linear += c1 * c2;
    quadratic += c2 * c2 / 2;
  }
  // Adds half the cross product of two vectors, by the lemma with their own lengths and speeds.
  void add_diagonals(const Path& a, const Path& b) {
    const double a_speed = a[1].norm() + bound_err, a_size = a[0].norm() + bound_err + a_speed;
    const double b_speed = b[1].norm() + bound_err, b_size = b[0].norm() + bound_err + b_speed;
    linear += (a_size * b_speed + b_size * a_speed) / 2;
    quadratic += a_speed * b_speed / 2;
  }
};

double area(const Vec3& a, const Vec3& b) {
  return a.cross(b).norm() / 2;
}

// Sets u and v, the solution of x = u y + v z (or u y - v z) in the plane normal to n = y cross z,
// and, unless `side` is 0, the normal. Does nothing if n is too short to give a direction.
// `side` is the sign of x . n just before the contact, 0 if unknown.
void locate(const Vec3& u_cross, const Vec3& v_cross, const Vec3& n, int side, Impact& impact) {
  constexpr double normal_min = 0x1p-40;
  const double nn = n.squaredNorm();
  if (!(nn > normal_min * normal_min)) return;
  impact.u = std::clamp(u_cross.dot(n) / nn, 0.0, 1.0);
  impact.v = std::clamp(v_cross.dot(n) / nn, 0.0, 1.0);
  if (side != 0) impact.normal = n * (side / std::sqrt(nn));
}

// Tests by boxes and areas whether a vertex and a face may touch.
//
// Let g be the sum of the three areas minus the area of the face: g >= 0, and g = 0 if the vertex
// is in the face. Conversely, let g = 0. If the face has an area, the vertex is in it. If the face
// has no area, all three areas are 0 and the vertex is on its line; then it is in the face iff
// their boxes meet.
//
// DEVIATION: [Huh 2014] does not test boxes and accepts all points on the line of a face without
// area. The boxes meet at every contact, so this test loses no contact.
class VertexFaceTest {
 public:
  static bool boxes_may_meet(const Frame& f, Interval times) {
    return !boxes_apart(f, times, [](double x, double y, double z) {
      return std::array{x, x - y, x - z};
    });
  }

  explicit VertexFaceTest(const Frame& frame) : f_(frame) {
    const Path xy = f_.x - f_.y, xz = f_.x - f_.z, yz = f_.y - f_.z;
    drift_.add_triangle(f_.y, f_.z, yz);
    drift_.add_triangle(f_.x, f_.y, xy);
    drift_.add_triangle(f_.x, f_.z, xz);
    drift_.add_triangle(xy, xz, yz);
  }

  bool areas_may_agree(double t, double h) const {
    const Vec3 x = at(f_.x, t), y = at(f_.y, t), z = at(f_.z, t);
    const double excess = area(x, y) + area(x, z) + area(x - y, x - z) - area(y, z);
    return excess <= drift_.within(h) + area_err;
  }

  void locate_contact(double t, int side, Impact& impact) const {
    const Vec3 x = at(f_.x, t), y = at(f_.y, t), z = at(f_.z, t);
    locate(x.cross(z), y.cross(x), y.cross(z), side, impact);
    impact.v = std::min(impact.v, 1 - impact.u);
  }

 private:
  const Frame& f_;
  Drift drift_;
};

// Tests by boxes and areas whether two edges may touch.
//
// Let d = |y cross z| / 2, the area of the quadrilateral whose diagonals are the edges. The areas
// of the two triangles that the ends of one edge span with the other edge add up to at least d, and
// to d iff those ends are not strictly on one side of the other edge's line. If d > 0, equality for
// both edges holds iff they cross. If d = 0, equality holds iff all corners are on one line, or one
// edge is a point on the line of the other; then they touch iff their boxes meet.
//
// DEVIATION: Figure 5 of [Huh 2014] compares the two sums with each other only, which also agree
// for opposite sides of a parallelogram. The boxes are added as for faces.
class EdgeEdgeTest {
 public:
  static bool boxes_may_meet(const Frame& f, Interval times) {
    return !boxes_apart(f, times, [](double x, double y, double z) {
      return std::array{x, x + z, x - y, x + z - y};
    });
  }

  explicit EdgeEdgeTest(const Frame& frame) : f_(frame) {
    const Path a0b1 = f_.x + f_.z, a1b0 = f_.x - f_.y, a1b1 = a0b1 - f_.y;
    drift_a_.add_triangle(f_.x, a0b1, f_.z);
    drift_a_.add_triangle(a1b0, a1b1, f_.z);
    drift_b_.add_triangle(f_.x, a1b0, f_.y);
    drift_b_.add_triangle(a0b1, a1b1, f_.y);
    for (Drift* drift : {&drift_a_, &drift_b_}) drift->add_diagonals(f_.y, f_.z);
  }

  bool areas_may_agree(double t, double h) const {
    const Vec3 x = at(f_.x, t), y = at(f_.y, t), z = at(f_.z, t);
    const double d = area(y, z);
    return area(x, z) + area(x - y, z) - d <= drift_a_.within(h) + area_err &&
           area(x, y) + area(x + z, y) - d <= drift_b_.within(h) + area_err;
  }

  void locate_contact(double t, int side, Impact& impact) const {
    const Vec3 x = at(f_.x, t), y = at(f_.y, t), z = at(f_.z, t);
    locate(x.cross(z), x.cross(y), y.cross(z), -side, impact);  // x leads to edge b
  }

 private:
  const Frame& f_;
  Drift drift_a_, drift_b_;  // ends of edge a against edge b, and the other way round
};

// ---- The first contact ----------------------------------------------------------------------

template <class Test>
class Search {
 public:
  Search(const Frame& frame, const MethodOptions& options) : frame_(frame), options_(options) {}

  bool may_touch(Interval times) {
    count_check(checks_);
    if (!Test::boxes_may_meet(frame_, times)) return false;
    if (!test_) test_.emplace(frame_);
    const double t = middle(times);
    // The factor covers the rounding of the differences.
    const double h = std::max(t - times.lo, times.hi - t) * (1 + 0x1p-50);
    return test_->areas_may_agree(t, h);
  }

  // Narrows `times` to its first part, no longer than 2 E_tol, in which the primitives may touch.
  // Returns false if there is none. Stops with a longer part if the budget is spent.
  //
  // DEVIATION: longer intervals do not occur in [Huh 2014], which neglects rounding. Lemma 4.1
  // holds for any half length in place of E_tol, so a longer interval is bisected.
  bool narrow(Interval& times) {
    if (!may_touch(times)) return false;
    const double t = middle(times);
    if (is_short(times) || !(times.lo < t && t < times.hi)) return true;
    if (is_spent(checks_, options_)) {
      spent_ = true;
      return true;
    }
    Interval first{times.lo, t}, second{t, times.hi};
    const bool in_first = narrow(first);
    if (!in_first && !narrow(second)) return false;
    times = in_first ? first : second;
    return true;
  }

  Impact contact(Interval times, int side) const {
    Impact impact = Impact::contact(times.lo, options_.t_max);
    test_->locate_contact(middle(times), side, impact);
    return impact;
  }

  bool spent() const { return spent_; }
  std::uint32_t checks() const { return checks_; }

 private:
  static double middle(Interval times) { return times.lo + (times.hi - times.lo) / 2; }
  bool is_short(Interval times) const {
    // Within 2^-60 of the start no corner moves by more than the rounding error.
    if (options_.no_zero_toi && times.lo == 0 && times.hi > 0x1p-60) return false;
    return times.hi - times.lo <= 2 * options_.time_tol;
  }

  const Frame& frame_;
  const MethodOptions& options_;
  std::optional<Test> test_;  // made when boxes first meet
  std::uint32_t checks_ = 0;
  bool spent_ = false;
};

template <class Test>
void find_first_contact(const Frame& frame, const Cubic& coplanarity, const Intervals& candidates,
                        const MethodOptions& options, AreaInclusionResult& result) {
  Search<Test> search(frame, options);
  for (const Interval& candidate : candidates) {
    Interval times = candidate;
    if (result.contacts > 0) {
      result.contacts += search.may_touch(times);
    } else if (search.narrow(times)) {
      if (search.spent()) {
        result.impact = Impact::undecided(times.lo, options.t_max);
        break;
      }
      result.contacts = 1;
      const int before = coplanarity.sign_at(candidate.lo);
      result.impact =
          search.contact(times, before != 0 ? before : -coplanarity.sign_at(candidate.hi));
    }
  }
  result.impact.checks = search.checks();
}

template <class Test, class Query>
AreaInclusionResult solve_query(const Query& query, const MovingVector& x, const MovingVector& y,
                                const MovingVector& z, const MethodOptions& options) {
  const double tol = std::max(options.time_tol, 0x1p-54);
  AreaInclusionResult result;
  const Cubic coplanarity = exact::coplanarity(x, y, z);
  Intervals times = roots_of(coplanarity, options.t_max, tol);
  if (times.empty()) return result;
  if (is_all(times, options.t_max) && exact::always_coplanar(query)) {
    result.degenerate = true;
    times = reduced_times(query, options.t_max, tol);
  } else {
    result.coplanarity_roots = static_cast<int>(times.size());
  }
  find_first_contact<Test>(Frame(x, y, z), coplanarity, times, options, result);
  return result;
}

// ---- Culls ----------------------------------------------------------------------------------

// Returns whether a direction separates the primitives during the whole step: all values of one
// primitive along it exceed all values of the other at both ends of the step and hence, because
// corners move on straight lines, at all times between. along(p) is the value of corner p along the
// direction.
//
// The comparison needs no error bound if `along` rounds once: rounding is monotone, so that rounded
// values differ only if the exact values differ in the same sense, also where a value overflows.
template <class Query, class Along>
bool separates(const Query& query, const Along& along) {
  constexpr std::size_t first_size = std::is_same_v<Query, VertexFace> ? 1 : 2;
  bool above = true, below = true;  // the first primitive is above or below the second one
  for (const auto* corners : {&query.start, &query.end}) {
    double lo = along((*corners)[0]), hi = lo;
    if (first_size == 2) {
      const double value = along((*corners)[1]);
      lo = std::min(lo, value);
      hi = std::max(hi, value);
    }
    double other_lo = along((*corners)[first_size]), other_hi = other_lo;
    for (std::size_t i = first_size + 1; i < 4; ++i) {
      const double value = along((*corners)[i]);
      other_lo = std::min(other_lo, value);
      other_hi = std::max(other_hi, value);
    }
    above &= lo > other_hi;
    below &= hi < other_lo;
  }
  return above || below;
}

// Returns whether one of nine directions, x, y, z, x+-y, y+-z and z+-x, separates the primitives.
//
// DEVIATION: [Huh 2014] has no cull. exactCCD and safeCCD, with which it is compared, test these
// directions.
template <class Query>
bool is_culled(const Query& query) {
  for (int k = 0; k < 3; ++k)
    if (separates(query, [k](const Vec3& p) { return p[k]; })) return true;
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3;
    if (separates(query, [k, l](const Vec3& p) { return p[k] + p[l]; }) ||
        separates(query, [k, l](const Vec3& p) { return p[k] - p[l]; }))
      return true;
  }
  return false;
}

AreaInclusionResult answer(const VertexFace& query, const MethodOptions& options) {
  return solve_query<VertexFaceTest>(query, exact::difference(query, 1, 0),
                                     exact::difference(query, 1, 2), exact::difference(query, 1, 3),
                                     options);
}

AreaInclusionResult answer(const EdgeEdge& query, const MethodOptions& options) {
  return solve_query<EdgeEdgeTest>(query, exact::difference(query, 0, 2),
                                   exact::difference(query, 0, 1), exact::difference(query, 2, 3),
                                   options);
}

template <class Query>
AreaInclusionResult checked_answer(const Query& query, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0 || !is_finite(query))
    return {.impact = Impact::invalid()};
  AreaInclusionResult result = answer(query, options);
  if (is_culled(query)) {  // as in a batch; the roots are counted all the same
    result.impact = Impact::separated();
    result.contacts = 0;
  }
  return result;
}

template <class Query>
void solve_batch(std::span<const Query> queries, const MethodOptions& options,
                 std::span<Impact> impacts) {
  solve_each(queries, options, Norm::none, impacts, [&](const Query& query) {
    return is_culled(query) ? Impact::separated() : answer(query, options).impact;
  });
}

}  // namespace

AreaInclusionResult area_inclusion(const VertexFace& query, const Options& options) {
  return checked_answer(query, {options});
}
AreaInclusionResult area_inclusion(const EdgeEdge& query, const Options& options) {
  return checked_answer(query, {options});
}

void area_inclusion(std::span<const VertexFace> queries, const MethodOptions& options,
                    std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}
void area_inclusion(std::span<const EdgeEdge> queries, const MethodOptions& options,
                    std::span<Impact> impacts) {
  solve_batch(queries, options, impacts);
}

}  // namespace graze::narrow
