// Tests the exact method on the real data: every verdict, and every time that is known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "bench/harness/scene.h"
#include "graze/find_pairs.h"
#include "graze/io/query_files.h"
#include "graze/narrow/contact/exact_root.h"
#include "test/support/data.h"
#include "test/support/scale.h"

namespace graze::narrow::exact_root_data_test {
namespace {

struct Times {
  double toi = Impact::inf, toi_hi = Impact::inf;  // inf: no contact
  bool operator==(const Times&) const = default;
};

// Reads lines `index,contact,toi_lo,toi_hi` below a header, with hexadecimal doubles. Returns
// nothing if there is no file.
std::vector<Times> read_times(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<Times> times;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto contact = line.find(',') + 1, lo = line.find(',', contact) + 1,
               hi = line.find(',', lo) + 1;
    times.push_back(line[contact] == '1'
                        ? Times{std::strtod(&line[lo], nullptr), std::strtod(&line[hi], nullptr)}
                        : Times{});
  }
  return times;
}

template <class Query>
std::vector<Impact> answers(std::span<const Query> queries, ExactTally& tally) {
  std::vector<Impact> impacts(queries.size());
  exact_root(queries, {}, std::span<Impact>(impacts), tally);
  return impacts;
}

// ---- the query sets ----------------------------------------------------------------------------

template <class Query>
void check_query_sets(const std::string& kind, ExactTally& tally) {
  for (const auto& folder : std::filesystem::directory_iterator(test::data_folder() / "queries")) {
    const std::string name = folder.path().filename().string();
    SCOPED_TRACE(name);
    const auto set = io::read_queries(folder.path() / (kind + ".csv"));
    const auto queries = set.as<Query>();
    const auto times = read_times(test::data_folder() / "toi" / (name + "." + kind + ".csv"));
    ASSERT_EQ(times.size(), queries.size());
    const auto impacts = answers(queries, tally);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(impacts[i].verdict == Verdict::contact, set.truth()[i] != 0) << i;
      ASSERT_EQ((Times{impacts[i].toi, impacts[i].toi_hi}), times[i]) << i;
    }
  }
}

TEST(ExactRootOnData, GivesTheTruthAndTheTimesOfTheQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  ExactTally tally;
  check_query_sets<VertexFace>("vertex-face", tally);
  check_query_sets<EdgeEdge>("edge-edge", tally);
  EXPECT_EQ(tally.total(), 2429u);
  EXPECT_LT(tally.integer * 20, tally.total());  // mostly settled before
}

// ---- the scenes --------------------------------------------------------------------------------

struct SceneNumbers {
  std::string name;
  std::size_t vertex_face_pairs, edge_edge_pairs;
  double most_integer;  // share of all pairs
};

class ExactRootOnScene : public testing::TestWithParam<SceneNumbers> {};

// Returns the contacts among the pairs, and their times if the data contains them.
std::map<Pair, Times> expected_contacts(const bench::ListedPairs& listed,
                                        const std::vector<Times>& times, Kind kind) {
  std::map<Pair, Times> contacts;
  for (std::size_t i = 0; i < listed.pairs.size(); ++i) {
    if (!listed.contact[i]) continue;
    Pair pair = listed.pairs[i];
    if (kind == Kind::edge_edge && pair.a > pair.b) std::swap(pair.a, pair.b);
    contacts[pair] = times.empty() ? Times{} : times[i];
  }
  return contacts;
}

