#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "graze/aabb.h"
#include "graze/find_pairs.h"
#include "test/support/moving_meshes.h"

namespace graze::broad::pair_filter_test {
namespace {

using Vertices = std::vector<std::uint32_t>;

bool have_common(const Vertices& a, const Vertices& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// The pairs as find_pairs.h defines them.
class Definition {
 public:
  Definition(const MovingMesh& moving, const PairOptions& options)
      : moving_(moving), mesh_(moving.mesh), options_(options) {}

  Pairs pairs() const {
    Pairs pairs;
    const auto points = static_cast<std::uint32_t>(mesh_.vertex_count);
    const auto edges = static_cast<std::uint32_t>(mesh_.edges.size());
    for (std::uint32_t v = 0; v < points; ++v) {
      for (std::uint32_t f = 0; f < mesh_.faces.size(); ++f)
        if (is_pair({v}, face(f)) && admits(Kind::vertex_face, {v, f}))
          pairs.vertex_face.push_back({v, f});
      for (std::uint32_t e = 0; e < edges; ++e)
        if (is_rod(e) && (is_point(v) || (options_.shared_vertices && is_joined(v, edge(e)))) &&
            is_pair({v}, edge(e)) && admits(Kind::vertex_edge, {v, e}))
          pairs.vertex_edge.push_back({v, e});
      for (std::uint32_t w = v + 1; w < points; ++w)
        if (is_point(v) && is_point(w) && is_pair({v}, {w}) && admits(Kind::vertex_vertex, {v, w}))
          pairs.vertex_vertex.push_back({v, w});
    }
    for (std::uint32_t a = 0; a < edges; ++a)
      for (std::uint32_t b = a + 1; b < edges; ++b)
        if (is_pair(edge(a), edge(b)) && admits(Kind::edge_edge, {a, b}))
          pairs.edge_edge.push_back({a, b});
    return pairs;
  }

 private:
  bool admits(Kind kind, const Pair& pair) const {
    return !options_.filter.admits || options_.filter.admits(kind, pair);
  }
  Vertices edge(std::uint32_t e) const { return {mesh_.edges[e][0], mesh_.edges[e][1]}; }
  Vertices face(std::uint32_t f) const { return {mesh_.faces[f].begin(), mesh_.faces[f].end()}; }
  bool is_rod(std::uint32_t e) const {
    return std::none_of(mesh_.faces.begin(), mesh_.faces.end(), [&](const Face& f) {
      const auto has = [&](std::uint32_t v) { return std::count(f.begin(), f.end(), v) > 0; };
      return has(mesh_.edges[e][0]) && has(mesh_.edges[e][1]);
    });
  }
  bool is_point(std::uint32_t v) const {
    return std::none_of(mesh_.edges.begin(), mesh_.edges.end(),
                        [&](const Edge& e) { return e[0] == v || e[1] == v; });
  }
  bool is_stray(const Vertices& feature) const {
    return feature.size() == 1 && is_point(feature[0]) &&
           std::none_of(mesh_.faces.begin(), mesh_.faces.end(), [&](const Face& f) {
             return std::count(f.begin(), f.end(), feature[0]) > 0;
           });
  }
  bool is_joined(std::uint32_t v, const Vertices& rod) const {
    return std::any_of(mesh_.edges.begin(), mesh_.edges.end(), [&](const Edge& e) {
      return (e[0] == v && have_common({e[1]}, rod)) || (e[1] == v && have_common({e[0]}, rod));
    });
  }
  Aabb box(const Vertices& feature) const {
    const auto of = [&](std::uint32_t v) {
      return swept_box(moving_.start[v], moving_.end[v], options_.separation);
    };
    Aabb box = of(feature[0]);
    for (const std::uint32_t v : feature) box.include(of(v));
    return box;
  }
  bool is_pair(const Vertices& a, const Vertices& b) const {
    if (!options_.stray_vertices && (is_stray(a) || is_stray(b))) return false;
    return !have_common(a, b) && overlap(box(a), box(b)) && may_meet(a, b);
  }
  bool may_meet(const Vertices& a, const Vertices& b) const {
    const PairFilter& filter = options_.filter;
    const auto is_static = [&](std::uint32_t v) { return filter.is_static[v] != 0; };
    if (!filter.is_static.empty() && std::all_of(a.begin(), a.end(), is_static) &&
        std::all_of(b.begin(), b.end(), is_static))
      return false;
    bool some = false;
    for (const std::uint32_t p : a)
      for (const std::uint32_t q : b) {
        const auto g = filter.group.empty() ? 0 : filter.group[p];
        const auto h = filter.group.empty() ? 0 : filter.group[q];
        const auto is_listed = [&](const GroupPair& pair) {
          return (pair.a == g && pair.b == h) || (pair.a == h && pair.b == g);
        };
        const bool listed =
            std::any_of(filter.group_pairs.begin(), filter.group_pairs.end(), is_listed);
        some |=
            (filter.meets.empty() || filter.meets[g * 3 + h]) && (g != h || filter.within_group) &&
            (filter.masks.empty() || ((filter.masks[p].categories & filter.masks[q].meets) != 0 &&
                                      (filter.masks[q].categories & filter.masks[p].meets) != 0)) &&
            listed == (filter.listed == ListedPairs::only);
      }
    return some;
  }

  const MovingMesh& moving_;
  const Mesh& mesh_;
  const PairOptions& options_;
};

// Returns a mesh of n vertices with few faces, more rods, some of them in chains, and points.
OwnedMotion rods_and_points(std::uint32_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto vertex = [&] { return static_cast<std::uint32_t>(random() % n); };
  std::vector<Face> faces(n / 8);
  for (Face& face : faces) face = {vertex(), vertex(), vertex()};
  std::vector<Edge> rods(n / 3);
  for (Edge& rod : rods) rod = {vertex(), vertex()};
  OwnedMotion motion{make_mesh(n, faces, rods), {}, {}};
  for (std::uint32_t v = 0; v < n; ++v)
    for (auto* side : {&motion.start, &motion.end}) {
      const auto draw = [&] { return double(random() % 5); };
      side->push_back({draw(), draw(), draw()});
    }
  return motion;
}

void expect_definition(const MovingMesh& moving, const PairOptions& options) {
  const Pairs expected = Definition(moving, options).pairs();
  for (const PairStrategy& strategy : pair_strategies())
    if (strategy.set == PairSet::overlapping) {
      EXPECT_TRUE(collect_pairs(moving, options, graze::Run{.threads = 2}, strategy) == expected)
          << strategy.name << ", shared " << options.shared_vertices << ", separation "
          << options.separation << ", filter " << !options.filter.is_static.empty()
          << !options.filter.group.empty() << !options.filter.meets.empty()
          << options.filter.within_group << !options.filter.masks.empty()
          << options.filter.group_pairs.size() << bool(options.filter.admits) << ", stray "
          << options.stray_vertices;
    }
}

TEST(PairFilter, FindsThePairsOfTheDefinition1) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto motion = rods_and_points(40 + 3 * std::uint32_t(seed), seed);
    const std::size_t n = motion.mesh.vertex_count;
    ASSERT_GT(motion.mesh.rods.size(), 3u);
    ASSERT_GT(motion.mesh.points.size(), 3u);
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> is_static(n), meets(9);
    std::vector<std::uint32_t> group(n);
    for (auto& x : is_static) x = random() % 2;
    for (auto& g : group) g = static_cast<std::uint32_t>(random() % 3);
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t h = 0; h <= g; ++h) meets[3 * g + h] = meets[3 * h + g] = random() % 2;
    for (const bool shared : {false, true})
      for (const double separation : {0.0, 0.5})
        for (const PairFilter& filter :
             {PairFilter{}, PairFilter{.is_static = is_static, .group = {}, .meets = {}},
              PairFilter{.is_static = {}, .group = group, .meets = meets},
              PairFilter{.is_static = {}, .group = group, .meets = {}, .within_group = false},
              PairFilter{
                  .is_static = is_static, .group = group, .meets = meets, .within_group = false}})
          expect_definition(
              motion.moving(),
              {.separation = separation, .shared_vertices = shared, .filter = filter});
  }
}

