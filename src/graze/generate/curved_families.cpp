#include "graze/generate/curved_families.h"

#include <array>
#include <cmath>

#include "graze/generate/random.h"

namespace graze::generate {
namespace {

using Corners = std::array<Vec3, 4>;
using Points = std::array<Corners, 4>;

template <class Draw>
Points each_point(Draw&& draw) {
  Points points;
  for (Corners& corners : points)
    for (Vec3& corner : corners) corner = draw();
  return points;
}

// Places straight motion from `start` to `end` on a curve, up to rounding.
Points on_line(Curve curve, const Corners& start, const Corners& end) {
  Points points;
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3 way = end[c] - start[c];
    points[0][c] = start[c];
    if (curve == Curve::line) points[1][c] = end[c];
    if (curve == Curve::quadratic) {
      points[1][c] = start[c] + way / 2;
      points[2][c] = end[c];
    }
    if (curve == Curve::cubic) {
      points[1][c] = start[c] + way / 3;
      points[2][c] = end[c] - way / 3;
      points[3][c] = end[c];
    }
    if (curve == Curve::hermite) {
      points[1][c] = points[2][c] = way;
      points[3][c] = end[c];
    }
  }
  return points;
}

Points random_points(Curve, Random& random) {
  return each_point([&] { return random.cube(-1, 1); });
}

// Straight motion, bent by a tenth of its length.
Points bent_points(Curve curve, Random& random) {
  Corners start, end;
  for (Vec3& corner : start) corner = random.cube(-1, 1);
  for (std::size_t c = 0; c < 4; ++c) end[c] = start[c] + random.cube(-1, 1);
  Points points = on_line(curve, start, end);
  for (Corners& corners : points)
    for (Vec3& corner : corners) corner += random.cube(-0.1, 0.1);
  return points;
}

Points lattice_points(Curve, Random& random) {
  const int bound = random.integer(1, 4);
  return each_point([&] { return random.lattice(bound); });
}

// Straight motion between points of a lattice. All coordinates are multiples of 6, so that the
// curve is exactly the line.
Points elevated_points(Curve curve, Random& random) {
  Corners start, end;
  for (Vec3& corner : start) corner = 6 * random.lattice(3);
  for (Vec3& corner : end) corner = 6 * random.lattice(3);
  return on_line(curve, start, end);
}

// All corners stay in a common plane.
Points planar_points(Curve, Random& random) {
  const int axis = random.integer(0, 2);
  const bool lattice = random.one_in(2);
  return each_point([&] {
    Vec3 x = lattice ? random.lattice(2) : random.cube(-1, 1);
    x[axis] = 0;
    return x;
  });
}

// The first corner falls towards the plane of the others and rises again. All coordinates are
// exact: the corner touches the plane at t = 1/2, or misses it or passes through it by 2^-40.
Points grazing_points(Curve curve, Random& random) {
  const int sort = random.integer(0, 3);
  const double gap = sort == 0 ? 0x1p-40 : sort == 1 ? -0x1p-40 : 0;
  Points points{};
  const std::size_t count = point_count(curve);
  Corners base;
  for (Vec3& corner : base) {
    corner = random.lattice(2);
    corner[2] = 0;
  }
  for (std::size_t i = 0; i < count; ++i) points[i] = base;
  if (curve == Curve::hermite) {
    for (std::size_t c = 0; c < 4; ++c) points[1][c] = points[2][c] = Vec3::Zero();
    points[0][0][2] = points[3][0][2] = 1 + gap;  // 1/2 (p0 + p3) + 1/8 (v0 - v1) at t = 1/2
    points[1][0][2] = -4;
    points[2][0][2] = 4;
  } else if (curve == Curve::quadratic) {
    points[0][0][2] = points[2][0][2] = 1 + gap;
    points[1][0][2] = -1 + gap;
  } else if (curve == Curve::cubic) {
    points[0][0][2] = points[3][0][2] = 3 + gap;
    points[1][0][2] = points[2][0][2] = -1 + gap;
  } else {
    points[0][0][2] = 1;
    points[1][0][2] = gap;
  }
  return points;
}

// A corner of the first primitive reaches a corner or an edge of the second at an end of the step.
Points touching_points(Curve curve, Random& random) {
  Points points = random_points(curve, random);
  const std::size_t last = point_count(curve) - 1;
  const std::size_t at = random.one_in(2) ? 0 : last;
  if (random.one_in(2)) {
    points[at][0] = points[at][2];
  } else {
    points[at][2] = random.lattice(2);
    points[at][3] = random.lattice(2);
    points[at][0] = (points[at][2] + points[at][3]) / 2;
  }
  if (random.one_in(3)) {  // one ulp off
    double& x = points[at][0][random.integer(0, 2)];
    x = x == 0 ? 0x1p-52 : std::nextafter(x, random.one_in(2) ? 8.0 : -8.0);
  }
  return points;
}

// Corners on curves that approximate arcs about the z axis. The other corners rest.
Points turning_points(Curve curve, Random& random) {
  Points points = each_point([] { return Vec3(Vec3::Zero()); });
  const Vec3 offset = random.cube(-1, 1);
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3 rest = random.cube(-1, 1);
    const bool turns = c == 0 || (c == 1 && random.one_in(2));
    const Vec3 turned(-rest[1], rest[0], rest[2]),
        corner(rest[0] - rest[1], rest[0] + rest[1], rest[2]);
    const Vec3 path[4] = {
        rest, curve == Curve::hermite ? Vec3(1.5 * (turned - Vec3(0, 0, rest[2]))) : corner,
        curve == Curve::quadratic ? turned
        : curve == Curve::hermite ? Vec3(-1.5 * (rest - Vec3(0, 0, rest[2])))
                                  : corner,
        turned};
    for (std::size_t i = 0; i < 4; ++i) {
      const bool velocity = curve == Curve::hermite && (i == 1 || i == 2);
      points[i][c] = turns ? path[i] : velocity ? Vec3(Vec3::Zero()) : Vec3(rest + offset / 4);
    }
  }
  return points;
}

