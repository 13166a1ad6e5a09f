#include "graze/check_mesh.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <map>
#include <optional>

#include "graze/generate/random.h"
#include "test/support/meshes.h"

namespace graze::check_mesh_test {
namespace {

// ---- a judge: clips one triangle by the other in rational numbers ------------------------------

using Rational = boost::multiprecision::cpp_rational;
using Point = std::array<Rational, 3>;
using Polygon = std::vector<Point>;

Point minus(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Rational dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Keeps the part of a convex polygon with n.(x - o) >= 0.
Polygon clip(const Polygon& polygon, const Point& n, const Point& o) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const Rational at_p = dot(n, minus(p, o)), at_q = dot(n, minus(q, o));
    if (at_p >= 0) kept.push_back(p);
    if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
      const Rational s = at_p / (at_p - at_q);
      const Point along = minus(q, p);
      kept.push_back({p[0] + s * along[0], p[1] + s * along[1], p[2] + s * along[2]});
    }
  }
  return kept;
}

Polygon rational(const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto point = [](const Vec3& x) -> Point { return {x[0], x[1], x[2]}; };
  return {point(a), point(b), point(c)};
}
Point normal_of(const Polygon& t) {
  return cross(minus(t[1], t[0]), minus(t[2], t[0]));
}
const Point zero = {0, 0, 0};

// Returns the common points of two triangles; t has an area.
Polygon common(Polygon polygon, const Polygon& t) {
  const Point n = normal_of(t), opposite = minus(zero, n);
  polygon = clip(clip(polygon, n, t[0]), opposite, t[0]);
  for (std::size_t i = 0; i < 3; ++i)
    polygon = clip(polygon, cross(n, minus(t[(i + 1) % 3], t[i])), t[i]);
  return polygon;
}

bool is_inside(const Point& x, const Polygon& t) {
  const Point n = normal_of(t);
  for (std::size_t i = 0; i < 3; ++i)
    if (dot(cross(n, minus(t[(i + 1) % 3], t[i])), minus(x, t[i])) <= 0) return false;
  return true;
}

// Returns how two faces intersect besides in their common vertices; nothing if they do not. Nothing
// also for two faces without area, and for such a face with a common vertex.
std::optional<FaceContact> judged(const std::vector<Vec3>& x, Face f, Face g) {
  Polygon a = rational(x[f[0]], x[f[1]], x[f[2]]), b = rational(x[g[0]], x[g[1]], x[g[2]]);
  const bool flat_a = normal_of(a) == zero, flat_b = normal_of(b) == zero;
  std::vector<Point> shared;
  for (std::size_t i = 0; i < 3; ++i)
    if (std::find(g.begin(), g.end(), f[i]) != g.end()) shared.push_back(a[i]);
  if ((flat_a && flat_b) || ((flat_a || flat_b) && !shared.empty())) return {};
  if (flat_b) std::swap(a, b);
  const Polygon meet = common(a, b);
  const auto is_new = [&](const Point& p) {
    if (shared.empty()) return true;
    if (shared.size() == 1) return p != shared[0];
    return shared.size() == 3 || cross(minus(p, shared[0]), minus(shared[1], shared[0])) != zero;
  };
  if (std::none_of(meet.begin(), meet.end(), is_new)) return {};
  if (flat_a || flat_b) return FaceContact::touching;
  Point middle = zero;
  for (const Point& p : meet)
    for (std::size_t k = 0; k < 3; ++k) middle[k] += p[k] / meet.size();
  if (!is_inside(middle, a) || !is_inside(middle, b)) return FaceContact::touching;
  return cross(normal_of(a), normal_of(b)) == zero ? FaceContact::overlapping
                                                   : FaceContact::crossing;
}

using Found = std::map<std::pair<std::uint32_t, std::uint32_t>, FaceContact>;
Found found(const Intersections& answer) {
  Found result;
  for (const FaceIntersection& pair : answer.faces) {
    EXPECT_TRUE(pair.point.allFinite());
    result[{pair.a, pair.b}] = pair.contact;
  }
  EXPECT_EQ(result.size(), answer.faces.size());
  return result;
}

// ---- intersections -----------------------------------------------------------------------------

// Returns the intersections of face 0 in the plane z = 0 and face 1 with a corner at `tip`.
Found standing_at(const Vec3& tip) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, tip, {1, 2, 5}, {2, 1, 5}};
  return found(find_intersections(make_mesh(6, {{0, 1, 2}, {3, 4, 5}}), positions));
}

