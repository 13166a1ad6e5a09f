#include "graze/polyhedron/model.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <set>

#include "graze/generate/random.h"
#include "graze/io/mesh_files.h"
#include "graze/polyhedron/model/exact_sign.h"
#include "test/support/data.h"
#include "test/support/scale.h"

namespace graze::polyhedron::model_test {
namespace {

const std::vector<Vec3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

std::size_t count(const Model& model, EdgeKind kind) {
  return static_cast<std::size_t>(
      std::count_if(model.edges.begin(), model.edges.end(),
                    [&](const ModelEdge& edge) { return edge.kind == kind; }));
}

Model polygon(std::vector<Vec3> corners, ModelOptions options = {}) {
  Polygon all;
  for (std::uint32_t i = 0; i < corners.size(); ++i) all.push_back(i);
  return make_model(corners, {&all, 1}, options);
}

// Returns an L-shaped prism on z = 0, extruded along y, with one groove.
Model step() {
  std::vector<Vec3> v;
  const double profile[][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
  for (const double y : {0., 3.})
    for (const auto& [x, z] : profile) v.push_back({x, y, z});
  std::vector<Polygon> p{{0, 1, 2, 3}, {0, 3, 4, 5}, {9, 8, 7, 6}, {11, 10, 9, 6}};
  for (std::uint32_t i = 0; i < 6; ++i) p.push_back({i, i + 6, (i + 1) % 6 + 6, (i + 1) % 6});
  return make_model(v, p);
}

TEST(Model, ABoxHasEightVerticesTwelveRidgesAndSixFacets) {
  const Model box = model_of_box({Vec3(0, 0, 0), Vec3(1, 2, 3)});
  ASSERT_TRUE(box.ok()) << describe(box);
  EXPECT_EQ(box.vertices.size(), 8u);
  EXPECT_EQ(box.edges.size(), 12u);
  EXPECT_EQ(box.facets.size(), 6u);
  EXPECT_EQ(count(box, EdgeKind::convex), 12u);
  EXPECT_TRUE(box.is_closed());
  for (const Facet& facet : box.facets)  // the centre is behind every facet
    EXPECT_LT(volume_sign(box.vertices[facet.plane[0]], box.vertices[facet.plane[1]],
                          box.vertices[facet.plane[2]], Vec3(0.5, 1, 1.5)),
              0);
}

TEST(Model, APointAndASinglePolygonAreModels) {
  const Model point = model_of_point({1, 2, 3});
  ASSERT_TRUE(point.ok());
  EXPECT_TRUE(point.is_point());
  EXPECT_EQ(point.owned_vertices.size(), 1u);
  const Model sheet = polygon(square);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(count(sheet, EdgeKind::open), 4u);
  EXPECT_FALSE(sheet.is_closed());
}

TEST(Model, GroovesAreInternalAndHideVerticesWithoutOtherEdges) {
  const Model model = step();
  ASSERT_TRUE(model.ok()) << describe(model);
  EXPECT_EQ(count(model, EdgeKind::internal), 1u);
  EXPECT_EQ(count(model, EdgeKind::flat), 2u);  // the two parts of each L
  EXPECT_EQ(std::count(model.hidden.begin(), model.hidden.end(), 1), 0);

  // The corner of a room, seen from inside: the common vertex of the three walls is hidden.
  const std::vector<Vec3> v{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                            {1, 1, 0}, {0, 1, 1}, {1, 0, 1}};
  const Polygon walls[] = {{0, 1, 4, 2}, {0, 2, 5, 3}, {0, 3, 6, 1}};
  const Model room = make_model(v, walls);
  ASSERT_TRUE(room.ok()) << describe(room);
  EXPECT_EQ(count(room, EdgeKind::internal), 3u);
  EXPECT_EQ(std::count(room.hidden.begin(), room.hidden.end(), 1), 1);
  EXPECT_EQ(room.hidden[0], 1);
}

// Returns one model of several boxes, whose surfaces may share edges and facets.
Model model_of_boxes(std::span<const Aabb> boxes) {
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  for (const Aabb& box : boxes) {
    const Model one = model_of_box(box);
    for (Polygon corners : one.polygons) {
      for (std::uint32_t& corner : corners) corner += static_cast<std::uint32_t>(vertices.size());
      polygons.push_back(std::move(corners));
    }
    vertices.insert(vertices.end(), one.vertices.begin(), one.vertices.end());
  }
  ModelOptions options;
  options.accept_soup = true;
  return make_model(vertices, polygons, options);
}

// Two cubes share an edge and are otherwise apart; lie side by side; lie one in the other's corner,
// with three sides flush.
TEST(Model, SolidsThatShareAnEdgeAreClosedAndKeepTheirRidges) {
  const Aabb cube{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  for (const Aabb& other : {Aabb{Vec3(1, 1, 0), Vec3(2, 2, 1)}, Aabb{Vec3(1, 0, 0), Vec3(2, 1, 1)},
                            Aabb{Vec3(0, 0, 0), Vec3(1, 0.5, 0.5)}}) {
    const Aabb both[] = {cube, other};
    const Model model = model_of_boxes(both);
    ASSERT_TRUE(model.ok()) << describe(model);
    EXPECT_TRUE(model.is_closed());
    EXPECT_EQ(model.edges.size(), 24u);
    EXPECT_EQ(count(model, EdgeKind::convex), 24u);
    for (std::uint32_t f = 0; f < model.facets.size(); ++f)
      for (const std::uint32_t e : model.sides_of(model.facets[f]))
        EXPECT_TRUE(model.edges[e].facets[0] == f || model.edges[e].facets[1] == f);
    // The two facets of an edge are of one cube.
    for (const ModelEdge& edge : model.edges)
      EXPECT_EQ(edge.facets[0] < 6, edge.facets[1] < 6) << edge.a << " " << edge.b;
  }
}

// Facets at an edge in random order: wedges with random angles that do not overlap pair up as
// drawn.
TEST(Model, FacetsAtACommonEdgePairUpToTheirWedges) {
  for (std::uint64_t i = 0; i < test::scaled(500); ++i) {
    generate::Random random("wedges", 0, test::seed(), i);
    const std::size_t wedges = 2 + random.below(4);
    std::set<std::uint64_t> drawn;  // directions of facets, in units of 1/64 of a turn
    while (drawn.size() < 2 * wedges) drawn.insert(random.below(64));
    std::vector<std::uint64_t> angles(drawn.begin(), drawn.end());
    const std::uint64_t shift = random.below(2);  // which of the gaps are solid
    std::rotate(angles.begin(), angles.begin() + static_cast<std::ptrdiff_t>(shift), angles.end());
    std::vector<Vec3> vertices = {Vec3(0, 0, 0), Vec3(0, 0, 1)};
    std::vector<std::pair<std::size_t, Polygon>> drawn_facets;
    for (std::size_t k = 0; k < angles.size(); ++k) {
      const double angle = static_cast<double>(angles[k]) * 6.283185307179586 / 64;
      vertices.push_back({std::cos(angle), std::sin(angle), 0.5});
      const auto off = static_cast<std::uint32_t>(vertices.size() - 1);
      // The front of the first facet of a wedge is clockwise of it, that of the second beyond it.
      drawn_facets.emplace_back(k / 2, k % 2 == 0 ? Polygon{1, 0, off} : Polygon{0, 1, off});
    }
    for (std::size_t k = drawn_facets.size() - 1; k > 0; --k)
      std::swap(drawn_facets[k], drawn_facets[random.below(k + 1)]);
    std::vector<Polygon> polygons;
    for (const auto& [wedge, corners] : drawn_facets) polygons.push_back(corners);
    ModelOptions options;
    options.accept_soup = true;
    const Model model = make_model(vertices, polygons, options);
    std::size_t paired = 0;
    for (const ModelEdge& edge : model.edges) {
      if (model.vertices[edge.a].head<2>().norm() + model.vertices[edge.b].head<2>().norm() > 0)
        continue;
      ++paired;
      ASSERT_NE(edge.facets[1], no_facet);
      EXPECT_EQ(drawn_facets[edge.facets[0]].first, drawn_facets[edge.facets[1]].first) << i;
      const std::size_t wedge = drawn_facets[edge.facets[0]].first;
      const std::uint64_t extent = (angles[2 * wedge + 1] + 64 - angles[2 * wedge]) % 64;
      if (extent == 32) continue;  // the doubles of opposite directions are not exactly opposite
      EXPECT_EQ(edge.kind, extent < 32 ? EdgeKind::convex : EdgeKind::internal) << i;
    }
    EXPECT_EQ(paired, wedges) << i;
  }
}

TEST(Model, EveryTrueFeatureHasOneOwner) {
  const Model model = step();
  EXPECT_EQ(model.owned_vertices.size(), model.vertices.size());
  EXPECT_EQ(model.owned_edges.size(), model.edges.size() - count(model, EdgeKind::flat));
}

TEST(Model, BadPolygonsAreNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using enum Status;
  EXPECT_EQ(make_model(square, {}).status, empty);
  EXPECT_EQ(polygon({{0, 0, 0}, {1, 0, nan}, {0, 1, 0}}).status, not_finite);
  EXPECT_EQ(polygon({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}}).status, bad_corner);
  EXPECT_EQ(polygon({{0, 0, 0}, {1, 0, 0}}).status, bad_corner);
  EXPECT_EQ(polygon({{0, 0, 0}, {1, 1, 1}, {3, 3, 3}}).status, zero_area);
  EXPECT_EQ(polygon({{0, 0, 0}, {1, 0, 0}, {1, 1, 0.1}, {0, 1, 0}}).status, not_planar);
  EXPECT_EQ(polygon({{0, 0, 0}, {2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}}).status, not_convex);
  // A pentagram turns the same way at every corner but winds twice.
  EXPECT_EQ(polygon({{0, 3, 0}, {-2, -3, 0}, {3, 1, 0}, {-3, 1, 0}, {2, -3, 0}}).status,
            not_convex);
  // The border runs forth and back along a side.
  EXPECT_EQ(polygon({{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {3, 0, 0}, {0, 1, 0}}).status, not_convex);
  const Polygon missing[] = {{0, 1, 9}};
  EXPECT_EQ(make_model(square, missing).status, bad_corner);
  const Polygon disagree[] = {{0, 1, 2}, {0, 1, 3}};
  const Model twice = make_model(square, disagree);
  EXPECT_EQ(twice.status, duplicate_edge);
  EXPECT_EQ(twice.culprit, 1u);
  EXPECT_EQ(
      describe(twice),
      "polygon 1 (counted from 0) runs along an edge in the same direction as another polygon");
  ModelOptions soup;
  soup.accept_soup = true;
  EXPECT_TRUE(make_model(square, disagree, soup).ok());
}

// A square of two triangles with flat triangles around: collinear, with a repeated corner and with
// two corners at one place; and a point, which is no polygon without area.
TEST(Model, PolygonsWithoutAreaAreNamedOrDropped) {
  const std::vector<Vec3> vertices = {{5, 5, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                      {0, 1, 0}, {1, 1, 0}, {7, 7, 7}};
  const std::vector<Polygon> polygons = {{1, 2, 3}, {0, 1, 3}, {1, 3, 4},
                                         {2, 2, 4}, {3, 5, 1}, {6}};
  for (const bool merge : {false, true}) {
    ModelOptions options;
    options.merge_coplanar = merge;
    const Model refused = make_model(vertices, {polygons.data(), 3}, options);
    EXPECT_EQ(refused.status, Status::zero_area);
    EXPECT_EQ(refused.culprit, 1u);
    EXPECT_EQ(describe(refused),
              "polygon 1 (counted from 0) has no area: all corners lie on a line");
    options.drop_degenerate = true;
    const Model model = make_model(vertices, polygons, options);
    ASSERT_TRUE(model.ok()) << describe(model);
    EXPECT_EQ(model.dropped, 3u);
    EXPECT_EQ(model.facets.size(), merge ? 2u : 3u);
    EXPECT_EQ(model.vertices.size(), 5u);  // without (5, 5, 0)
    EXPECT_EQ(model.box.hi, Vec3(7, 7, 7));
    const Model none = make_model(vertices, {polygons.data() + 1, 1}, options);
    EXPECT_EQ(none.status, Status::empty);
    EXPECT_EQ(none.dropped, 1u);
  }
  // A repeated corner that leaves an area stays an error, and so do other defects.
  ModelOptions options;
  options.drop_degenerate = true;
  const std::vector<Polygon> repeated = {{0, 1, 3}, {1, 2, 3, 5}};
  const Model bad = make_model(vertices, repeated, options);
  EXPECT_EQ(bad.status, Status::bad_corner);
  EXPECT_EQ(bad.culprit, 1u);
}

TEST(Model, ANearlyPlanarPolygonBecomesAFanThatCoversIt) {
  const Model flat = polygon(square);
  EXPECT_EQ(flat.facets.size(), 1u);
  const Model bent = polygon({{0, 0, 0}, {1, 0, 0}, {1, 1, 0x1p-52}, {0, 1, 0}});
  ASSERT_TRUE(bent.ok());
  EXPECT_EQ(bent.facets.size(), 2u);
  EXPECT_EQ(bent.polygons.size(), 1u);
  // With corners on straight sides, no corner sees all others.
  const Model studded = polygon({{0, 0, 0},
                                 {1, 0, 0},
                                 {2, 0, 0},
                                 {3, 0, 0x1p-52},
                                 {2, 1, 0},
                                 {1, 2, 0},
                                 {0, 3, 0},
                                 {0, 2, 0},
                                 {0, 1, 0}});
  ASSERT_TRUE(studded.ok()) << describe(studded);
  EXPECT_EQ(studded.facets.size(), 7u);
}

TEST(Model, EqualVerticesAreMergedAndUnusedOnesDropped) {
  std::vector<Vec3> v = square;
  v.insert(v.end(), {Vec3(9, 9, 9), Vec3(-0.0, 0, 0), Vec3(1, 1, 0)});
  const Polygon triangles[] = {{0, 1, 2}, {5, 6, 3}};
  const Model model = make_model(v, triangles);
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model.vertices.size(), 4u);
  EXPECT_EQ(model.edges.size(), 5u);
  EXPECT_EQ(count(model, EdgeKind::flat), 1u);
  EXPECT_EQ(model.owned_edges.size(), 4u);
}

// Returns twice the signed area of the model's projection along an axis.
double shadow(const Model& model, int axis) {
  double area = 0;
  for (const Facet& facet : model.facets) {
    const auto corners = model.corners_of(facet);
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vec3 &a = model.vertices[corners[i]],
                 &b = model.vertices[corners[(i + 1) % corners.size()]];
      const int j = (axis + 1) % 3, k = (axis + 2) % 3;
      area += a[j] * b[k] - a[k] * b[j];
    }
  }
  return area;
}

TEST(Model, MergingKeepsTheSurfaceAndMakesOnePolygonOfAGrid) {
  const int n = 6;
  std::vector<Vec3> v;
  for (int y = 0; y <= n; ++y)
    for (int x = 0; x <= n; ++x) v.push_back({double(x), double(y), 2.0 * x - y});
  std::vector<Polygon> triangles;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      const auto at = [&](int i, int j) { return std::uint32_t((y + j) * (n + 1) + x + i); };
      triangles.push_back({at(0, 0), at(1, 0), at(1, 1)});
      triangles.push_back({at(0, 0), at(1, 1), at(0, 1)});
    }
  ModelOptions merge;
  merge.merge_coplanar = true;
  const Model model = make_model(v, triangles, merge);
  ASSERT_TRUE(model.ok()) << describe(model);
  EXPECT_LT(model.facets.size(), 12u);
  EXPECT_EQ(shadow(model, 2), 2 * n * n);
}

TEST(Model, MergingRandomSheetsKeepsTheirAreaAndConvexity) {
  ModelOptions merge;
  merge.merge_coplanar = true;
  std::size_t fewer = 0;
  for (std::size_t i = 0; i < test::scaled(300); ++i) {
    // A triangulated grid whose heights are zero except at some vertices.
    generate::Random random("merge", 0, 1, i);
    std::vector<Vec3> v;
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 5; ++x)
        v.push_back({double(x), double(y), random.one_in(8) ? double(random.integer(-2, 2)) : 0.});
    std::vector<Polygon> triangles;
    for (std::uint32_t y = 0; y < 4; ++y)
      for (std::uint32_t x = 0; x < 4; ++x) {
        const std::uint32_t a = 5 * y + x, b = a + 1, c = a + 6, d = a + 5;
        if (random.one_in(2)) {
          triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
        } else {
          triangles.insert(triangles.end(), {{a, b, d}, {b, c, d}});
        }
      }
    const Model plain = make_model(v, triangles), model = make_model(v, triangles, merge);
    ASSERT_TRUE(model.ok()) << describe(model);
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(shadow(model, axis), shadow(plain, axis));
    fewer += model.facets.size() < plain.facets.size();
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(fewer, test::scaled(200));
}

TEST(Model, HullsContainTheirPointsAndAreClosedAndConvex) {
  for (std::size_t i = 0; i < test::scaled(200); ++i) {
    generate::Random random("hull", 0, 1, i);
    std::vector<Vec3> points;
    const bool lattice = i % 2;
    for (int n = random.integer(4, 24); n > 0; --n)
      points.push_back(lattice ? random.lattice(2) : random.cube(-1, 1));
    const Model hull = convex_hull(points);
    if (!hull.ok()) {
      EXPECT_EQ(hull.status, Status::empty);
      continue;
    }
    if (hull.facets.size() == 1) continue;  // of points in a plane
    EXPECT_TRUE(hull.is_closed());
    EXPECT_EQ(count(hull, EdgeKind::internal), 0u);
    for (const Facet& facet : hull.facets)
      for (const Vec3& point : points)
        EXPECT_LE(volume_sign(hull.vertices[facet.plane[0]], hull.vertices[facet.plane[1]],
                              hull.vertices[facet.plane[2]], point),
                  0);
  }
  std::vector<Vec3> cube;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) cube.push_back({double(x), double(y), double(z)});
  const Model box = convex_hull(cube);
  EXPECT_TRUE(box.is_closed());
}

// Returns whether point p lies in a simplex of the other points; otherwise it is a corner of the
// hull. Tests all segments, triangles and tetrahedra, exactly, since coordinates are small
// integers.
bool in_simplex_of_others(const std::vector<Vec3>& points, std::size_t p) {
  const auto volume = [](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).cross(c - a).dot(d - a);  // exact: small integers
  };
  const std::size_t n = points.size();
  const Vec3& x = points[p];
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (a == p || b == p || points[a] == x || points[b] == x) continue;
      const Vec3 u = points[a] - x, v = points[b] - x;
      if (u.cross(v).isZero(0) && u.dot(v) < 0) return true;
      for (std::size_t c = 0; c < b; ++c) {
        if (c == p || points[c] == x) continue;
        const Vec3 w = points[c] - x;
        if (u.dot(v.cross(w)) == 0) {
          const Vec3 n0 = u.cross(v), n1 = v.cross(w), n2 = w.cross(u);
          if (n0.dot(n1) > 0 && n1.dot(n2) > 0 && n2.dot(n0) > 0) return true;
        }
        for (std::size_t d = 0; d < c; ++d) {
          if (d == p) continue;
          const Vec3 &A = points[a], &B = points[b], &C = points[c], &D = points[d];
          const double s = volume(A, B, C, D);
          if (s != 0 && s * volume(x, B, C, D) > 0 && s * volume(A, x, C, D) > 0 &&
              s * volume(A, B, x, D) > 0 && s * volume(A, B, C, x) > 0)
            return true;
        }
      }
    }
  return false;
}

