#pragma once

#include "graze/sim/elastic/material/local_model.h"
#include "graze/sim/elastic/material/tet_mesh.h"

namespace graze::sim::soft {

// The Lame parameters of an isotropic material.
struct Lame {
  double mu, lambda;
};
Lame lame_of_solid(double young, double poisson);

// The energy of a linear tetrahedron of the stable neo-Hookean material of Smith, de Goes and Kim
// 2018: with F the derivative of positions by positions at rest, J = det F and I = |F|^2
// (Frobenius)
//   psi(F) = m/2 (I - 3) - m/2 log((I + 1)/4) + l/2 (J - a)^2 - l/2 (1 - a)^2 per volume at rest,
//   m = 4/3 mu, l = lambda + 5/6 mu, a = 1 + 3m/(4l).
//   (1) It is smooth for every F, inverted and flat elements included.
//   (2) At rest energy and force are 0; for small strain it is Hooke's law with mu and lambda.
//   (3) It is invariant under rigid motions.
//   (4) The projected Hessian is positive semidefinite up to rounding.
class TetEnergy {
 public:
  TetEnergy(std::span<const Vec3> rest, const Tetrahedron& corners, const Lame& lame);

  const Tetrahedron& corners() const { return corners_; }
  double volume() const { return volume_; }  // at rest

  double energy(std::span<const Vec3> positions) const;
  LocalModel<4> linearize(std::span<const Vec3> positions, Curvature curvature) const;

 private:
  Eigen::Matrix3d deformation(std::span<const Vec3> positions) const;

  Tetrahedron corners_;
  Eigen::Matrix<double, 3, 4> slopes_;  // gradients of the hat functions of the corners, at rest
  double volume_, m_, l_, a_;
};

}  // namespace graze::sim::soft
