#include "graze/first_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "graze/certificate.h"
#include "graze/exact/judge/oracle.h"
#include "graze/generate/families.h"
#include "graze/separation.h"
#include "test/support/generated.h"
#include "test/support/norms.h"
#include "test/support/promises.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace graze::first_contact_test {
namespace {

using test::generated;
using test::same_times;

const Options small_budget{.max_checks = 2000};

bool same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}
bool same(const Impact& a, const Impact& b) {
  bool normals = true;
  for (int k = 0; k < 3; ++k) normals = normals && same_number(a.normal[k], b.normal[k]);
  return a.verdict == b.verdict && a.kind == b.kind && a.checks == b.checks &&
         same_number(a.toi, b.toi) && same_number(a.toi_hi, b.toi_hi) && same_number(a.u, b.u) &&
         same_number(a.v, b.v) && same_number(a.reached_tol, b.reached_tol) && normals;
}

template <class Q>
Q converted(const VertexFace& query) {
  Q result;
  for (std::size_t i = 0; i < result.start.size(); ++i) {
    result.start[i] = query.start[i];
    result.end[i] = query.end[i];
  }
  return result;
}

// Returns a few queries of every family.
template <class Q>
std::vector<Q> mixture(std::size_t per_family, std::uint64_t seed) {
  std::vector<Q> queries;
  for (const generate::Family& family : generate::families())
    if constexpr (std::is_same_v<Q, EdgeEdge>)
      for (const EdgeEdge& query : generated<EdgeEdge>(family, per_family, seed))
        queries.push_back(query);
    else
      for (const VertexFace& query : generated<VertexFace>(family, per_family, seed))
        queries.push_back(converted<Q>(query));
  return queries;
}

template <class Check>
void for_each_kind(Check&& check) {
  check(VertexFace{});
  check(EdgeEdge{});
  check(VertexEdge{});
  check(VertexVertex{});
}

template <class Q>
Impact oracle(const Q& query, const Options& options = {}) {
  if constexpr (std::is_same_v<Q, VertexFace> || std::is_same_v<Q, EdgeEdge>)
    return exact::oracle(query, options);
  else
    return exact::oracle(as_vertex_face(query), options);
}

TEST(DefaultMethod, IsTheExactMethodOfTheOptions) {
  EXPECT_EQ(&default_method(), &methods().front());
  EXPECT_EQ(default_method().guarantee, Guarantee::exact);
  EXPECT_EQ(&default_method({.norm = Norm::linf}), &default_method());
  for (const Norm norm : {Norm::none, Norm::l2, Norm::linf}) {
    const Options options{.min_separation = 0.1, .norm = norm};
    const Method& method = default_method(options);
    EXPECT_EQ(method.guarantee, Guarantee::exact);
    EXPECT_EQ(method.norm, norm == Norm::linf ? Norm::linf : Norm::l2);
    EXPECT_TRUE(method.takes(options));
  }
}

TEST(FirstContact, Promises1And2AgreeWithTheOracleForAllKinds) {
  for_each_kind([&]<class Q>(Q) {
    int contacts = 0, misses = 0;
    for (const Q& query : mixture<Q>(30, 61)) {
      const Impact truth = oracle(query), given = first_contact(query);
      ASSERT_TRUE(same_times(truth, given)) << name(kind_of<Q>);
      ++(truth.verdict == Verdict::contact ? contacts : misses);
      if (truth.verdict != Verdict::contact) continue;
      EXPECT_EQ(std::isnan(given.u), kind_of<Q> == Kind::vertex_vertex);
      EXPECT_EQ(std::isnan(given.v), kind_of<Q> >= Kind::vertex_edge);
    }
    EXPECT_GT(contacts, 50) << name(kind_of<Q>);
    EXPECT_GT(misses, 50) << name(kind_of<Q>);
  });
}