TEST(Model, HullsHaveTheCornersOfTheHullAndNoOtherVertices) {
  std::vector<Vec3> lattice;
  for (int i = 0; i < 1000; ++i) lattice.push_back(Vec3(i / 100, i / 10 % 10, i % 10));
  const Model cube = convex_hull(lattice);
  ASSERT_TRUE(cube.ok());
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.facets.size(), 6u);
  for (std::uint64_t i = 0; i < 200; ++i) {
    generate::Random random("hull corners", 0, 1, i);
    std::vector<Vec3> points;
    for (std::uint32_t k = 0; k < 4 + random.below(12); ++k) points.push_back(random.lattice(2));
    std::set<std::array<double, 3>> expected, found;
    for (std::size_t p = 0; p < points.size(); ++p)
      if (!in_simplex_of_others(points, p))
        expected.insert({points[p][0], points[p][1], points[p][2]});
    const Model hull = convex_hull(points);
    if (!hull.ok()) continue;  // all points on a line
    for (const Vec3& vertex : hull.vertices) found.insert({vertex[0], vertex[1], vertex[2]});
    EXPECT_EQ(found, expected) << i;
    if (hull.facets.size() == 1) continue;  // of points in a plane
    EXPECT_TRUE(hull.is_closed());
    for (const ModelEdge& edge : hull.edges) EXPECT_EQ(edge.kind, EdgeKind::convex);
  }
}

