#include "graze/exact/arena/isolated_root.h"

#include <bit>
#include <cmath>
#include <limits>

#include "graze/core/numeric/bracketed_root.h"
#include "graze/core/numeric/double_index.h"
#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::exact {
namespace {

using numeric::double_of;
using numeric::index_of;

// Returns the remainder of a by b times some negative constant.
ArenaPolynomial negated_remainder(ArenaPolynomial a, const ArenaPolynomial& b) {
  const ArenaInteger& lead = b.c[b.degree];
  const ArenaInteger scale = lead.sign() > 0 ? lead : -lead;
  while (a.degree >= b.degree) {
    const ArenaInteger factor = lead.sign() > 0 ? a.c[a.degree] : -a.c[a.degree];
    const int shift = a.degree - b.degree;
    for (int i = 0; i < a.degree; ++i) {
      a.c[i] = a.c[i] * scale;
      if (i >= shift) a.c[i] = a.c[i] - factor * b.c[i - shift];
    }
    --a.degree;
    a = trimmed(a);
  }
  return -a;
}

// The signed remainder sequence of (p, q): p, q, -rem(p, q), ... down to the gcd.
struct SturmChain {
  ArenaPolynomial s[6];
  int size = 0;

  SturmChain(const ArenaPolynomial& p, const ArenaPolynomial& q) {
    s[size++] = p;
    for (ArenaPolynomial next = q; !next.is_zero();) {
      s[size++] = next;
      next = negated_remainder(s[size - 2], s[size - 1]);
    }
  }
  const ArenaPolynomial& gcd() const { return s[size - 1]; }

  int variations(const ArenaDyadic& t) const {
    int count = 0, last = 0;
    for (int i = 0; i < size; ++i) {
      const int sign = sign_at(s[i], t);
      if (sign == 0) continue;
      if (sign == -last) ++count;
      last = sign;
    }
    return count;
  }
};

int count_variations(std::span<const ArenaInteger> coefficients) {
  int count = 0, last = 0;
  for (const ArenaInteger& c : coefficients) {
    if (c.sign() == 0) continue;
    if (c.sign() == -last) ++count;
    last = c.sign();
  }
  return count;
}

// Returns the number of sign changes of the Bernstein coefficients on [0, 1] (each scaled by a
// positive binomial). 0 proves that there is no root in (0, 1), 1 that there is exactly one, a
// simple one.
int bernstein_variations(const ArenaPolynomial& p) {
  const auto& c = p.c;
  if (p.degree == 0) return 0;
  if (p.degree == 1) return count_variations(std::array{c[0], c[0] + c[1]});
  if (p.degree == 2)
    return count_variations(std::array{c[0], c[0].times(2) + c[1], c[0] + c[1] + c[2]});
  return count_variations(std::array{
      c[0], c[0].times(3) + c[1], c[0].times(3) + c[1].times(2) + c[2], c[0] + c[1] + c[2] + c[3]});
}

// Returns p / (t - t0) times a power of two, for a root t0 = m 2^-k of p, by synthetic division of
// 2^(k degree) p in the variable 2^k t.
ArenaPolynomial deflated(const ArenaPolynomial& p, const ArenaDyadic& root) {
  ArenaPolynomial q;
  q.degree = p.degree - 1;
  ArenaInteger carry = p.c[p.degree];
  for (int i = p.degree - 1; i >= 0; --i) {
    q.c[i] = carry;
    carry = (p.c[i] << (root.k * (p.degree - i))) + carry * root.m;
  }
  // Changes the variable of q from s = 2^k t to t.
  for (int i = 0; i <= q.degree; ++i) q.c[i] = q.c[i] << (root.k * i);
  return q;
}

ArenaDyadic midpoint(const ArenaDyadic& a, const ArenaDyadic& b) {
  const int k = std::max(a.k, b.k);
  return {(a.m << (k - a.k)) + (b.m << (k - b.k)), k + 1};
}

double floor_double(const ArenaDyadic& t, bool& is_exact) {
  return t.m.floor_to_double(t.k, is_exact);
}

IsolatedRoot exact_root_at(const ArenaPolynomial& p, const ArenaDyadic& t, double value) {
  IsolatedRoot root;
  root.p = p;
  root.a = root.b = t;
  root.lo = root.hi = value;
  root.exact = true;
  return root;
}

IsolatedRoot bracketed_root(const ArenaPolynomial& p, const ArenaDyadic& a, const ArenaDyadic& b) {
  IsolatedRoot root;
  root.p = p;
  root.a = a;
  root.b = b;
  bool is_exact = false;
  root.lo = floor_double(a, is_exact);
  root.hi = floor_double(b, is_exact);
  if (!is_exact) root.hi = double_of(index_of(root.hi) + 1);
  return root;
}

int difference_sign(const ArenaDyadic& x, const ArenaDyadic& y) {
  const int k = std::max(x.k, y.k);
  return ((x.m << (k - x.k)) - (y.m << (k - y.k))).sign();
}

// Halves the bracket.
void halve(IsolatedRoot& root) {
  if (root.exact) return;
  const ArenaDyadic middle = midpoint(root.a, root.b);
  const int sign = sign_at(root.p, middle);
  if (sign == 0) {  // the root itself: keep the middle half
    const ArenaDyadic a = midpoint(root.a, middle), b = midpoint(middle, root.b);
    root.a = a;
    root.b = b;
  } else if (sign == sign_at(root.p, root.a)) {
    root.a = middle;
  } else {
    root.b = middle;
  }
}

// Collects the roots in (0, 1) of a polynomial that vanishes neither at 0 nor at 1.
class Isolator {
 public:
  Isolator(Arena& arena, std::span<IsolatedRoot> roots)
      : roots_(roots), zero_{ArenaInteger(arena), 0}, one_{ArenaInteger(arena, 1, 0, false), 0} {}

