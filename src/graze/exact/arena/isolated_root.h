#pragma once

#include <array>
#include <span>

#include "graze/exact/arena/arena_integer.h"

namespace graze::exact {

// c[0] + c[1] t + ... + c[degree] t^degree with c[degree] != 0; degree -1 is the zero polynomial.
struct ArenaPolynomial {
  static constexpr int max_degree = 3;
  ArenaInteger c[max_degree + 1];
  int degree = -1;

  bool is_zero() const { return degree < 0; }
};

// Lowest coefficient first; leading zeros are dropped.
ArenaPolynomial make_polynomial(std::span<const ArenaInteger> coefficients);

// m * 2^-k
struct ArenaDyadic {
  ArenaInteger m;
  int k = 0;
};

ArenaDyadic make_dyadic(Arena& arena, double value);  // value >= 0

int sign_at(const ArenaPolynomial& p, const ArenaDyadic& t);

// One root r of `p` in [0, 1].
//   exact:  r is the double lo == hi.
//   else:   p has no other root in [a, b], that root is simple and strictly inside, and
//           lo <= a < r < b <= hi with lo, hi neighbouring doubles (after `refine`).
struct IsolatedRoot {
  ArenaPolynomial p;
  ArenaDyadic a, b;
  double lo = 0, hi = 0;
  bool exact = false;
};

// Appends the distinct roots of p (not zero) in [0, 1] in ascending order; returns their number
// (at most 3). They are not refined.
int isolate_roots(const ArenaPolynomial& p, std::span<IsolatedRoot, 3> roots);

// Shrinks lo and hi to the tightest doubles around the root.
void refine(IsolatedRoot& root);

// The time t itself, as a root of nothing in particular.
IsolatedRoot exact_time(Arena& arena, double t);

// -1, 0 or 1 as x is before, at or after y. Shrinks their brackets until they are strictly apart
// unless x = y.
int compare(IsolatedRoot& x, IsolatedRoot& y);

// The same without shrinking anything, and at the cost of one sign at a root.
int order(const IsolatedRoot& x, const IsolatedRoot& y);

// Some time strictly between two times x < y that `compare` has separated; not a double in general,
// its lo and hi mean nothing.
IsolatedRoot time_between(const IsolatedRoot& x, const IsolatedRoot& y);

// The sign of q at the refined or unrefined root.
int sign_at(const ArenaPolynomial& q, const IsolatedRoot& root);

}  // namespace graze::exact
