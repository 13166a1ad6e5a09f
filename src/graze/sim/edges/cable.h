#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/vec3.h"
#include "graze/sim/block_matrix.h"

namespace graze {

// A straight cable before it is bent: particles in a row, and how it resists.
struct CableModel {
  std::vector<std::uint32_t> particles;  // at least 2, all different
  double stretch = 0;                    // force per strain: modulus times cross-section, > 0
  double bend = 0, twist = 0;            // modulus times second moment of area, >= 0
  double turn = 0;          // radians by which its last element is turned against its first
  bool holds_turn = false;  // both ends are clamped against turning; else no twist stays in it
};

// Bending and torsion of a cable as a discrete elastic rod with a round cross-section, straight at
// rest. At an inner particle the cable turns by b = f/|f| - e/|e|, |b| = 2 sin(angle / 2), from its
// element e to the next, f, and the bending energy is bend |b|^2 / (l_e + l_f), with the lengths at
// rest. (The usual 2 tan(angle / 2) has no bound: an impulse that folds a cable would put any
// energy into it.) Torsion carries no inertia: it spreads at once, so that its energy is twist
// Theta^2 / 2 l for the turn Theta between the first and the last element, l the length at rest
// between their centres. Theta grows with `turn` and with the writhe of the centre line; writhe is
// counted by frames that are carried along in time without turning about their element, hence Theta
// is right while an element turns by less than half a turn per step. Reference: Bergou et al.,
// Discrete Elastic Rods (2008), Discrete Viscous Threads (2010). [Jansen] 3.7 left this for later.
class CableElasticity {
 public:
  CableElasticity(const CableModel& model, std::span<const Vec3> rest);

  // The energy at other positions, the frames being carried there.
  double energy(std::span<const Vec3> positions) const;
  // Adds the gradient of the energy to that of all particles (3 numbers each). Exact where the
  // frames have been carried to these positions: the turn depends on the way.
  void add_gradient(std::span<const Vec3> positions, Eigen::VectorXd& gradient) const;
  // Adds a positive semi-definite matrix that bounds the curvature of the energy up to terms in its
  // gradient (Gauss-Newton).
  void add_curvature(std::span<const Vec3> positions, BlockMatrix& curvature) const;

  // Carries the frames on: the positions are those reached.
  void carry(std::span<const Vec3> positions);

  // Theta, in radians.
  double turn_at(std::span<const Vec3> positions) const;
  void set_turn(double turn) { turn_ = turn; }

  // What carry() has left, and back: all that a saved state needs.
  struct Frame {
    Vec3 along, across;  // unit vectors: of the element, and orthogonal to it
    double twist;        // of the frame against that of the element before
  };
  const std::vector<Frame>& frames() const { return frames_; }
  void set_frames(std::vector<Frame> frames) { frames_ = std::move(frames); }

 private:
  struct Bend;
  Bend bend_at(std::span<const Vec3> positions, std::size_t inner) const;
  std::vector<Frame> carried(std::span<const Vec3> positions) const;

  std::vector<std::uint32_t> particles_;
  std::vector<double> lengths_;  // of inner particle i: of both its elements together
  double bend_, twist_, turn_, between_ends_;
  bool holds_turn_;
  std::vector<Frame> frames_;  // one per element
};

}  // namespace graze
