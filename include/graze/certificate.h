#pragma once

#include <cstdint>
#include <ranges>
#include <span>
#include <vector>

#include "graze/first_contact.h"
#include "graze/impact.h"
#include "graze/options.h"
#include "graze/query.h"

namespace graze {

// A proof that two moving primitives do not touch during a piece of time.
//
// The proof is a direction n(s), s in [0, 1] from the beginning of the piece to its end, with
// n(s).(x - y) > 0 for every corner x of the first primitive and y of the second: a plane with
// normal n(s) separates the primitives. With K + 1 entries in `direction`,
//   n(s) = sum over k of direction[k] (1 - s)^(K - k) s^k.
// x - y is linear in s, say d0 (1 - s) + d1 s. In the same form n.(x - y) has the coefficients
//   direction[k].d0 + direction[k - 1].d1,  k = 0 .. K + 1 (terms beyond the ends are absent).
// All of them are positive; that is the proof. K = 0 is a constant direction: the signs at the two
// ends of the piece prove it.
//
// Every number is the exact sum of doubles in order of decreasing size, because one double does not
// always suffice: primitives can pass each other between two neighbouring doubles of time, and a
// gap of one unit in the last place needs a direction with more digits. The first term alone is the
// number rounded. Ordinary misses need one term.
struct CertificatePiece {
  // The time at which the piece ends, as a fraction of Certificate::t_max. The piece begins where
  // the one before ends, the first one at 0.
  std::vector<double> end;
  // The coefficients of the direction; each is the sum of its vectors.
  std::vector<std::vector<Vec3>> direction;
};

// A proof that two moving primitives do not touch in [0, t_max], or the reason why there is none.
//
//   verdict    meaning
//   separated  proven: `pieces` cover [0, t_max] in order
//   contact    the primitives touch in [0, t_max]; no pieces
//   undecided  options.max_checks pieces were tried, the proof needs numbers beyond the range of
//              doubles, or a batch was stopped before this query; no pieces
//   invalid    NaN or infinity in the query, an option outside its range, or min_separation > 0; no
//              pieces
struct Certificate {
  Verdict verdict = Verdict::invalid;
  double t_max = 1;  // fraction of the step
  std::vector<CertificatePiece> pieces;
};

// Returns a proof that the primitives do not touch in [0, options.t_max].
//
//   (1) verdict is `separated` only if the primitives do not touch, and then the pieces prove it.
//   (2) Given enough checks, verdict is `separated` if and only if the primitives do not touch,
//       unless a piece shorter than 2^-1074 t_max, or a direction with components further apart
//       than the range of doubles, is needed. No query of the tests needs either.
//   (3) verify() accepts every proof. A proof can also be checked without this library: rational
//       arithmetic on the products above is enough (test/support/proof.h).
// Only t_max and max_checks are read. Directions are constant except for narrow misses; there they
// turn with the features that face each other, because a gap g beside a turning face needs about
// 1 / g constant directions. Cost: microseconds for a clear miss; milliseconds and some hundred
// checks where the gap is a rounding error.
template <Query Q>
Certificate certificate(const Q& query, const Options& options = {});

// Answers queries[i] in certificates[i], with the answers of the one-query form. The spans must
// have equal length. If run.stop ends the call, the queries that it has not reached are `undecided`
// without pieces.
template <Query Q>
void certificate(std::span<const Q> queries, std::span<Certificate> certificates,
                 const Options& options = {}, const Run& run = {});

// Returns whether the certificate proves that the primitives do not touch in [0, t_max]. The check
// is exact and accepts no wrong proof, wherever the certificate comes from. Cost: microseconds per
// piece with one-term numbers.
template <Query Q>
bool verify(const Certificate& certificate, const Q& query);

// Sets valid[i] to 1 if verify(certificates[i], queries[i]), otherwise to 0. The spans must have
// equal length. If run.stop ends the call, the certificates that it has not reached get 0.
template <Query Q>
void verify(std::span<const Certificate> certificates, std::span<const Q> queries,
            std::span<std::uint8_t> valid, const Run& run = {});

// The batch form of certificate() for any range of queries.
template <Queries R>
void certificate(const R& queries, std::span<Certificate> certificates, const Options& options = {},
                 const Run& run = {}) {
  certificate(std::span<const std::ranges::range_value_t<R>>(queries), certificates, options, run);
}
// The batch form of verify() for any range of queries.
template <Queries R>
void verify(std::span<const Certificate> certificates, const R& queries,
            std::span<std::uint8_t> valid, const Run& run = {}) {
  verify(certificates, std::span<const std::ranges::range_value_t<R>>(queries), valid, run);
}

}  // namespace graze