// Coordinates of very different size, zeros among them.
Points mixed_points(Curve, Random& random) {
  return each_point([&] {
    Vec3 x;
    for (int k = 0; k < 3; ++k) {
      const double size = std::ldexp(1.0, -random.integer(0, 40));
      x[k] = random.one_in(4) ? 0 : random.uniform(-1, 1) * size;
    }
    return x;
  });
}

// All coordinates so large or so small that products overflow or underflow.
Points extreme_points(Curve curve, Random& random) {
  Points points = random.one_in(2) ? lattice_points(curve, random) : random_points(curve, random);
  const double size = random.one_in(2) ? 0x1p1000 : 0x1p-1060;
  for (Corners& corners : points)
    for (Vec3& corner : corners) corner *= size;
  return points;
}

template <Points (*points)(Curve, Random&), Query Q>
Curved<Q> curved_query(Curve curve, std::uint64_t seed, std::uint64_t index) {
  Random random(kind_of<Q> == Kind::edge_edge ? "curved edge-edge" : "curved vertex-face",
                static_cast<std::uint64_t>(curve), seed, index);
  return {curve, points(curve, random)};
}

template <Points (*points)(Curve, Random&)>
constexpr CurvedFamily curved_family(std::string_view name, std::string_view description,
                                     bool degenerate, bool mixed = false) {
  return {name,
          description,
          degenerate,
          mixed,
          curved_query<points, VertexFace>,
          curved_query<points, EdgeEdge>};
}

constexpr auto curved_table = std::to_array<CurvedFamily>({
    curved_family<random_points>("random", "all points in a cube", false),
    curved_family<bent_points>("bent", "straight motion, bent by a tenth", false),
    curved_family<turning_points>("turning", "corners on arcs past resting ones", false),
    curved_family<lattice_points>("lattice", "points of a small lattice", true),
    curved_family<elevated_points>("elevated", "straight motion on a lattice", true),
    curved_family<planar_points>("planar", "all corners in one plane at all times", true),
    curved_family<grazing_points>("grazing", "double roots, and gaps of 2^-40", true),
    curved_family<touching_points>("touching", "corners that meet at an end, or miss by an ulp",
                                   true),
    curved_family<mixed_points>("mixed", "coordinates from 1e-12 to 1, and zeros", true, true),
    curved_family<extreme_points>("extreme", "coordinates of 2^1000 or 2^-1060", true, true),
});

}  // namespace

std::span<const CurvedFamily> curved_families() {
  return curved_table;
}

Curved<VertexEdge> as_vertex_edge(const Curved<VertexFace>& query) {
  Curved<VertexEdge> result{query.curve, {}};
  for (std::size_t i = 0; i < 4; ++i)
    result.points[i] = {query.points[i][0], query.points[i][2], query.points[i][3]};
  return result;
}
Curved<VertexVertex> as_vertex_vertex(const Curved<VertexFace>& query) {
  Curved<VertexVertex> result{query.curve, {}};
  for (std::size_t i = 0; i < 4; ++i) result.points[i] = {query.points[i][0], query.points[i][2]};
  return result;
}

}  // namespace graze::generate