TEST(FindIntersections, DecidesExactly1) {
  const Found none, touching = {{{0, 1}, FaceContact::touching}},
                    crossing = {{{0, 1}, FaceContact::crossing}};
  EXPECT_EQ(standing_at({1, 1, -1}), crossing);
  EXPECT_EQ(standing_at({1, 1, 0}), touching);
  EXPECT_EQ(standing_at({1, 1, 5e-324}), none);
  EXPECT_EQ(standing_at({1, 1, -5e-324}), crossing);
  EXPECT_EQ(standing_at({2, 2, 0}), touching);  // on the side
  EXPECT_EQ(standing_at({2, std::nextafter(2, 3), 0}), none);
  EXPECT_EQ(standing_at({3, 3, -1}), none);
}

// Meshes on lattices: many pairs just touch, overlap or have common vertices. The same at tiny,
// ordinary and huge scales, and far from the origin.
TEST(FindIntersections, AgreesWithRationalsOnAllPairs12) {
  std::map<FaceContact, int> count;
  int neighbours = 0, free = 0;
  for (int round = 0; round < 48; ++round) {
    const double scale = std::array{1.0, 0x1p-1074, 0x1p1019}[static_cast<std::size_t>(round % 3)];
    generate::Random random("intersections", 0, 1, static_cast<std::uint64_t>(round));
    std::vector<Vec3> lattice, positions;
    for (int v = 0; v < 30; ++v) lattice.push_back(random.lattice(1 + round % 4));
    for (const Vec3& x : lattice) positions.push_back(scale * x);
    std::vector<Face> faces;
    for (int f = 0; f < 24; ++f) {
      const auto vertex = [&] { return static_cast<std::uint32_t>(random.below(30)); };
      faces.push_back({vertex(), vertex(), vertex()});
    }
    Found expected;
    std::size_t skipped = 0;
    const Found answer = found(find_intersections(make_mesh(30, faces), positions));
    for (std::uint32_t i = 0; i < faces.size(); ++i)
      for (std::uint32_t j = i + 1; j < faces.size(); ++j) {
        const auto is_flat = [&](const Face& f) {
          return normal_of(rational(lattice[f[0]], lattice[f[1]], lattice[f[2]])) == zero;
        };
        const bool common = std::any_of(faces[i].begin(), faces[i].end(), [&](std::uint32_t v) {
          return std::find(faces[j].begin(), faces[j].end(), v) != faces[j].end();
        });
        if (is_flat(faces[i]) && is_flat(faces[j]) && !common) {
          skipped += answer.count({i, j});  // the judge clips by a face with area
          continue;
        }
        const auto contact = judged(lattice, faces[i], faces[j]);
        neighbours += common && contact;
        free += !contact;
        if (!contact) continue;
        expected[{i, j}] = *contact;
        ++count[*contact];
        const auto same = answer.find({i, j});
        ASSERT_TRUE(same != answer.end() && same->second == *contact)
            << "round " << round << ", faces " << i << " and " << j << ", " << name(*contact);
      }
    EXPECT_EQ(answer.size(), expected.size() + skipped) << round;
  }
  EXPECT_GT(count[FaceContact::touching], 300);
  EXPECT_GT(count[FaceContact::crossing], 300);
  EXPECT_GT(count[FaceContact::overlapping], 30);
  EXPECT_GT(neighbours, 200);
  EXPECT_GT(free, 2000);
}

// A corner is one ulp away from a point of the other face, with and without a common vertex.
TEST(FindIntersections, FindsAnOverlapOfOneUlp12) {
  generate::Random random("ulp", 0, 1, 1);
  for (int round = 0; round < 400; ++round) {
    std::vector<Vec3> x;
    for (int v = 0; v < 6; ++v) x.push_back(random.lattice(3));
    x[3] = 0.5 * x[0] + 0.25 * x[1] + 0.25 * x[2];
    const int axis = round % 3;
    x[3][axis] = std::nextafter(x[3][axis], round % 2 ? 9 : -9);
    const Face a = {0, 1, 2}, b = {3, 4, round % 5 ? 5u : 0u};
    const Found answer = found(find_intersections(make_mesh(6, {a, b}), x));
    const auto contact = judged(x, a, b);
    const auto normal = [&](const Face& f) {
      return normal_of(rational(x[f[0]], x[f[1]], x[f[2]]));
    };
    if (normal(a) == zero && normal(b) == zero) continue;
    ASSERT_EQ(answer.empty(), !contact) << round;
    if (contact) {
      EXPECT_EQ(answer.at({0, 1}), *contact) << round;
    }
  }
}