  int isolate(ArenaPolynomial p) {
    while (p.degree > 0) {
      const int variations = bernstein_variations(p);
      if (variations == 1) keep(bracketed_root(p, zero_, one_));
      if (variations <= 1) break;
      const SturmChain chain(p, derivative(p));
      if (chain.gcd().degree > 0) {
        isolate_multiple(p, chain.gcd());
        break;
      }
      const int before = count_;
      ArenaDyadic hit;
      if (!split(chain, zero_, one_, chain.variations(zero_), chain.variations(one_), hit)) break;
      // A split point is a root: it is kept and divided out, and the isolation starts again.
      count_ = before;
      keep_rational(hit.m, ArenaInteger(hit.m.arena(), 1, hit.k, false));
      p = deflated(p, hit);
    }
    return count_;
  }

 private:
  // Isolates the roots of a p with a multiple root r; then all roots of p are rational. g =
  // gcd(p, p') is (t-r) or (t-r)^2 up to a constant factor, which gives r. A remaining simple root
  // s follows from Vieta's formula 2r + s = -c2/c3.
  void isolate_multiple(const ArenaPolynomial& p, const ArenaPolynomial& g) {
    const ArenaInteger num = g.degree == 1 ? -g.c[0] : -g.c[1];
    const ArenaInteger den = g.degree == 1 ? g.c[1] : g.c[2].times(2);
    keep_rational(num, den);
    if (p.degree == 3 && g.degree == 1)
      keep_rational(-(p.c[2] * den) - (num * p.c[3]).times(2), p.c[3] * den);
  }

  // Keeps num / den, if it is in (0, 1), as the root of a linear polynomial.
  void keep_rational(const ArenaInteger& num, const ArenaInteger& den) {
    const ArenaPolynomial line = make_polynomial(std::array{-num, den});
    if (line.degree == 1 && bernstein_variations(line) == 1)
      keep(bracketed_root(line, zero_, one_));
  }

  void keep(const IsolatedRoot& root) {
    int i = count_++;
    for (; i > 0 && precedes(root, i - 1); --i)
      roots_[static_cast<std::size_t>(i)] = roots_[static_cast<std::size_t>(i - 1)];
    roots_[static_cast<std::size_t>(i)] = root;
  }

  bool precedes(IsolatedRoot root, int other) {
    return compare(root, roots_[static_cast<std::size_t>(other)]) < 0;
  }

  // Keeps the roots in (a, b). Returns true and sets `hit` if a split point is itself a root.
  bool split(const SturmChain& chain, const ArenaDyadic& a, const ArenaDyadic& b, int variations_a,
             int variations_b, ArenaDyadic& hit) {
    const int count = variations_a - variations_b;
    if (count == 1) keep(bracketed_root(chain.s[0], a, b));
    if (count <= 1) return false;
    const ArenaDyadic middle = midpoint(a, b);
    if (sign_at(chain.s[0], middle) == 0) {
      hit = middle;
      return true;
    }
    const int variations_middle = chain.variations(middle);
    return split(chain, a, middle, variations_a, variations_middle, hit) ||
           split(chain, middle, b, variations_middle, variations_b, hit);
  }

