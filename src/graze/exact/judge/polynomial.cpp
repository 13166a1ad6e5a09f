#include "graze/exact/judge/polynomial.h"

#include <cassert>
#include <utility>

namespace graze::exact {
namespace {

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

Polynomial primitive_part(Polynomial p) {
  Integer content = 0;
  for (const Integer& c : p.c) content = gcd(content, c);
  if (content > 1)
    for (Integer& c : p.c) c /= content;
  return p;
}

struct Division {
  Polynomial quotient, remainder;
};

// lead(q)^k p = quotient q + remainder with degree(remainder) < degree(q), for some k >= 0.
Division pseudo_divide(const Polynomial& p, const Polynomial& q) {
  const int n = q.degree();
  const Integer& lead = q.c[index(n)];
  Division result{{}, p};
  auto& [quotient, remainder] = result;
  for (int m = remainder.degree(); m >= n; m = remainder.degree()) {
    const Integer factor = remainder.c[index(m)];
    for (Integer& c : quotient.c) c *= lead;
    for (Integer& c : remainder.c) c *= lead;
    quotient.c[index(m - n)] += factor;
    for (int i = 0; i <= n; ++i) remainder.c[index(m - n + i)] -= factor * q.c[index(i)];
  }
  return result;
}

}  // namespace

int Polynomial::degree() const {
  int n = max_degree;
  while (n >= 0 && c[index(n)].is_zero()) --n;
  return n;
}

Polynomial operator+(const Polynomial& p, const Polynomial& q) {
  Polynomial sum = p;
  for (int i = 0; i <= q.degree(); ++i) sum.c[index(i)] += q.c[index(i)];
  return sum;
}

Polynomial operator-(const Polynomial& p, const Polynomial& q) {
  Polynomial difference = p;
  for (int i = 0; i <= q.degree(); ++i) difference.c[index(i)] -= q.c[index(i)];
  return difference;
}

Polynomial operator*(const Polynomial& p, const Polynomial& q) {
  const int m = p.degree(), n = q.degree();
  assert(m + n <= Polynomial::max_degree);
  Polynomial product;
  for (int i = 0; i <= m; ++i)
    for (int j = 0; j <= n; ++j) product.c[index(i + j)] += p.c[index(i)] * q.c[index(j)];
  return product;
}

PolynomialVector operator-(const PolynomialVector& p, const PolynomialVector& q) {
  return {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
}

Polynomial dot(const PolynomialVector& p, const PolynomialVector& q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

Polynomial cross(const PolynomialVector& p, const PolynomialVector& q, std::size_t axis) {
  const std::size_t i = (axis + 1) % 3, j = (axis + 2) % 3;
  return p[i] * q[j] - p[j] * q[i];
}

PolynomialVector cross(const PolynomialVector& p, const PolynomialVector& q) {
  return {cross(p, q, 0), cross(p, q, 1), cross(p, q, 2)};
}

Polynomial derivative(const Polynomial& p) {
  Polynomial d;
  for (int i = 1; i <= p.degree(); ++i) d.c[index(i - 1)] = i * p.c[index(i)];
  return d;
}

Polynomial gcd(Polynomial p, Polynomial q) {
  while (!q.is_zero()) {
    if (q.degree() == 0) return {{1}};
    p = std::exchange(q, pseudo_divide(p, q).remainder);
    // At degree 3 or less, too few steps remain for the coefficients to grow large.
    if (p.degree() > 3) q = primitive_part(std::move(q));
  }
  return primitive_part(std::move(p));
}

Polynomial squarefree_part(const Polynomial& p) {
  return primitive_part(pseudo_divide(p, gcd(p, derivative(p))).quotient);
}

Integer value_at(const Polynomial& p, const Dyadic& t, int degree) {
  Integer value = 0;
  for (int i = degree; i >= 0; --i) {
    Integer term = p.c[index(i)];
    term <<= static_cast<unsigned>(degree - i) * t.shift;
    value *= t.numerator;
    value += term;
  }
  return value;
}

// For each degree, a common multiple of its binomials divided by each of them.
constexpr std::array<std::array<int, 7>, 7> complements{{
    {1},
    {1, 1},
    {2, 1, 2},
    {3, 1, 1, 3},
    {12, 3, 2, 3, 12},
    {10, 2, 1, 1, 2, 10},
    {60, 10, 4, 3, 4, 10, 60},
}};

Bernstein::Bernstein(const Polynomial& p, const Dyadic& lo, const Dyadic& hi)
    : degree(p.degree()), control(p.c) {
  const int n = degree;
  auto& c = control;
  const unsigned shift = std::max(lo.shift, hi.shift);
  const Integer start = lo.over(shift), width = hi.over(shift) - start;
  // 2^(shift n) p((start + width x) / 2^shift) as a polynomial in x.
  for (int i = 0; i < n; ++i) c[index(i)] <<= static_cast<unsigned>(n - i) * shift;
  if (!start.is_zero())
    for (int i = 0; i < n; ++i)
      for (int j = n - 1; j >= i; --j) c[index(j)] += start * c[index(j + 1)];
  if (width != 1) {
    Integer power = width;
    for (int i = 1; i <= n; ++i, power *= width) c[index(i)] *= power;
  }
  // Substitutes x = y / (1 + y) and multiplies by (1 + y)^n: coefficient i becomes
  // binomial(n, i) control[i].
  for (int i = n; i > 0; --i)
    for (int j = 1; j <= i; ++j) c[index(j)] += c[index(j - 1)];
  for (int i = 0; i <= n; ++i) c[index(i)] *= complements[index(n)][index(i)];
}

int Bernstein::variations() const {
  int count = 0, last = 0;
  for (int i = 0; i <= degree; ++i) {
    const int s = sign(control[index(i)]);
    if (s * last < 0) ++count;
    if (s != 0) last = s;
  }
  return count;
}

int Bernstein::first_sign() const {
  for (const Integer& x : control)
    if (!x.is_zero()) return sign(x);
  return 0;
}

int Bernstein::common_sign() const {
  return variations() == 0 ? first_sign() : 0;
}

std::array<Bernstein, 2> Bernstein::split() const {
  // De Casteljau's algorithm in integers: sums replace means, so after step k an entry carries the
  // factor 2^k. The missing powers of two make all factors equal to 2^degree.
  std::array<Bernstein, 2> halves;
  for (Bernstein& half : halves) half.degree = degree;
  auto row = control;
  for (int k = 0; k <= degree; ++k) {
    const auto missing = static_cast<unsigned>(degree - k);
    halves[0].control[index(k)] = row[0] << missing;
    halves[1].control[index(degree - k)] = row[index(degree - k)] << missing;
    for (int i = 0; i < degree - k; ++i) row[index(i)] += row[index(i + 1)];
  }
  return halves;
}

}  // namespace graze::exact
