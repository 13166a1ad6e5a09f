#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "graze/vec3.h"

namespace graze::numeric {

// A finite double as mantissa * 2^exponent: the mantissa is odd, or both are 0.
struct Binary {
  std::int64_t mantissa;
  int exponent;
};

inline Binary decompose(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto field = static_cast<int>(bits >> 52 & 0x7ff);
  auto mantissa = bits & 0xfffffffffffff;
  if (field != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return {0, 0};
  const int zeros = std::countr_zero(mantissa);
  const auto odd = static_cast<std::int64_t>(mantissa >> zeros);
  return {bits >> 63 ? -odd : odd, std::max(field, 1) - 1075 + zeros};
}

// The coarsest power of two on which a set of finite doubles are integers. First include() every
// double; then scaled(x) is x as mantissa * 2^shift in units of 2^exponent().
class CommonScale {
 public:
  struct Scaled {
    std::int64_t mantissa;  // odd, or 0
    int shift;              // >= 0; 0 where the mantissa is 0

    bool is_negative() const { return mantissa < 0; }
    std::uint64_t magnitude() const {
      return static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
    }
  };

  void include(double x) {
    if (x != 0) exponent_ = std::min(exponent_, decompose(x).exponent);
  }
  void include(const Vec3& x) {
    for (const double coordinate : x) include(coordinate);
  }
  // Includes the corners of a query at both ends of its motion.
  template <class Query>
  void include_corners(const Query& query) {
    for (const auto* corners : {&query.start, &query.end})
      for (const Vec3& corner : *corners) include(corner);
  }

  // Precondition: x was included.
  Scaled scaled(double x) const {
    const auto [mantissa, exponent] = decompose(x);
    return {mantissa, mantissa == 0 ? 0 : exponent - exponent_};
  }
  int exponent() const { return exponent_; }

 private:
  int exponent_ = 1024;  // above that of every double
};

}  // namespace graze::numeric
