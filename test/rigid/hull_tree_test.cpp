#include "graze/rigid/model/hull_tree.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <tuple>

#include "graze/generate/models.h"
#include "graze/generate/random.h"
#include "graze/rigid/model/model.h"
#include "test/rigid/all_nodes.h"
#include "test/rigid/exact_polytope.h"

namespace graze::rigid::hull_tree_test {
namespace {

using test::Rational;
using test::operator-;

// Returns models of a few hundred triangles, each difficult in one respect.
std::vector<std::pair<std::string, generate::SurfaceModel>> models() {
  std::vector<std::pair<std::string, generate::SurfaceModel>> list;
  list.emplace_back("knot", generate::torus_knot(40, 6));
  list.emplace_back("figure", generate::bumpy_figure(16, 14));
  list.emplace_back("soup", generate::soup(150, 0.3, 7));
  list.emplace_back("box", generate::box({1, 2, 3}));
  list.emplace_back("comb of flat regions", generate::comb(2, 0.48, 2));
  list.emplace_back("tray of flat regions", generate::tray({1, 0.8, 0.4}, 2, 3));
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
  const HullNode& node = tree.node(at);
  if (node.is_leaf()) return faces.push_back(node.face);
  collect(tree, node.child, faces);
  collect(tree, node.child + 1, faces);
}

TEST(HullTree, Promise1EveryNodeContainsAllTrianglesBelowIt) {
  for (const auto& [name, surface] : models()) {
    const Model model = made(surface);
    ASSERT_TRUE(model.valid()) << name;
    for (std::uint32_t i = 0; i < model.tree.size(); ++i) {
      const HullNode& node = model.tree.node(i);
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
        ASSERT_TRUE(test::contains(hull, model.vertices[v], model.tree.reach()))
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
    for (const HullNode* node : test::all_nodes(model.tree)) {
      if (!node->is_leaf()) continue;
      EXPECT_EQ(node->margin, 0);
      for (std::uint32_t k = 0; k < 3; ++k)
        ASSERT_EQ(model.tree.vertex(*node, k), model.vertices[model.faces[node->face][k]]) << name;
    }
  }
}

TEST(HullTree, Promise3NodesAndMemoryAreBounded) {
  for (const auto& [name, surface] : models()) {
    const Model model = made(surface);
    const double* end = model.tree.coordinates(model.tree.node(0));
    for (const HullNode* node : test::all_nodes(model.tree)) {
      ASSERT_LE(node->vertices, HullTree::max_vertices);
      ASSERT_GE(node->vertices, 1u);
      ASSERT_GE(node->stride(), node->vertices);
      ASSERT_EQ(node->stride() % 4, 0u);
      const double* x = model.tree.coordinates(*node);
      ASSERT_GE(x, end) << "the polytopes of two nodes overlap";
      end = x + 3 * node->stride();
      for (; x != end; ++x) ASSERT_LE(std::abs(*x), model.tree.reach()) << name;
    }
    EXPECT_LE(model.tree.bytes(), 1024 * surface.faces.size()) << name;
  }
}

TEST(HullTree, Promise4NodesDoNotDependOnTheOrderOfVisitsNorOnThreads) {
  const generate::SurfaceModel surface = generate::torus_knot(100, 10);
  const Model one = made(surface), two = made(surface);
  test::all_nodes(one.tree);
  tbb::parallel_for(0u, 4u, [&](std::uint32_t) {  // each thread visits all nodes, from the last on
    for (std::uint32_t i = two.tree.size(); i-- > 0;) two.tree.node(i);
  });
  ASSERT_EQ(one.tree.size(), two.tree.size());
  for (std::uint32_t i = 0; i < one.tree.size(); ++i) {
    const HullNode &a = one.tree.node(i), &b = two.tree.node(i);
    ASSERT_EQ(a.centre, b.centre);
    ASSERT_EQ(std::pair(a.radius, a.margin), std::pair(b.radius, b.margin));
    ASSERT_EQ(std::tuple(a.vertices, a.first, a.child, a.face, a.faces),
              std::tuple(b.vertices, b.first, b.child, b.face, b.faces));
    for (std::uint32_t k = 0; k < a.vertices; ++k)
      ASSERT_EQ(one.tree.vertex(a, k), two.tree.vertex(b, k));
  }
}

TEST(HullTree, SupportIsWithinItsRoundingOfTheTrueOne) {
  const Model model = made(generate::torus_knot(40, 6));
  generate::Random random("directions", 0, 1, 0);
  for (const HullNode* node : test::all_nodes(model.tree)) {
    const Vec3 n = random.cube(-1, 1);
    const Support found = support(model.tree, *node, n);
    test::Rational best = test::dot(test::rational(n), test::rational(model.tree.vertex(*node, 0)));
    for (std::uint32_t i = 1; i < node->vertices; ++i)
      best =
          std::max(best, test::dot(test::rational(n), test::rational(model.tree.vertex(*node, i))));
    EXPECT_LE(abs(best - Rational(found.value)), Rational(dot_err(n, model.tree.reach())));
  }
}

}  // namespace
}  // namespace graze::rigid::hull_tree_test
