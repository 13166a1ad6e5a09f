#pragma once

#include <span>

#include "graze/sim/contact_stencil.h"

namespace graze {

struct ImpulseLaw {
  double restitution = 0;  // e in [0, 1]: they part with e times the speed at which they met
  double friction = 0;     // Coulomb's coefficient, >= 0
  double parting = 0;      // they part at least at this speed, >= 0
};

// Lets two points of a pair bounce off each other: changes the velocities of its vertices so that
// the relative velocity w of the points (first minus second) along the unit normal, which points to
// the first, becomes -e times what it was, or `parting` if that is more, and tangentially smaller
// by the friction. Does nothing where the points part fast enough or all vertices are pinned
// (inverse mass 0). Returns the impulse given to the first.
//
//   (1) Linear momentum of the free vertices is conserved up to rounding where none is pinned.
//   (2) So is angular momentum, if vertices are where the impact is: there the vector between the
//       points is a multiple of the normal.
//   (3) Kinetic energy does not increase (restitution <= 1 and parting 0, up to rounding), with
//       friction or without: the resistance K = sum weight^2 / mass is the same in all directions,
//       so that the normal part loses (1 - e^2) w_n^2 / 2K and friction, which at most stops the
//       sliding, takes from the tangential part alone.
//   (4) Afterwards normal . w is the larger of -e times what it was and `parting`, up to rounding,
//       where an impulse was given.
//
// DEVIATION: [Jansen] (29) has 1 - e for 1 + e and a normal that is not of unit length in (28).
// Reference: [Jansen] Section 3.5, ERRATA.
Vec3 apply_impulse(const ContactStencil& stencil, const Vec3& normal, const ImpulseLaw& law,
                   std::span<const double> inverse_mass, std::span<Vec3> velocities);

}  // namespace graze
