#include "graze/exact/arena/gap_polynomial.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/bracketed_root.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/exact/arena/isolated_root.h"

namespace graze::exact {
namespace {

constexpr int size = GapPolynomial::max_degree + 1;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// Returns 2^exponent, or 0 if exponent < -1022.
double power_of_two(int exponent) {
  return exponent < -1022
             ? 0
             : std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// bernstein[n][j][i] = binomial(j, i) / binomial(n, i), the Bernstein coefficient j of s^i in
// degree n.
constexpr auto bernstein = [] {
  std::array<std::array<double, size>, size> binomial{};
  for (std::size_t n = 0; n < size; ++n)
    for (std::size_t i = 0; i <= n; ++i)
      binomial[n][i] = i == 0 || i == n ? 1 : binomial[n - 1][i - 1] + binomial[n - 1][i];
  std::array<std::array<std::array<double, size>, size>, size> ratio{};
  for (std::size_t n = 0; n < size; ++n)
    for (std::size_t j = 0; j <= n; ++j)
      for (std::size_t i = 0; i <= j; ++i) ratio[n][j][i] = binomial[j][i] / binomial[n][i];
  return ratio;
}();

// Coefficients in powers of s = x / width, scaled to at most 1 in magnitude. Coefficients below
// 2^-900 times the largest are replaced by 0.
struct Scaled {
  std::array<double, size> c{};
  bool dropped = false;
};

Scaled scaled(const Expansion& p, const Width& width) {
  std::array<double, size> mantissa{};
  std::array<int, size> exponent{};
  int largest = std::numeric_limits<int>::min();
  double power = 1;
  for (int i = 0; i <= p.degree; ++i, power *= width.fraction) {
    mantissa[index(i)] = p.mantissa[index(i)] * power;
    exponent[index(i)] = p.exponent[index(i)] + i * width.exponent;
    if (mantissa[index(i)] != 0) largest = std::max(largest, exponent[index(i)]);
  }
  Scaled result;
  for (int i = 0; i <= p.degree; ++i) {
    if (mantissa[index(i)] == 0) continue;
    const int shift = exponent[index(i)] - largest;
    if (shift < -900)
      result.dropped = true;
    else
      result.c[index(i)] = mantissa[index(i)] * power_of_two(shift);
  }
  return result;
}

}  // namespace

// With t = m 2^-k and P(y) = 2^(kn) p(y 2^-k), which has integer coefficients, p(t + x) is
// 2^(-kn) P(m + 2^k x).
Expansion expand(const GapPolynomial& p, const ArenaDyadic& t) {
  Expansion result;
  result.degree = p.degree;
  if (p.is_zero()) return result;
  const ArenaFrame frame(t.m.arena());
  const int n = p.degree;
  GapPolynomial moved = p;
  auto& c = moved.c;
  if (!t.m.is_zero()) {
    for (int i = 0; i <= n; ++i) c[i] = c[i] << (t.k * (n - i));
    for (int i = 0; i < n; ++i)
      for (int j = n - 1; j >= i; --j) c[j] = c[j] + t.m * c[j + 1];
  }
  const int k = t.m.is_zero() ? 0 : t.k;
  for (int i = 0; i <= n; ++i) {
    const int bits = c[i].bit_length();
    result.mantissa[index(i)] = c[i].approximate(bits);
    result.exponent[index(i)] = bits + k * (i - n);
  }
  return result;
}

// Bernstein coefficient j is the sum of bernstein[n][j][i] c_i for i <= j. The c_i are those of the
// expansion at a or, counted from the other end and with alternating signs, at b. Relative errors
// of c_i: 2^-50 from the mantissa, i (2^-50 + u) from the power of the width and u from the
// product, in total less than 7 2^-50 + 8 u. The ratio, the product and at most six sums add 8 u.
// The error is therefore below 9 2^-50 times the sum of the absolute values; 2^-46 also covers the
// rounding of that sum. Dropped terms add at most 6 2^-900. If all terms are 0, the coefficient is
// exactly 0.
LocalPolynomial::LocalPolynomial(const Expansion& at_a, const Expansion& at_b, const Width& width)
    : degree_(at_a.degree) {
  const int n = degree_;
  const auto signs_from = [&](const Scaled& p, bool reversed, auto&& place) {
    for (int j = 0; j <= n; ++j) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i <= j; ++i) {
        double term = bernstein[index(n)][index(j)][index(i)] * p.c[index(i)];
        if (reversed && i % 2 == 1) term = -term;
        sum += term;
        magnitude += std::abs(term);
      }
      const double err = 0x1p-46 * magnitude + (p.dropped ? 0x1p-890 : 0);
      place(j, sum > err ? 1 : sum < -err ? -1 : magnitude == 0 && err == 0 ? 0 : uncertain);
    }
  };
  signs_.fill(0);
  if (n < 0) return;
  const Scaled from_a = scaled(at_a, width), from_b = scaled(at_b, width);
  c_ = from_a.c;
  signs_from(from_a, false, [&](int j, int sign) { signs_[index(j)] = sign; });
  signs_from(from_b, true, [&](int j, int sign) {
    if (sign != uncertain) signs_[index(n - j)] = sign;
  });
  signs_[0] = at_a.sign();  // known even if the coefficient was dropped
  signs_[index(n)] = at_b.sign();
}

