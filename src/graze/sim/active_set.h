#pragma once

#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "graze/earliest_impact.h"
#include "graze/sim/contact_stencil.h"

namespace graze {

// A linear constraint that keeps the two primitives of a pair apart: gap(x) >= 0, where
// gap(x) = normal . stencil.between(x) - eta. The stencil is that of the points that met; the
// normal points to the side on which the first was at the start of its step.
struct ContactConstraint {
  PairKind kind{};
  Pair pair{};
  double toi = 0, eta = 0;
  Vec3 normal;
  ContactStencil stencil;

  double gap(std::span<const Vec3> positions) const {
    return normal.dot(stencil.between(positions)) - eta;
  }
};

// The constraints of the pairs that came within eta of each other, collected over the iterations of
// a time step. Reference: [Wang 2021] Alg. 3; constraints as in its Section 7.1.
//   (1) After update(), every pair that comes within eta during that motion (in the Euclidean norm;
//       eta = 0: that touches) has a constraint: with separation_root or exact, which are the
//       methods if none is named, no other has; with a conservative method others may.
//   (2) A pair has one constraint, of the first update that found it; clear() forgets them.
//   (3) Where the pair was apart by more than eta at the start of the motion and its contact is not
//       degenerate, gap > 0 at that start up to rounding.
class ActiveSet {
 public:
  explicit ActiveSet(double eta) : eta_(eta) {}

  // Adds what the motion brings within eta; returns how many constraints are new. The options'
  // separation is not read. Where their method does not know the normal of a contact, it is that of
  // the face, or of both edges, at toi; where it does not know the points, they are the closest
  // ones. Positions that are not finite add nothing.
  std::size_t update(const MovingMesh& moving, StepOptions options = {});
  void clear();

  std::span<const ContactConstraint> constraints() const { return constraints_; }

 private:
  double eta_;
  std::vector<ContactConstraint> constraints_;
  std::set<std::tuple<PairKind, Pair>> known_;
};

}  // namespace graze
