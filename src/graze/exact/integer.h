#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "graze/core/numeric/common_scale.h"

namespace graze::exact {

// An integer of any size. Up to 512 bits are stored inside the object, so that ordinary queries do
// not allocate memory.
using Integer = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<512, 0, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked,
                                           std::allocator<boost::multiprecision::limb_type>>,
    boost::multiprecision::et_off>;

inline int sign(const Integer& x) {
  return x.sign();
}

// Returns x * 2^exponent with an error of at most one ulp, or 0 or infinity on underflow or
// overflow. (In these cases the result of Boost's own conversion depends on its version.)
double approximate(const Integer& x, int exponent = 0);

using numeric::decompose;

// Returns the integer that the scaled double represents: mantissa * 2^shift.
Integer to_integer(const numeric::CommonScale::Scaled& x);

// The dyadic number numerator / 2^shift: a time in [0, 1].
struct Dyadic {
  Integer numerator = 0;
  unsigned shift = 0;

  static Dyadic of(double t);  // t must be in [0, 1]
  static Dyadic middle(const Dyadic& a, const Dyadic& b);

  Integer over(unsigned common) const;  // the numerator over 2^common; common >= shift
};

int compare(const Dyadic& a, const Dyadic& b);  // sign of a - b

}  // namespace graze::exact
