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

// Returns the remainder of a by b, multiplied by -|l|^(deg a - deg b + 1), where l is the leading
// coefficient of b.
template <int max>
ArenaPolynomialUpTo<max> negated_remainder(ArenaPolynomialUpTo<max> a,
                                           const ArenaPolynomialUpTo<max>& b) {
  const ArenaInteger& lead = b.c[b.degree];
  const ArenaInteger scale = lead.sign() > 0 ? lead : -lead;
  for (; a.degree >= b.degree; --a.degree) {
    const ArenaInteger factor = lead.sign() > 0 ? a.c[a.degree] : -a.c[a.degree];
    const int shift = a.degree - b.degree;
    for (int i = 0; i < a.degree; ++i) {
      a.c[i] = a.c[i] * scale;
      if (i >= shift) a.c[i] = a.c[i] - factor * b.c[i - shift];
    }
  }
  return -trimmed(a);
}

ArenaInteger power_of(const ArenaInteger& x, int exponent) {
  ArenaInteger result(x.arena(), 1, 0, false);
  for (int i = 0; i < exponent; ++i) result = result * x;
  return result;
}

// The signed remainder sequence of (p, q): p, q, -rem(p, q), ... down to the gcd, each element up
// to a positive factor. The factors are those of the subresultant sequence [Brown, Traub 1971] in
// absolute values: with g the leading coefficients and d the drops of the degree, element k+1 is
// divided by g_(k-1) h_k^d_k, where h_k = g_(k-1)^d_(k-1) / h_(k-1)^(d_(k-1)-1). All divisions are
// exact, since the elements are the subresultants up to sign, and the integers grow linearly.
template <int max>
struct SturmChain {
  using Polynomial = ArenaPolynomialUpTo<max>;
  Polynomial s[max + 3];
  int size = 0;