TEST(FirstContact, MeasuresTheSeparationInTheNormOfTheOptions) {
  // The vertex falls beside the corner of a square cap: the two norms differ.
  const VertexVertex query{{Vec3(3, 4, 20), Vec3(0, 0, 0)}, {Vec3(3, 4, -20), Vec3(0, 0, 0)}};
  EXPECT_EQ(first_contact(query, {.min_separation = 5}).toi, 0.5);
  EXPECT_EQ(first_contact(query, {.min_separation = 5, .norm = Norm::l2}).toi, 0.5);
  EXPECT_EQ(first_contact(query, {.min_separation = 5, .norm = Norm::linf}).toi, 0.375);
  EXPECT_EQ(first_contact(query, {.min_separation = 4.5}).verdict, Verdict::separated);
}

TEST(FirstContact, KeepsThePromisesOfEveryMethodForQueriesWithoutArea) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(std::string(method.name));
    const auto check = [&]<class Q>(Q) {
      for (const Q& query : mixture<Q>(6, 62)) {
        Impact given = first_contact(query, small_budget, method);
        if (!method.has(kind_of<Q>)) {
          ASSERT_EQ(given.verdict, Verdict::invalid);
          continue;
        }
        ASSERT_TRUE(std::isnan(given.v));
        ASSERT_TRUE(kind_of<Q> == Kind::vertex_edge || std::isnan(given.u));
        given.v = given.u;  // the shared check expects a face
        ASSERT_EQ(test::broken_promise(method, small_budget, oracle(query), given), "");
      }
    };
    check(VertexEdge{});
    check(VertexVertex{});
  }
}

TEST(FirstContact, IsInvalidForAKindThatTheMethodDoesNotAnswer) {
  int refused = 0;
  for (const Method& method : methods())
    for_each_kind([&]<class Q>(Q) {
      if (method.has(kind_of<Q>)) return;
      ++refused;
      const auto queries = mixture<Q>(1, 63);
      std::vector<Impact> impacts(queries.size());
      first_contact(queries, impacts, {}, {}, method);
      for (const Impact& impact : impacts) ASSERT_EQ(impact.verdict, Verdict::invalid);
      ASSERT_EQ(first_contact(queries[0], {}, method).verdict, Verdict::invalid);
    });
  EXPECT_GT(refused, 0);
}

TEST(FirstContact, IsInvalidForASeparationThatTheMethodCannotHonour) {
  const auto query = mixture<VertexEdge>(1, 64)[0];
  for (const Method& method : methods())
    for (const Norm norm : {Norm::none, Norm::l2, Norm::linf}) {
      if (!method.has(Kind::vertex_edge)) continue;
      const Options options{.max_checks = 1000, .min_separation = 0.125, .norm = norm};
      const bool able = method.norm != Norm::none && (norm == Norm::none || norm == method.norm);
      EXPECT_EQ(method.takes(options), able);
      EXPECT_EQ(first_contact(query, options, method).verdict == Verdict::invalid, !able)
          << method.name << ' ' << name(norm);
      EXPECT_NE(first_contact(query, {.max_checks = 1000, .norm = norm}, method).verdict,
                Verdict::invalid)
          << method.name << ' ' << name(norm);
    }
}

TEST(FirstContact, Promise3AnswersTheSameInBatchesAndOnEveryNumberOfThreads) {
  for_each_kind([&]<class Q>(Q) {
    const auto queries = mixture<Q>(40, 65);
    for (const Options& options : {Options{}, Options{.min_separation = 0.125}})
      for (const int threads : {1, 2, 0}) {
        std::vector<Impact> impacts(queries.size());
        first_contact(queries, impacts, options, {.threads = threads});
        for (std::size_t i = 0; i < queries.size(); i += 7)
          ASSERT_TRUE(same(impacts[i], first_contact(queries[i], options)))
              << name(kind_of<Q>) << ' ' << i;
      }
  });
}

TEST(FirstContact, TakesAnyContiguousRange) {
  const std::vector<VertexVertex> queries = mixture<VertexVertex>(1, 66);
  std::array<Impact, 2> impacts;
  first_contact(std::array{queries[0], queries[1]}, impacts);
  EXPECT_TRUE(same(impacts[1], first_contact(queries[1])));
  std::vector<VertexVertex> writable = queries;
  first_contact(std::span(writable).first(2), impacts, {}, {}, default_method());
  EXPECT_TRUE(same(impacts[0], first_contact(queries[0])));
  first_contact(std::span<const VertexVertex>(), std::span<Impact>());
}

