#include "graze/narrow/certificate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "graze/core/float_environment.h"
#include "graze/exact/integer_motion.h"
#include "graze/exact/oracle.h"

namespace graze {
namespace {

using exact::Dyadic;
using exact::Integer;

// A polynomial by its coefficients c[k] of (1 - s)^(n - k) s^k, n = size - 1. Only polynomials of
// equal n are added. It is positive for s in [0, 1] if all coefficients are.
struct Form {
  std::vector<Integer> c;
};

Form operator+(Form p, const Form& q) {
  for (std::size_t k = 0; k < p.c.size(); ++k) p.c[k] += q.c[k];
  return p;
}
Form operator-(Form p, const Form& q) {
  for (std::size_t k = 0; k < p.c.size(); ++k) p.c[k] -= q.c[k];
  return p;
}
Form operator*(const Form& p, const Form& q) {
  Form product{std::vector<Integer>(p.c.size() + q.c.size() - 1)};
  for (std::size_t i = 0; i < p.c.size(); ++i)
    for (std::size_t j = 0; j < q.c.size(); ++j) product.c[i + j] += p.c[i] * q.c[j];
  return product;
}

// Vectors of doubles, integers or forms.
template <class Scalar>
using Vector = std::array<Scalar, 3>;

template <class Scalar>
Scalar dot(const Vector<Scalar>& p, const Vector<Scalar>& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}
template <class Scalar>
Vector<Scalar> cross(const Vector<Scalar>& p, const Vector<Scalar>& q) {
  return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}
template <class Scalar>
Vector<Scalar> minus(const Vector<Scalar>& p, const Vector<Scalar>& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}
template <class Scalar>
Vector<Scalar> times(const Vector<Scalar>& p, const Scalar& x) {
  return {p[0] * x, p[1] * x, p[2] * x};
}
double size_of(const Vector<double>& p) {
  return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
}
Integer size_of(const Vector<Integer>& p) {
  return std::max({Integer(abs(p[0])), Integer(abs(p[1])), Integer(abs(p[2]))});
}
unsigned top_bit(const Integer& x) {
  return static_cast<unsigned>(msb(x));
}

// Which directions to try.
//
// One constant direction proves the piece from t0 to t1 if and only if the origin is not in the
// convex hull of the differences x - y at t0 and t1. If it is not, the point z of the hull nearest
// to the origin is such a direction: z.d >= |z|^2 for every difference d. The differences d with
// equality lie in the plane z.d = |z|^2, and z in their convex hull, hence (Caratheodory) in the
// hull of at most three of them, affinely independent, to which z is orthogonal. So z is, up to a
// factor, the `candidate` of some one, two or three differences: trying them all decides.
//
// If the primitives do not touch at time t, the hull of the differences at t misses the origin (it
// is the Minkowski difference of the primitives), and by continuity so does the hull for any short
// enough piece around t. By compactness one length is short enough everywhere: halving pieces ends.
//
// It can end late, though. Where a vertex slides over a turning face at a distance g, a constant
// direction lasts for a time in the order of g. The candidates of the differences as functions of
// time turn with the features; z(t) is one of them at every t, and a change from one to another
// leaves a time when both are valid. So pieces that stay unproven are tried with them as well.

// The point nearest to the origin, up to a factor, of the line or plane through d[a], d[b], d[c]; a
// positive factor where b = c.
template <class Scalar>
Vector<Scalar> candidate(const std::vector<Vector<Scalar>>& d, std::size_t a, std::size_t b,
                         std::size_t c) {
  if (a == c) return d[a];
  const auto e = minus(d[b], d[a]);
  if (b == c) return minus(times(d[a], dot(e, e)), times(e, dot(d[a], e)));
  return cross(e, minus(d[c], d[a]));
}

// Calls visit(a, b, c) for all one (a = b = c), two (b = c) or three of `count` until it returns
// true.
template <class Visit>
bool any_simplex(std::size_t count, Visit visit) {
  for (std::size_t a = 0; a < count; ++a) {
    if (visit(a, a, a)) return true;
    for (std::size_t b = a + 1; b < count; ++b)
      for (std::size_t c = b; c < count; ++c)
        if (visit(a, b, c)) return true;
  }
  return false;
}

// The least of all products n.d, and of all (-n).d.
std::array<double, 2> least_products(const Vector<double>& n,
                                     const std::vector<Vector<double>>& d) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& v : d) {
    const double product = dot(n, v);
    least = std::min(least, product);
    most = std::max(most, product);
  }
  return {least, -most};
}