bool LocalPolynomial::never_positive() const {
  for (int i = 0; i <= degree_; ++i)
    if (signs_[index(i)] > 0) return false;
  return true;
}
bool LocalPolynomial::positive_inside() const {
  bool some = false;
  for (int i = 0; i <= degree_; ++i) {
    if (signs_[index(i)] < 0 || signs_[index(i)] == uncertain) return false;
    some = some || signs_[index(i)] > 0;
  }
  return some;
}

int LocalPolynomial::first_sign() const {
  for (int i = 0; i <= degree_; ++i)
    if (signs_[index(i)] != 0) return signs_[index(i)] == uncertain ? 0 : signs_[index(i)];
  return 0;
}

// Descartes' rule: the number of roots is the number of sign changes, or less by an even number. A
// single uncertain sign between opposite signs does not alter the number of changes; between equal
// signs it may add two.
std::optional<int> LocalPolynomial::roots() const {
  int changes = 0, last = 0, doubts = 0;
  for (int i = 0; i <= degree_; ++i) {
    const int sign = signs_[index(i)];
    if (sign == 0) continue;
    if (sign == uncertain) {
      if (last == 0) return std::nullopt;
      ++doubts;
      continue;
    }
    if (last != 0) {
      if (doubts > (sign != last ? 1 : 0)) return std::nullopt;
      changes += sign != last;
    }
    last = sign;
    doubts = 0;
  }
  if (doubts > 0 || changes > 1) return std::nullopt;
  return changes;
}

double LocalPolynomial::value(double s) const {
  double sum = 0;
  for (int i = degree_; i >= 0; --i) sum = sum * s + c_[index(i)];
  return sum;
}
double LocalPolynomial::slope(double s) const {
  double sum = 0;
  for (int i = degree_; i >= 1; --i) sum = sum * s + i * c_[index(i)];
  return sum;
}

double LocalPolynomial::root() const {
  return numeric::bracketed_root(
      {0, 1, first_sign() <= 0, 0.5}, 60, [this](double s) { return value(s); },
      [this](double s, double f) { return s - f / slope(s); },
      [](double s) { return 0x1p-50 * s; });
}

