#include "graze/gpu/certified_roots.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "graze/first_contact.h"
#include "graze/generate/families.h"
#include "graze/generate/random.h"
#include "graze/gpu/contact_place.h"
#include "graze/gpu/open_answer.h"
#include "graze/gpu/separating_direction.h"
#include "graze/gpu/start_side.h"
#include "graze/narrow/contact/exact_root.h"
#include "graze/spine/start_piercings.h"
#include "test/gpu/same_bits.h"

namespace graze::certified_roots_test {
namespace {

template <class Query>
constexpr gpu::QueryKind kind_on_device =
    std::is_same_v<Query, VertexFace> ? gpu::vertex_face_query : gpu::edge_edge_query;

template <class Query>
gpu::MovingCorners corners_of(const Query& query) {
  gpu::MovingCorners x;
  for (std::size_t c = 0; c < 4; ++c) {
    x.at[0][c] = {query.start[c][0], query.start[c][1], query.start[c][2]};
    x.at[1][c] = {query.end[c][0], query.end[c][1], query.end[c][2]};
  }
  return x;
}

// Runs the stages of the device for one query on the host. Returns false if the query is left to
// integers.
template <gpu::QueryKind kind>
bool answer(const gpu::MovingCorners& x, double t_max, Impact& impact) {
  if (!gpu::is_finite(x)) {
    impact = Impact::invalid();
    return true;
  }
  impact = Impact::separated();
  if (gpu::is_culled<kind>(x, t_max)) return true;
  gpu::Bracket root{};
  gpu::Stage stage = gpu::examine_step<kind>(x, t_max, root);
  if (stage == gpu::Stage::rootless) return true;
  if (stage == gpu::Stage::unknown) stage = gpu::examine_pieces<kind>(x, t_max, root);
  if (stage == gpu::Stage::unknown) return false;
  impact = Impact::separated(1);
  if (stage == gpu::Stage::miss) return true;
  double toi = 0, toi_hi = 0;
  gpu::ContactPlace place{};
  if (!gpu::tightest_times<kind>(x, root, toi, toi_hi)) return false;
  if (!gpu::locate_contact<kind>(x, toi, place)) return false;
  impact = Impact::contact(toi, toi_hi, 1);
  impact.kind = ContactKind::interior;
  impact.u = place.first;
  impact.v = place.second;
  impact.normal = Vec3(place.normal.x, place.normal.y, place.normal.z);
  return true;
}

struct Tally {
  std::size_t all = 0, contacts = 0, open = 0, by_integers = 0;
};

template <class Query>
void compare(const std::vector<Query>& queries, double t_max, const char* name, Tally& tally) {
  std::vector<Impact> expected(queries.size());
  Options options;
  options.t_max = t_max;
  narrow::ExactTally stages;
  narrow::exact_root(queries, options, expected, stages);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Impact impact;
    ++tally.all;
    if (!answer<kind_on_device<Query>>(corners_of(queries[i]), t_max, impact)) {
      ++tally.open;
      continue;
    }
    tally.contacts += impact.verdict == Verdict::contact;
    ASSERT_TRUE(test::same_bits(impact, expected[i]))
        << name << " " << i << " t_max " << t_max << ": " << impact.toi << " " << expected[i].toi;
  }
  tally.by_integers += stages.integer + stages.rounded_by_integers;
}

TEST(CertifiedRoots, HaveTheBitsOfTheExactMethodOnAllFamilies) {
  Tally tally;
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.37}) {
      const std::size_t count = 1200;
      compare(generate::generate_vertex_face(family, count, 11), t_max, family.name.data(), tally);
      compare(generate::generate_edge_edge(family, count, 12), t_max, family.name.data(), tally);
    }
  EXPECT_GT(tally.contacts, tally.all / 50);
  EXPECT_LT(tally.open, tally.all / 2);
  // The queries that are open here are those that the CPU decides by integers, and those whose
  // contact points need a scaling.
  EXPECT_GE(tally.open, tally.by_integers);
  RecordProperty("open", static_cast<int>(tally.open));
}