  std::span<IsolatedRoot> roots_;
  ArenaDyadic zero_, one_;
  int count_ = 0;
};

// Returns an estimate of the root of p in (a, b) by Newton's method kept inside the bracket. The
// error is not bounded.
double guess(const ArenaPolynomial& p, double a, double b) {
  int scale = 0;
  for (int i = 0; i <= p.degree; ++i) scale = std::max(scale, p.c[i].bit_length());
  double c[4] = {};
  for (int i = 0; i <= p.degree; ++i) c[i] = p.c[i].approximate(scale);
  const auto value = [&](double t) { return ((c[3] * t + c[2]) * t + c[1]) * t + c[0]; };
  const auto slope = [&](double t) { return (3 * c[3] * t + 2 * c[2]) * t + c[1]; };
  return numeric::bracketed_root(
      {a, b, value(b) > value(a), a + (b - a) / 2}, 60, value,
      [&](double t, double f) { return t - f / slope(t); }, [](double t) { return 0x1p-52 * t; });
}

// Returns the sign of q on all of [lo, hi], a part of [0, 1], or 0 if floating point proves none.
//
// The coefficients are scaled to |c| <= 1 and rounded with a relative error of 2^-50 (or replaced
// by 0, below 2^-890). Horner's rule at lo errs by at most 6 u sum |c|, and q differs from q(lo) by
// at most (hi - lo) sum i |c_i|. 2^-48 and 1.001 cover the rounding of these sums.
int clear_sign(const ArenaPolynomial& q, double lo, double hi) {
  int scale = 0;
  for (int i = 0; i <= q.degree; ++i) scale = std::max(scale, q.c[i].bit_length());
  double value = 0, sum = 0, slope = 0;
  for (int i = q.degree; i >= 0; --i) {
    const double c = q.c[i].approximate(scale);
    value = value * lo + c;
    sum += std::abs(c);
    slope += i * std::abs(c);
  }
  const double err = 0x1p-48 * sum + 1.001 * (hi - lo) * slope + 0x1p-880;
  return value > err ? 1 : value < -err ? -1 : 0;
}

}  // namespace

ArenaPolynomial make_polynomial(std::span<const ArenaInteger> coefficients) {
  ArenaPolynomial p;
  std::copy(coefficients.begin(), coefficients.end(), p.c);
  p.degree = static_cast<int>(coefficients.size()) - 1;
  return trimmed(p);
}

ArenaDyadic make_dyadic(Arena& arena, double value) {
  assert(value >= 0);
  const auto [mantissa, exponent] = numeric::decompose(value);
  return {ArenaInteger(arena, static_cast<std::uint64_t>(mantissa), std::max(exponent, 0), false),
          std::max(-exponent, 0)};
}

IsolatedRoot exact_time(Arena& arena, double t) {
  return exact_root_at({}, make_dyadic(arena, t), t);
}

IsolatedRoot time_between(const IsolatedRoot& x, const IsolatedRoot& y) {
  return exact_root_at({}, midpoint(x.b, y.a), x.hi);
}

int compare(IsolatedRoot& x, IsolatedRoot& y) {
  if (x.exact && y.exact) return difference_sign(x.a, y.a);
  if (y.exact) return -compare(y, x);
  // x = y iff y.p vanishes at x and x is inside the bracket of y, in which y is the only root.
  const bool common = sign_at(y.p, x) == 0;
  for (;;) {
    if (difference_sign(x.b, y.a) < 0) return -1;
    if (difference_sign(y.b, x.a) < 0) return 1;
    if (common && difference_sign(y.a, x.a) <= 0 && difference_sign(x.b, y.b) <= 0) return 0;
    halve(x);
    if (!common) halve(y);
  }
}

// y.p changes its sign inside the bracket of y only at y. So if x lies inside that bracket, the
// sign of y.p at x determines on which side of y it lies.
int order(const IsolatedRoot& x, const IsolatedRoot& y) {
  if (x.exact && y.exact) return difference_sign(x.a, y.a);
  if (y.exact) return -order(y, x);
  // Returns the order of x and a dyadic t.
  const auto order_with = [&](const ArenaDyadic& t) {
    if (x.exact) return difference_sign(x.a, t);
    if (difference_sign(t, x.a) <= 0) return 1;
    if (difference_sign(x.b, t) <= 0) return -1;
    const int sign = sign_at(x.p, t);
    return sign == 0 ? 0 : sign == sign_at(x.p, x.a) ? 1 : -1;
  };
  if (order_with(y.a) <= 0) return -1;
  if (order_with(y.b) >= 0) return 1;
  const int sign = sign_at(y.p, x);
  return sign == 0 ? 0 : sign == sign_at(y.p, y.a) ? -1 : 1;
}

