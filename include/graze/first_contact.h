#pragma once

#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include "graze/impact.h"
#include "graze/method.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze {

// Any contiguous range of queries of one type: std::vector, std::array, std::span.
template <class Range>
concept Queries = std::ranges::contiguous_range<const Range> &&
    std::ranges::sized_range<const Range> &&
    (Query<std::ranges::range_value_t<Range>> || CurvedQuery<std::ranges::range_value_t<Range>> ||
     TurningQuery<std::ranges::range_value_t<Range>>);

// Returns the first contact of two linearly moving primitives.
//
// With the default method, for all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch (with a separation d > 0:
//       are within d of each other) at some t in [0, options.t_max]. No tolerance, never
//       `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it; both are equal when that time is a double.
//   (3) The result depends on the arguments alone: same bits for any batch, thread count, SIMD
//       target and compiler.
// With another method the promises are those of its row (Method::guarantee).
//
// Invalid: NaN or infinity in the query, an option outside its range, a method that does not answer
// this kind or cannot honour min_separation (Method::has, Method::takes).
//
// Cost of the default method: tens of nanoseconds for pairs that are clearly apart, hundreds around
// a contact, tens of microseconds where integer arithmetic must decide. One query alone pays for
// setting up the floating-point environment; batches do so once.
template <Query Q>
Impact first_contact(const Q& query, const Options& options = {});
template <Query Q>
Impact first_contact(const Q& query, const Options& options, const Method& method);

// Answers queries[i] in impacts[i], with the answers of the one-query form. The spans must have
// equal length. If run.stop ends the call, the queries that it has not answered are `undecided`
// with a safe toi, 0 if they have not begun; the others have their answers. Iterative methods read
// the flag in each check, the exact methods for a separation before integer arithmetic, the oracles
// and the other rivals before each query; the default method at least every 1,024 queries.
template <Query Q>
void first_contact(std::span<const Q> queries, std::span<Impact> impacts,
                   const Options& options = {}, const Run& run = {});
template <Query Q>
void first_contact(std::span<const Q> queries, std::span<Impact> impacts, const Options& options,
                   const Run& run, const Method& method);

// Returns the first contact of two primitives whose corners move on curves (graze/query.h).
//
// Without a separation the default method is default_curved_method(): promises (1) to (3) above
// hold, and a query on lines has the answer of the straight query, bit for bit. Cost: a small
// multiple of that of straight queries; tens to hundreds of microseconds where integer arithmetic
// must decide, milliseconds where coordinates mix very different magnitudes.
//
// With a separation the answer without a method argument is conservative, in the norm of the
// options (L2 if they do not choose), with the promises of PathEnclosure below. A method argument
// that takes no separation is `invalid`.
template <Query Q>
Impact first_contact(const Curved<Q>& query, const Options& options = {});
template <Query Q>
Impact first_contact(const Curved<Q>& query, const Options& options, const Method& method);
template <Query Q>
void first_contact(std::span<const Curved<Q>> queries, std::span<Impact> impacts,
                   const Options& options = {}, const Run& run = {});
template <Query Q>
void first_contact(std::span<const Curved<Q>> queries, std::span<Impact> impacts,
                   const Options& options, const Run& run, const Method& method);

// A part of a path and a straight motion beside it: at every time begin + s (end - begin) of the
// part, s in [0, 1], each corner is within `deviation` (length, Euclidean) of the corner of `chord`
// at s.
template <Query Q>
struct EnclosedPath {
  Q chord;
  double deviation;
};

// Returns an enclosure of a path on [begin, end], 0 <= begin < end <= 1. It is called with several
// parts, in any order. For refinement to end, the deviation must fall with the length of the part.
template <Query Q>
using PathEnclosure = std::function<EnclosedPath<Q>(double begin, double end)>;

// Returns the first contact of two primitives on any paths that can be enclosed.
//
// For finite chords and deviations, with d = options.min_separation and the norm of the options:
//   (1) No contact (distance <= d) in [0, toi), whatever the verdict; `separated` is proven.
//   (2) On contact the distance is at most d + 2 options.distance_tol at some time of a part that
//       begins at toi, unless the part can be divided no further or its deviation does not fall.
//       toi_hi is t_max. u, v and normal are those of the chord, at its first time within the
//       distance.
//   (3) `undecided` after options.max_checks enclosures, with a safe toi; checks counts them.
//   (4) `invalid`: an option outside its range, a chord that is not finite, or a deviation that is
//       negative or not finite.
// Cost: one query of the exact method for a separation per part. It grows as the primitives stay
// near the distance d.
template <Query Q>
Impact first_contact(const PathEnclosure<Q>& path, const Options& options = {});

// Returns whether one parameter describes both rotations of a query, so that its first contact is
// exact. Both ways must be equal. An angle must be 0, or the angles equal, or one twice the other,
// up to sign. If both turn, the ratio of the lengths of their axes must be rational (as for equal
// or opposite axes and coordinate axes of any lengths). False if the query is not finite.
template <Query Q>
bool has_one_parameter(const Turning<Q>& query);