// Cuts at the minimum of side * p on the piece, where `side` is the sign of p just after its start:
// the least of `samples` values, refined by bisection to the root of the derivative. If p is 0
// there within the rounding error, the interval around the minimum in which p is 0 within that
// error becomes a piece of its own, to be examined on a finer scale. Every resulting piece is
// substantially shorter than the original one.
LocalPolynomial::Cuts LocalPolynomial::cuts() const {
  constexpr double samples = 16;
  const double side = first_sign() < 0 ? -1 : 1;
  double least = 0;
  for (double i = 1; i <= samples; ++i)
    if (side * value(i / samples) < side * value(least / samples)) least = i;
  if (least == 0) return {2, {1 / samples, 0.5}};
  if (least == samples) return {2, {0.5, 1 - 1 / samples}};
  double lo = (least - 1) / samples, hi = (least + 1) / samples;
  for (int i = 0; i < 60 && hi - lo > 0x1p-54; ++i) {
    const double middle = lo + (hi - lo) / 2;
    (side * slope(middle) < 0 ? lo : hi) = middle;
  }
  const double s = lo + (hi - lo) / 2;
  double magnitude = 0, bend = 0;
  for (int i = degree_; i >= 0; --i) {
    magnitude = magnitude * s + std::abs(c_[index(i)]);
    if (i >= 2) bend = bend * s + i * (i - 1) / 2 * c_[index(i)];
  }
  const double err = 0x1p-44 * magnitude, reach = 2 * std::sqrt(err / std::abs(bend));
  Cuts cuts{1, {s}};
  if (!(std::abs(value(s)) > err)) {
    if (!(reach < 0.25 && s - reach > 0 && s + reach < 1)) return {1, {0.5}};
    cuts = {2, {s - reach, s + reach}};
  }
  if (cuts.s[index(cuts.count - 1)] < 1 / samples)
    cuts.s[index(cuts.count++)] = 0.5;
  else if (cuts.s[0] > 1 - 1 / samples)
    cuts = {cuts.count + 1, {0.5, cuts.s[0], cuts.s[1]}};
  return cuts;
}

LocalPolynomial::Cuts LocalPolynomial::cuts_around_root() const {
  constexpr double reach = 0x1p-20;
  const double s = root();
  if (s < 2 * reach) return {1, {s + reach}};
  if (s > 1 - 2 * reach) return {1, {s - reach}};
  return {2, {s - reach, s + reach}};
}

// ---- exact decisions ---------------------------------------------------------------------------

