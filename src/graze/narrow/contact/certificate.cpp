#include "graze/certificate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/exact/judge/integer_motion.h"
#include "graze/exact/judge/oracle.h"
#include "graze/narrow/check_count.h"
#include "graze/narrow/run_blocks.h"
#include "graze/narrow/stop.h"

namespace graze::narrow {
namespace {

using exact::Dyadic;
using exact::Integer;

// A polynomial with coefficients c[k] of (1 - s)^(n - k) s^k, n = size - 1. Only polynomials of
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
unsigned top_bit(const Integer& x) {  // x > 0
  return static_cast<unsigned>(msb(x));
}

// The directions that are tried.
//
// One constant direction proves the piece from t0 to t1 if and only if the origin is not in the
// convex hull of the differences x - y at t0 and t1. If it is not, the point z of the hull nearest
// to the origin is such a direction: z.d >= |z|^2 for every difference d. The differences with
// equality lie in the plane z.d = |z|^2, and z lies in their convex hull, hence (Caratheodory) in
// the hull of at most three affinely independent ones, to which z is orthogonal. So z is, up to a
// factor, the `candidate` of some one, two or three differences: trying all of them decides.
//
// If the primitives do not touch at time t, the hull of the differences at t misses the origin (it
// is the Minkowski difference of the primitives), and by continuity so does the hull for every
// short enough piece around t. By compactness one length is short enough everywhere, so halving
// pieces ends.
//
// Halving may need many pieces, though. Where a vertex slides over a turning face at a distance g,
// a constant direction is valid for a time of the order of g. The candidates of the differences as
// functions of time turn with the features; z(t) is one of them at every t, and where one replaces
// another there is a time at which both are valid. So pieces that stay unproven are tried with
// these turning candidates as well.
//
// A direction of integers is then shortened to as few doubles as prove the piece (`write`).

// Returns the point nearest to the origin, up to a factor, of the line or plane through d[a], d[b]
// and d[c]. The factor is positive where b = c.
template <class Scalar>
Vector<Scalar> candidate(const std::vector<Vector<Scalar>>& d, std::size_t a, std::size_t b,
                         std::size_t c) {
  if (a == c) return d[a];
  const auto e = minus(d[b], d[a]);
  if (b == c) return minus(times(d[a], dot(e, e)), times(e, dot(d[a], e)));
  return cross(e, minus(d[c], d[a]));
}

// Calls visit(a, b, c) for every choice of one (a = b = c), two (b = c) or three of `count` indices
// until it returns true. Returns whether it did.
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

// Returns the least of all products n.d, and the least of all (-n).d.
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

// Returns true only if candidate(d, a, b, c) and its negative are proven to have a negative product
// with some of `d`. `scaled` are the vectors d times a common factor that brings their components
// below 1 in size, each off by at most 2 u.
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
  return std::max(with, against) < -2048 * numeric::u;
}

// Returns the vectors times 2^-(bits + 1). Requires bits >= 62 and components below 2^(bits + 1).
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

// The smallest power of two that is a double, and the largest.
constexpr int lowest_exponent = -1074, highest_exponent = 1023;

// Appends x * 2^exponent as a sum of doubles of one sign and decreasing size, 53 bits each. All
// bits of x * 2^exponent must lie in the range of doubles.
void append_terms(Integer x, int exponent, std::vector<double>& terms) {
  const double sign = x < 0 ? -1 : 1;
  for (x = abs(x); !x.is_zero();) {
    const unsigned top = top_bit(x), drop = top < 53 ? 0 : top - 52;
    const Integer head = x >> drop;
    terms.push_back(sign * std::ldexp(static_cast<double>(head.convert_to<std::int64_t>()),
                                      static_cast<int>(drop) + exponent));
    x -= head << drop;
  }
}

// Returns x truncated to its first `bits` bits and to a multiple of 2^lowest.
Integer truncated(const Integer& x, unsigned bits, unsigned lowest) {
  if (x.is_zero()) return x;
  const Integer size = abs(x);
  const unsigned top = top_bit(size);
  const unsigned drop = std::max(lowest, top < bits ? 0 : top + 1 - bits);
  const Integer kept = (size >> drop) << drop;
  return x < 0 ? Integer(-kept) : kept;
}

template <std::size_t corners_of_first, class Query>
class Search {
 public:
  Search(const Query& query, const MethodOptions& options) : query_(query), options_(options) {
    for_each_pair([&](std::size_t i, std::size_t j) {
      const auto difference = [&](const std::array<Vec3, 4>& points) {
        const Vec3 d = points[i] - points[j];
        return Vector<double>{d.x(), d.y(), d.z()};
      };
      start_.push_back(difference(query.start));
      end_.push_back(difference(query.end));
    });
  }