// Points of a plane that is spanned by lattice vectors: the hull is one convex polygon with the
// corners that are in no simplex of the others.
TEST(Model, TheHullOfPointsInAPlaneIsOnePolygon) {
  std::size_t polygons = 0, lines = 0;
  for (std::uint64_t i = 0; i < test::scaled(500); ++i) {
    generate::Random random("planar hull", 0, 1, i);
    const Vec3 origin = random.lattice(5), u = random.lattice(2), v = random.lattice(2);
    std::vector<Vec3> points;
    for (std::uint32_t k = 0; k < 3 + random.below(10); ++k)
      points.push_back(origin + random.integer(-2, 2) * u + random.integer(-2, 2) * v);
    const Model hull = convex_hull(points);
    bool on_a_line = true, equal = true;
    for (const Vec3& p : points) {
      equal = equal && p == points[0];
      for (const Vec3& q : points)
        on_a_line = on_a_line && (p - points[0]).cross(q - points[0]).isZero(0);
    }
    if (on_a_line) {
      ++lines;
      EXPECT_EQ(hull.status, equal ? Status::ok : Status::empty);
      EXPECT_EQ(hull.is_point(), equal);
      continue;
    }
    ASSERT_TRUE(hull.ok()) << i << describe(hull);
    ++polygons;
    EXPECT_EQ(hull.facets.size(), 1u);
    EXPECT_FALSE(hull.is_closed());
    std::set<std::array<double, 3>> expected, found;
    for (std::size_t p = 0; p < points.size(); ++p)
      if (!in_simplex_of_others(points, p))
        expected.insert({points[p][0], points[p][1], points[p][2]});
    for (const Vec3& vertex : hull.vertices) found.insert({vertex[0], vertex[1], vertex[2]});
    EXPECT_EQ(found, expected) << i;
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(polygons, 200u);
  EXPECT_GT(lines, 20u);
  EXPECT_EQ(convex_hull({}).status, Status::empty);
}

TEST(Model, MergingDropsTheVerticesInsideMergedPolygons) {
  std::vector<Vec3> vertices;
  std::vector<Polygon> polygons;
  for (std::uint32_t i = 0; i < 16; ++i) vertices.push_back(Vec3(i / 4, i % 4, 0));
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j)
      polygons.push_back({4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1});
  ModelOptions options;
  options.merge_coplanar = true;
  const Model sheet = make_model(vertices, polygons, options);
  ASSERT_TRUE(sheet.ok());
  ASSERT_EQ(sheet.polygons.size(), 1u);
  EXPECT_EQ(sheet.vertices.size(), 12u);
  EXPECT_EQ(sheet.hidden.size(), 12u);
  for (const std::uint32_t corner : sheet.polygons[0]) EXPECT_LT(corner, 12u);
}