constexpr double u = 0x1p-53;

// True if candidate(d, a, b, c) and its negative are proven to have a negative product with some of
// `d`, given `scaled`: the vectors d times a common factor that brings their components below 1 in
// size, off by at most 2 u.
//
// Carrying these errors and the roundings through `candidate` and the product, with bounds on
// components written (value; error in u):
//   one:   product (3; 32)
//   two:   e (2; 6), e.e (12; 108), d.e (6; 48), n (24; 312), product (72; 1300)
//   three: e and f (2; 6), n (8; 64), product (24; 312)
// so a product below -2048 u is negative.
bool certainly_fails(const std::vector<Vector<double>>& scaled, std::size_t a, std::size_t b,
                     std::size_t c) {
  const auto [with, against] = least_products(candidate(scaled, a, b, c), scaled);
  return std::max(with, against) < -2048 * u;
}

// The vectors times 2^-(bits + 1), where bits >= 62 and all components are below 2^(bits + 1).
std::vector<Vector<double>> rounded(const std::vector<Vector<Integer>>& d, unsigned bits) {
  std::vector<Vector<double>> result;
  for (const auto& v : d) {
    auto& r = result.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const Integer top = v[k] >> (bits - 61);
      r[k] = static_cast<double>(top.convert_to<std::int64_t>()) * 0x1p-62;
    }
  }
  return result;
}

template <std::size_t corners_of_first, class Query>
class Search {
 public:
  Search(const Query& query, const Options& options) : query_(query), options_(options) {
    for_each_pair([&](std::size_t i, std::size_t j) {
      const auto difference = [&](const std::array<Vec3, 4>& points) {
        const Vec3 d = points[i] - points[j];
        return Vector<double>{d.x(), d.y(), d.z()};
      };
      start_.push_back(difference(query.start));
      end_.push_back(difference(query.end));
    });
  }

  std::optional<std::vector<CertificatePiece>> run() {
    struct Piece {
      Dyadic t0, t1;
      double near_t0, near_t1;
      int depth;
    };
    std::vector<CertificatePiece> proven;
    std::vector<Piece> pieces;
    pieces.push_back({{}, Dyadic::of(options_.t_max), 0, options_.t_max, 0});
    for (std::uint32_t checks = 0; !pieces.empty(); ++checks) {
      if (checks == options_.max_checks) return std::nullopt;
      const Piece piece = pieces.back();
      pieces.pop_back();
      Answer answer = Answer::unknown;
      if (piece.depth <= max_depth_in_doubles) answer = try_doubles(piece.near_t0, piece.near_t1);
      if (answer == Answer::unknown || (answer == Answer::no && piece.depth >= min_depth_turning)) {
        if (exact_.empty() && !prepare_integers()) return std::nullopt;
        const unsigned scale = std::max(piece.t0.shift, piece.t1.shift);
        const auto d0 = differences_at(piece.t0, scale), d1 = differences_at(piece.t1, scale);
        if (answer == Answer::unknown) answer = try_constant(d0, d1);
        if (answer == Answer::no && piece.depth >= min_depth_turning) answer = try_turning(d0, d1);
      }
      if (answer == Answer::yes) {
        proven.push_back({piece.t0, piece.t1, direction_});
        continue;
      }
      const Dyadic middle = Dyadic::middle(piece.t0, piece.t1);
      const double near_middle = piece.near_t0 + 0.5 * (piece.near_t1 - piece.near_t0);
      pieces.push_back({middle, piece.t1, near_middle, piece.near_t1, piece.depth + 1});
      pieces.push_back({piece.t0, middle, piece.near_t0, near_middle, piece.depth + 1});
    }
    return proven;
  }

