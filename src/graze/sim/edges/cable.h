#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/sim/block_matrix.h"
#include "graze/sim/edges.h"

namespace graze::sim::edges {

// Bending and torsion of a cable as a discrete elastic rod with a round cross-section, straight at
// rest.
//
// Bending: at an inner particle the cable turns by b = f/|f| - e/|e|, |b| = 2 sin(angle / 2), from
// its element e to the next element f. The energy is bend |b|^2 / (l_e + l_f), with rest lengths.
// DEVIATION: the usual 2 tan(angle / 2) is unbounded, so that an impulse that folds a cable could
// add any energy.
//
// Torsion carries no inertia and spreads at once: its energy is twist Theta^2 / 2 l, where Theta is
// the turn between the first and the last element and l the rest length between their centres.
// Theta is the sum of `turn` and of the writhe of the centre line. Writhe is measured by frames
// that are transported in time without turning about their element, so Theta is right while no
// element turns by half a turn or more per step.
// Reference: Bergou et al., Discrete Elastic Rods (2008), Discrete Viscous Threads (2010). [Jansen]
// 3.7 names this as future work.
class CableElasticity {
 public:
  CableElasticity(const Cable& model, std::span<const Vec3> rest);

  // Returns the energy at `positions`, with the frames transported there.
  double energy(std::span<const Vec3> positions) const;
  // Adds the gradient of the energy to `gradient` (3 entries per particle). Exact if the frames are
  // those of these positions: the turn depends on the path.
  void add_gradient(std::span<const Vec3> positions, Eigen::VectorXd& gradient) const;
  // Adds the Gauss-Newton matrix: positive semidefinite, the Hessian without the terms in the
  // second derivatives of bend and turn.
  void add_curvature(std::span<const Vec3> positions, BlockMatrix& curvature) const;

  // Transports the frames to `positions`.
  void carry(std::span<const Vec3> positions);

  // Returns Theta at `positions`, in radians.
  double turn_at(std::span<const Vec3> positions) const;

  const std::vector<CableFrame>& frames() const { return frames_; }
  void set_frames(std::vector<CableFrame> frames) { frames_ = std::move(frames); }

 private:
  struct Bend;
  Bend bend_at(std::span<const Vec3> positions, std::size_t inner) const;
  std::vector<CableFrame> carried(std::span<const Vec3> positions) const;

  std::vector<std::uint32_t> particles_;
  std::vector<double> lengths_;  // of inner particle i: sum of the rest lengths of both elements
  double bend_, twist_, turn_, between_ends_;
  bool holds_turn_;
  std::vector<CableFrame> frames_;  // one per element
};

}  // namespace graze::sim::edges