TEST(Model, ScannedModelsAreBuiltWithTheKnownFractionOfGrooves) {
  for (const char* file : {"spot.obj", "stanford-bunny.obj"}) {
    const auto path = test::data_folder() / "models" / file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no data: " << path;
    const io::MeshFrame frame = io::read_mesh(path);
    ModelOptions options;
    options.accept_soup = true;
    const Model model = model_of_mesh(frame.mesh, frame.positions, options);
    ASSERT_TRUE(model.ok()) << file << ": " << describe(model);
    const double share = double(count(model, EdgeKind::internal)) / double(model.edges.size());
    RecordProperty(file, std::to_string(share));
    EXPECT_GT(share, 0.1) << file;
    EXPECT_LT(share, 0.6) << file;
  }
}

TEST(Model, ExtremeCoordinatesAreClassifiedLikeOrdinaryOnes) {
  for (const double scale : {0x1p-1074, 0x1p-600, 0x1p500, 0x1p1020}) {
    std::vector<Vec3> v;
    for (const Vec3& x : square) v.push_back(scale * 7 * x);
    const Model sheet = polygon(v);
    ASSERT_TRUE(sheet.ok()) << scale << describe(sheet);
    EXPECT_EQ(sheet.facets.size(), 1u);
    v[2][2] = scale * 0x1p-40 < 0x1p-1074 ? 0x1p-1074 : scale * 0x1p-40;
    EXPECT_EQ(polygon(v, {1, false, false}).facets.size(), 2u);
  }
}

}  // namespace
}  // namespace graze::polyhedron::model_test