TEST(Run, AStoppedBatchIsUndecidedWithASafeTime) {
  const auto queries = mixture<VertexFace>(5, 67);
  const std::atomic<bool> stop = true;
  for (const int threads : {1, 2}) {
    std::vector<Impact> impacts(queries.size());
    first_contact(queries, impacts, {.t_max = 0.5}, {.threads = threads, .stop = &stop});
    for (const Impact& impact : impacts) {
      ASSERT_EQ(impact.verdict, Verdict::undecided);
      ASSERT_EQ(impact.toi, 0);
      ASSERT_EQ(impact.toi_hi, 0.5);
    }
    std::vector<ContactTimes> times(queries.size());
    contact_times(queries, times, {}, {.threads = threads, .stop = &stop});
    for (const ContactTimes& t : times) {
      ASSERT_EQ(t.verdict, Verdict::undecided);
      ASSERT_TRUE(t.intervals.empty());
    }
  }
}

TEST(Run, AStoppedBatchKeepsTheAnswersItHas) {
  const auto queries = generated<EdgeEdge>(test::family("random"), 100'000, 68);
  for (const int threads : {1, 2}) {
    std::atomic<bool> stop = false;
    std::vector<Impact> impacts(queries.size());
    first_contact(queries, impacts, {},
                  {.threads = threads, .stop = &stop, .progress = [&](double done) {
                     if (done > 0.3) stop = true;
                   }});
    std::size_t answered = 0, skipped = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const bool reached = impacts[i].verdict != Verdict::undecided;
      ++(reached ? answered : skipped);
      if (reached && i % 100 == 0) {
        ASSERT_TRUE(same(impacts[i], first_contact(queries[i])));
      }
    }
    EXPECT_GT(answered, queries.size() / 4);
    EXPECT_GT(skipped, 0u);
  }
}

// A vertex that slides at a distance of 1e-9 along a triangle oblique to the axes. Without a budget
// the methods below need minutes.
const VertexFace sliding_vertex = [] {
  const Vec3 gap = Vec3::Constant(1e-9), a(0, 0, 0), b(1, 1, -2), c(1, -1, 0);
  return VertexFace{{Vec3(0.1, -0.05, -0.05) + gap, a, b, c},
                    {Vec3(0.9, -0.45, -0.45) + gap, a, b, c}};
}();
constexpr std::array slow_methods{"tight_inclusion", "additive_advancement",
                                  "interval_multivariate", "interval_univariate"};

// Makes a call while another thread sets the flag after 30 ms. Returns the seconds from then to the
// end of the call.
template <class Call>
double seconds_after_stop(std::atomic<bool>& stop, Call&& call) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point set;
  stop = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    set = Clock::now();
    stop = true;
  });
  call();
  const Clock::time_point end = Clock::now();
  other.join();
  return std::chrono::duration<double>(end - set).count();
}

TEST(Run, AStopEndsAQueryOfAnIterativeMethod) {
  for (const char* name : slow_methods) {
    const Method& method = *find_method(name);
    std::atomic<bool> stop;
    const MethodOptions options{{.distance_tol = 1e-13, .max_checks = 0}, &stop};
    Impact impact;
    EXPECT_LT(seconds_after_stop(stop,
                                 [&] {
                                   method.vertex_face({&sliding_vertex, 1}, options, {&impact, 1});
                                 }),
              1)
        << name;
    EXPECT_EQ(impact.verdict, Verdict::undecided) << name;
    EXPECT_GT(impact.checks, 1000u) << name;
    EXPECT_LT(impact.toi, 1) << name;
    EXPECT_EQ(impact.toi_hi, 1) << name;
  }
}

TEST(Run, AStopEndsABatchOfAnIterativeMethod) {
  const std::vector<VertexFace> queries(600, sliding_vertex);
  for (const char* name : slow_methods)
    for (const int threads : {1, 2}) {
      std::atomic<bool> stop;
      std::vector<Impact> impacts(queries.size());
      EXPECT_LT(seconds_after_stop(stop,
                                   [&] {
                                     first_contact(
                                         queries, impacts, {.distance_tol = 1e-13, .max_checks = 0},
                                         {.threads = threads, .stop = &stop}, *find_method(name));
                                   }),
                1)
          << name;
      EXPECT_GT(impacts[0].checks, 1000u) << name;
      for (const Impact& impact : impacts) ASSERT_EQ(impact.verdict, Verdict::undecided) << name;
    }
}