namespace {

const ArenaInteger& lead(const GapPolynomial& p) {
  return p.c[p.degree];
}

ArenaInteger power(const ArenaInteger& x, int n) {
  ArenaInteger result(x.arena(), 1, 0, false);
  for (; n > 0; --n) result = result * x;
  return result;
}

// Returns lead(b)^(deg a - deg b + 1) a modulo b. Each step multiplies a by lead(b) and subtracts
// the multiple of b that cancels the highest power.
GapPolynomial pseudo_remainder(GapPolynomial a, const GapPolynomial& b) {
  for (; a.degree >= b.degree; --a.degree) {
    const ArenaInteger top = a.c[a.degree];
    const int shift = a.degree - b.degree;
    for (int i = 0; i < a.degree; ++i) {
      ArenaInteger& c = a.c[i];
      c = c * lead(b);
      if (i >= shift) c = c - top * b.c[i - shift];
    }
  }
  return trimmed(a);
}

// Returns an integer multiple of the greatest common divisor of p and q that has the leading
// coefficient of p; a constant if p and q are coprime. Uses subresultants [Knuth 2, 4.6.1 C], whose
// coefficients grow only linearly.
GapPolynomial common_divisor(const GapPolynomial& p, const GapPolynomial& q) {
  GapPolynomial a = p, b = q;
  if (a.degree < b.degree) std::swap(a, b);
  Arena& arena = lead(a).arena();
  ArenaInteger g(arena, 1, 0, false), h = g;
  while (b.degree > 0) {
    const int delta = a.degree - b.degree;
    GapPolynomial rest = pseudo_remainder(a, b);
    if (rest.is_zero()) break;
    const ArenaInteger divisor = g * power(h, delta);
    for (int i = 0; i <= rest.degree; ++i) rest.c[i] = rest.c[i].divided_by(divisor);
    a = b;
    b = rest;
    g = lead(a);
    h = delta == 0 ? h : power(g, delta).divided_by(power(h, delta - 1));
  }
  const ArenaInteger divisor = lead(b);
  for (int i = 0; i <= b.degree; ++i) b.c[i] = (b.c[i] * lead(p)).divided_by(divisor);
  return b;
}

// Returns lead(p) p / d for a divisor d of p with the same leading coefficient. d is a primitive
// divisor times an integer m with m lead(primitive) = lead(p). So the quotient is lead(primitive)
// times the quotient by the primitive divisor, and has integer coefficients by Gauss's lemma.
GapPolynomial quotient(const GapPolynomial& p, const GapPolynomial& d) {
  GapPolynomial rest = p, result;
  for (int i = 0; i <= p.degree; ++i) rest.c[i] = p.c[i] * lead(p);
  result.degree = p.degree - d.degree;
  for (int i = result.degree; i >= 0; --i) {
    const ArenaInteger digit = rest.c[i + d.degree].divided_by(lead(d));
    result.c[i] = digit;
    for (int j = 0; j < d.degree; ++j) rest.c[i + j] = rest.c[i + j] - digit * d.c[j];
  }
  return result;
}

constexpr std::uint64_t prime = ArenaInteger::prime;

std::uint64_t product_modulo_prime(std::uint64_t x, std::uint64_t y) {
  const auto product = static_cast<unsigned __int128>(x) * y;
  const auto sum =
      static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
  return sum >= prime ? sum - prime : sum;
}

// Returns true only if p and q, neither of them constant, have no common root. A common divisor of
// p and q is also one modulo a prime that divides neither leading coefficient, and of the same
// degree; so coprime residues prove p and q coprime. Uses Euclid's algorithm without divisions.
bool certainly_coprime(const GapPolynomial& p, const GapPolynomial& q) {
  struct Residues {
    std::array<std::uint64_t, size> c{};
    int degree;
  };
  const auto residues = [](const GapPolynomial& x) {
    Residues result;
    result.degree = x.degree;
    for (int i = 0; i <= x.degree; ++i) result.c[index(i)] = x.c[i].modulo_prime();
    return result;
  };
  Residues a = residues(p), b = residues(q);
  if (a.c[index(a.degree)] == 0 || b.c[index(b.degree)] == 0) return false;
  while (b.degree > 0) {
    if (a.degree < b.degree) std::swap(a, b);
    const std::uint64_t top_a = a.c[index(a.degree)], top_b = b.c[index(b.degree)];
    const int shift = a.degree - b.degree;
    for (int i = 0; i <= a.degree; ++i) {
      std::uint64_t& c = a.c[index(i)];
      c = product_modulo_prime(c, top_b);
      if (i < shift) continue;
      const std::uint64_t less = product_modulo_prime(b.c[index(i - shift)], top_a);
      c = c >= less ? c - less : c + prime - less;
    }
    while (a.degree >= 0 && a.c[index(a.degree)] == 0) --a.degree;
    if (a.degree < b.degree) std::swap(a, b);
  }
  return b.degree == 0;
}

// Returns p without the roots it shares with q. q is not 0.
GapPolynomial without_roots_of(const GapPolynomial& q, GapPolynomial p) {
  while (p.degree > 0 && q.degree > 0 && !certainly_coprime(p, q)) {
    const GapPolynomial common = common_divisor(p, q);
    if (common.degree == 0) break;
    p = quotient(p, common);
  }
  return p;
}

GapPolynomial without_multiplicity(const GapPolynomial& p) {
  if (p.degree < 2) return p;
  const GapPolynomial slope = derivative(p);
  return certainly_coprime(p, slope) ? p : quotient(p, common_divisor(p, slope));
}

// Searches for a root of p at which all q are positive, on intervals whose ends are dyadic numbers
// but not necessarily doubles.
class RootSearch {
 public:
  RootSearch(const GapPolynomial& p, std::span<const GapPolynomial> q) : p_(p), q_(q) {}

