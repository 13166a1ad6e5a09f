#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "graze/vec3.h"

namespace graze {

// The outcome of a query. The comment of Impact has a table of the times that come with each.
enum class Verdict : std::uint8_t {
  separated,  // no contact in [0, t_max]
  contact,    // a contact in [0, t_max]
  undecided,  // the budget was spent, or the call was stopped, before a decision
  invalid     // NaN or infinity in the query, or an option out of its range
};

// The part of the two primitives on which the first contact lies, where the method determines it.
enum class ContactKind : std::uint8_t {
  unknown,
  interior,  // inside the face; inside both edges
  edge,      // on one edge of the face; an end of one edge inside the other edge
  vertex,    // at a corner of the face; at an end of both edges
  coplanar   // no single contact plane: the corners are coplanar during the whole step, or at the
             // contact the face is collapsed or the edges are parallel
};

// A length >= 0 in two bytes: rounded up to the next double with 6 significant bits, by at most
// 1/32 of its value. NaN stays NaN.
class Tolerance {
 public:
  constexpr Tolerance() = default;  // NaN
  constexpr Tolerance(double length)
      : code_(length >= 0 ? static_cast<std::uint16_t>(
                                (std::bit_cast<std::uint64_t>(length + 0.0) + dropped) >> shift)
                          : none) {}
  // Returns the length.
  constexpr operator double() const { return std::bit_cast<double>(std::uint64_t{code_} << shift); }

 private:
  // The code is the exponent and the first five bits of the mantissa. Adding `dropped` carries into
  // the code unless all other bits are 0, which rounds up; infinity has no other bits.
  static constexpr int shift = 47;
  static constexpr std::uint64_t dropped = (std::uint64_t{1} << shift) - 1;
  static constexpr std::uint16_t none = 0xffff;

  std::uint16_t code_ = none;
};

// The answer of a method to one query.
//
//   verdict    toi                      toi_hi                            u, v, normal
//   separated  inf                      inf                               NaN
//   contact    no contact in [0, toi)   exact methods: tightest double    at the first contact
//                                       with a contact in [toi, toi_hi];  where known, else NaN
//                                       others: t_max or a proven bound
//   undecided  no contact in [0, toi)   t_max                             NaN
//   invalid    0                        NaN                               NaN
//
// "No contact in [0, toi)" is a promise of exact and conservative methods; heuristic methods claim
// it without proof. It makes `toi` a safe step for every verdict. Times are fractions of the step.
//
// u and v give the place of the contact:
//   vertex-face   (1-u-v) f0 + u f1 + v f2
//   edge-edge     (1-u) a0 + u a1 and (1-v) b0 + v b1
//   vertex-edge   (1-u) a + u b; v is NaN
//   vertex-vertex u and v are NaN
//   edge-face     (1-u-v) f0 + u f1 + v f2
// `normal` is a unit vector from the second primitive (the face, edge b, the edge, the second
// vertex) to the first, as they approach: normal . (velocity of the first - velocity of the second)
// <= 0 at the contact, up to rounding. The orientation of faces does not matter. Only an edge that
// pierces a face has the face's own normal: (f1 - f0) x (f2 - f0).
struct Impact {
  static constexpr double inf = std::numeric_limits<double>::infinity();   // no time
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();  // not known

  Verdict verdict = Verdict::separated;
  ContactKind kind = ContactKind::unknown;  // of a contact
  // Length: the tolerance that a refining method reached, which may be better or worse than
  // Options::distance_tol (second result of [Wang 2021] Alg. 2). NaN if the method has none.
  Tolerance reached_tol;
  // Work done, in a unit of the method: boxes, roots, iterations; 2^32 - 1 if more.
  std::uint32_t checks = 0;
  double toi = inf, toi_hi = inf;
  double u = nan, v = nan;
  Vec3 normal = Vec3::Constant(nan);

  // Returns a miss.
  static Impact separated(std::uint32_t checks = 0) {
    Impact impact;
    impact.checks = checks;
    return impact;
  }
  // Returns a contact whose place is not known.
  static Impact contact(double toi, double toi_hi, std::uint32_t checks = 0) {
    Impact impact;
    impact.verdict = Verdict::contact;
    impact.toi = toi;
    impact.toi_hi = toi_hi;
    impact.checks = checks;
    return impact;
  }
  // Returns the answer when the budget is spent: no contact in [0, toi).
  static Impact undecided(double toi, double t_max, std::uint32_t checks = 0) {
    Impact impact;
    impact.verdict = Verdict::undecided;
    impact.toi = toi;
    impact.toi_hi = t_max;
    impact.checks = checks;
    return impact;
  }
  // Returns the answer to a query or an option that is not usable.
  static Impact invalid() {
    Impact impact;
    impact.verdict = Verdict::invalid;
    impact.toi = 0;
    impact.toi_hi = nan;
    return impact;
  }
};
static_assert(sizeof(Impact) ==
              64);  // one cache line: batches that mostly miss are bound by memory

// Returns the name used by the command and in files.
constexpr const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::separated:
      return "separated";
    case Verdict::contact:
      return "contact";
    case Verdict::undecided:
      return "undecided";
    case Verdict::invalid:
      return "invalid";
  }
  return "?";
}

}  // namespace graze
