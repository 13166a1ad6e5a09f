#include "graze/exact/integer.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace graze::exact {

double approximate(const Integer& x, int exponent) {
  if (x.is_zero()) return 0;
  const int drop = std::max(0, static_cast<int>(msb(abs(x))) - 61);
  const auto top = static_cast<std::int64_t>(abs(x) >> static_cast<unsigned>(drop));
  const double size = std::ldexp(static_cast<double>(top), drop + exponent);
  return x.sign() < 0 ? -size : size;
}

Binary decompose(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  auto mantissa = bits & 0xfffffffffffff;
  if (field != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return {0, 0};
  const int zeros = std::countr_zero(mantissa);
  const auto odd = static_cast<std::int64_t>(mantissa >> zeros);
  return {bits >> 63 ? -odd : odd, std::max(field, 1) - 1075 + zeros};
}

Integer shifted(std::int64_t mantissa, unsigned shift) {
  Integer result = mantissa;
  result <<= shift;
  return result;
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
