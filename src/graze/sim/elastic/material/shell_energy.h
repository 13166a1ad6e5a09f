#pragma once

#include <array>
#include <span>

#include "graze/mesh.h"
#include "graze/sim/elastic/material/local_model.h"
#include "graze/sim/elastic/material/tet_energy.h"

namespace graze::sim::soft {

// Returns the Lame parameters of a thin sheet that is free to change its thickness (plane stress).
Lame lame_of_sheet(double young, double poisson);

// The stretching energy of a linear triangle. With F the derivative (3 x 2) of positions by
// positions in the plane of the triangle at rest, I = |F|^2 and J the ratio of areas,
//   psi(F) = mu/2 (I - 2) - mu log J + lambda/2 (log J)^2 per area and thickness at rest.
//   (1) It is smooth if the triangle has an area, and infinite otherwise.
//   (2) At rest energy and force are 0; for small strain in the plane it is Hooke's law.
//   (3) It is invariant under rigid motions.
//   (4) The projected Hessian is positive semidefinite up to rounding.
class MembraneEnergy {
 public:
  MembraneEnergy(std::span<const Vec3> rest, const Face& corners, const Lame& lame,
                 double thickness);

  const Face& corners() const { return corners_; }

  double energy(std::span<const Vec3> positions) const;
  LocalModel<3> linearize(std::span<const Vec3> positions, Curvature curvature) const;

 private:
  Eigen::Matrix<double, 3, 2> deformation(std::span<const Vec3> positions) const;

  Face corners_;
  Eigen::Matrix<double, 2, 3> slopes_;  // gradients of the hat functions, in the plane at rest
  double volume_;
  Lame lame_;
};

// The bending energy of two triangles with a common edge: quadratic in the positions (Bergou et al.
// 2006), hence exact for sheets that bend without being stretched. The rest shape is flat.
// Equilateral triangles, bent as a cylinder about any axis, have the energy of the plate; on other
// meshes the stiffness depends on the direction. `corners`: the edge, then the two opposite
// vertices.
//   (1) 0 for every flat position that is a linear image of the rest position.
//   (2) It is invariant under rigid motions.
//   (3) The Hessian is constant and positive semidefinite.
class BendingEnergy {
 public:
  using Corners = std::array<std::uint32_t, 4>;
  BendingEnergy(std::span<const Vec3> rest, const Corners& corners, double stiffness);

  const Corners& corners() const { return corners_; }

  double energy(std::span<const Vec3> positions) const;
  LocalModel<4> linearize(std::span<const Vec3> positions) const;

 private:
  Vec3 bend(std::span<const Vec3> positions) const;

  Corners corners_;
  std::array<double, 4> weights_;
  double factor_;
};

// Returns the hinges of a sheet: an edge of two triangles, then their opposite corners. Edges of
// more than two triangles are left out.
std::vector<BendingEnergy::Corners> hinges_of(std::span<const Face> faces);

// Returns the bending stiffness D of a plate.
double bending_stiffness(double young, double poisson, double thickness);

}  // namespace graze::sim::soft