TEST(Run, AFlagThatIsNotSetChangesNoAnswer) {
  const auto queries = mixture<VertexFace>(5, 69);
  const std::atomic<bool> stop = false;
  for (const Method& method : methods())
    for (const VertexFace& query : queries) {
      if (!method.has(Kind::vertex_face)) continue;
      const Impact expected = first_contact(query, small_budget, method);
      Impact impact;
      method.vertex_face({&query, 1}, {small_budget, &stop}, {&impact, 1});
      ASSERT_TRUE(same(impact, expected)) << method.name;
    }
}

TEST(Run, ReportsProgressUpToOneNeverFromTwoThreads) {
  const auto queries = generated<EdgeEdge>(test::family("random"), 20'000, 69);
  for (const int threads : {1, 2}) {
    std::vector<double> fractions;
    std::atomic<int> inside = 0;
    std::vector<Impact> impacts(queries.size());
    first_contact(queries, impacts, {}, {.threads = threads, .progress = [&](double done) {
                                           EXPECT_EQ(++inside, 1);
                                           fractions.push_back(done);
                                           --inside;
                                         }});
    ASSERT_GT(fractions.size(), 1u);
    EXPECT_LE(fractions.size(), 101u);
    for (std::size_t i = 1; i < fractions.size(); ++i) EXPECT_GT(fractions[i], fractions[i - 1]);
    EXPECT_GT(fractions.front(), 0);
    EXPECT_EQ(fractions.back(), 1);
  }
}

#if defined(__x86_64__)
TEST(FirstContact, IgnoresTheRoundingModeOfTheHostForQueriesWithoutArea) {
  const auto queries = mixture<VertexEdge>(30, 70);
  std::vector<Impact> expected(queries.size()), impacts(queries.size());
  first_contact(queries, expected, {}, {.threads = 1});
  constexpr unsigned standard = 0x1f80;
  for (const unsigned mode : {0x2000u, 0x4000u, 0x6000u, 0x8040u}) {
    _mm_setcsr(standard | mode);
    first_contact(queries, impacts, {}, {.threads = 1});
    _mm_setcsr(standard);
    for (std::size_t i = 0; i < queries.size(); ++i) ASSERT_TRUE(same(impacts[i], expected[i]));
  }
}
#endif

TEST(ContactTimes, AnswerTheSameInBatches) {
  for_each_kind([&]<class Q>(Q) {
    const auto queries = mixture<Q>(10, 71);
    std::vector<ContactTimes> times(queries.size());
    contact_times(queries, times, {}, {.threads = 2});
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const ContactTimes alone = contact_times(queries[i]);
      ASSERT_EQ(times[i].verdict, alone.verdict);
      ASSERT_EQ(times[i].intervals.size(), alone.intervals.size());
    }
  });
}

bool same_bits(const ClosestPoints& a, const ClosestPoints& b) {
  const auto equal = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  bool normals = true;
  for (int k = 0; k < 3; ++k) normals = normals && equal(a.normal[k], b.normal[k]);
  return a.verdict == b.verdict && equal(a.u, b.u) && equal(a.v, b.v) && normals &&
         equal(a.distance, b.distance);
}
bool same_bits(const CertificatePiece& a, const CertificatePiece& b) {
  return a.end == b.end && a.direction == b.direction;  // no term is 0 in one and -0 in the other
}
bool same_bits(const Certificate& a, const Certificate& b) {
  return a.verdict == b.verdict && a.t_max == b.t_max &&
         std::ranges::equal(a.pieces, b.pieces,
                            [](const auto& p, const auto& q) { return same_bits(p, q); });
}

