#include "graze/spine/start_sides.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "graze/step.h"
#include "test/support/meshes.h"
#include "test/support/scale.h"

namespace graze::start_sides_test {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Point = std::array<Rational, 3>;

// Returns the exact positions of a mesh at one time.
std::vector<Point> positions_at(const MovingMesh& moving, const Rational& t) {
  std::vector<Point> points;
  for (std::size_t v = 0; v < moving.start.size(); ++v) {
    Point point;
    for (int k = 0; k < 3; ++k)
      point[std::size_t(k)] =
          (1 - t) * Rational(moving.start[v][k]) + t * Rational(moving.end[v][k]);
    points.push_back(point);
  }
  return points;
}

int volume_sign(const std::vector<Point>& x, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                std::uint32_t d) {
  const auto edge = [&](std::uint32_t to, std::size_t k) -> Rational { return x[to][k] - x[a][k]; };
  Rational volume = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    volume += edge(b, k) * (edge(c, i) * edge(d, j) - edge(c, j) * edge(d, i));
  }
  return volume.sign();
}

// Returns whether an edge crosses the interior of a face with its ends on different sides.
bool pierces(const std::vector<Point>& x, const Edge& e, const Face& f) {
  const int turn = volume_sign(x, e[0], e[1], f[0], f[1]);
  return volume_sign(x, f[0], f[1], f[2], e[0]) * volume_sign(x, f[0], f[1], f[2], e[1]) < 0 &&
         turn != 0 && volume_sign(x, e[0], e[1], f[1], f[2]) == turn &&
         volume_sign(x, e[0], e[1], f[2], f[0]) == turn;
}

bool has(const auto& feature, std::uint32_t vertex) {
  return std::find(feature.begin(), feature.end(), vertex) != feature.end();
}

// Returns whether the listed neighbours are on one closed side of the plane of three vertices.
bool on_one_side(const std::vector<Point>& x, std::array<std::uint32_t, 3> plane,
                 const std::vector<std::pair<std::uint32_t, int>>& neighbours) {
  bool sides[2] = {};
  for (const auto& [vertex, sign] : neighbours)
    if (const int side = sign * volume_sign(x, plane[0], plane[1], plane[2], vertex); side != 0)
      sides[side > 0] = true;
  return !(sides[0] && sides[1]);
}

// Decides by the positions a moment later instead of signs of derivatives: returns whether the mesh
// pierces itself at the contact then, after having been on one side of it at the start.
struct Truth {
  MovingMesh moving;
  std::vector<Point> start = positions_at(moving, 0),
                     soon = positions_at(moving, Rational(0x1p-80));

  bool vertex_face(std::uint32_t v, std::uint32_t f) const {
    const Face& face = moving.mesh.faces[f];
    std::vector<std::pair<std::uint32_t, int>> neighbours;
    bool through = false;
    for (const Edge& edge : moving.mesh.edges)
      if (has(edge, v)) {
        const std::uint32_t other = edge[edge[0] == v];
        neighbours.push_back({other, 1});
        through |= !has(face, other) && volume_sign(start, face[0], face[1], face[2], other) != 0 &&
                   pierces(soon, edge, face);
      }
    return through && on_one_side(start, face, neighbours);
  }
  bool edge_edge(std::uint32_t a, std::uint32_t b) const {
    const Edge &x = moving.mesh.edges[a], &y = moving.mesh.edges[b];
    std::vector<std::pair<std::uint32_t, int>> neighbours;
    bool through = false;
    for (const Face& face : moving.mesh.faces)
      for (const bool second : {false, true}) {
        const Edge &own = second ? y : x, &other = second ? x : y;
        if (!has(face, own[0]) || !has(face, own[1])) continue;
        bool off_plane = false;
        for (const std::uint32_t corner : face) {
          neighbours.push_back({corner, second ? 1 : -1});
          off_plane |= volume_sign(start, x[0], x[1], y[1], corner) != 0;
        }
        through |= off_plane && pierces(soon, other, face);
      }
    return through && on_one_side(start, {x[0], x[1], y[1]}, neighbours);
  }
};

TEST(StartSides, FindPairsThatPierceAMomentLater12) {
  std::size_t through = 0, contacts = 0;
  for (const std::size_t family : {3u, 4u})  // lattices: few roots are near 0
    for (std::uint64_t seed = 0; seed < test::scaled(60); ++seed) {
      const OwnedMotion motion = test::random_mesh(test::mesh_families[family], 10, seed);
      const MovingMesh moving = motion.moving();
      const StartSides sides(moving);
      const Truth truth{moving};
      for (const StepImpact& found : all_impacts(moving).impacts) {
        if (found.impact.toi_hi != 0 || found.kind == Kind::edge_face) continue;
        const auto [a, b] = found.pair;
        // A contact at a border of the face or the edge is never a passage through.
        bool expected = false;
        if (found.impact.kind == ContactKind::interior) {
          if (found.kind == Kind::vertex_face) expected = truth.vertex_face(a, b);
          if (found.kind == Kind::edge_edge) expected = truth.edge_edge(a, b);
        }
        EXPECT_EQ(sides.go_through(found.kind, found.pair), expected)
            << name(found.kind) << " " << a << " " << b << ", seed " << seed;
        through += expected;
        ++contacts;
      }
    }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(contacts, test::scaled(60) * 5);
  EXPECT_GT(through, test::scaled(60) / 10);
}