TEST(FindIntersections, LeavesOutStaticFaces) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0},
                                       {1, 1, 0}, {1, 2, 5}, {2, 1, 5}};
  const Mesh mesh = make_mesh(6, {{0, 1, 2}, {3, 4, 5}});
  const std::vector<std::uint8_t> all_static(6, 1), some_static = {1, 1, 1, 0, 1, 1};
  EXPECT_EQ(find_intersections(mesh, positions, some_static).faces.size(), 1u);
  EXPECT_EQ(find_intersections(mesh, positions, all_static).faces.size(), 0u);
}

// A flat sheet, folded along a line of its grid and laid onto itself: faces with a common side on
// the fold overlap, and so do those that lie upon each other.
TEST(FindIntersections, FindsAFoldedSheet12) {
  const auto sheet = [](double folded) {
    std::vector<Vec3> x;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) x.push_back({i <= 2 ? i : 2 + folded * (i - 2), double(j), 0});
    return x;
  };
  std::vector<Face> faces;
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 4; ++j) {
      const std::uint32_t a = 5 * i + j;
      faces.push_back({a, a + 5, a + 1});
      faces.push_back({a + 1, a + 5, a + 6});
    }
  const Mesh mesh = make_mesh(25, faces);
  EXPECT_EQ(find_intersections(mesh, sheet(1)).verdict, Verdict::separated);
  const auto x = sheet(-1);
  Found expected;
  for (std::uint32_t i = 0; i < faces.size(); ++i)
    for (std::uint32_t j = i + 1; j < faces.size(); ++j)
      if (const auto contact = judged(x, faces[i], faces[j])) expected[{i, j}] = *contact;
  EXPECT_EQ(found(find_intersections(mesh, x)), expected);
  EXPECT_GT(expected.size(), 50u);
}

// Two meshes give the pairs that one mesh of both has between its parts. One mesh may be used at
// two positions.
TEST(FindIntersections, ComparesTwoMeshes13) {
  generate::Random random("two meshes", 0, 1, 1);
  std::vector<Vec3> a, b;
  std::vector<Face> faces, both;
  for (std::uint32_t f = 0; f < 40; ++f) faces.push_back({3 * f, 3 * f + 1, 3 * f + 2});
  for (int v = 0; v < 120; ++v) a.push_back(random.lattice(3)), b.push_back(random.lattice(3));
  both = faces;
  for (const Face& f : faces) both.push_back({f[0] + 120, f[1] + 120, f[2] + 120});
  std::vector<Vec3> all = a;
  all.insert(all.end(), b.begin(), b.end());
  const Mesh mesh = make_mesh(120, faces), copy = mesh;
  Found expected;
  for (const auto& [pair, contact] : found(find_intersections(make_mesh(240, both), all)))
    if (pair.first < 40 && pair.second >= 40) expected[{pair.first, pair.second - 40}] = contact;
  EXPECT_EQ(found(find_intersections(mesh, a, copy, b)), expected);
  EXPECT_EQ(found(find_intersections(mesh, a, mesh, b)), expected);
  EXPECT_EQ(found(find_intersections(mesh, a, mesh, b, {.threads = 1})), expected);
  EXPECT_GT(expected.size(), 50u);
  EXPECT_EQ(find_intersections(mesh, a, make_mesh(0, {}), std::vector<Vec3>()).verdict,
            Verdict::separated);
}

TEST(FindIntersections, HasAVerdict4) {
  const Mesh mesh = make_mesh(6, {{0, 1, 2}, {3, 4, 5}});
  std::vector<Vec3> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 2, 5}, {2, 1, 5}};
  EXPECT_EQ(find_intersections(mesh, positions).verdict, Verdict::contact);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(find_intersections(mesh, positions, {}, {.stop = &stop}).verdict, Verdict::undecided);
  positions[3][2] = 1;
  EXPECT_EQ(find_intersections(mesh, positions).verdict, Verdict::separated);
  const auto expect_invalid = [](const Intersections& result) {
    EXPECT_EQ(result.verdict, Verdict::invalid);
    EXPECT_TRUE(result.faces.empty());
  };
  expect_invalid(find_intersections(mesh, std::span<const Vec3>(positions).first(5)));
  expect_invalid(find_intersections(mesh, positions, std::vector<std::uint8_t>(5)));
  positions[4][1] = Impact::nan;
  expect_invalid(find_intersections(mesh, positions));
  expect_invalid(find_intersections(mesh, positions, mesh, positions));
  positions[4][1] = Impact::inf;
  expect_invalid(find_intersections(mesh, positions));
  EXPECT_EQ(check_mesh(mesh, positions).intersections.verdict, Verdict::invalid);
}