// Returns the first contact of two primitives that turn (graze/query.h).
//
// If has_one_parameter(query) and there is no separation, for all finite input:
//   (1) verdict is `contact` if and only if the closed primitives touch at some t in
//       [0, options.t_max]. No tolerance, never `undecided`.
//   (2) On contact toi is the largest double not after the exact earliest time and toi_hi the
//       smallest not before it. They are equal only at 0: no later time of contact is a double.
//   (3) The result depends on the arguments alone.
// Otherwise the answer is conservative, with the promises of PathEnclosure for turning_path(query);
// on contact toi_hi is then t_max. A path whose coordinates overflow is `undecided` with toi 0.
//
// Invalid: NaN or infinity in the query, an axis of length 0, an option outside its range.
// Cost: a few microseconds for pairs that are apart, tens at a contact, and hundreds where integer
// arithmetic must decide. Integers decide all queries with one angle twice the other. These take
// milliseconds, and tens of milliseconds about oblique axes if the coordinates have all their bits.
template <Query Q>
Impact first_contact(const Turning<Q>& query, const Options& options = {});
template <Query Q>
void first_contact(std::span<const Turning<Q>> queries, std::span<Impact> impacts,
                   const Options& options = {}, const Run& run = {});

// Returns the enclosure of a finite query that turns. It serves angles without a common parameter,
// rotation against straight motion, and paths made of several such motions. The deviation of a part
// is that of an arc from its chord plus a bound on the rounding.
template <Query Q>
PathEnclosure<Q> turning_path(const Turning<Q>& query);

// A maximal time interval of contact. Each end is enclosed by the tightest doubles, which are equal
// when the exact time is a double.
struct ContactInterval {
  double begin_lo, begin_hi, end_lo, end_hi;  // fractions of the step
  bool instant;                               // begins and ends at the same exact time
};

// The contacts of a step, in increasing order. The verdict is `separated` if there is none,
// `contact` otherwise; `undecided` and `invalid` have no intervals.
struct ContactTimes {
  Verdict verdict = Verdict::invalid;
  std::vector<ContactInterval> intervals;
};

// Returns all times in [0, options.t_max] at which the primitives touch, in increasing order.
//
// For all finite input:
//   (1) The intervals are exactly the connected components of the closed set of contact times. The
//       first interval begins at the toi of first_contact().
//   (2) The result depends on the arguments alone.
// Invalid: NaN or infinity in the query, an option outside its range, min_separation > 0.
// Cost: integer arithmetic on every root, microseconds; if all corners stay in a common plane, tens
// of microseconds.
template <Query Q>
ContactTimes contact_times(const Q& query, const Options& options = {});

// Answers queries[i] in times[i]. The spans must have equal length. If run.stop ends the call, the
// queries that it has not reached are `undecided` without intervals.
template <Query Q>
void contact_times(std::span<const Q> queries, std::span<ContactTimes> times,
                   const Options& options = {}, const Run& run = {});

// The same for corners that move on curves, with the same promises.
template <Query Q>
ContactTimes contact_times(const Curved<Q>& query, const Options& options = {});
template <Query Q>
void contact_times(std::span<const Curved<Q>> queries, std::span<ContactTimes> times,
                   const Options& options = {}, const Run& run = {});

// The same for primitives that turn, with the same promises. An interval that is not over at t_max
// ends there. Except for t_max and 0, no end of an interval is a double.
// Invalid: also if has_one_parameter(query) is false.
// `undecided`: there are more than options.max_checks intervals (0: no limit). A rotation by many
// full turns repeats its contacts in each turn.
// Cost: hundreds of microseconds, and tens of microseconds for each interval.
template <Query Q>
ContactTimes contact_times(const Turning<Q>& query, const Options& options = {});
template <Query Q>
void contact_times(std::span<const Turning<Q>> queries, std::span<ContactTimes> times,
                   const Options& options = {}, const Run& run = {});

// The batch forms for any range of queries.
template <Queries R>
void first_contact(const R& queries, std::span<Impact> impacts, const Options& options = {},
                   const Run& run = {}) {
  first_contact(std::span<const std::ranges::range_value_t<R>>(queries), impacts, options, run);
}
template <Queries R>
void first_contact(const R& queries, std::span<Impact> impacts, const Options& options,
                   const Run& run, const Method& method) {
  first_contact(std::span<const std::ranges::range_value_t<R>>(queries), impacts, options, run,
                method);
}
// Answers any range of queries.
template <Queries R>
void contact_times(const R& queries, std::span<ContactTimes> times, const Options& options = {},
                   const Run& run = {}) {
  contact_times(std::span<const std::ranges::range_value_t<R>>(queries), times, options, run);
}

}  // namespace graze