  // Returns nothing if `depth` levels of cuts do not decide. Some finite depth always decides if p
  // has no multiple root and no root in common with a q.
  std::optional<bool> find(double lo, double hi, int depth) const {
    Arena& arena = lead(p_).arena();
    return find(sample(make_dyadic(arena, lo)), sample(make_dyadic(arena, hi)), depth);
  }

 private:
  struct Sample {
    ArenaDyadic at;
    Expansion p;
    std::array<Expansion, 4> q;
  };

  Sample sample(const ArenaDyadic& t) const {
    Sample result{t, expand(p_, t), {}};
    for (std::size_t i = 0; i < q_.size(); ++i) result.q[i] = expand(q_[i], t);
    return result;
  }

  std::optional<bool> find(const Sample& a, const Sample& b, int depth) const {
    const int k = std::max(a.at.k, b.at.k);
    const ArenaInteger from = a.at.m << (k - a.at.k), length = (b.at.m << (k - b.at.k)) - from;
    const int bits = length.bit_length();
    const Width width{length.approximate(bits), bits - k};
    bool all_positive = true;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const LocalPolynomial condition(a.q[i], b.q[i], width);
      if (condition.never_positive()) return false;
      all_positive = all_positive && condition.positive_inside();
    }
    const LocalPolynomial gap(a.p, b.p, width);
    const std::optional<int> roots = gap.roots();
    if (roots == 0) return false;
    if (roots == 1 && all_positive) return true;
    if (depth == 0) return std::nullopt;

    constexpr int digits = 26;  // binary digits of a cut, enough for the cuts of LocalPolynomial
    const LocalPolynomial::Cuts cuts = roots == 1 ? gap.cuts_around_root() : gap.cuts();
    bool doubt = false;
    Sample last = a;
    std::uint64_t last_place = 0;
    for (int i = 0; i < cuts.count; ++i) {
      const auto place = static_cast<std::uint64_t>(
          std::clamp(cuts.s[index(i)] * (1 << digits), 1.0, (1 << digits) - 1.0));
      if (place <= last_place) continue;
      const ArenaInteger factor(from.arena(), place, 0, false);
      const Sample here = sample({(from << digits) + length * factor, k + digits});
      if (here.p.sign() == 0 &&
          std::all_of(here.q.begin(), here.q.begin() + static_cast<std::ptrdiff_t>(q_.size()),
                      [](const Expansion& q) { return q.sign() > 0; }))
        return true;
      const std::optional<bool> found = find(last, here, depth - 1);
      if (found == true) return true;
      doubt = doubt || !found;
      last = here;
      last_place = place;
    }
    const std::optional<bool> found = find(last, b, depth - 1);
    return found == false && doubt ? std::nullopt : found;
  }

  const GapPolynomial& p_;
  std::span<const GapPolynomial> q_;
};

}  // namespace

bool has_root_inside(const GapPolynomial& p, std::span<const GapPolynomial> q, double lo,
                     double hi) {
  const ArenaFrame frame(lead(p).arena());
  constexpr int tries = 5;  // reaches about 2^-100 of the piece; closer roots are usually equal
  if (const auto found = RootSearch(p, q).find(lo, hi, tries)) return *found;
  GapPolynomial rest = p;
  for (const GapPolynomial& condition : q) rest = without_roots_of(condition, rest);
  rest = without_multiplicity(rest);
  constexpr int unlimited = std::numeric_limits<int>::max();
  return *RootSearch(rest, q).find(lo, hi, unlimited);
}

}  // namespace graze::exact