// ---- faults of a surface -----------------------------------------------------------------------

struct Solid {
  std::vector<Vec3> x;
  std::vector<Face> faces;

  MeshCheck check() const { return check_mesh(make_mesh(x.size(), faces), x); }
  void add(const Solid& other, const Vec3& by) {
    for (const Face& f : other.faces) {
      const auto n = static_cast<std::uint32_t>(x.size());
      faces.push_back({f[0] + n, f[1] + n, f[2] + n});
    }
    for (const Vec3& p : other.x) x.push_back(p + by);
  }
};

Solid tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
          {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
}

using Indices = std::vector<std::uint32_t>;

TEST(CheckMesh, FindsNoFaultInATetrahedron1) {
  const MeshCheck check = tetrahedron().check();
  EXPECT_TRUE(check.is_clean() && check.is_closed() && check.is_manifold() && check.is_oriented());
  EXPECT_TRUE(check.repeated_positions.empty());
}

TEST(CheckMesh, FindsOpenAndTurnedSides1) {
  Solid solid = tetrahedron();
  std::swap(solid.faces[0][0], solid.faces[0][1]);
  MeshCheck check = solid.check();
  EXPECT_EQ(check.turned_edges.size(), 3u);
  EXPECT_FALSE(check.is_clean());
  EXPECT_TRUE(check.is_closed());
  solid.faces.erase(solid.faces.begin());
  check = solid.check();
  EXPECT_EQ(check.border_edges.size(), 3u);
  EXPECT_TRUE(check.is_clean());  // an open surface
  EXPECT_FALSE(check.is_closed());
}

TEST(CheckMesh, FindsBranchedSidesAndPinchedVertices1) {
  Solid fins{{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 1, 0}, {-1, -1, 0}},
             {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}};
  MeshCheck check = fins.check();
  EXPECT_EQ(check.branched_edges.size(), 1u);
  EXPECT_FALSE(check.is_manifold());
  EXPECT_TRUE(check.pinched_vertices.empty());
  EXPECT_EQ(check.intersections.verdict, Verdict::separated);

  Solid hourglass = tetrahedron();  // two tetrahedra with one vertex in common
  for (const Vec3& x : {Vec3(-1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, -1)}) hourglass.x.push_back(x);
  for (const Face& f : tetrahedron().faces) {
    const auto mirrored = [](std::uint32_t v) { return v == 0 ? 0 : v + 3; };
    hourglass.faces.push_back({mirrored(f[0]), mirrored(f[2]), mirrored(f[1])});
  }
  check = hourglass.check();
  EXPECT_EQ(check.pinched_vertices, Indices{0});
  EXPECT_TRUE(check.branched_edges.empty() && check.is_closed() && check.is_oriented());
  EXPECT_EQ(check.intersections.verdict, Verdict::separated);
}

TEST(CheckMesh, FindsFlatFacesAndRepeatedPositions1) {
  Solid solid = tetrahedron();
  solid.add(tetrahedron(), {0, 0, 1});  // the tip of one at a corner of the other
  solid.x.insert(solid.x.end(), {{5, 5, 5}, {6, 6, 6}, {7, 7, std::nextafter(7, 8)}});
  solid.faces.push_back({8, 9, 10});
  MeshCheck check = solid.check();
  EXPECT_TRUE(check.flat_faces.empty());
  EXPECT_EQ(check.repeated_positions, Indices{4});
  EXPECT_EQ(check.intersections.verdict, Verdict::contact);
  for (const FaceIntersection& pair : check.intersections.faces)
    EXPECT_EQ(pair.contact, FaceContact::touching);
  solid.x[10][2] = 7;
  check = solid.check();
  EXPECT_EQ(check.flat_faces, Indices{8});
  EXPECT_FALSE(check.is_clean());
}

TEST(CheckMesh, AcceptsEmptyMeshes) {
  const MeshCheck check = check_mesh(make_mesh(0, {}), std::vector<Vec3>());
  EXPECT_TRUE(check.is_clean());
  EXPECT_EQ(check.intersections.verdict, Verdict::separated);
}

}  // namespace
}  // namespace graze::check_mesh_test
