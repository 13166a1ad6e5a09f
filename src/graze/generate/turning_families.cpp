#include "graze/generate/turning_families.h"

#include <array>
#include <cmath>

#include "graze/generate/random.h"

namespace graze::generate {
namespace {

// The corners of either kind of query, and the turns. The first corner always belongs to the first
// primitive and the last two to the second.
using Shape = Turning<VertexFace>;

double any_angle(Random& random, double most) {
  const double sign = random.one_in(2) ? 1 : -1;
  return sign * random.uniform(0.05, most);
}

Shape in_cube(Random& random) {
  Shape shape;
  for (Vec3& corner : shape.corners) corner = random.cube(-1, 1);
  for (Turn& turn : shape.turns) {
    turn.point = random.cube(-1, 1);
    turn.axis = random.cube(-1, 1);
  }
  return shape;
}

// One primitive turns about any axis, by less than half a turn.
Shape one_turns(Random& random) {
  Shape shape = in_cube(random);
  shape.turns[random.one_in(2)].angle = any_angle(random, 3);
  return shape;
}

// Both turn about parallel axes, in the same or in opposite senses, as gears do.
Shape gears(Random& random) {
  Shape shape = in_cube(random);
  auto& [first, second] = shape.turns;
  second.axis = random.one_in(2) ? first.axis : Vec3(-2 * first.axis);
  first.angle = any_angle(random, 3);
  second.angle = random.one_in(2) ? first.angle : -first.angle;
  return shape;
}

// A small turn of small primitives far from the axis, as in one step of a simulation.
Shape step_turns(Random& random) {
  Shape shape = in_cube(random);
  const Vec3 place = 10 * random.cube(-1, 1);
  for (Vec3& corner : shape.corners) corner = place + 0.2 * corner;
  shape.turns[0].angle = any_angle(random, 0.1);
  return shape;
}

// More than half a turn, up to several turns.
Shape many_turns(Random& random) {
  Shape shape = in_cube(random);
  shape.turns[random.one_in(2)].angle = any_angle(random, random.one_in(2) ? 7 : 40);
  return shape;
}

// One turns twice as fast as the other, about parallel or perpendicular axes.
Shape twice_as_fast(Random& random) {
  Shape shape = in_cube(random);
  auto& [first, second] = shape.turns;
  first.axis = {0, 0, random.uniform(0.5, 2)};
  second.axis = random.one_in(2) ? Vec3(0, random.uniform(-2, -0.5), 0) : first.axis;
  first.angle = any_angle(random, 2);
  second.angle = (random.one_in(2) ? 2 : 0.5) * first.angle;
  return shape;
}

Vec3 integer_axis(Random& random) {
  static const std::array<Vec3, 6> axes{Vec3(0, 0, 1), Vec3(0, 2, 0), Vec3(3, 0, 0),
                                        Vec3(1, 2, 2), Vec3(2, 3, 6), Vec3(0, 3, 4)};
  return axes[static_cast<std::size_t>(random.integer(0, 5))];
}

Shape on_lattice(Random& random) {
  Shape shape;
  const int bound = random.integer(1, 3);
  for (Vec3& corner : shape.corners) corner = random.lattice(bound);
  for (Turn& turn : shape.turns) {
    turn.point = random.lattice(1);
    turn.axis = integer_axis(random);
    if (turn.axis.isZero()) turn.axis = {1, 0, 0};
  }
  const double angle = any_angle(random, 5);
  shape.turns[0].angle = angle;
  if (random.one_in(3)) shape.turns[1].angle = (random.one_in(2) ? 1 : -1) * angle;
  return shape;
}

// All corners in a plane that is orthogonal to the axes: the motion stays in it.
Shape in_plane(Random& random) {
  Shape shape;
  const bool lattice = random.one_in(2);
  const auto place = [&] {
    Vec3 x = lattice ? random.lattice(2) : random.cube(-1, 1);
    x[2] = 0;
    return x;
  };
  for (Vec3& corner : shape.corners) corner = place();
  for (Turn& turn : shape.turns) turn.point = place();
  const double angle = any_angle(random, 4);
  shape.turns[0].angle = random.one_in(4) ? 0 : angle;
  if (random.one_in(2)) shape.turns[1].angle = random.one_in(2) ? angle : -angle;
  return shape;
}

// The first corner turns with radius 5 about the z axis and touches the plane x = 5 + gap of the
// others, at tan(theta / 2) = 1/2: a double root, or none, or two.
Shape tangent(Random& random) {
  Shape shape;
  const double gap = random.one_in(2) ? 0 : random.one_in(2) ? 0x1p-40 : -0x1p-40;
  shape.corners[0] = {3, -4, random.integer(-1, 1) + 0.0};
  for (std::size_t c = 1; c < 4; ++c) shape.corners[c] = Vec3(5 + gap, 0, 0);
  shape.corners[1] += Vec3(0, -2, -2);
  shape.corners[2] += Vec3(0, random.integer(-2, 2), 3);
  shape.corners[3] += Vec3(0, 2, -2);
  shape.turns[0].angle = random.uniform(0.5, 3);
  return shape;
}

// A corner of the first primitive begins on, or one ulp off, a corner or the middle of an edge of
// the second.
Shape touching_at_start(Random& random) {
  Shape shape = on_lattice(random);
  auto& p = shape.corners;
  p[0] = random.one_in(2) ? p[2] : Vec3((p[2] + p[3]) / 2);
  if (random.one_in(2)) {
    double& x = p[0][random.integer(0, 2)];
    x = x == 0 ? 0x1p-52 : std::nextafter(x, random.one_in(2) ? 8.0 : -8.0);
  }
  return shape;
}

// Corners on the axis, equal rotations of both primitives, and no rotation at all.
Shape relative_rest(Random& random) {
  Shape shape = on_lattice(random);
  auto& [first, second] = shape.turns;
  const int sort = random.integer(0, 2);
  if (sort == 0) shape.corners[0] = first.point + random.integer(-2, 2) * first.axis;
  if (sort == 1) second = first;
  if (sort == 2) first.angle = second.angle = 0;
  return shape;
}

// Coordinates and axes of very different size, zeros among them.
Shape mixed_sizes(Random& random) {
  const auto place = [&] {
    Vec3 x;
    for (double& coordinate : x) {
      coordinate = random.one_in(4) ? 0 : random.uniform(-1, 1);
      if (coordinate != 0) coordinate = std::ldexp(coordinate, -random.integer(0, 40));
    }
    return x;
  };
  Shape shape;
  for (Vec3& corner : shape.corners) corner = place();
  for (Turn& turn : shape.turns) {
    turn.point = place();
    turn.axis = place();
    if (turn.axis.isZero(0)) turn.axis = {0, 1, 0};
  }
  const double angle = any_angle(random, 3);
  const double size = std::ldexp(1.0, -random.integer(0, 60));
  shape.turns[random.one_in(2)].angle = angle * size;
  return shape;
}

// All coordinates so large or so small that products overflow or underflow.
Shape extreme_sizes(Random& random) {
  Shape shape = random.one_in(2) ? on_lattice(random) : one_turns(random);
  const double size = random.one_in(2) ? 0x1p1000 : 0x1p-1060;
  for (Vec3& corner : shape.corners) corner *= size;
  for (Turn& turn : shape.turns) turn.point *= size;
  return shape;
}

template <Shape (*made)(Random&), Query Q>
Turning<Q> turning_query(std::uint64_t seed, std::uint64_t index) {
  Random random(kind_of<Q> == Kind::edge_edge ? "turning edge-edge" : "turning vertex-face", 0,
                seed, index);
  const Shape shape = made(random);
  return {shape.corners, shape.turns};
}

template <Shape (*made)(Random&)>
constexpr TurningFamily turning_family(std::string_view name, std::string_view description,
                                       bool degenerate, bool mixed = false) {
  return {name,
          description,
          degenerate,
          mixed,
          turning_query<made, VertexFace>,
          turning_query<made, EdgeEdge>};
}

constexpr auto turning_table = std::to_array<TurningFamily>({
    turning_family<one_turns>("one-turns", "one turns about any axis", false),
    turning_family<gears>("gears", "both turn about parallel axes", false),
    turning_family<step_turns>("step-turns", "a small turn far from the axis", false),
    turning_family<many_turns>("many-turns", "half a turn to several turns", false),
    turning_family<twice_as_fast>("twice-as-fast", "speeds with the ratio 2", false),
    turning_family<on_lattice>("turning-lattice", "points of a small lattice", true),
    turning_family<in_plane>("turning-plane", "all corners in one plane at all times", true),
    turning_family<tangent>("tangent", "double roots, and gaps of 2^-40", true),
    turning_family<touching_at_start>("turning-touching", "contact at the start, or one ulp off",
                                      true),
    turning_family<relative_rest>("turning-rest", "corners that do not move to each other", true),
    turning_family<mixed_sizes>("turning-mixed", "coordinates from 1e-12 to 1, and zeros", true,
                                true),
    turning_family<extreme_sizes>("turning-extreme", "coordinates of 2^1000 or 2^-1060", true,
                                  true),
});

}  // namespace

std::span<const TurningFamily> turning_families() {
  return turning_table;
}

Turning<VertexEdge> as_vertex_edge(const Turning<VertexFace>& query) {
  return {{query.corners[0], query.corners[2], query.corners[3]}, query.turns};
}
Turning<VertexVertex> as_vertex_vertex(const Turning<VertexFace>& query) {
  return {{query.corners[0], query.corners[2]}, query.turns};
}

}  // namespace graze::generate
