#pragma once

#include "graze/first_contact.h"
#include "graze/method.h"

namespace graze::narrow {

// Returns the first contact on a path that is known by enclosures; the contract is that of
// graze::first_contact(PathEnclosure).
template <Query Q>
Impact enclosed_contact(const PathEnclosure<Q>& path, const MethodOptions& options);

// The same for corners on curves, whose chords and deviations come from their control points. NaN
// or infinity in the query is `invalid`; where the points of a chord overflow, the answer is
// `undecided` with toi 0.
template <Query Q>
Impact curved_separation(const Curved<Q>& query, const MethodOptions& options);

// Returns the part of a curved query between two times.
template <Query Q>
EnclosedPath<Q> enclose(const Curved<Q>& query, double begin, double end);

// The same two functions for primitives that turn.
template <Query Q>
Impact turning_separation(const Turning<Q>& query, const MethodOptions& options);
template <Query Q>
EnclosedPath<Q> enclose(const Turning<Q>& query, double begin, double end);

}  // namespace graze::narrow