TEST(PairFilter, FindsThePairsOfMasksListsAndCallbacks1) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto motion = rods_and_points(40 + 3 * std::uint32_t(seed), seed);
    // A point that is a face: it has no edge, but it is not stray.
    auto faces = motion.mesh.faces;
    const std::uint32_t point = motion.mesh.points[0];
    faces.push_back({point, point, point});
    std::vector<Edge> rods;
    for (const std::uint32_t rod : motion.mesh.rods) rods.push_back(motion.mesh.edges[rod]);
    motion.mesh = make_mesh(motion.mesh.vertex_count, faces, rods);
    const std::size_t n = motion.mesh.vertex_count;
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> is_static(n), meets(9, 1);
    std::vector<std::uint32_t> group(n);
    std::vector<CategoryMask> masks(n);
    for (auto& x : is_static) x = random() % 2;
    for (auto& g : group) g = static_cast<std::uint32_t>(random() % 3);
    for (CategoryMask& mask : masks)
      mask = {1u << random() % 3 * 15, static_cast<std::uint32_t>(random() | random())};
    masks[0] = {};
    masks[1] = {0, ~0u};
    meets[1] = meets[3] = 0;
    const std::vector<GroupPair> listed = {{2, 1}, {0, 0}, {1, 2}, {7, 1u << 31}};
    std::vector<PairFilter> filters(8);
    filters[0].masks = masks;
    filters[1].group = filters[2].group = filters[3].group = filters[4].group = group;
    filters[1].group_pairs = filters[2].group_pairs = filters[4].group_pairs = listed;
    filters[2].listed = filters[3].listed = ListedPairs::only;  // [3]: nothing is listed
    filters[4].is_static = is_static;
    filters[4].meets = meets;
    filters[4].masks = masks;
    filters[5].admits = [](Kind kind, const Pair& pair) {
      return (pair.a + pair.b + static_cast<std::uint32_t>(kind)) % 2 == 0;
    };
    filters[6] = filters[4];
    filters[6].admits = filters[5].admits;
    for (const PairFilter& filter : filters)
      for (const bool stray : {false, true})
        for (const bool shared : {false, true})
          expect_definition(motion.moving(), {.separation = 0.25,
                                              .shared_vertices = shared,
                                              .stray_vertices = stray,
                                              .filter = filter});
    EXPECT_TRUE(collect_pairs(motion.moving(), {.filter = filters[3]}) == Pairs());
  }
}