  SturmChain(const Polynomial& p, const Polynomial& q) {
    s[size++] = p;
    if (q.is_zero()) return;
    s[size++] = q;
    if (p.degree < q.degree) s[size++] = -p;  // the remainder of p by q is p
    Arena& arena = q.c[q.degree].arena();
    ArenaInteger g(arena, 1, 0, false), h = g;
    for (;;) {
      const Polynomial &a = s[size - 2], &b = s[size - 1];
      Polynomial next = negated_remainder(a, b);
      if (next.is_zero()) return;
      const int drop = a.degree - b.degree;
      const ArenaInteger divisor = g * power_of(h, drop);
      for (int i = 0; i <= next.degree; ++i)
        if (!next.c[i].is_zero()) next.c[i] = next.c[i].divided_by(divisor);
      g = b.c[b.degree].sign() > 0 ? b.c[b.degree] : -b.c[b.degree];
      if (drop > 0) h = power_of(g, drop).divided_by(power_of(h, drop - 1));
      s[size++] = next;
    }
  }
  const Polynomial& gcd() const { return s[size - 1]; }

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

// Adds 1 to the variable: p(t) becomes p(t + 1).
template <int max>
void shift_by_one(ArenaPolynomialUpTo<max>& p) {
  for (int i = 0; i < p.degree; ++i)
    for (int j = p.degree - 1; j >= i; --j) p.c[j] = p.c[j] + p.c[j + 1];
}

// Returns the number of sign changes of the Bernstein coefficients on [0, 1], zeros skipped. 0
// proves that there is no root in (0, 1), 1 that there is exactly one, a simple one. The
// coefficients, each times a positive binomial, are those of (1 + x)^degree p(1 / (1 + x)).
template <int max>
int bernstein_variations(ArenaPolynomialUpTo<max> p) {
  std::reverse(p.c, p.c + p.degree + 1);
  shift_by_one(p);
  int count = 0, last = 0;
  for (int i = 0; i <= p.degree; ++i) {
    if (p.c[i].sign() == 0) continue;
    if (p.c[i].sign() == -last) ++count;
    last = p.c[i].sign();
  }
  return count;
}

// Returns lead(g) p / g for a divisor g of p. With g = c g0 and p = g0 p0, g0 primitive, that is
// lead(g0) p0: an integer polynomial [Gauss], whose coefficients the long division finds from the
// top.
template <int max>
ArenaPolynomialUpTo<max> quotient(const ArenaPolynomialUpTo<max>& p,
                                  const ArenaPolynomialUpTo<max>& g) {
  const ArenaInteger& lead = g.c[g.degree];
  ArenaPolynomialUpTo<max> rest = p, result;
  for (int i = 0; i <= p.degree; ++i) rest.c[i] = p.c[i] * lead;
  result.degree = p.degree - g.degree;
  for (int i = result.degree; i >= 0; --i) {
    result.c[i] = rest.c[i + g.degree].divided_by(lead);
    for (int j = 0; j <= g.degree; ++j) rest.c[i + j] = rest.c[i + j] - result.c[i] * g.c[j];
  }
  return result;
}

// Returns p / (t - t0) times a power of two, for a root t0 = m 2^-k of p, by synthetic division of
// 2^(k degree) p in the variable 2^k t.
template <int max>
ArenaPolynomialUpTo<max> deflated(const ArenaPolynomialUpTo<max>& p, const ArenaDyadic& root) {
  ArenaPolynomialUpTo<max> q;
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

template <int max>
IsolatedRootUpTo<max> exact_root_at(const ArenaPolynomialUpTo<max>& p, const ArenaDyadic& t,
                                    double value) {
  IsolatedRootUpTo<max> root;
  root.p = p;
  root.a = root.b = t;
  root.lo = root.hi = value;
  root.exact = true;
  return root;
}

int difference_sign(const ArenaDyadic& x, const ArenaDyadic& y) {
  const int k = std::max(x.k, y.k);
  return ((x.m << (k - x.k)) - (y.m << (k - y.k))).sign();
}

}  // namespace

template <int max>
IsolatedRootUpTo<max> bracketed_root(const ArenaPolynomialUpTo<max>& p, const ArenaDyadic& a,
                                     const ArenaDyadic& b) {
  IsolatedRootUpTo<max> root;
  root.p = p;
  root.a = a;
  root.b = b;
  bool is_exact = false;
  root.lo = floor_double(a, is_exact);
  root.hi = floor_double(b, is_exact);
  if (!is_exact) root.hi = double_of(index_of(root.hi) + 1);
  return root;
}

template <int max>
void halve(IsolatedRootUpTo<max>& root) {
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

namespace {

// Collects the roots in (0, 1) of a polynomial that vanishes neither at 0 nor at 1.
template <int max>
class Isolator {
  using Polynomial = ArenaPolynomialUpTo<max>;
  using Root = IsolatedRootUpTo<max>;

 public:
  Isolator(Arena& arena, std::span<Root> roots)
      : roots_(roots), zero_{ArenaInteger(arena), 0}, one_{ArenaInteger(arena, 1, 0, false), 0} {}

  int isolate(const Polynomial& p) {
    p.degree <= 3 ? isolate_cubic(p) : isolate_by_halving(p);
    return count_;
  }

 private:
  void isolate_cubic(Polynomial p) {
    while (p.degree > 0) {
      const int variations = bernstein_variations(p);
      if (variations == 1) keep(bracketed_root(p, zero_, one_));
      if (variations <= 1) break;
      const SturmChain<max> chain(p, derivative(p));
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
  }

  // Isolates the roots of a polynomial of any degree by the rule of Descartes: intervals are halved
  // until the Bernstein coefficients change their sign at most once. That ends if p has only simple
  // roots [Vincent 1836]. If an interval is still undecided after `patience` halvings, p is
  // replaced by p / gcd(p, p'), which has the same roots, all simple.
  void isolate_by_halving(Polynomial p) {
    constexpr int patience = 12;
    for (int limit = patience; p.degree > 0;) {
      Pass pass;
      const auto end = divide(p, p, ArenaInteger(one_.m.arena()), 0, limit, pass);
      if (end == Division::complete) {
        for (int i = 0; i < pass.count; ++i) keep(pass.roots[i]);
        return;
      }
      if (end == Division::at_root) {
        keep_rational(pass.hit.m, ArenaInteger(pass.hit.m.arena(), 1, pass.hit.k, false));
        while (sign_at(p, pass.hit) == 0) p = deflated(p, pass.hit);
        continue;
      }
      const SturmChain<max> chain(p, derivative(p));
      if (chain.gcd().degree > 0) p = quotient(p, chain.gcd());
      limit = std::numeric_limits<int>::max();
    }
  }

  struct Pass {
    Root roots[max];
    int count = 0;
    ArenaDyadic hit;  // a split point that is a root
  };
  enum class Division { complete, at_root, too_deep };

  // Adds the roots of p in (m 2^-k, (m+1) 2^-k) to the pass, in ascending order. local(s) is
  // p((m + s) 2^-k) up to a positive factor.
  Division divide(const Polynomial& p, const Polynomial& local, const ArenaInteger& m, int k,
                  int limit, Pass& pass) {
    const int variations = bernstein_variations(local);
    if (variations == 1) pass.roots[pass.count++] = bracketed_root(p, {m, k}, {m + one_.m, k});
    if (variations <= 1) return Division::complete;
    if (k == limit) return Division::too_deep;
    Polynomial left = local;
    for (int i = 0; i < left.degree; ++i) left.c[i] = left.c[i] << (left.degree - i);
    Polynomial right = left;
    shift_by_one(right);
    const ArenaInteger middle = (m << 1) + one_.m;
    if (right.c[0].is_zero()) {
      pass.hit = {middle, k + 1};
      return Division::at_root;
    }
    const Division end = divide(p, left, m << 1, k + 1, limit, pass);
    return end != Division::complete ? end : divide(p, right, middle, k + 1, limit, pass);
  }

  // Isolates the roots of a p with a multiple root r; then all roots of p are rational. g =
  // gcd(p, p') is (t-r) or (t-r)^2 up to a constant factor, which gives r. A remaining simple root
  // s follows from Vieta's formula 2r + s = -c2/c3.
  void isolate_multiple(const Polynomial& p, const Polynomial& g) {
    const ArenaInteger num = g.degree == 1 ? -g.c[0] : -g.c[1];
    const ArenaInteger den = g.degree == 1 ? g.c[1] : g.c[2].times(2);
    keep_rational(num, den);
    if (p.degree == 3 && g.degree == 1)
      keep_rational(-(p.c[2] * den) - (num * p.c[3]).times(2), p.c[3] * den);
  }

  // Keeps num / den, if it is in (0, 1), as the root of a linear polynomial.
  void keep_rational(const ArenaInteger& num, const ArenaInteger& den) {
    const Polynomial line = make_polynomial<max>(std::array{-num, den});
    if (line.degree == 1 && bernstein_variations(line) == 1)
      keep(bracketed_root(line, zero_, one_));
  }

  void keep(const Root& root) {
    int i = count_++;
    for (; i > 0 && precedes(root, i - 1); --i)
      roots_[static_cast<std::size_t>(i)] = roots_[static_cast<std::size_t>(i - 1)];
    roots_[static_cast<std::size_t>(i)] = root;
  }

  bool precedes(Root root, int other) {
    return compare(root, roots_[static_cast<std::size_t>(other)]) < 0;
  }

  // Keeps the roots in (a, b). Returns true and sets `hit` if a split point is itself a root.
  bool split(const SturmChain<max>& chain, const ArenaDyadic& a, const ArenaDyadic& b,
             int variations_a, int variations_b, ArenaDyadic& hit) {
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

  std::span<Root> roots_;
  ArenaDyadic zero_, one_;
  int count_ = 0;
};

// Returns an estimate of the root of p in (a, b) by Newton's method kept inside the bracket. The
// error is not bounded.
template <int max>
double guess(const ArenaPolynomialUpTo<max>& p, double a, double b) {
  int scale = 0;
  for (int i = 0; i <= p.degree; ++i) scale = std::max(scale, p.c[i].bit_length());
  double c[max + 1];
  for (int i = 0; i <= p.degree; ++i) c[i] = p.c[i].approximate(scale);
  const auto value = [&](double t) {
    double sum = 0;
    for (int i = p.degree; i >= 0; --i) sum = sum * t + c[i];
    return sum;
  };
  const auto slope = [&](double t) {
    double sum = 0;
    for (int i = p.degree; i >= 1; --i) sum = sum * t + i * c[i];
    return sum;
  };
  return numeric::bracketed_root(
      {a, b, value(b) > value(a), a + (b - a) / 2}, 60, value,
      [&](double t, double f) { return t - f / slope(t); }, [](double t) { return 0x1p-52 * t; });
}

// Returns the sign of q on all of [lo, hi], a part of [0, 1], or 0 if floating point proves none.
//
// The coefficients are scaled to |c| <= 1 and rounded with a relative error of 2^-51 = 4 u (or set
// to 0, below 2^-890). Horner's rule of degree 12 at lo is off by at most 25 u sum |c|, and q
// differs from q(lo) by at most (hi - lo) sum i |c_i|. 2^-48 = 32 u and 1.001 also cover the
// rounding of these sums.
template <int max>
int clear_sign(const ArenaPolynomialUpTo<max>& q, double lo, double hi) {
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

ArenaDyadic make_dyadic(Arena& arena, double value) {
  assert(value >= 0);
  const auto [mantissa, exponent] = numeric::decompose(value);
  return {ArenaInteger(arena, static_cast<std::uint64_t>(mantissa), std::max(exponent, 0), false),
          std::max(-exponent, 0)};
}

template <int max>
IsolatedRootUpTo<max> exact_time(Arena& arena, double t) {
  return exact_root_at<max>({}, make_dyadic(arena, t), t);
}

template <int max>
IsolatedRootUpTo<max> time_between(const IsolatedRootUpTo<max>& x, const IsolatedRootUpTo<max>& y) {
  return exact_root_at<max>({}, midpoint(x.b, y.a), x.hi);
}

template <int max>
int compare(IsolatedRootUpTo<max>& x, IsolatedRootUpTo<max>& y) {
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
template <int max>
int order(const IsolatedRootUpTo<max>& x, const IsolatedRootUpTo<max>& y) {
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

template <int max>
int isolate_roots(const ArenaPolynomialUpTo<max>& p,
                  std::type_identity_t<std::span<IsolatedRootUpTo<max>, max>> roots) {
  assert(!p.is_zero());
  Arena& arena = p.c[p.degree].arena();
  ArenaPolynomialUpTo<max> rest = p;
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
  count += static_cast<std::size_t>(Isolator<max>(arena, roots.subspan(count)).isolate(rest));
  if (at_one) roots[count++] = exact_root_at(p, one, 1);
  return static_cast<int>(count);
}

template <int max>
void refine(IsolatedRootUpTo<max>& root) {
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
template <int max>
int sign_at(const ArenaPolynomialUpTo<max>& q, const IsolatedRootUpTo<max>& root) {
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
  const SturmChain<max> chain(root.p, q);
  return sign_at(root.p, root.b) * (chain.variations(root.a) - chain.variations(root.b));
}

#define GRAZE_INSTANTIATE(max)                                                             \
  template int isolate_roots(const ArenaPolynomialUpTo<max>&,                              \
                             std::type_identity_t<std::span<IsolatedRootUpTo<max>, max>>); \
  template void refine(IsolatedRootUpTo<max>&);                                            \
  template IsolatedRootUpTo<max> exact_time(Arena&, double);                               \
  template int compare(IsolatedRootUpTo<max>&, IsolatedRootUpTo<max>&);                    \
  template int order(const IsolatedRootUpTo<max>&, const IsolatedRootUpTo<max>&);          \
  template void halve(IsolatedRootUpTo<max>&);                                             \
  template IsolatedRootUpTo<max> bracketed_root(const ArenaPolynomialUpTo<max>&,           \
                                                const ArenaDyadic&, const ArenaDyadic&);   \
  template IsolatedRootUpTo<max> time_between(const IsolatedRootUpTo<max>&,                \
                                              const IsolatedRootUpTo<max>&);               \
  template int sign_at(const ArenaPolynomialUpTo<max>&, const IsolatedRootUpTo<max>&);
GRAZE_INSTANTIATE(3)
GRAZE_INSTANTIATE(9)
GRAZE_INSTANTIATE(12)
#undef GRAZE_INSTANTIATE

}  // namespace graze::exact
