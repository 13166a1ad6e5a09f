#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "graze/core/numeric/common_scale.h"

namespace graze::exact {

// Unbounded; up to 512 bits live inside the object, so that ordinary queries allocate nothing.
using Integer = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<512, 0, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked,
                                           std::allocator<boost::multiprecision::limb_type>>,
    boost::multiprecision::et_off>;

inline int sign(const Integer& x) {
  return x.sign();
}

// x * 2^exponent, off by at most an ulp; 0 or infinity where doubles end. (What Boost's own
// conversion does there depends on its version.)
double approximate(const Integer& x, int exponent = 0);

using numeric::decompose;

// Returns the integer that the scaled double stands for: mantissa * 2^shift.
Integer to_integer(const numeric::CommonScale::Scaled& x);

// The number numerator / 2^shift, here always a time in [0, 1].
struct Dyadic {
  Integer numerator = 0;
  unsigned shift = 0;

  static Dyadic of(double t);  // t must be in [0, 1]
  static Dyadic middle(const Dyadic& a, const Dyadic& b);

  Integer over(unsigned common) const;  // the numerator over 2^common; common >= shift
};

int compare(const Dyadic& a, const Dyadic& b);  // sign of a - b

}  // namespace graze::exact