// The mesh of a solid's surface has its inner vertices as points.
TEST(PairFilter, StrayVerticesAreLeftOutByAnOption) {
  const Mesh mesh = make_mesh(5, {{0, 1, 2}});
  const std::vector<Vec3> x = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 1, 0}};
  for (const PairStrategy& strategy : pair_strategies()) {
    EXPECT_TRUE(collect_pairs({mesh, x, x}, {}, {}, strategy) ==
                (Pairs{{{3, 0}, {4, 0}}, {}, {}, {{3, 4}}}));
    EXPECT_TRUE(collect_pairs({mesh, x, x}, {.stray_vertices = false}, {}, strategy) == Pairs());
  }
}

TEST(PairFilter, MustFitTheMesh) {
  const auto motion = rods_and_points(20, 1);
  PairOptions options;
  const std::vector<CategoryMask> masks(19);
  options.filter.masks = masks;
  EXPECT_EQ(collect_pairs(motion.moving(), options).status, PairStatus::invalid);
  options.filter.masks = {};
  options.filter.listed = static_cast<ListedPairs>(2);
  EXPECT_EQ(collect_pairs(motion.moving(), options).status, PairStatus::invalid);
}

TEST(PairFilter, AnExceptionOfTheCallbackIsRethrown) {
  const auto motion = rods_and_points(60, 1);
  for (const PairStrategy& strategy : pair_strategies())
    for (const int threads : {1, 2, 4}) {
      PairOptions options;
      options.filter.admits = [](Kind, const Pair& pair) -> bool {
        if (pair.a % 3 == 1) throw std::runtime_error("from the callback");
        return true;
      };
      try {
        collect_pairs(motion.moving(), options, {.threads = threads}, strategy);
        ADD_FAILURE() << strategy.name;
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "from the callback");
      }
    }
}

TEST(PairFilter, AStaticMeshHasNoPairs) {
  const auto motion = rods_and_points(60, 1);
  const std::vector<std::uint8_t> is_static(60, 1);
  for (const PairStrategy& strategy : pair_strategies())
    EXPECT_TRUE(collect_pairs(motion.moving(),
                              {.shared_vertices = true,
                               .filter = {.is_static = is_static, .group = {}, .meets = {}}},
                              {}, strategy) == Pairs());
}

// A chain a-b-c folds: c meets a-b; no edge_edge pair finds that contact.
TEST(PairFilter, AFoldingChainMeetsItselfWhereItSharesAVertex) {
  const Mesh mesh = make_mesh(3, {}, std::vector{Edge{0, 1}, Edge{1, 2}});
  const std::vector<Vec3> start = {{-2, 0, 0}, {0, 0, 0}, {0, 1, 0}};
  const std::vector<Vec3> end = {{-2, 0, 0}, {0, 0, 0}, {-1, -1, 0}};
  for (const PairStrategy& strategy : pair_strategies()) {
    EXPECT_TRUE(collect_pairs({mesh, start, end}, {}, {}, strategy) == Pairs());
    EXPECT_TRUE(collect_pairs({mesh, start, end}, {.shared_vertices = true}, {}, strategy) ==
                (Pairs{{}, {}, {{2, 0}}, {}}));
  }
}

}  // namespace
}  // namespace graze::broad::pair_filter_test
