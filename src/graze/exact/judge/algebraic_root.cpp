#include "graze/exact/judge/algebraic_root.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace graze::exact {

int AlgebraicRoot::compare_with(const Dyadic& t) {
  if (compare(t, lo_) <= 0) return is_dyadic() ? compare(lo_, t) : 1;
  if (compare(t, hi_) >= 0) return -1;
  const int s = sign_at(p_, t);
  if (s * sign_after_lo_ >= 0) lo_ = t;
  if (s * sign_after_lo_ <= 0) hi_ = t;
  return s * sign_after_lo_;
}

int AlgebraicRoot::sign_of(const Polynomial& q) {
  if (q.degree() <= 0) return sign(q.c[0]);
  if (is_dyadic()) return sign_at(q, lo_);
  if (const int s = Bernstein(q, lo_, hi_).common_sign()) return s;
  narrow_to_neighbours();
  if (is_dyadic()) return sign_at(q, lo_);
  if (const int s = Bernstein(q, lo_, hi_).common_sign()) return s;
  // The common divisor divides p, so it has one simple root or none inside the interval. The parity
  // of its variations decides between the two.
  if (Bernstein(gcd(p_, q), lo_, hi_).variations() % 2 == 1) return 0;
  // q is not zero at the root. As the interval narrows, the Bernstein coefficients of q tend to its
  // value there, so eventually all have its sign.
  for (;;) {
    narrow();
    if (is_dyadic()) return sign_at(q, lo_);
    if (const int s = Bernstein(q, lo_, hi_).common_sign()) return s;
  }
}

// Quadratic interval refinement [Abbott 2006]: divides the interval into 2^bits_ parts and tests
// the one in which the secant vanishes. Close to a simple root this succeeds while the number of
// bits doubles each time; with one bit it is a bisection.
void AlgebraicRoot::narrow() {
  const unsigned shift = std::max(lo_.shift, hi_.shift) + bits_;
  const Dyadic lo{lo_.over(shift), shift}, hi{hi_.over(shift), shift};
  const Integer step = (hi.numerator - lo.numerator) >> bits_;
  const Integer f_lo = abs(value_at(p_, lo, p_.degree())),
                f_hi = abs(value_at(p_, hi, p_.degree()));
  // The interval is open: ends that are roots do not belong to it.
  const Integer last = (Integer(1) << bits_) - 1;
  const Integer part = f_hi.is_zero() ? last : Integer((f_lo << bits_) / (f_lo + f_hi));
  const Integer at = lo.numerator + step * part;
  compare_with({at, shift});
  compare_with({at + step, shift});
  const bool found = compare({lo_.over(shift) + step, shift}, hi_) >= 0;
  bits_ = found ? 2 * bits_ : std::max(1u, bits_ / 2);
}

std::pair<double, double> AlgebraicRoot::enclosure() {
  narrow_to_neighbours();
  return {floor_, ceil_};
}

void AlgebraicRoot::narrow_to_neighbours() {
  if (floor_ >= 0) return;
  // Nonnegative doubles are ordered as their bit patterns, and neighbours have adjacent ones.
  // Invariant: lo <= number <= hi.
  auto lo = std::bit_cast<std::uint64_t>(0.0), hi = std::bit_cast<std::uint64_t>(1.0);
  const auto probe = [&](std::uint64_t bits) {
    const int s = compare_with(Dyadic::of(std::bit_cast<double>(bits)));
    if (s >= 0) lo = bits;
    if (s <= 0) hi = bits;
  };
  probe(lo);
  if (lo < hi) probe(hi);
  const auto hint = std::bit_cast<std::uint64_t>(guess());
  for (std::uint64_t distance = 0; distance < 64 && hi - lo > 1; distance = 2 * distance + 1)
    for (const std::uint64_t bits : {hint - distance, hint + distance})
      if (lo < bits && bits < hi) probe(bits);
  while (hi - lo > 1) probe(lo + (hi - lo) / 2);
  floor_ = std::bit_cast<double>(lo);
  ceil_ = std::bit_cast<double>(hi);
}

double AlgebraicRoot::guess() const {
  double lo = approximate(lo_.numerator, -static_cast<int>(lo_.shift));
  double hi = approximate(hi_.numerator, -static_cast<int>(hi_.shift));
  const int degree = p_.degree();
  std::array<double, Polynomial::max_degree + 1> c{};
  int bits = 0;
  for (const Integer& x : p_.c)
    if (!x.is_zero()) bits = std::max(bits, static_cast<int>(msb(abs(x))));
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = approximate(p_.c[i], std::min(0, 1000 - bits));
  // Newton, with bisection where it leaves the interval.
  double t = 0.5 * (lo + hi);
  for (int i = 0; i < 30; ++i) {
    double value = 0, slope = 0;
    for (int k = degree; k >= 0; --k) {
      slope = slope * t + value;
      value = value * t + c[static_cast<std::size_t>(k)];
    }
    (value * sign_after_lo_ > 0 ? lo : hi) = t;
    const double newton = t - value / slope;
    const double next = newton >= lo && newton <= hi ? newton : 0.5 * (lo + hi);
    if (next == t) break;
    t = next;
  }
  return t;
}

namespace {

struct Piece {
  Bernstein curve;
  Dyadic lo, hi;
};

// Returns the roots of p in the open interval (0, t_max), or nothing if that takes more than
// `budget` bisections. One variation proves one simple root; pieces with more are bisected.
std::optional<std::vector<AlgebraicRoot>> isolate(const Polynomial& p, const Dyadic& t_max,
                                                  int budget) {
  std::vector<AlgebraicRoot> found;
  std::vector<Piece> pieces;
  pieces.push_back({Bernstein(p, {}, t_max), {}, t_max});
  while (!pieces.empty()) {
    const Piece piece = std::move(pieces.back());
    pieces.pop_back();
    const int variations = piece.curve.variations();
    if (variations > 1) {
      if (budget-- == 0) return std::nullopt;
      const Dyadic middle = Dyadic::middle(piece.lo, piece.hi);
      const auto halves = piece.curve.split();
      pieces.push_back({halves[1], middle, piece.hi});
      pieces.push_back({halves[0], piece.lo, middle});
      continue;
    }
    // A root at the start of a piece is added here, after the division: the first half of a divided
    // piece has the same start, so the root would otherwise be added twice.
    if (!piece.lo.numerator.is_zero() && piece.curve.control[0].is_zero())
      found.emplace_back(piece.lo);
    if (variations == 1) found.emplace_back(p, piece.lo, piece.hi, piece.curve.first_sign());
  }
  return found;
}

}  // namespace

std::vector<AlgebraicRoot> roots(const Polynomial& p, const Dyadic& t_max) {
  if (p.is_zero()) return {};
  // A few bisections isolate the roots of most polynomials. At a multiple root bisection does not
  // end, so a polynomial that needs more is replaced by its squarefree part, for which small pieces
  // have at most one variation.
  auto inside = isolate(p, t_max, 8);
  if (!inside) inside = isolate(squarefree_part(p), t_max, std::numeric_limits<int>::max());
  std::vector<AlgebraicRoot> found;
  if (p.c[0].is_zero()) found.emplace_back(Dyadic{});
  found.insert(found.end(), inside->begin(), inside->end());
  if (sign_at(p, t_max) == 0) found.emplace_back(t_max);
  return found;
}

}  // namespace graze::exact
