#include "graze/narrow/turning/turning_position.h"

#include <cmath>

#include "graze/core/numeric/rotation.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/narrow/contact/contact_point.h"

namespace graze::narrow {

// u = 2^-53, M = max(1, 2 |t angle|).
//
// The unit axis is off by 4 u (squares, their sum, root, quotient; it is scaled first so that
// nothing overflows), a = t angle axis by 6 u |a| <= 3 u M, and the quaternion of a by 10 u M
// (numeric::exponential): 13 u M. For the quaternion (w, q) the turned vector is
// v + 2 w (q x v) + 2 q x (q x v), which changes by at most 8 |v| times the error of the
// quaternion, 104 u M |v|; computing it, with |w|, |q| <= 1 + 2^-40, costs less than 30 u |v|; v
// itself is off by u |v|. The sum of point, t way and the turned vector costs 4 u of each. In all
// 140 u M |v| + 4 u (|point| + |way|) at most; the factors 150 and 5 cover the rounding of the
// bound, which is added up in the max norm times 2 > sqrt(3). The bound of exponential() holds for
// |a| <= 2^39. Underflow: 2^-1060 covers all.
TurningCorner turning_corner(const Vec3& x, const Turn& turn, double t) {
  constexpr double inf = Impact::inf;
  const double way = turn.way.lpNorm<Eigen::Infinity>();
  if (turn.angle == 0) {
    const Vec3 position = x + t * turn.way;
    return {position, turn.way,
            way == 0 ? 0 : 2 * (5 * numeric::u * (x.lpNorm<Eigen::Infinity>() + way)) + 0x1p-1060,
            0};
  }
  const Vec3 v = x - turn.point;
  const Vec3 scaled = turn.axis / turn.axis.lpNorm<Eigen::Infinity>();
  const Vec3 axis = scaled / scaled.norm();
  const double angle = t * turn.angle;
  const Eigen::Quaterniond rotation = numeric::exponential(angle * axis);
  const Vec3 q = rotation.vec(), across = q.cross(v);
  const Vec3 turned = v + 2 * (rotation.w() * across + q.cross(across));
  const double size = v.lpNorm<Eigen::Infinity>(), turns = std::max(1.0, 2 * std::abs(angle));
  TurningCorner corner;
  corner.position = turn.point + t * turn.way + turned;
  corner.velocity = turn.way + turn.angle * axis.cross(turned);
  corner.error =
      std::abs(turn.angle) <= 0x1p30 && size < 0x1p500
          ? 2 * numeric::u *
                    (150 * turns * size + 5 * (turn.point.lpNorm<Eigen::Infinity>() + way)) +
                0x1p-1060
          : inf;
  // axis x v is off by 12 u |v|.
  corner.radius = axis.cross(v).norm() * (1 + 0x1p-48) + 0x1p-48 * size;
  return corner;
}

namespace {

double largest(const Vec3& x) {
  return x.lpNorm<Eigen::Infinity>();
}

template <class Query>
void locate(Turning<Query> query, Impact& impact) {
  // The size of the coordinates changes neither u, v nor the normal.
  double size = 0;
  for (const Vec3& corner : query.corners) size = std::max(size, largest(corner));
  for (const Turn& turn : query.turns)
    size = std::max({size, largest(turn.way), turn.angle != 0 ? largest(turn.point) : 0});
  if (size != 0 && !(size > 0x1p-100 && size < 0x1p100)) {
    const int exponent = -std::ilogb(size);
    const auto scale = [&](Vec3& x) {
      for (double& coordinate : x) coordinate = std::ldexp(coordinate, exponent);
    };
    for (Vec3& corner : query.corners) scale(corner);
    for (Turn& turn : query.turns) {
      scale(turn.way);
      if (turn.angle != 0) scale(turn.point);
    }
  }
  // A straight motion that begins at toi with these corners and velocities, which are scaled so
  // that the step is about as long as the primitives are large.
  Query tangent;
  std::array<Vec3, 4> velocities;
  for (std::size_t c = 0; c < 4; ++c) {
    const TurningCorner corner =
        turning_corner(query.corners[c], query.turns[primitive_of<Query>(c)], impact.toi);
    tangent.start[c] = corner.position;
    velocities[c] = corner.velocity;
  }
  double extent = 0, speed = 0;
  for (std::size_t c = 1; c < 4; ++c) {
    extent = std::max(extent, largest(tangent.start[c] - tangent.start[0]));
    speed = std::max(speed, largest(velocities[c] - velocities[0]));
  }
  const double scale =
      speed > 0 && extent > 0 && std::isfinite(extent / speed) ? extent / speed : 1;
  for (std::size_t c = 0; c < 4; ++c) tangent.end[c] = tangent.start[c] + scale * velocities[c];
  const double toi = impact.toi;
  impact.toi = 0;
  locate_contact(tangent, impact);
  impact.toi = toi;
}

}  // namespace

void locate_turning_contact(const Turning<VertexFace>& query, Impact& impact) {
  locate(query, impact);
}
void locate_turning_contact(const Turning<EdgeEdge>& query, Impact& impact) {
  locate(query, impact);
}

}  // namespace graze::narrow