 private:
  enum class Answer { yes, no, unknown };
  using Differences = std::vector<Vector<Integer>>;

  // Chosen for speed; any values give a certificate.
  static constexpr int max_depth_in_doubles = 40, min_depth_turning = 6;

  template <class Visit>
  static void for_each_pair(Visit visit) {
    for (std::size_t i = 0; i < corners_of_first; ++i)
      for (std::size_t j = corners_of_first; j < 4; ++j) visit(i, j);
  }

  // Looks for a constant direction in floating point. `yes` is proven; a wrong `no` costs a
  // needless halving, but no more than max_depth_in_doubles of them.
  Answer try_doubles(double t0, double t1) {
    // Each difference is scaled to size 1, which changes no sign. With D0, D1 its exact values at
    // the ends of the step and R the largest component of both, v below is off by less than
    //   2 (3 + 40) u R + 2 u R: D0, D1, 1 - t, the products and the sum are rounded, and t is off
    //   by max_depth_in_doubles u, as every halving rounds it once;
    // and v / size by another u: in all 89 u R / size. Underflow adds < 1e-322, nothing beside
    // 39 u R where size >= 1e-290; R <= 1e300 excludes overflow.
    scaled_.clear();
    double err = 0;
    for (const double t : {t0, t1})
      for (std::size_t m = 0; m < start_.size(); ++m) {
        Vector<double> v;
        for (std::size_t k = 0; k < 3; ++k) v[k] = (1 - t) * start_[m][k] + t * end_[m][k];
        const double size = size_of(v);
        const double reach = std::max(size_of(start_[m]), size_of(end_[m]));
        if (!(size >= 1e-290 && reach <= 1e300)) return Answer::unknown;
        err = std::max(err, 128 * u * (reach / size));
        scaled_.push_back({v[0] / size, v[1] / size, v[2] / size});
      }
    if (err > 1e-3) return Answer::unknown;
    Answer answer = Answer::no;
    any_simplex(scaled_.size(), [&](std::size_t a, std::size_t b, std::size_t c) {
      const auto n = candidate(scaled_, a, b, c);
      const auto least = least_products(n, scaled_);
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (least[side] < -256 * err) continue;  // beyond an error of n, a cubic of differences
        answer = accept(n, side == 0 ? 1 : -1, err) ? Answer::yes : Answer::unknown;
        if (answer == Answer::yes) return true;
      }
      return false;
    });
    return answer;
  }

  // Takes sign n, scaled and rounded to integers below 2^53, as the direction if that is proven to
  // be one. A product with a scaled difference is off by err per component and 3 u for its
  // roundings.
  bool accept(const Vector<double>& n, double sign, double err) {
    const double size = size_of(n);
    if (!(size > 1e-100)) return false;
    Vector<double> whole;
    for (std::size_t k = 0; k < 3; ++k) whole[k] = std::nearbyint(sign * n[k] / size * 0x1p52);
    const double sum = std::abs(whole[0]) + std::abs(whole[1]) + std::abs(whole[2]);
    if (!(least_products(whole, scaled_)[0] > sum * (err + 8 * u))) return false;
    direction_.assign(1, {});
    for (std::size_t k = 0; k < 3; ++k) direction_[0][k] = static_cast<std::int64_t>(whole[k]);
    return true;
  }

  // False if the primitives touch, so that looking further would never end.
  bool prepare_integers() {
    if (oracle(query_, options_).verdict != Verdict::separated) return false;
    const auto motion = exact::integer_motion(query_);
    for_each_pair([&](std::size_t i, std::size_t j) { exact_.push_back(motion[i] - motion[j]); });
    return true;
  }

  // The differences at t times 2^scale; scale >= t.shift.
  Differences differences_at(const Dyadic& t, unsigned scale) const {
    const Dyadic scaled_t{t.over(scale), scale};
    Differences d;
    for (const auto& p : exact_)
      d.push_back(
          {value_at(p[0], scaled_t, 1), value_at(p[1], scaled_t, 1), value_at(p[2], scaled_t, 1)});
    return d;
  }

  // Decides exactly whether a constant direction proves the piece.
  Answer try_constant(const Differences& d0, const Differences& d1) {
    Differences d = d0;
    d.insert(d.end(), d1.begin(), d1.end());
    // Bring all to one size, 2^bits to 2^(bits + 1), which changes no sign.
    unsigned bits = 62;
    for (const auto& v : d) {
      if (size_of(v).is_zero()) return Answer::no;
      bits = std::max(bits, top_bit(size_of(v)));
    }
    for (auto& v : d) {
      const unsigned shift = bits - top_bit(size_of(v));
      for (Integer& x : v) x <<= shift;
    }
    const auto scaled = rounded(d, bits);
    const bool found = any_simplex(d.size(), [&](std::size_t a, std::size_t b, std::size_t c) {
      if (certainly_fails(scaled, a, b, c)) return false;
      auto n = candidate(d, a, b, c);
      if (dot(n, d[a]) < 0) n = times(n, Integer(-1));
      for (const auto& v : d)
        if (dot(n, v) <= 0) return false;
      direction_.assign(1, n);
      return true;
    });
    return found ? Answer::yes : Answer::no;
  }

  // Looks for a direction that is the candidate of some differences at all times of the piece.
  Answer try_turning(const Differences& d0, const Differences& d1) {
    std::vector<Vector<Form>> d;
    Differences middle;
    unsigned bits = 62;
    for (std::size_t m = 0; m < d0.size(); ++m) {
      auto& form = d.emplace_back();
      auto& v = middle.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        form[k] = {{d0[m][k], d1[m][k]}};
        v[k] = d0[m][k] + d1[m][k];
      }
      if (!size_of(v).is_zero()) bits = std::max(bits, top_bit(size_of(v)));
    }
    const auto scaled = rounded(middle, bits);
    const bool found = any_simplex(d.size(), [&](std::size_t a, std::size_t b, std::size_t c) {
      if (certainly_fails(scaled, a, b, c)) return false;
      auto n = candidate(d, a, b, c);
      if (dot(n, d[a]).c[0] < 0)
        for (Form& form : n) form = Form{std::vector<Integer>(form.c.size())} - form;
      for (const auto& v : d)
        for (const Integer& coefficient : dot(n, v).c)
          if (coefficient <= 0) return false;
      direction_.resize(n[0].c.size());
      for (std::size_t i = 0; i < direction_.size(); ++i)
        direction_[i] = {n[0].c[i], n[1].c[i], n[2].c[i]};
      return true;
    });
    return found ? Answer::yes : Answer::no;
  }

  const Query& query_;
  const Options& options_;
  std::vector<Vector<double>> start_, end_;     // differences at t = 0 and t = 1, rounded
  std::vector<exact::PolynomialVector> exact_;  // as integers in t, once needed
  std::vector<Vector<double>> scaled_;          // those at the ends of the piece, of size 1
  std::vector<Vector<Integer>> direction_;      // of the last `yes`
};

template <std::size_t corners_of_first, class Query>
std::optional<std::vector<CertificatePiece>> certificate(const Query& query,
                                                         const Options& options) {
  const FloatEnvironment environment;
  if (!is_finite(query) || !is_sensible(options)) return std::nullopt;
  return Search<corners_of_first, Query>(query, options).run();
}

}  // namespace

std::optional<std::vector<CertificatePiece>> separation_certificate(const VertexFace& query,
                                                                    const Options& options) {
  return certificate<1>(query, options);
}

std::optional<std::vector<CertificatePiece>> separation_certificate(const EdgeEdge& query,
                                                                    const Options& options) {
  return certificate<2>(query, options);
}

}  // namespace graze