// Answers queries that examine_step() leaves from the next stage on, and those that
// examine_pieces() leaves by integers. Adds the numbers of such queries and of their contacts.
template <class Query>
void answer_later_stages(const std::vector<Query>& queries, double t_max, Tally& tally) {
  constexpr gpu::QueryKind kind = kind_on_device<Query>;
  Options options;
  options.t_max = t_max;
  for (const Query& query : queries) {
    const gpu::MovingCorners x = corners_of(query);
    gpu::Bracket root{};
    if (!gpu::is_finite(x) || gpu::examine_step<kind>(x, t_max, root) != gpu::Stage::unknown)
      continue;
    const bool by_integers = gpu::examine_pieces<kind>(x, t_max, root) == gpu::Stage::unknown;
    const Impact expected = first_contact(query, options);
    for (const gpu::OpenStage stage :
         {gpu::OpenStage::any, gpu::OpenStage::pieces, gpu::OpenStage::integers}) {
      if (stage == gpu::OpenStage::integers && !by_integers) continue;
      const Impact impact = gpu::answer_from(query, stage, options);
      ASSERT_EQ(impact.verdict, expected.verdict);
      if (expected.verdict == Verdict::contact) {
        ASSERT_TRUE(test::same_bits(impact, expected)) << impact.toi << " " << expected.toi;
      }
    }
    ++tally.open;
    tally.by_integers += by_integers;
    tally.contacts += expected.verdict == Verdict::contact;
  }
}

TEST(OpenAnswers, HaveTheBitsOfFirstContactOnAllFamilies) {
  Tally tally;
  for (const generate::Family& family : generate::families())
    for (const double t_max : {1.0, 0.37}) {
      SCOPED_TRACE(family.name);
      answer_later_stages(generate::generate_vertex_face(family, 600, 13), t_max, tally);
      answer_later_stages(generate::generate_edge_edge(family, 600, 14), t_max, tally);
      if (HasFatalFailure()) return;
    }
  EXPECT_GT(tally.by_integers, 1000u);
  EXPECT_GT(tally.open, tally.by_integers + 1000);
  EXPECT_GT(tally.contacts, 1000u);
}

TEST(CertifiedRoots, RejectQueriesThatAreNotFinite) {
  VertexFace query = generate::generate_vertex_face(generate::families()[0], 1, 1)[0];
  query.end[2][1] = Impact::nan;
  Impact impact;
  EXPECT_TRUE(answer<gpu::vertex_face_query>(corners_of(query), 1, impact));
  EXPECT_EQ(impact.verdict, Verdict::invalid);
}

// Returns whether moving boxes of codes or directions in floats prove the query apart, in a frame
// of its own.
template <class Query>
bool is_proven_apart(const Query& query, double begin, double until, bool& by_boxes) {
  constexpr gpu::QueryKind kind = kind_on_device<Query>;
  constexpr std::size_t split = kind == gpu::edge_edge_query ? 2 : 1;
  const double middle[3] = {query.start[0][0], query.start[0][1], query.start[0][2]};
  double reach = 0;
  for (std::size_t c = 0; c < 4; ++c)
    for (int k = 0; k < 3; ++k)
      reach = std::max({reach, std::abs(query.start[c][k] / 2 - middle[k] / 2),
                        std::abs(query.end[c][k] / 2 - middle[k] / 2)});
  const gpu::Frame frame = gpu::make_frame(middle, reach / 3, 2 * reach);
  gpu::MovingBox boxes[2] = {gpu::empty_box(), gpu::empty_box()};
  gpu::FloatPair<kind> pair;
  for (std::size_t c = 0; c < 4; ++c) {
    gpu::FloatCorner corner;
    gpu::MovingBox codes;
    gpu::place_vertex(frame, query.start[c].data(), query.end[c].data(), begin, until, 0, corner,
                      codes);
    gpu::extend(boxes[c >= split], codes);
    pair.set(static_cast<int>(c), corner);
  }
  by_boxes = gpu::stay_apart(boxes[0], boxes[1]);
  return by_boxes || pair.stays_apart();
}

template <class Query>
void expect_no_contact_lost(const std::vector<Query>& queries, const char* name,
                            std::size_t& culled) {
  for (const auto& [begin, until] : {std::pair{0.0, 1.0}, {0.0, 0.37}, {0.25, 0.6}}) {
    std::vector<Impact> impacts(queries.size());
    Options options;
    options.t_max = until;
    narrow::exact_root(queries, {options}, impacts);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (!is_finite(queries[i])) continue;
      bool by_boxes = false;
      if (!is_proven_apart(queries[i], begin, until, by_boxes)) continue;
      ++culled;
      // A contact before the slab does not count.
      ASSERT_FALSE(impacts[i].verdict == Verdict::contact && impacts[i].toi > begin)
          << name << " " << i << " [" << begin << ", " << until << "]"
          << (by_boxes ? " boxes" : "");
    }
  }
}

