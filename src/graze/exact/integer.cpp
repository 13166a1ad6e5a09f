#include "graze/exact/integer.h"

#include <algorithm>
#include <cmath>

namespace graze::exact {

double approximate(const Integer& x, int exponent) {
  if (x.is_zero()) return 0;
  const int drop = std::max(0, static_cast<int>(msb(abs(x))) - 61);
  const auto top = static_cast<std::int64_t>(abs(x) >> static_cast<unsigned>(drop));
  const double size = std::ldexp(static_cast<double>(top), drop + exponent);
  return x.sign() < 0 ? -size : size;
}

Integer to_integer(const numeric::CommonScale::Scaled& x) {
  return Integer(x.mantissa) << static_cast<unsigned>(x.shift);
}

Dyadic Dyadic::of(double t) {
  const auto [mantissa, exponent] = decompose(t);
  return {mantissa, static_cast<unsigned>(-exponent)};
}

Dyadic Dyadic::middle(const Dyadic& a, const Dyadic& b) {
  const unsigned common = std::max(a.shift, b.shift);
  return {a.over(common) + b.over(common), common + 1};
}

Integer Dyadic::over(unsigned common) const {
  return numerator << (common - shift);
}

int compare(const Dyadic& a, const Dyadic& b) {
  const unsigned common = std::max(a.shift, b.shift);
  return a.over(common).compare(b.over(common));
}

}  // namespace graze::exact
