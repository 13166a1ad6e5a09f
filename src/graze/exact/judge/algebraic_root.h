#pragma once

#include <utility>
#include <vector>

#include "graze/exact/judge/polynomial.h"

namespace graze::exact {

// A time in [0, 1] that is a root of a polynomial: either a dyadic number, or a simple root of p
// that is the only one in an open interval with dyadic ends. All functions are exact. They narrow
// the interval as far as needed, which does not change the represented number.
class AlgebraicRoot {
 public:
  explicit AlgebraicRoot(const Dyadic& t) : lo_(t), hi_(t) {}
  AlgebraicRoot(const Polynomial& p, const Dyadic& lo, const Dyadic& hi, int sign_after_lo)
      : p_(p), lo_(lo), hi_(hi), sign_after_lo_(sign_after_lo) {}

  // Returns the sign of q at this number.
  int sign_of(const Polynomial& q);

  // Returns the largest double not above this number and the smallest not below it.
  std::pair<double, double> enclosure();

 private:
  bool is_dyadic() const { return compare(lo_, hi_) == 0; }
  int compare_with(const Dyadic& t);  // sign of this number - t; t becomes an end if inside
  double guess() const;               // an estimate without error bound
  void narrow();
  void narrow_to_neighbours();

  Polynomial p_;
  Dyadic lo_, hi_;  // equal: the number itself
  int sign_after_lo_ = 0;
  unsigned bits_ = 1;              // narrow() divides the interval into 2^bits_ parts
  double floor_ = -1, ceil_ = -1;  // negative: not known yet
};

// Returns the distinct roots of p in [0, t_max] in ascending order; none if p is identically zero.
// t_max is in (0, 1].
std::vector<AlgebraicRoot> roots(const Polynomial& p, const Dyadic& t_max);

}  // namespace graze::exact