  Certificate run() {
    // The time from s0 t_max to s1 t_max.
    struct Piece {
      Dyadic s0, s1;
      double near_t0, near_t1;
      int depth;
    };
    Certificate certificate{Verdict::separated, options_.t_max, {}};
    const auto without_proof = [&](Verdict verdict) {
      return Certificate{verdict, options_.t_max, {}};
    };
    std::vector<Piece> pieces;
    pieces.push_back({{}, {1, 0}, 0, options_.t_max, 0});
    for (std::uint32_t checks = 0; !pieces.empty(); count_check(checks)) {
      if (is_spent(checks, options_)) return without_proof(Verdict::undecided);
      const Piece piece = pieces.back();
      pieces.pop_back();
      Answer answer = Answer::unknown;
      if (piece.depth <= max_depth_in_doubles) answer = try_doubles(piece.near_t0, piece.near_t1);
      if (answer == Answer::unknown || (answer == Answer::no && piece.depth >= min_depth_turning)) {
        if (exact_.empty() && !prepare_integers()) return without_proof(Verdict::contact);
        const Dyadic t0 = time(piece.s0), t1 = time(piece.s1);
        const unsigned scale = std::max(t0.shift, t1.shift);
        const auto d0 = differences_at(t0, scale), d1 = differences_at(t1, scale);
        if (answer == Answer::unknown) answer = try_constant(d0, d1);
        if (answer == Answer::no && piece.depth >= min_depth_turning) answer = try_turning(d0, d1);
      }
      if (answer == Answer::yes) {
        CertificatePiece& proven = certificate.pieces.emplace_back();
        append_terms(piece.s1.numerator, -static_cast<int>(piece.s1.shift), proven.end);
        proven.direction = direction_;
        continue;
      }
      if (piece.depth == -lowest_exponent) return without_proof(Verdict::undecided);
      const Dyadic middle = Dyadic::middle(piece.s0, piece.s1);
      const double near_middle = piece.near_t0 + 0.5 * (piece.near_t1 - piece.near_t0);
      pieces.push_back({middle, piece.s1, near_middle, piece.near_t1, piece.depth + 1});
      pieces.push_back({piece.s0, middle, piece.near_t0, near_middle, piece.depth + 1});
    }
    return certificate;
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

  // Searches for a constant direction in floating point. `yes` is proven; a wrong `no` costs a
  // needless halving, but no more than max_depth_in_doubles of them.
  Answer try_doubles(double t0, double t1) {
    // Each difference is scaled to size 1, which changes no sign. With D0, D1 its exact values at
    // the ends of the step and R the largest component of both, v below is off by less than
    //   2 (3 + 40) u R + 2 u R: D0, D1, 1 - t, the products and the sum are rounded, and t is off
    //   by max_depth_in_doubles u, as every halving rounds it once;
    // and v / size by another u: in all 89 u R / size. Underflow adds < 1e-322, far less than
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
        err = std::max(err, 128 * numeric::u * (reach / size));
        scaled_.push_back({v[0] / size, v[1] / size, v[2] / size});
      }
    if (err > 1e-3) return Answer::unknown;
    Answer answer = Answer::no;
    any_simplex(scaled_.size(), [&](std::size_t a, std::size_t b, std::size_t c) {
      const auto n = candidate(scaled_, a, b, c);
      const auto least = least_products(n, scaled_);
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (least[side] < -256 * err) continue;  // beyond the error of n, cubic in the differences
        answer = accept(n, side == 0 ? 1 : -1, err) ? Answer::yes : Answer::unknown;
        if (answer == Answer::yes) return true;
      }
      return false;
    });
    return answer;
  }

  // Takes sign * n, scaled and rounded to integers below 2^53, as the direction if it is proven to
  // be one. A product with a scaled difference is off by err per component and by 3 u for its
  // roundings.
  bool accept(const Vector<double>& n, double sign, double err) {
    const double size = size_of(n);
    if (!(size > 1e-100)) return false;
    Vector<double> whole;
    for (std::size_t k = 0; k < 3; ++k) whole[k] = std::nearbyint(sign * n[k] / size * 0x1p52);
    const double sum = std::abs(whole[0]) + std::abs(whole[1]) + std::abs(whole[2]);
    if (!(least_products(whole, scaled_)[0] > sum * (err + 8 * numeric::u))) return false;
    direction_ = {{Vec3(whole[0], whole[1], whole[2]) * 0x1p-52}};
    return true;
  }

  // Returns false if the primitives touch, because then halving would never end.
  bool prepare_integers() {
    if (exact::oracle(query_, options_).verdict != Verdict::separated) return false;
    const auto motion = exact::integer_motion(query_);
    for_each_pair([&](std::size_t i, std::size_t j) { exact_.push_back(motion[i] - motion[j]); });
    return true;
  }

  Dyadic time(const Dyadic& s) const {
    const Dyadic t_max = Dyadic::of(options_.t_max);
    return {s.numerator * t_max.numerator, s.shift + t_max.shift};
  }