int isolate_roots(const ArenaPolynomial& p, std::span<IsolatedRoot, 3> roots) {
  assert(!p.is_zero());
  Arena& arena = p.c[p.degree].arena();
  ArenaPolynomial rest = p;
  std::size_t count = 0;
  if (rest.c[0].is_zero()) {
    roots[count++] = exact_root_at(p, {ArenaInteger(arena), 0}, 0);
    do {
      for (int i = 0; i < rest.degree; ++i) rest.c[i] = rest.c[i + 1];
      --rest.degree;
    } while (rest.c[0].is_zero());
  }
  const ArenaDyadic one{ArenaInteger(arena, 1, 0, false), 0};
  const bool at_one = sign_at(rest, one) == 0;
  while (rest.degree > 0 && sign_at(rest, one) == 0) rest = deflated(rest, one);
  count += static_cast<std::size_t>(Isolator(arena, roots.subspan(count)).isolate(rest));
  if (at_one) roots[count++] = exact_root_at(p, one, 1);
  return static_cast<int>(count);
}

void refine(IsolatedRoot& root) {
  if (root.exact) return;
  Arena& arena = root.a.m.arena();
  const int sign_a = sign_at(root.p, root.a);
  // Every double strictly between lo and hi lies inside the bracket, so the sign of p there
  // determines on which side the root lies.
  std::uint64_t lo = index_of(root.lo), hi = index_of(root.hi);
  const auto visit = [&](std::uint64_t i) {  // returns false if the root is that double
    const ArenaDyadic t = make_dyadic(arena, double_of(i));
    const int sign = sign_at(root.p, t);
    if (sign == 0) {
      root = exact_root_at(root.p, t, double_of(i));
      return false;
    }
    (sign == sign_a ? lo : hi) = i;
    (sign == sign_a ? root.a : root.b) = t;
    return true;
  };
  if (hi - lo > 1) {
    const double hint = guess(root.p, root.lo, root.hi);
    if (hint > root.lo && hint < root.hi) {
      if (!visit(index_of(hint))) return;
      // Steps of doubling length away from the hint, until the root is passed.
      const bool upward = lo == index_of(hint);
      for (std::uint64_t step = 1; step < hi - lo; step *= 2) {
        const std::uint64_t next = upward ? lo + step : hi - step;
        if (!visit(next)) return;
        if ((upward ? hi : lo) == next) break;
      }
    }
    while (hi - lo > 1)
      if (!visit(lo + (hi - lo) / 2)) return;
  }
  root.lo = double_of(lo);
  root.hi = double_of(hi);
}

// If the root is not close to a zero of q, floating point or a common sign of the Bernstein
// coefficients of q on the bracket decides. Otherwise the Cauchy index decides: from a to b, the
// signed remainder sequence of (p, q) loses as many variations as q/p jumps from -inf to +inf,
// minus the number of opposite jumps [Basu, Pollack, Roy, Thm 2.58]. p has one simple root r in
// (a, b) and none at the ends, so that number is sign(p'(r) q(r)), and sign p'(r) = sign p(b). At a
// common root of p and q there is no jump, and the result is 0, the sign of q(r).
int sign_at(const ArenaPolynomial& q, const IsolatedRoot& root) {
  if (q.degree <= 0 || root.exact) return sign_at(q, root.a);
  if (const int sign = clear_sign(q, root.lo, root.hi); sign != 0) return sign;
  const ArenaFrame frame(root.a.m.arena());
  const int sign_lo = sign_at(q, root.a), sign_hi = sign_at(q, root.b);
  if (sign_lo == sign_hi && sign_lo != 0 && q.degree <= 2) {
    if (q.degree == 1) return sign_lo;
    const int k = std::max(root.a.k, root.b.k);
    const ArenaInteger a = root.a.m << (k - root.a.k), b = root.b.m << (k - root.b.k);
    const ArenaInteger middle = (q.c[0] << (2 * k + 1)) + ((q.c[1] * (a + b)) << k) +
                                ((q.c[2] * (a * b)) << 1);  // twice the middle coefficient
    if (middle.sign() == sign_lo) return sign_lo;
  }
  const SturmChain chain(root.p, q);
  return sign_at(root.p, root.b) * (chain.variations(root.a) - chain.variations(root.b));
}

}  // namespace graze::exact
