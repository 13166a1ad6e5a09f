#include "graze/rigid/model/hull_tree.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <cstring>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/model/model.h"
#include "test/rigid/exact_polytope.h"

namespace graze::rigid {
namespace {

using test::Rational;
using test::operator-;

// Models of a few hundred triangles, each difficult in one respect.
std::vector<std::pair<std::string, generate::SurfaceModel>> models() {
  std::vector<std::pair<std::string, generate::SurfaceModel>> list;
  list.emplace_back("knot", generate::torus_knot(40, 6));
  list.emplace_back("figure", generate::bumpy_figure(16, 14));
  list.emplace_back("soup", generate::soup(150, 0.3, 7));
  list.emplace_back("box", generate::box({1, 2, 3}));
  list.emplace_back("one triangle",
                    generate::SurfaceModel{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  list.emplace_back("knot of size 1e-300", scaled(generate::torus_knot(20, 6), 1e-300));
  list.emplace_back("knot of size 1e300", scaled(generate::torus_knot(20, 6), 1e300));
  list.emplace_back("knot of denormals", scaled(generate::torus_knot(20, 6), 0x1p-1070));
  generate::SurfaceModel far = generate::torus_knot(20, 6);
  for (Vec3& v : far.vertices) v += Vec3(1e8, -1e7, 3e7);
  list.emplace_back("knot far out", far);
  generate::SurfaceModel flat, line, point, mixed = generate::soup(24, 0.3, 9);
  for (std::uint32_t i = 0; i < 12; ++i)
    for (std::uint32_t k = 0; k < 12; ++k)
      flat.vertices.push_back(Vec3(0.1 * i, 0.1 * k, 0.3 * (0.1 * i) - 0.7 * (0.1 * k)));
  for (std::uint32_t i = 0; i < 11; ++i)
    for (std::uint32_t k = 0; k < 11; ++k) {
      const std::uint32_t v = 12 * i + k;
      flat.faces.push_back({v, v + 12, v + 1});
      flat.faces.push_back({v + 1, v + 12, v + 13});
    }
  list.emplace_back("tilted sheet", flat);
  line.faces = point.faces = flat.faces;
  for (const Vec3& v : flat.vertices) {
    line.vertices.push_back(v[0] * Vec3(1, 2, 3));
    point.vertices.push_back(Vec3(0.1, 0.2, 0.3));
  }
  list.emplace_back("line", line);
  list.emplace_back("point", point);
  generate::Random random("widths", 0, 1, 0);
  for (Vec3& v : mixed.vertices) v *= std::scalbn(1.0, random.integer(-900, 0));
  list.emplace_back("soup of all sizes", mixed);
  return list;
}

Model made(const generate::SurfaceModel& model) {
  return make_model(model.vertices, model.faces);
}

void collect(const HullTree& tree, std::uint32_t at, std::vector<std::uint32_t>& faces) {
  const HullNode& node = tree.nodes[at];
  if (node.is_leaf()) return faces.push_back(node.face);
  collect(tree, node.child, faces);
  collect(tree, node.child + 1, faces);
}

TEST(HullTree, Promise1EveryNodeContainsAllTrianglesBelowIt) {
  for (const auto& [name, surface] : models()) {
    const Model model = made(surface);
    ASSERT_TRUE(model.valid()) << name;
    for (std::uint32_t i = 0; i < model.tree.nodes.size(); ++i) {
      const HullNode& node = model.tree.nodes[i];
      std::vector<std::uint32_t> faces;
      collect(model.tree, i, faces);
      ASSERT_EQ(faces.size(), node.faces);
      std::vector<std::uint32_t> corners;
      for (const std::uint32_t f : faces)
        corners.insert(corners.end(), model.faces[f].begin(), model.faces[f].end());
      std::sort(corners.begin(), corners.end());
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
      const PolytopeView hull = polytope(model.tree, node);
      for (const std::uint32_t v : corners) {
        const test::RationalVec way =
            test::rational(model.vertices[v]) - test::rational(node.centre);
        ASSERT_LE(test::dot(way, way), test::Rational(node.radius) * node.radius) << name;
        ASSERT_TRUE(test::contains(hull, model.vertices[v], model.tree.reach))
            << name << ": node " << i << " of " << node.faces << " triangles, vertex " << v;
      }
    }
  }
}

TEST(HullTree, Promise2EveryTriangleIsInOneLeaf) {
  for (const auto& [name, surface] : models()) {
    const Model model = made(surface);
    std::vector<std::uint32_t> faces;
    collect(model.tree, 0, faces);
    std::sort(faces.begin(), faces.end());
    ASSERT_EQ(faces.size(), model.faces.size());
    for (std::uint32_t f = 0; f < faces.size(); ++f) ASSERT_EQ(faces[f], f) << name;
    for (const HullNode& node : model.tree.nodes) {
      if (!node.is_leaf()) continue;
      EXPECT_EQ(node.margin, 0);
      for (std::uint32_t k = 0; k < 3; ++k)
        ASSERT_EQ(model.tree.vertex(node, k), model.vertices[model.faces[node.face][k]]) << name;
    }
  }
}

TEST(HullTree, Promise3NodesAndMemoryAreBounded) {
  for (const auto& [name, surface] : models()) {
    const HullTree tree = made(surface).tree;
    for (const HullNode& node : tree.nodes) {
      ASSERT_LE(node.vertices, HullTree::max_vertices);
      ASSERT_GE(node.vertices, 1u);
      ASSERT_GE(node.count, node.vertices);
      ASSERT_EQ(node.count % 4, 0u);
      ASSERT_LE(node.first + 3 * node.count, tree.coordinates.size());
    }
    for (const double x : tree.coordinates) ASSERT_LE(std::abs(x), tree.reach);
    const std::size_t bytes =
        tree.nodes.size() * sizeof(HullNode) + tree.coordinates.size() * sizeof(double);
    EXPECT_LE(bytes, 1024 * surface.faces.size()) << name;
  }
}

TEST(HullTree, IsTheSameForAnyNumberOfThreads) {
  const generate::SurfaceModel surface = generate::torus_knot(100, 10);
  HullTree one, two;
  tbb::task_arena(1).execute([&] { one = made(surface).tree; });
  tbb::task_arena(3).execute([&] { two = made(surface).tree; });
  ASSERT_EQ(one.nodes.size(), two.nodes.size());
  EXPECT_EQ(std::memcmp(one.nodes.data(), two.nodes.data(), one.nodes.size() * sizeof(HullNode)),
            0);
  EXPECT_EQ(one.coordinates, two.coordinates);
}

TEST(HullTree, SupportIsWithinItsRoundingOfTheTrueOne) {
  const Model model = made(generate::torus_knot(40, 6));
  generate::Random random("directions", 0, 1, 0);
  for (const HullNode& node : model.tree.nodes) {
    const Vec3 n = random.cube(-1, 1);
    const Support found = support(model.tree, node, n);
    test::Rational best = test::dot(test::rational(n), test::rational(model.tree.vertex(node, 0)));
    for (std::uint32_t i = 1; i < node.vertices; ++i)
      best =
          std::max(best, test::dot(test::rational(n), test::rational(model.tree.vertex(node, i))));
    EXPECT_LE(abs(best - Rational(found.value)), Rational(dot_err(n, model.tree.reach)));
  }
}

}  // namespace
}  // namespace graze::rigid
