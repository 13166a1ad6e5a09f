#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "graze/sim/impulse.h"
#include "graze/step.h"

namespace graze::sim {

// A linear constraint that keeps the two primitives of a pair apart: gap(x) >= 0, where
// gap(x) = normal . stencil.between(x) - eta. The stencil is that of the contact points; the normal
// points to the side of the first primitive at the start of the motion.
struct ContactConstraint {
  Kind kind{};
  Pair pair{};
  double toi = 0;  // fraction of the motion that found the pair
  double eta = 0;  // length
  Vec3 normal;     // unit vector
  ContactStencil stencil;

  // Returns the signed gap at `positions`, which are indexed by vertex.
  double gap(std::span<const Vec3> positions) const {
    return normal.dot(stencil.between(positions)) - eta;
  }
};

// The constraints of all pairs that came within eta of each other, collected over the iterations of
// a time step.
//   (1) After update(), every pair that comes within eta during that motion (Euclidean norm; eta =
//       0: that touches) has a constraint. With the default method (separation_root, or exact for
//       eta = 0) no other pair has one; with a conservative method others may.
//   (2) A pair has one constraint, that of the first update that found it, until clear().
//   (3) gap > 0 at the start of the motion, up to rounding, if the pair was more than eta apart
//       there and its contact is not degenerate.
// Reference: [Wang 2021] Alg. 3, Section 7.1.
class ActiveSet {
 public:
  explicit ActiveSet(double eta) : eta_(eta) {}  // length, >= 0

  // Adds a constraint for every new pair that comes within eta during the motion and returns how
  // many were added. options.query.min_separation is replaced by eta. If the method reports no
  // normal, the normal of the face, or of both edges, at toi is used; if it reports no contact
  // points, the closest points at toi are used. Non-finite positions add nothing.
  std::size_t update(const MovingMesh& moving, StepOptions options = {}, const Run& run = {});
  // Removes all constraints.
  void clear();

  std::span<const ContactConstraint> constraints() const { return constraints_; }

 private:
  double eta_;
  std::vector<ContactConstraint> constraints_;
  std::set<std::tuple<Kind, Pair>> known_;
};

}  // namespace graze::sim
