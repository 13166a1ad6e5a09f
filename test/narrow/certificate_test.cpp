#include "graze/certificate.h"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <sstream>

#include "graze/exact/judge/oracle.h"
#include "graze/generate/families.h"
#include "test/support/certified_misses.h"
#include "test/support/generated.h"
#include "test/support/proof.h"
#include "test/support/scale.h"

namespace graze::narrow::certificate_test {
namespace {

using test::cpp_rational;
using test::Differences;

Options until(double t_max) {
  Options options;
  options.t_max = t_max;
  options.max_checks = 20000;
  return options;
}

// Counts the contacts that the oracle reports by the way in which they were proven.
struct Tally {
  std::atomic<int> misses, hits;
  std::atomic<int> at_toi_hi;    // the primitives touch at toi_hi
  std::atomic<int> at_rational;  // they touch at a simple time in (toi, toi_hi)
  std::atomic<int> passing;      // they pass through each other in (toi, toi_hi)
  std::atomic<int> not_refuted;  // none of these, but no attempt to prove them apart succeeded
};

// Judges one answer of the oracle without its predicates. Returns a description of the error, or
// nothing.
//
//   separated: a certificate proves it.
//   contact: a certificate proves that there is none before toi (before the last double below toi,
//     if contact is claimed at toi itself). A contact in [toi, toi_hi] is proven in one of the ways
//     of Tally, or at least not refuted.
template <class Query>
std::string judge(const Query& query, Tally& tally) {
  const Impact impact = exact::oracle(query);
  const Differences differences(query);
  const auto certified_until = [&](double t_max) {
    const Certificate proof = certificate(query, until(t_max));
    return test::proves(proof, differences, t_max) && verify(proof, query);
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

bool is_proven(const auto& query, double t_max = 1) {
  const Certificate proof = certificate(query, until(t_max));
  return proof.verdict == Verdict::separated && verify(proof, query) &&
         test::proves(proof, Differences(query), t_max);
}

// Promises (1) and (2): a proof if and only if there is no contact.

TEST(Certificate, Promise2ExistsExactlyUntilTheFirstContact) {
  const VertexFace query = over_triangle({1, 1, 1}, {1, 1, -1});
  EXPECT_EQ(certificate(query).verdict, Verdict::contact);
  EXPECT_TRUE(certificate(query).pieces.empty());
  EXPECT_EQ(certificate(query, until(0.5)).verdict, Verdict::contact);
  EXPECT_TRUE(is_proven(query, std::nextafter(0.5, 0)));
}

TEST(Certificate, IsInvalidForInputThatIsNotFiniteAndForOptionsOutOfRange) {
  VertexFace query = over_triangle({1, 1, 1}, {1, 1, 2});
  EXPECT_EQ(certificate(query).verdict, Verdict::separated);
  EXPECT_EQ(certificate(query, until(0)).verdict, Verdict::invalid);
  EXPECT_EQ(certificate(query, {.min_separation = 0.5}).verdict, Verdict::invalid);
  const Certificate proof = certificate(query);
  query.end[1].x() = Impact::nan;
  EXPECT_EQ(certificate(query).verdict, Verdict::invalid);
  EXPECT_FALSE(verify(proof, query));
}

TEST(Certificate, Promise2ExistsForGapsOfOneUlpAtAnyScale) {
  const double above = std::nextafter(2.0, 3);
  for (const VertexFace& query :
       {over_triangle({1, 1, tiny}, {1, 1, 5}), over_triangle({2, above, 1}, {2, above, -1}),
        over_triangle({huge, huge, huge}, {-huge, -huge, std::nextafter(-huge, 0)}),
        over_triangle({-tiny, 1, huge}, {-tiny, 1, -huge}),
        over_triangle({huge, 0, 1}, {huge, 0, -tiny})})
    EXPECT_TRUE(is_proven(query)) << describe(query);
}

TEST(Certificate, IsUndecidedWhenTheBudgetIsSpent) {
  const Certificate given_up = certificate(narrow_slide, {.max_checks = 10});
  EXPECT_EQ(given_up.verdict, Verdict::undecided);
  EXPECT_TRUE(given_up.pieces.empty());
  const std::atomic<bool> stop = true;
  Certificate stopped;
  certificate(std::span(&narrow_slide, 1), std::span(&stopped, 1), {}, {.stop = &stop});
  EXPECT_EQ(stopped.verdict, Verdict::undecided);
  EXPECT_TRUE(stopped.pieces.empty());
}

TEST(Certificate, TurnsWithAFaceThatTurnsUnderAnUlpOfDistance) {
  EXPECT_TRUE(is_proven(narrow_slide));
  const Certificate proof = certificate(narrow_slide);
  EXPECT_LT(proof.pieces.size(), 1000u);
  EXPECT_TRUE(std::any_of(proof.pieces.begin(), proof.pieces.end(),
                          [](const auto& piece) { return piece.direction.size() > 1; }));
}

TEST(Certificate, HasConstantDirectionsOfOneTermForOrdinaryMisses) {
  std::size_t unusual = 0, misses = 0;
  for (const EdgeEdge& query :
       generate::generate_edge_edge(*generate::find_family("simulation_like"), 2000, 3)) {
    const Certificate proof = certificate(query);
    misses += proof.verdict == Verdict::separated;
    for (const CertificatePiece& piece : proof.pieces)
      unusual +=
          piece.direction.size() > 1 || piece.direction[0].size() > 1 || piece.end.size() > 1;
  }
  EXPECT_GT(misses, 500u);
  EXPECT_LT(unusual, misses / 50);
}

// Every number is a sum of doubles in order of decreasing size.
TEST(Certificate, HasTermsOfDecreasingSize) {
  std::size_t long_ends = 0, long_directions = 0;
  for (const generate::Family& family : generate::families())
    for (const VertexFace& query : test::generated<VertexFace>(family, 40, 31))
      for (const CertificatePiece& piece : certificate(query, until(1)).pieces) {
        long_ends += piece.end.size() > 1;
        for (std::size_t i = 1; i < piece.end.size(); ++i)
          ASSERT_LT(std::abs(piece.end[i]), std::abs(piece.end[i - 1]) * 0x1p-52);
        for (const auto& terms : piece.direction) {
          ASSERT_FALSE(terms.empty());
          long_directions += terms.size() > 1;
          for (std::size_t i = 1; i < terms.size(); ++i)
            for (int k = 0; k < 3; ++k)
              ASSERT_LE(std::abs(terms[i][k]), std::abs(terms[i - 1][k]) * 0x1p-52);
        }
      }
  EXPECT_GT(long_directions, 0u);
  std::cout << "  " << long_ends << " times and " << long_directions
            << " directions of several terms\n";
}

// A step that ends at the smallest double is divided like any other.
TEST(Certificate, CoversTheShortestStep) {
  const VertexFace query = over_triangle({1, 1, 1}, {1, 1, -huge});
  EXPECT_TRUE(is_proven(query, tiny));
  EXPECT_FALSE(is_proven(query));
}

TEST(Certificate, ProvesMissesWithoutArea) {
  int misses = 0, contacts = 0;
  for (const generate::Family& family : generate::families())
    for (const VertexFace& q : test::generated<VertexFace>(family, 20, 32)) {
      const auto check = [&](const auto& query) {
        const Verdict truth = exact::oracle(as_vertex_face(query)).verdict;
        const Certificate proof = certificate(query, until(1));
        ASSERT_EQ(proof.verdict, truth) << describe(query);
        ASSERT_EQ(verify(proof, query), truth == Verdict::separated) << describe(query);
        ++(truth == Verdict::separated ? misses : contacts);
      };
      check(VertexEdge{{q.start[0], q.start[1], q.start[2]}, {q.end[0], q.end[1], q.end[2]}});
      check(VertexVertex{{q.start[0], q.start[1]}, {q.end[0], q.end[1]}});
    }
  EXPECT_GT(misses, 500);
  EXPECT_GT(contacts, 50);
}

// The short form of the program certificate_soak.
TEST(Certificate, Promise3ProvesTheMissesOfTheExactMethod) {
  const std::size_t wanted = test::scaled(10'000);
  const auto faces = test::certified_misses<VertexFace>(wanted);
  const auto edges = test::certified_misses<EdgeEdge>(wanted);
  EXPECT_EQ(faces.unproven, 0u);
  EXPECT_EQ(edges.unproven, 0u);
  std::cout << "  " << faces.misses + edges.misses << " misses proven\n";
}

// Both checkers refuse wrong proofs.

bool anyone_accepts(const Certificate& proof, const VertexFace& query, double t_max = 1) {
  return verify(proof, query) || test::proves(proof, Differences(query), t_max);
}

TEST(CertificateChecker, RejectsEveryKindOfForgery) {
  const VertexFace query = over_triangle({1, 1, 1}, {1, 2, 3});
  const Certificate genuine = certificate(query);
  EXPECT_TRUE(verify(genuine, query));
  EXPECT_TRUE(test::proves(genuine, Differences(query), 1));
  EXPECT_FALSE(anyone_accepts({}, query));
  EXPECT_FALSE(anyone_accepts({Verdict::separated, 1, {}}, query));
  EXPECT_FALSE(anyone_accepts(genuine, over_triangle({1, 1, 1}, {1, 1, -1})));
  const auto forged = [&](auto change) {
    Certificate copy = genuine;
    change(copy);
    return anyone_accepts(copy, query);
  };
  EXPECT_FALSE(forged([](Certificate& c) { c.verdict = Verdict::contact; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces.back().end = {std::nextafter(1.0, 0)}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces.back().end = {std::nextafter(1.0, 2)}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces.back().end = {1, -tiny}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces.back().end = {}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces.push_back(c.pieces.back()); }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces[0].direction = {}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces[0].direction[0] = {}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces[0].direction[0] = {Vec3::Zero()}; }));
  EXPECT_FALSE(forged([](Certificate& c) { c.pieces[0].direction[0][0] *= -1; }));
  for (const double bad : {Impact::nan, Impact::inf})
    for (int place = 0; place < 3; ++place) {
      Certificate copy = genuine;
      double& number = place == 0   ? copy.pieces[0].end[0]
                       : place == 1 ? copy.pieces[0].direction[0][0][0]
                                    : copy.t_max;
      number = bad;
      EXPECT_FALSE(verify(copy, query)) << bad << ' ' << place;
    }
  for (const double t_max : {0.0, -1.0, std::nextafter(1.0, 2)}) {
    Certificate copy = genuine;
    copy.t_max = t_max;
    EXPECT_FALSE(verify(copy, query)) << t_max;
  }
}

TEST(CertificateChecker, RejectsATurningDirectionThatFailsInTheMiddle) {
  Certificate forged = certificate(narrow_slide);
  const auto turning = std::find_if(forged.pieces.begin(), forged.pieces.end(),
                                    [](const auto& piece) { return piece.direction.size() > 2; });
  ASSERT_NE(turning, forged.pieces.end());
  for (Vec3& term : turning->direction[1]) term = -term;
  EXPECT_FALSE(anyone_accepts(forged, narrow_slide));
}

// A gap of a rounding error needs more than one double in the direction.
TEST(CertificateChecker, RejectsADirectionThatIsRounded) {
  int rejected = 0;
  for (const generate::Family& family : generate::families())
    for (const VertexFace& query : test::generated<VertexFace>(family, 40, 31)) {
      Certificate proof = certificate(query, until(1));
      bool shortened = false;
      for (CertificatePiece& piece : proof.pieces)
        for (auto& terms : piece.direction)
          if (terms.size() > 1) {
            terms.resize(1);
            shortened = true;
          }
      if (!shortened) continue;
      ASSERT_EQ(verify(proof, query), test::proves(proof, Differences(query), 1));
      rejected += !verify(proof, query);
    }
  EXPECT_GT(rejected, 0);
}

// Tests the oracle on queries made to touch: integer corners that pass, at the rational time p / q,
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

// Returns the vertex a + i e + j f and the face a, a + n e, a + n f, i + j <= n.
std::array<Vec3, 4> touching_corners(const VertexFace&, std::mt19937& random) {
  const int n = 1 + static_cast<int>(random() % 4),
            i = static_cast<int>(random() % unsigned(n + 1)),
            j = static_cast<int>(random() % unsigned(n - i + 1));
  const Vec3 a = small_vector(random), e = small_vector(random), f = small_vector(random);
  return {a + i * e + j * f, a, a + n * e, a + n * f};
}

// Returns edges through the point x: x - i e to x + (n - i) e, and likewise with f.
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
    const Impact impact = exact::oracle(queries.back());
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

// The oracle on every family, judged by proofs that are independent of it.
class OracleJudged : public testing::TestWithParam<const generate::Family*> {};

constexpr std::size_t queries_per_family = 1500;

TEST_P(OracleJudged, AgreesWithTheJudgeOnVertexFace) {
  Tally tally{};
  judge_all(generate::generate_vertex_face(*GetParam(), queries_per_family, 20), tally);
}

TEST_P(OracleJudged, AgreesWithTheJudgeOnEdgeEdge) {
  Tally tally{};
  judge_all(generate::generate_edge_edge(*GetParam(), queries_per_family, 21), tally);
}

std::vector<const generate::Family*> all_families() {
  std::vector<const generate::Family*> all;
  for (const generate::Family& family : generate::families()) all.push_back(&family);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, OracleJudged, testing::ValuesIn(all_families()),
                         [](const auto& family) {
                           std::string name(family.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(OracleJudgedFamilies, AreAHundredThousandDegenerateQueries) {
  const auto degenerate =
      std::count_if(generate::families().begin(), generate::families().end(),
                    [](const generate::Family& family) { return family.degenerate; });
  EXPECT_GE(2 * queries_per_family * static_cast<std::size_t>(degenerate), 100000u);
}

}  // namespace
}  // namespace graze::narrow::certificate_test
