#include "graze/narrow/certificate.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <sstream>

#include "graze/exact/oracle.h"
#include "graze/generate/families.h"
#include "graze/narrow/method.h"
#include "test/support/generated.h"
#include "test/support/proof.h"
#include "test/support/scale.h"

namespace graze {
namespace {

using test::cpp_rational;
using test::Differences;

Options until(double t_max) {
  Options options;
  options.t_max = t_max;
  options.max_checks = 20000;
  return options;
}

// What could be shown about a contact that the oracle reports.
struct Tally {
  std::atomic<int> misses, hits;
  std::atomic<int> at_toi_hi;    // the primitives touch at toi_hi
  std::atomic<int> at_rational;  // they touch at a simple time in (toi, toi_hi)
  std::atomic<int> passing;      // they pass through each other in (toi, toi_hi)
  std::atomic<int> not_refuted;  // none of these, yet apart in no cover of (toi, toi_hi) tried
};

// Judges one answer of the oracle without its predicates; returns what is wrong with it, if
// anything.
//
//   separated: a certificate proves it.
//   contact: a certificate proves that there is none before toi (before the last double below toi,
//     if contact is claimed at toi itself). A contact in [toi, toi_hi] is proven in one of the ways
//     of Tally, or at least not refuted.
template <class Query>
std::string judge(const Query& query, Tally& tally) {
  const Impact impact = oracle(query);
  const Differences differences(query);
  const auto certified_until = [&](double t_max) {
    const auto certificate = separation_certificate(query, until(t_max));
    return certificate && test::proves(*certificate, differences, t_max);
  };
  if (impact.verdict == Verdict::separated) {
    ++tally.misses;
    return certified_until(1) ? "" : "a miss without a valid certificate";
  }
  if (impact.verdict != Verdict::contact) return "no verdict";
  ++tally.hits;
  const double toi = impact.toi, toi_hi = impact.toi_hi;
  if (!(0 <= toi && toi <= toi_hi && toi_hi <= std::nextafter(toi, 2))) return "a wide enclosure";
  const double free_until = toi < toi_hi ? toi : std::nextafter(toi, -1);
  if (free_until > 0 && !certified_until(free_until)) return "not certified up to toi";
  if (free_until == 0 && !test::separable(differences.at(0))) return "contact at 0 before toi";
  if (!test::separable(differences.at(toi_hi))) {
    ++tally.at_toi_hi;
    return "";
  }
  if (toi == toi_hi) return "apart at the claimed time";
  int budget = 60;
  if (!test::separable(differences.at(test::simplest_between(toi, toi_hi)))) {
    ++tally.at_rational;
  } else if (test::passes_within(differences, toi, toi_hi, budget)) {
    ++tally.passing;
  } else {
    ++tally.not_refuted;
    if (budget >= 0) return "apart from toi to toi_hi";
  }
  return "";
}

template <class Query>
std::string describe(const Query& query) {
  std::ostringstream text;
  text << std::hexfloat;
  for (const auto* points : {&query.start, &query.end})
    for (const Vec3& point : *points) text << point.transpose() << ", ";
  return text.str();
}

template <class Query>
void judge_all(const std::vector<Query>& queries, Tally& tally) {
  std::mutex mutex;
  tbb::parallel_for(std::size_t{0}, queries.size(), [&](std::size_t i) {
    const std::string wrong = judge(queries[i], tally);
    if (wrong.empty()) return;
    const std::lock_guard lock(mutex);
    ADD_FAILURE() << "query " << i << ": " << wrong << ": " << describe(queries[i]);
  });
  std::cout << "  " << tally.misses << " misses certified; " << tally.hits
            << " hits: " << tally.at_toi_hi << " at toi_hi, " << tally.at_rational
            << " at a rational time, " << tally.passing << " passing, " << tally.not_refuted
            << " not refuted\n";
  EXPECT_LE(tally.not_refuted, 2 + tally.hits / 30);
}

constexpr double tiny = 5e-324, huge = 1.7976931348623157e308;

VertexFace over_triangle(const Vec3& start, const Vec3& end) {
  const std::array<Vec3, 3> face{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  return {{start, face[0], face[1], face[2]}, {end, face[0], face[1], face[2]}};
}

// A vertex sliding over a turning face, inside it, at a distance of a few ulps.
const VertexFace narrow_slide{
    {Vec3(32, -16, 0x1.0000000000003p+5), Vec3(38, 11, 0x1.8fffffffffffdp+5),
     Vec3(38, -0x1.4fffffffffffdp+4, 18), Vec3(6, -0x1.3fffffffffffdp+2, 82)},
    {Vec3(40, 56, -36), Vec3(0x1.a000000000004p+4, 3, 46), Vec3(26, 99, -50), Vec3(58, -141, 14)}};

// Promise (1): a certificate if and only if there is no contact.

TEST(Certificate, ExistsExactlyUntilTheFirstContact) {
  const VertexFace query = over_triangle({1, 1, 1}, {1, 1, -1});
  EXPECT_FALSE(separation_certificate(query));
  EXPECT_FALSE(separation_certificate(query, until(0.5)));
  const double before = std::nextafter(0.5, 0);
  const auto certificate = separation_certificate(query, until(before));
  ASSERT_TRUE(certificate);
  EXPECT_TRUE(test::proves(*certificate, Differences(query), before));
}

TEST(Certificate, IsRefusedForNonsense) {
  VertexFace query = over_triangle({1, 1, 1}, {1, 1, 2});
  EXPECT_TRUE(separation_certificate(query));
  EXPECT_FALSE(separation_certificate(query, until(0)));
  query.end[1].x() = Impact::nan;
  EXPECT_FALSE(separation_certificate(query));
}

TEST(Certificate, ExistsForGapsOfOneUlpAtAnyScale) {
  const double above = std::nextafter(2.0, 3);
  for (const VertexFace& query :
       {over_triangle({1, 1, tiny}, {1, 1, 5}), over_triangle({2, above, 1}, {2, above, -1}),
        over_triangle({huge, huge, huge}, {-huge, -huge, std::nextafter(-huge, 0)}),
        over_triangle({-tiny, 1, huge}, {-tiny, 1, -huge}),
        over_triangle({huge, 0, 1}, {huge, 0, -tiny})}) {
    const auto certificate = separation_certificate(query);
    ASSERT_TRUE(certificate) << describe(query);
    EXPECT_TRUE(test::proves(*certificate, Differences(query), 1)) << describe(query);
  }
}

TEST(Certificate, IsGivenUpWhenTheBudgetIsSpent) {
  Options options;
  options.max_checks = 10;
  EXPECT_FALSE(separation_certificate(narrow_slide, options));
}

TEST(Certificate, TurnsWithAFaceThatTurnsUnderAnUlpOfDistance) {
  const auto certificate = separation_certificate(narrow_slide);
  ASSERT_TRUE(certificate);
  EXPECT_TRUE(test::proves(*certificate, Differences(narrow_slide), 1));
  EXPECT_LT(certificate->size(), 1000u);
  EXPECT_TRUE(std::any_of(certificate->begin(), certificate->end(),
                          [](const auto& piece) { return piece.direction.size() > 1; }));
}

TEST(Certificate, HasConstantDirectionsForOrdinaryMisses) {
  std::size_t turning = 0, misses = 0;
  for (const EdgeEdge& query : generate_edge_edge(*find_family("simulation_like"), 2000, 3))
    if (const auto certificate = separation_certificate(query)) {
      ++misses;
      for (const auto& piece : *certificate) turning += piece.direction.size() > 1;
    }
  EXPECT_GT(misses, 500u);
  EXPECT_LT(turning, misses / 50);
}

// Every miss of the exact method is proven to be one. Half of the queries are random, half come
// from all families in turn.
template <class Query>
std::size_t certified_misses(std::size_t wanted) {
  std::atomic<std::size_t> misses = 0, unproven = 0;
  std::vector<const Family*> half(families().size(), find_family("random"));
  for (const Family& family : families()) half.push_back(&family);
  const Method& method = *find_method("exact");
  for (std::uint64_t seed = 1; misses < wanted; ++seed)
    tbb::parallel_for(std::size_t{0}, half.size(), [&](std::size_t i) {
      const auto queries = test::generated<Query>(*half[i], 250, 1000 * seed + i);
      std::vector<Impact> impacts(queries.size());
      solve(method, std::span<const Query>(queries), {}, impacts, 1);
      for (std::size_t k = 0; k < queries.size(); ++k) {
        if (impacts[k].verdict != Verdict::separated) continue;
        ++misses;
        const auto certificate = separation_certificate(queries[k]);
        unproven += !certificate || !test::proves(*certificate, Differences(queries[k]), 1);
      }
    });
  EXPECT_EQ(unproven, 0u);
  return misses;
}

TEST(Certificate, ProvesAMillionMisses) {
  const std::size_t wanted = test::scaled(500'000);
  std::cout << "  " << certified_misses<VertexFace>(wanted) + certified_misses<EdgeEdge>(wanted)
            << " misses proven\n";
}

// Promise (2): the checker can be trusted to say no.

TEST(CertificateChecker, RejectsEveryKindOfForgery) {
  const VertexFace query = over_triangle({1, 1, 1}, {1, 2, 3});
  const Differences differences(query);
  const auto genuine = separation_certificate(query).value();
  EXPECT_TRUE(test::proves(genuine, differences, 1));
  EXPECT_FALSE(test::proves({}, differences, 1));
  EXPECT_FALSE(test::proves(genuine, differences, std::nextafter(1.0, 2)));
  EXPECT_FALSE(test::proves(genuine, Differences(over_triangle({1, 1, 1}, {1, 1, -1})), 1));
  auto flipped = genuine;
  for (auto& x : flipped[0].direction[0]) x = -x;
  EXPECT_FALSE(test::proves(flipped, differences, 1));
  auto late = genuine;
  late[0].t0 = exact::Dyadic::of(tiny);
  EXPECT_FALSE(test::proves(late, differences, 1));
  auto undirected = genuine;
  undirected[0].direction[0] = {0, 0, 0};
  EXPECT_FALSE(test::proves(undirected, differences, 1));
}

TEST(CertificateChecker, RejectsATurningDirectionThatFailsInTheMiddle) {
  auto forged = separation_certificate(narrow_slide).value();
  const auto turning = std::find_if(forged.begin(), forged.end(),
                                    [](const auto& piece) { return piece.direction.size() > 2; });
  ASSERT_NE(turning, forged.end());
  for (auto& x : turning->direction[1]) x = -x;
  EXPECT_FALSE(test::proves(forged, Differences(narrow_slide), 1));
}

// The oracle on queries made to touch: integer corners that pass, at the rational time p / q,
// through a position with a common point.

template <class Query>
Query passing_through(const std::array<Vec3, 4>& there, std::mt19937& random, cpp_rational& time) {
  std::uniform_int_distribution<int> denominator(1, 12), speed(-5, 5);
  const int q = denominator(random), p = static_cast<int>(random() % static_cast<unsigned>(q + 1));
  const bool rigid = random() % 4 == 0;
  time = cpp_rational(p, q);
  Query query;
  Vec3 velocity = Vec3::Zero();
  for (std::size_t i = 0; i < 4; ++i) {
    if (i == 0 || i == test::corners_of_first(query) || !rigid)
      velocity = Vec3(speed(random), speed(random), random() % 3 == 0 ? 0 : speed(random));
    query.start[i] = there[i] - p * velocity;
    query.end[i] = there[i] + (q - p) * velocity;
  }
  return query;
}

Vec3 small_vector(std::mt19937& random) {
  std::uniform_int_distribution<int> component(-3, 3);
  return Vec3(component(random), component(random), component(random));
}

// Face a, a + n e, a + n f and the vertex a + i e + j f, i + j <= n.
std::array<Vec3, 4> touching_corners(const VertexFace&, std::mt19937& random) {
  const int n = 1 + static_cast<int>(random() % 4),
            i = static_cast<int>(random() % unsigned(n + 1)),
            j = static_cast<int>(random() % unsigned(n - i + 1));
  const Vec3 a = small_vector(random), e = small_vector(random), f = small_vector(random);
  return {a + i * e + j * f, a, a + n * e, a + n * f};
}

// Edges through the point x: x - i e to x + (n - i) e, and likewise with f.
std::array<Vec3, 4> touching_corners(const EdgeEdge&, std::mt19937& random) {
  const int n = 1 + static_cast<int>(random() % 4),
            i = static_cast<int>(random() % unsigned(n + 1)),
            j = static_cast<int>(random() % unsigned(n + 1));
  const Vec3 x = small_vector(random), e = small_vector(random),
             f = random() % 4 == 0 ? e : small_vector(random);
  return {x - i * e, x + (n - i) * e, x - j * f, x + (n - j) * f};
}

template <class Query>
void expect_made_contacts() {
  std::mt19937 random(22);
  std::vector<Query> queries;
  for (int i = 0; i < 10000; ++i) {
    cpp_rational time;
    queries.push_back(passing_through<Query>(touching_corners(Query{}, random), random, time));
    const Impact impact = oracle(queries.back());
    ASSERT_EQ(impact.verdict, Verdict::contact) << describe(queries.back());
    ASSERT_LE(cpp_rational(impact.toi), time) << describe(queries.back());
  }
  Tally tally{};
  judge_all(queries, tally);
}

TEST(OracleJudgedByConstruction, FindsEveryContactMadeOfAVertexAndAFace) {
  expect_made_contacts<VertexFace>();
}

TEST(OracleJudgedByConstruction, FindsEveryContactMadeOfTwoEdges) {
  expect_made_contacts<EdgeEdge>();
}

// The oracle on every family, judged by proofs it has no part in.
class OracleJudged : public testing::TestWithParam<const Family*> {};

constexpr std::size_t queries_per_family = 1500;

TEST_P(OracleJudged, IsRightOnVertexFace) {
  Tally tally{};
  judge_all(generate_vertex_face(*GetParam(), queries_per_family, 20), tally);
}

TEST_P(OracleJudged, IsRightOnEdgeEdge) {
  Tally tally{};
  judge_all(generate_edge_edge(*GetParam(), queries_per_family, 21), tally);
}

std::vector<const Family*> all_families() {
  std::vector<const Family*> all;
  for (const Family& family : families()) all.push_back(&family);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, OracleJudged, testing::ValuesIn(all_families()),
                         [](const auto& family) {
                           std::string name(family.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(OracleJudgedFamilies, AreAHundredThousandDegenerateQueries) {
  const auto degenerate = std::count_if(families().begin(), families().end(),
                                        [](const Family& family) { return family.degenerate; });
  EXPECT_GE(2 * queries_per_family * static_cast<std::size_t>(degenerate), 100000u);
}

}  // namespace
}  // namespace graze