// Tests all pairs with overlapping boxes (a part of them if GRAZE_TEST_SCALE is below 1): the
// contacts are exactly those of the symbolic solver. The answers from the mesh with indices and
// from copied queries are compared.
template <class Query, class Make>
void check_pairs(const MovingMesh& moving, Kind kind, std::span<const Pair> pairs,
                 const std::map<Pair, Times>& expected, Make&& make, ExactTally& tally) {
  constexpr std::size_t block = 1000;
  const std::size_t percent = std::min<std::size_t>(test::scaled(100), 100);
  std::size_t contacts = 0, asked = 0;
  for (std::size_t first = 0; first < pairs.size(); first += block) {
    if (first / block % 100 >= percent) continue;
    const auto part = pairs.subspan(first, std::min(block, pairs.size() - first));
    asked += part.size();
    std::vector<IndexedImpact> found;
    ExactTally of_pairs;
    exact_root(moving, kind, part, {}, found, of_pairs);
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.index < b.index; });
    std::vector<Query> queries;
    for (const Pair& pair : part) queries.push_back(make(pair));
    const auto impacts = answers(std::span<const Query>(queries), tally);
    std::size_t next = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto known = expected.find(part[i]);
      const bool contact = impacts[i].verdict == Verdict::contact;
      ASSERT_EQ(contact, known != expected.end()) << part[i].a << ' ' << part[i].b;
      if (!contact) continue;
      ++contacts;
      const Times given{impacts[i].toi, impacts[i].toi_hi};
      ASSERT_TRUE(known->second == Times{} || given == known->second)
          << part[i].a << ' ' << part[i].b;
      ASSERT_LT(next, found.size());
      ASSERT_EQ(found[next].index, i);
      ASSERT_EQ(found[next].impact.toi, impacts[i].toi);
      ASSERT_EQ(found[next++].impact.normal, impacts[i].normal);
    }
    ASSERT_EQ(next, found.size());
    ASSERT_EQ(of_pairs.total(), part.size());
  }
  if (asked == pairs.size()) {
    EXPECT_EQ(contacts, expected.size());
  }
}

TEST_P(ExactRootOnScene, FindsExactlyTheTrueContactsAmongAllPairs) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto& numbers = GetParam();
  const bench::Scene scene = bench::read_scene(test::data_folder() / "scenes" / numbers.name);
  const MovingMesh moving = scene.motion.moving();
  const Pairs pairs = collect_pairs(moving, {}, {}, *find_pair_strategy("sweep_and_prune"));
  ASSERT_EQ(pairs.vertex_face.size(), numbers.vertex_face_pairs);
  ASSERT_EQ(pairs.edge_edge.size(), numbers.edge_edge_pairs);
  const auto toi = (test::data_folder() / "toi" / numbers.name).string();
  ExactTally tally;
  check_pairs<VertexFace>(
      moving, Kind::vertex_face, pairs.vertex_face,
      expected_contacts(scene.vertex_face, read_times(toi + ".vf.csv"), Kind::vertex_face),
      [&](const Pair& pair) { return moving.vertex_face(pair.a, pair.b); }, tally);
  check_pairs<EdgeEdge>(
      moving, Kind::edge_edge, pairs.edge_edge,
      expected_contacts(scene.edge_edge, read_times(toi + ".ee.csv"), Kind::edge_edge),
      [&](const Pair& pair) { return moving.edge_edge(pair.a, pair.b); }, tally);
  const auto total = static_cast<double>(tally.total());
  std::cout << "  of " << tally.total() << " pairs: axis " << 100 * double(tally.axis) / total
            << "%, diagonal " << 100 * double(tally.diagonal) / total << "%, coplanarity "
            << 100 * double(tally.coplanarity) / total << "%, root "
            << 100 * double(tally.root_miss + tally.root_contact) / total << "%, integer "
            << 100 * double(tally.integer) / total << "%\n";
  EXPECT_LE(static_cast<double>(tally.integer), numbers.most_integer * total);
}

INSTANTIATE_TEST_SUITE_P(All, ExactRootOnScene,
                         testing::Values(SceneNumbers{"armadillo-rollers", 2031902, 5068080, 1e-5},
                                         SceneNumbers{"cloth-ball", 1655541, 5197332, 1e-5},
                                         SceneNumbers{"cloth-funnel", 7319, 33770, 5e-3}),
                         [](const auto& scene) {
                           std::string name = scene.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace graze::narrow::exact_root_data_test