// Returns queries of every family, some of which have a coordinate that is not finite.
template <class Q>
std::vector<Q> mixture_with_invalid(std::size_t per_family, std::uint64_t seed) {
  auto queries = mixture<Q>(per_family, seed);
  for (std::size_t i = 3; i < queries.size(); i += 50)
    queries[i].end[1][2] = i % 2 ? Impact::nan : -Impact::inf;
  return queries;
}

TEST(ClosestPoints, AnswerTheSameInBatchesAndOnEveryNumberOfThreads) {
  for_each_kind([&]<class Q>(Q) {
    const auto queries = mixture_with_invalid<Q>(40, 72);
    std::array<int, 4> verdicts{};
    for (const Norm norm : {Norm::l2, Norm::linf})
      for (const double t : {0.0, 0.375})
        for (const int threads : {1, 4}) {
          std::vector<ClosestPoints> points(queries.size());
          closest_points(queries, t, points, norm, {.threads = threads});
          for (std::size_t i = 0; i < queries.size(); ++i) {
            ASSERT_TRUE(same_bits(points[i], closest_points(queries[i], t, norm))) << i;
            ++verdicts[static_cast<std::size_t>(points[i].verdict)];
          }
        }
    EXPECT_GT(verdicts[static_cast<std::size_t>(Verdict::separated)], 100) << name(kind_of<Q>);
    EXPECT_GT(verdicts[static_cast<std::size_t>(Verdict::invalid)], 10) << name(kind_of<Q>);
    EXPECT_EQ(verdicts[static_cast<std::size_t>(Verdict::undecided)], 0) << name(kind_of<Q>);
  });
}

TEST(ClosestPoints, HaveTheVerdictOfTheirDistance) {
  const Vec3 origin = Vec3::Zero(), above(0.25, 0.25, 1), below(0.25, 0.25, -1);
  const VertexFace query{{above, origin, Vec3::UnitX(), Vec3::UnitY()},
                         {below, origin, Vec3::UnitX(), Vec3::UnitY()}};
  EXPECT_EQ(closest_points(query, 0).verdict, Verdict::separated);
  EXPECT_EQ(closest_points(query, 0).distance, 1);
  EXPECT_EQ(closest_points(query, 0.5).verdict, Verdict::contact);
  EXPECT_EQ(closest_points(query, 0.5).distance, 0);
  for_each_kind([&]<class Q>(Q) {
    for (const Q& each : mixture<Q>(20, 73)) {
      const ClosestPoints at = closest_points(each, 0.75);
      ASSERT_EQ(at.verdict, at.distance == 0 ? Verdict::contact : Verdict::separated);
      ASSERT_GE(at.distance, 0);
    }
  });
}

TEST(ClosestPoints, AreInvalidForEveryQueryOfABatchWhoseTimeIsOutOfTheStep) {
  const auto queries = mixture<EdgeEdge>(1, 74);
  for (const double t : {-1e-9, 1.1, Impact::nan}) {
    std::vector<ClosestPoints> points(queries.size(), closest_points(queries[0], 0));
    closest_points(queries, t, points);
    for (const ClosestPoints& at : points) ASSERT_TRUE(same_bits(at, ClosestPoints{})) << t;
  }
  EXPECT_EQ(ClosestPoints{}.verdict, Verdict::invalid);
  EXPECT_TRUE(std::isnan(ClosestPoints{}.distance));
}

TEST(Certificate, AnswersTheSameInBatchesAndOnEveryNumberOfThreads) {
  for_each_kind([&]<class Q>(Q) {
    const auto queries = mixture_with_invalid<Q>(10, 75);
    const Options options{.t_max = 0.75, .max_checks = 2000};
    std::vector<Certificate> expected;
    for (const Q& query : queries) expected.push_back(certificate(query, options));
    for (const int threads : {1, 4}) {
      std::vector<Certificate> proofs(queries.size());
      certificate(queries, proofs, options, {.threads = threads});
      for (std::size_t i = 0; i < queries.size(); ++i)
        ASSERT_TRUE(same_bits(proofs[i], expected[i])) << name(kind_of<Q>) << ' ' << i;

      proofs[0] = proofs[1];  // of another query
      std::vector<std::uint8_t> valid(queries.size(), 2);
      verify(proofs, queries, valid, {.threads = threads});
      int accepted = 0, rejected = 0;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        ASSERT_EQ(valid[i], verify(proofs[i], queries[i]) ? 1 : 0) << name(kind_of<Q>) << ' ' << i;
        ++(valid[i] ? accepted : rejected);
      }
      EXPECT_GT(accepted, 20) << name(kind_of<Q>);
      EXPECT_GT(rejected, 3) << name(kind_of<Q>);
    }
  });
}

