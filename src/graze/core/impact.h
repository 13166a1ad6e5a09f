#pragma once

#include <cstdint>
#include <limits>

#include "graze/core/vec3.h"

namespace graze {

enum class Verdict : std::uint8_t { separated, contact, undecided, invalid };

// Where on the two primitives the first contact lies, where the method knows it.
enum class ContactKind : std::uint8_t {
  unknown,
  interior,  // inside the face; inside both edges
  edge,      // on one edge of the face; an end of one edge inside the other
  vertex,    // at a corner of the face; at an end of both edges
  coplanar   // no single plane of contact: the corners stay coplanar all along, or at the contact
             // the face has collapsed or the edges are parallel
};

// What a method says of one query.
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
// it without proof. It makes `toi` a safe step whatever the verdict.
//
// vertex-face: the contact lies at (1-u-v) f0 + u f1 + v f2. edge-edge: at (1-u) a0 + u a1 and
// (1-v) b0 + v b1.
struct Impact {
  static constexpr double inf = std::numeric_limits<double>::infinity();
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  Verdict verdict = Verdict::separated;
  ContactKind kind = ContactKind::unknown;
  std::uint32_t checks = 0;  // method-specific unit of work: boxes, roots, iterations
  double toi = inf, toi_hi = inf;
  double u = nan, v = nan;
  Vec3 normal = Vec3::Constant(nan);

  static Impact separated(std::uint32_t checks = 0) {
    Impact impact;
    impact.checks = checks;
    return impact;
  }
  static Impact contact(double toi, double toi_hi, std::uint32_t checks = 0) {
    Impact impact;
    impact.verdict = Verdict::contact;
    impact.toi = toi;
    impact.toi_hi = toi_hi;
    impact.checks = checks;
    return impact;
  }
  static Impact undecided(double toi, double t_max, std::uint32_t checks = 0) {
    Impact impact;
    impact.verdict = Verdict::undecided;
    impact.toi = toi;
    impact.toi_hi = t_max;
    impact.checks = checks;
    return impact;
  }
  static Impact invalid() {
    Impact impact;
    impact.verdict = Verdict::invalid;
    impact.toi = 0;
    impact.toi_hi = nan;
    return impact;
  }
};
static_assert(sizeof(Impact) == 64);  // a line of the cache

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