  // Returns the differences at t times 2^scale; scale >= t.shift.
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
    // Scales all to one size, 2^bits to 2^(bits + 1), which changes no sign.
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
      return write({n}, d0, d1);
    });
    return found ? Answer::yes : Answer::no;
  }

  // Searches for a direction that is the candidate of the same differences throughout the piece.
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
      std::vector<Vector<Integer>> coefficients(n[0].c.size());
      for (std::size_t i = 0; i < coefficients.size(); ++i)
        coefficients[i] = {n[0].c[i], n[1].c[i], n[2].c[i]};
      return write(coefficients, d0, d1);
    });
    return found ? Answer::yes : Answer::no;
  }

  // Sets direction_ to the direction with these coefficients, times a power of two and truncated to
  // the fewest doubles that prove the piece. Returns false if the range of doubles does not
  // suffice.
  bool write(const std::vector<Vector<Integer>>& coefficients, const Differences& d0,
             const Differences& d1) {
    unsigned top = 0, width = 0;  // highest bit of all; bits of the longest number
    for (const auto& v : coefficients)
      for (const Integer& x : v)
        if (!x.is_zero()) {
          top = std::max(top, top_bit(abs(x)));
          width = std::max(width, top_bit(abs(x)) + 1 - static_cast<unsigned>(lsb(abs(x))));
        }
    // The largest component gets the size of 1 or, where numbers of all sizes are needed, that of
    // the largest double.
    for (const int top_exponent : {0, highest_exponent}) {
      const int exponent = top_exponent - static_cast<int>(top);
      const auto lowest = static_cast<unsigned>(std::max(0, lowest_exponent - exponent));
      for (unsigned bits = 53;; bits *= 2) {
        auto shortened = coefficients;
        for (auto& v : shortened)
          for (Integer& x : v) x = truncated(x, bits, lowest);
        if (proves(shortened, d0, d1)) {
          write_terms(shortened, exponent);
          return true;
        }
        if (bits >= width) break;
      }
    }
    return false;
  }

  static bool proves(const std::vector<Vector<Integer>>& direction, const Differences& d0,
                     const Differences& d1) {
    for (std::size_t m = 0; m < d0.size(); ++m)
      for (std::size_t k = 0; k <= direction.size(); ++k) {
        Integer coefficient = 0;
        if (k < direction.size()) coefficient += dot(direction[k], d0[m]);
        if (k > 0) coefficient += dot(direction[k - 1], d1[m]);
        if (coefficient <= 0) return false;
      }
    return true;
  }

  void write_terms(const std::vector<Vector<Integer>>& coefficients, int exponent) {
    direction_.assign(coefficients.size(), {});
    for (std::size_t k = 0; k < coefficients.size(); ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double> terms;
        append_terms(coefficients[k][axis], exponent, terms);
        auto& vectors = direction_[k];
        if (vectors.size() < terms.size()) vectors.resize(terms.size(), Vec3::Zero());
        for (std::size_t i = 0; i < terms.size(); ++i)
          vectors[i][static_cast<int>(axis)] = terms[i];
      }
  }

  const Query& query_;
  const MethodOptions& options_;
  std::vector<Vector<double>> start_, end_;     // differences at t = 0 and t = 1, rounded
  std::vector<exact::PolynomialVector> exact_;  // exact differences over t, once needed
  std::vector<Vector<double>> scaled_;          // differences at the ends of the piece, of size 1
  std::vector<std::vector<Vec3>> direction_;    // the direction of the last `yes`
};

Certificate search(const VertexFace& query, const MethodOptions& options) {
  return Search<1, VertexFace>(query, options).run();
}
Certificate search(const EdgeEdge& query, const MethodOptions& options) {
  return Search<2, EdgeEdge>(query, options).run();
}
template <class Query>
Certificate search(const Query& query, const MethodOptions& options) {
  return search(as_vertex_face(query), options);
}

template <class Query>
Certificate checked_search(const Query& query, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_finite(query) || !is_sensible(options) || options.min_separation > 0)
    return {Verdict::invalid, options.t_max, {}};
  return search(query, options);
}

}  // namespace
}  // namespace graze::narrow

namespace graze {

template <Query Q>
Certificate certificate(const Q& query, const Options& options) {
  return narrow::checked_search(query, {options});
}

template <Query Q>
void certificate(std::span<const Q> queries, std::span<Certificate> certificates,
                 const Options& options, const Run& run) {
  assert(queries.size() == certificates.size());
  const MethodOptions asked{options, run.stop};
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          certificates[i] = narrow::checked_search(queries[i], asked);
      },
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          certificates[i] = {Verdict::undecided, options.t_max, {}};
      });
}

#define GRAZE_INSTANTIATE(Q)                                                               \
  template Certificate certificate<Q>(const Q&, const Options&);                           \
  template void certificate<Q>(std::span<const Q>, std::span<Certificate>, const Options&, \
                               const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