TEST(MovingCodes, AndDirectionsLoseNoContact) {
  std::size_t culled = 0;
  for (const generate::Family& family : generate::families()) {
    expect_no_contact_lost(generate::generate_vertex_face(family, 800, 21), family.name.data(),
                           culled);
    expect_no_contact_lost(generate::generate_edge_edge(family, 800, 22), family.name.data(),
                           culled);
  }
  EXPECT_GT(culled, 10000u);
}

TEST(StartSide, DecidesAsTheExactSearch) {
  generate::Random random("sides", 0, 0, 0);
  const Mesh mesh = make_mesh(5, {{2, 3, 4}}, {{0, 1}});
  const std::vector<Edge> edge = {{0, 1}};
  const std::array crossing{Pair{edge_indices(mesh, edge)[0], 0}};
  std::size_t pierced = 0, ruled_out = 0;
  for (int i = 0; i < 20000; ++i) {
    // Lattices make many coplanar and touching cases.
    const auto point = [&]() -> Vec3 {
      return i % 2 ? Vec3(random.cube(-1, 1)) : Vec3(random.lattice(3));
    };
    const std::vector<Vec3> x = {point(), point(), point(), point(), point()};
    const auto at = [&](std::size_t k) -> gpu::Vec { return {x[k][0], x[k][1], x[k][2]}; };
    const gpu::Piercing piercing = gpu::pierces(at(0), at(1), at(2), at(3), at(4));
    std::vector<Pair> found;
    StartPiercings(mesh, x, {}).find_all(crossing, found);
    ASSERT_FALSE(piercing == gpu::Piercing::no && !found.empty()) << i;
    ASSERT_FALSE(piercing == gpu::Piercing::yes && found.empty()) << i;
    pierced += !found.empty();
    ruled_out += piercing == gpu::Piercing::no;
  }
  EXPECT_GT(pierced, 500u);
  EXPECT_GT(ruled_out, 10000u);
}

TEST(MovingCodes, KeepTheOrderOfCoordinates) {
  const double middle[3] = {0.25, -3, 1e8};
  const gpu::Frame frame = gpu::make_frame(middle, 1.5, 7);
  generate::Random random("codes", 0, 0, 0);
  for (int i = 0; i < 20000; ++i) {
    const int axis = i % 3;
    double x = middle[axis] + random.cube(-20, 20)[0], y = middle[axis] + random.cube(-20, 20)[1];
    if (i % 5 == 0) y = std::nextafter(x, 1e300);
    if (x > y) std::swap(x, y);
    const float fx = gpu::to_float(frame, axis, x), fy = gpu::to_float(frame, axis, y);
    ASSERT_LE(fx, fy);
    ASSERT_LE(gpu::code_of(frame, fx), gpu::code_of(frame, fy));
    ASSERT_LE(gpu::code_of(frame, fy), 32767u);
  }
}

TEST(MovingCodes, StayApartExactlyIfOneIsAheadAtBothEnds) {
  generate::Random random("boxes", 0, 0, 0);
  const auto code = [&] { return static_cast<std::uint32_t>(random.cube(0, 32767.99)[0]); };
  for (int i = 0; i < 20000; ++i) {
    gpu::MovingBox box[2];
    std::uint32_t lo[2][3][2], hi[2][3][2];
    for (int b = 0; b < 2; ++b)
      for (int k = 0; k < 3; ++k) {
        for (int end = 0; end < 2; ++end) {
          lo[b][k][end] = i % 3 ? code() : code() / 16384;
          hi[b][k][end] = std::min(lo[b][k][end] + code() / 4, 32767u);
        }
        box[b].lo[k] = lo[b][k][0] | lo[b][k][1] << 16;
        box[b].hi[k] = (hi[b][k][0] | hi[b][k][1] << 16) | gpu::guard_bits;
      }
    bool apart = false;
    for (int k = 0; k < 3; ++k)
      apart |= (lo[0][k][0] > hi[1][k][0] && lo[0][k][1] > hi[1][k][1]) ||
               (lo[1][k][0] > hi[0][k][0] && lo[1][k][1] > hi[0][k][1]);
    ASSERT_EQ(gpu::stay_apart(box[0], box[1]), apart) << i;
  }
}

}  // namespace
}  // namespace graze::certified_roots_test