// A ground of one triangle and a body that stands on it.
struct Ground {
  std::vector<Vec3> start = {{-8, -8, 0}, {8, -8, 0}, {0, 16, 0}}, end = start;
  std::vector<Face> faces = {{0, 1, 2}};

  std::uint32_t add(const Vec3& from, const Vec3& to) {
    start.push_back(from);
    end.push_back(to);
    return static_cast<std::uint32_t>(start.size() - 1);
  }
  FirstImpact first(std::vector<Edge> rods = {}) const {
    StepOptions options;
    options.at_start = StartContacts::skip;
    const Mesh mesh = make_mesh(start.size(), faces, rods);
    return earliest_impact({mesh, start, end}, options);
  }
};

// Returns a tetrahedron with a tip on the ground that moves by `motion`.
Ground tip_on_ground(const Vec3& motion) {
  Ground ground;
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 0, 1), Vec3(-1, 1, 1), Vec3(-1, -1, 1)})
    ground.add(x, x + motion);
  for (const Face& face : {Face{3, 4, 5}, {3, 5, 6}, {3, 6, 4}, {4, 6, 5}})
    ground.faces.push_back(face);
  return ground;
}

TEST(StartSides, ReportATipThatPassesThroughTheFaceItRestsOn) {
  const FirstImpact down = tip_on_ground({0, 0, -0.5}).first();
  EXPECT_EQ(down.impact.verdict, Verdict::contact);
  EXPECT_EQ(down.impact.toi_hi, 0);
  EXPECT_EQ(down.pair, (Pair{3, 0}));
  EXPECT_EQ(down.work.start_contacts, 0u);
  EXPECT_EQ(tip_on_ground({0.5, 0, -0x1p-1074}).first().impact.toi_hi, 0);  // slides, barely down
  for (const Vec3& motion : {Vec3(0, 0, 0.5), Vec3(0.5, 0, 0), Vec3(0.5, 0, 0x1p-1074)}) {
    const FirstImpact free = tip_on_ground(motion).first();
    EXPECT_EQ(free.impact.verdict, Verdict::separated) << motion.transpose();
    EXPECT_EQ(free.work.start_contacts, 1u);
  }
}

// Two rods have no sides; an edge of a face has one.
TEST(StartSides, ReportEdgesThatPassThroughEachOther) {
  for (const double z : {1.0, -1.0})
    for (const bool faces : {false, true}) {
      Ground roof;
      roof.start[2][2] = roof.end[2][2] = -20;  // the roof hangs down from its ridge
      const std::uint32_t a = roof.add({0, -9, 0}, {0, -9, z}),
                          b = roof.add({0, -7, 0}, {0, -7, z});
      const std::uint32_t c = roof.add({0, -8, 4}, {0, -8, 4 + z});
      if (faces) roof.faces.push_back({a, b, c});
      const FirstImpact first = roof.first(std::vector{Edge{a, b}});
      // The ridge has a side in both cases.
      EXPECT_EQ(first.impact.verdict == Verdict::contact, z < 0) << z << faces;
      if (z < 0) {
        EXPECT_EQ(first.impact.toi_hi, 0);
        EXPECT_EQ(first.kind, Kind::edge_edge);
      }
    }
  for (const double z : {1.0, -1.0}) {
    Ground far;
    const auto a = far.add({-1, 0, 9}, {-1, 0, 9}), b = far.add({1, 0, 9}, {1, 0, 9});
    const auto c = far.add({0, -1, 9}, {0, -1, 9 + z}), d = far.add({0, 1, 9}, {0, 1, 9 + z});
    EXPECT_EQ(far.first(std::vector{Edge{a, b}, Edge{c, d}}).impact.verdict, Verdict::separated);
  }
}

// Pairs that intersect at the start and pairs without neighbours have no side.
TEST(StartSides, IgnorePointsAndPairsThatIntersectAtTheStart) {
  for (const double z : {1.0, -1.0}) {
    Ground point;
    point.add({0, 0, 0}, {0, 0, z});
    EXPECT_EQ(point.first().impact.verdict, Verdict::separated);
    Ground nail;
    const auto a = nail.add({0, 0, 2}, {0, 0, 2 + z}), b = nail.add({0, 0, 0}, {0, 0, z}),
               c = nail.add({0, 0, -2}, {0, 0, -2 + z});
    EXPECT_EQ(nail.first(std::vector{Edge{a, b}, Edge{b, c}}).impact.verdict, Verdict::separated);
  }
}

}  // namespace
}  // namespace graze::start_sides_test
