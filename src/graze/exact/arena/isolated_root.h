#pragma once

#include <array>
#include <span>

#include "graze/exact/arena/arena_polynomial.h"

namespace graze::exact {

// Makes a polynomial from its coefficients, lowest power first, without the leading zeros.
ArenaPolynomial make_polynomial(std::span<const ArenaInteger> coefficients);

ArenaDyadic make_dyadic(Arena& arena, double value);  // value >= 0

// One root r of `p` in [0, 1].
//   exact:     r is the double lo == hi.
//   otherwise: r is simple and the only root of p in [a, b], and lo <= a < r < b <= hi; after
//              `refine` lo and hi are neighbouring doubles.
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

// Returns the double t as an exact root; its polynomial is not set.
IsolatedRoot exact_time(Arena& arena, double t);

// Returns -1, 0 or 1 if x is before, at or after y. Unless x = y, it shrinks their brackets until
// the brackets are disjoint.
int compare(IsolatedRoot& x, IsolatedRoot& y);

// Returns the same as `compare` without changing the brackets, at the cost of one sign at a root.
int order(const IsolatedRoot& x, const IsolatedRoot& y);

// Returns a time strictly between two times x < y whose brackets `compare` has separated. It is not
// a double in general; its lo and hi are unspecified.
IsolatedRoot time_between(const IsolatedRoot& x, const IsolatedRoot& y);

// Returns the exact sign of q at the root, which need not be refined.
int sign_at(const ArenaPolynomial& q, const IsolatedRoot& root);

}  // namespace graze::exact
