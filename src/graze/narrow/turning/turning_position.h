#pragma once

#include "graze/impact.h"
#include "graze/query.h"

namespace graze::narrow {

// A corner at a time: its position with a bound of the error, and its velocity, which is rounded.
struct TurningCorner {
  Vec3 position, velocity;
  double error;   // length, Euclidean; infinite if there is no bound
  double radius;  // the distance from the axis, not below the exact one; 0 without rotation
};

// Returns the position and the velocity of corner x at time t in [0, 1], in plain double arithmetic
// without libm: the same bits on every machine.
TurningCorner turning_corner(const Vec3& x, const Turn& turn, double t);

// Fills u, v and normal of a contact, as locate_contact() of contact_point.h does, from the corners
// and velocities at impact.toi.
void locate_turning_contact(const Turning<VertexFace>& query, Impact& impact);
void locate_turning_contact(const Turning<EdgeEdge>& query, Impact& impact);

}  // namespace graze::narrow