TEST(Batches, OfNoQueriesAreAnswered) {
  for_each_kind([&]<class Q>(Q) {
    const std::span<const Q> none;
    closest_points(none, 0.5, std::span<ClosestPoints>());
    certificate(none, std::span<Certificate>());
    verify(std::span<const Certificate>(), none, std::span<std::uint8_t>());
    bool reported = false;
    const graze::Run run{.progress = [&](double) { reported = true; }};
    closest_points(none, 2, std::span<ClosestPoints>(), Norm::l2, run);
    certificate(none, std::span<Certificate>(), {}, run);
    EXPECT_FALSE(reported);
  });
}

TEST(Run, AStoppedBatchHasNoClosestPointsAndProvesNothing) {
  const auto queries = mixture<VertexFace>(5, 76);
  std::vector<Certificate> proofs(queries.size());
  certificate(queries, proofs);
  const std::atomic<bool> stop = true;
  for (const int threads : {1, 4}) {
    const graze::Run run{.threads = threads, .stop = &stop};
    std::vector<ClosestPoints> points(queries.size());
    closest_points(queries, 0.5, points, Norm::linf, run);
    for (const ClosestPoints& at : points)
      ASSERT_TRUE(same_bits(at, ClosestPoints{.verdict = Verdict::undecided}));
    std::vector<std::uint8_t> valid(queries.size(), 1);
    verify(proofs, queries, valid, run);
    for (const std::uint8_t v : valid) ASSERT_EQ(v, 0);
    std::vector<Certificate> stopped = proofs;
    certificate(queries, stopped, {.t_max = 0.5}, run);
    for (const Certificate& proof : stopped)
      ASSERT_TRUE(same_bits(proof, Certificate{Verdict::undecided, 0.5, {}}));
  }
}

TEST(Run, AStoppedBatchKeepsItsCertificates) {
  const auto queries = generated<EdgeEdge>(test::family("random"), 2000, 77);
  for (const int threads : {1, 4}) {
    std::atomic<bool> stop = false;
    std::vector<Certificate> proofs(queries.size());
    certificate(queries, proofs, {},
                {.threads = threads, .stop = &stop, .progress = [&](double done) {
                   if (done > 0.3) stop = true;
                 }});
    std::size_t answered = 0, skipped = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const bool reached = proofs[i].verdict != Verdict::undecided;
      ++(reached ? answered : skipped);
      if (reached && i % 20 == 0) {
        ASSERT_TRUE(same_bits(proofs[i], certificate(queries[i])));
      }
    }
    EXPECT_GT(answered, queries.size() / 4);
    EXPECT_GT(skipped, 0u);
  }
}

#if defined(__x86_64__)
TEST(ClosestPoints, IgnoreTheRoundingModeOfTheHost) {
  const auto queries = mixture<EdgeEdge>(10, 78);
  std::vector<ClosestPoints> expected(queries.size()), points(queries.size());
  closest_points(queries, 1 / 3.0, expected, Norm::l2, {.threads = 1});
  constexpr unsigned standard = 0x1f80;
  for (const unsigned mode : {0x2000u, 0x4000u, 0x6000u, 0x8040u}) {
    std::vector<ClosestPoints> alone;
    _mm_setcsr(standard | mode);
    closest_points(queries, 1 / 3.0, points, Norm::l2, {.threads = 1});
    for (const EdgeEdge& query : queries) alone.push_back(closest_points(query, 1 / 3.0));
    _mm_setcsr(standard);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_TRUE(same_bits(points[i], expected[i]));
      ASSERT_TRUE(same_bits(alone[i], expected[i]));
    }
  }
}
#endif

}  // namespace
}  // namespace graze::first_contact_test
