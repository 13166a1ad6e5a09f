#pragma once

#include <array>
#include <span>
#include <type_traits>

#include "graze/exact/arena/arena_polynomial.h"

namespace graze::exact {

ArenaDyadic make_dyadic(Arena& arena, double value);  // value >= 0

// One root r of `p` in [0, 1].
//   exact:     r is the double lo == hi.
//   otherwise: r is simple and the only root of p in [a, b], and lo <= a < r < b <= hi; after
//              `refine` lo and hi are neighbouring doubles.
template <int max>
struct IsolatedRootUpTo {
  ArenaPolynomialUpTo<max> p;
  ArenaDyadic a, b;
  double lo = 0, hi = 0;
  bool exact = false;
};
using IsolatedRoot = IsolatedRootUpTo<3>;

// The functions below are compiled for max = 3 (straight paths), 9 (curved paths) and 12 (turning
// paths).

// Appends the distinct roots of p (not zero) in [0, 1] in ascending order; returns their number
// (at most max). They are not refined.
template <int max>
int isolate_roots(const ArenaPolynomialUpTo<max>& p,
                  std::type_identity_t<std::span<IsolatedRootUpTo<max>, max>> roots);

// Shrinks lo and hi to the tightest doubles around the root.
template <int max>
void refine(IsolatedRootUpTo<max>& root);

// Halves the bracket [a, b] of a root that is not exact; lo and hi do not change.
template <int max>
void halve(IsolatedRootUpTo<max>& root);

// Returns the only root of p between a and b, where p must have opposite signs.
template <int max>
IsolatedRootUpTo<max> bracketed_root(const ArenaPolynomialUpTo<max>& p, const ArenaDyadic& a,
                                     const ArenaDyadic& b);

// Returns the double t as an exact root; its polynomial is not set.
template <int max = 3>
IsolatedRootUpTo<max> exact_time(Arena& arena, double t);

// Returns -1, 0 or 1 if x is before, at or after y. Unless x = y, it shrinks their brackets until
// the brackets are disjoint.
template <int max>
int compare(IsolatedRootUpTo<max>& x, IsolatedRootUpTo<max>& y);

// Returns the same as `compare` without changing the brackets, at the cost of one sign at a root.
template <int max>
int order(const IsolatedRootUpTo<max>& x, const IsolatedRootUpTo<max>& y);

// Returns a time strictly between two times x < y whose brackets `compare` has separated. It is not
// a double in general; its lo and hi are unspecified.
template <int max>
IsolatedRootUpTo<max> time_between(const IsolatedRootUpTo<max>& x, const IsolatedRootUpTo<max>& y);

// Returns the exact sign of q at the root, which need not be refined.
template <int max>
int sign_at(const ArenaPolynomialUpTo<max>& q, const IsolatedRootUpTo<max>& root);

}  // namespace graze::exact
