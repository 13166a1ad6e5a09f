// The contract suite compares every method of the table with the oracle on every family of
// generated queries. A new method of the table is tested here without a change of this file.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/generate/families.h"
#include "test/support/hash.h"
#include "test/support/sampled_distance.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::contract_test {
namespace {

using test::answers;
using test::for_each_primitive;
using test::generated;
using test::Hash;
using test::scaled;
using test::Workload;

class Contract : public testing::TestWithParam<const Method*> {
 protected:
  const Method& method = *GetParam();

  template <class Query>
  Workload<Query> workload(const generate::Family& family, std::size_t count, std::uint64_t seed) {
    Workload<Query> work;
    work.add(generated<Query>(family, count, seed));
    return work;
  }

  // Returns fewer queries for methods that take tens of milliseconds to spend the default budget.
  std::size_t share(std::size_t count) const {
    return scaled(method.name.starts_with("interval_") ? (count + 19) / 20 : count);
  }

  // Returns a few queries of every family in one batch.
  template <class Query>
  std::vector<Query> mixture(std::size_t per_family, std::uint64_t seed) {
    std::vector<Query> queries;
    for (const generate::Family& family : generate::families()) {
      const auto more = generated<Query>(family, per_family, seed);
      queries.insert(queries.end(), more.begin(), more.end());
    }
    return queries;
  }
};

// The tests of exact methods, and of methods that take a min_separation.
class ExactContract : public Contract {};
class DistanceContract : public Contract {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DistanceContract);

// Without a distance the norms do not differ: of two exact rows that differ in the norm alone, one
// is enough.
const auto any = [](const Method& method) {
  return method.guarantee != Guarantee::exact || method.norm != Norm::linf;
};
const auto exact = [](const Method& method) {
  return method.guarantee == Guarantee::exact && any(method);
};
const auto with_distance = [](const Method& method) { return method.norm != Norm::none; };

INSTANTIATE_TEST_SUITE_P(Methods, Contract, testing::ValuesIn(test::methods_where(any)),
                         test::test_name);
INSTANTIATE_TEST_SUITE_P(Methods, ExactContract, testing::ValuesIn(test::methods_where(exact)),
                         test::test_name);
INSTANTIATE_TEST_SUITE_P(Methods, DistanceContract,
                         testing::ValuesIn(test::methods_where(with_distance)), test::test_name);

// Returns a hash of all fields; every NaN counts as the same.
std::uint64_t hash(const std::vector<Impact>& impacts) {
  Hash hash;
  const auto add = [&](double x) { hash.add(std::isnan(x) ? Impact::nan : x); };
  for (const Impact& impact : impacts) {
    hash.add(std::uint64_t(impact.verdict));
    hash.add(std::uint64_t(impact.kind));
    for (const double x : {impact.toi, impact.toi_hi, impact.u, impact.v, impact.normal[0],
                           impact.normal[1], impact.normal[2], double{impact.reached_tol}})
      add(x);
    hash.add(std::uint64_t(impact.checks));
  }
  return hash.value();
}

// Large enough to decide ordinary queries, small enough that a sliding pair does not take seconds.
constexpr std::uint32_t small_budget = 20000;

TEST_P(Contract, KeepsItsPromisesOnEveryFamily) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto work = workload<Query>(family, share(1500), 11);
      test::expect_promises(method, {.max_checks = small_budget}, work);
    });
  }
}

TEST_P(Contract, KeepsItsPromisesWithTheDefaultBudget) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      test::expect_promises(method, {}, workload<Query>(family, share(25), 12));
    });
  }
}

TEST_P(Contract, KeepsItsPromisesWithATinyBudget) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto work = workload<Query>(family, scaled(200), 13);
      for (const std::uint32_t budget : {1u, 7u, 100u})
        test::expect_promises(method, {.max_checks = budget}, work);
    });
  }
}

TEST_P(Contract, KeepsItsPromisesForShorterSteps) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto work = workload<Query>(family, share(100), 14);
      for (const double t_max : {0.5, 1 / 3.0, 1e-3, 5e-324})
        test::expect_promises(method, {.t_max = t_max, .max_checks = small_budget}, work);
    });
  }
}

// With t_max at the first contact, and one ulp before it.
TEST_P(Contract, CountsAContactIfAndOnlyIfTheStepReachesIt) {
  int reached = 0;
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto all = workload<Query>(family, scaled(30), 15);
      for (std::size_t i = 0; i < all.queries.size(); ++i) {
        const double last = all.truth[i].toi_hi;
        if (!(last > 0 && last <= 1)) continue;
        const Workload<Query> one{{all.queries[i]}, {all.truth[i]}};
        test::expect_promises(method, {.t_max = last, .max_checks = small_budget}, one);
        if (const double before = std::nextafter(last, 0); before > 0)
          test::expect_promises(method, {.t_max = before, .max_checks = small_budget}, one);
        ++reached;
      }
    });
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(reached, 300);
}

TEST_P(Contract, KeepsItsPromisesWithOtherTolerances) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto work = workload<Query>(family, scaled(20), 16);
      for (const double tol : {1e-300, 1e-13, 1e-3, 1e300})
        for (const bool no_zero_toi : {false, true})
          test::expect_promises(method,
                                {.distance_tol = tol,
                                 .time_tol = tol,
                                 .max_checks = 2000,
                                 .no_zero_toi = no_zero_toi},
                                work);
    });
  }
}

TEST_P(Contract, MeetsHitsAndMissesInGoodShare) {
  for_each_primitive(method, [&]<class Query>(Query) {
    Workload<Query> work;
    work.add(mixture<Query>(20, 11));
    const auto hits = std::count_if(work.truth.begin(), work.truth.end(), [](const Impact& truth) {
      return truth.verdict == Verdict::contact;
    });
    EXPECT_GT(hits * 10, std::ssize(work.truth) * 3);
    EXPECT_LT(hits * 10, std::ssize(work.truth) * 7);
  });
}

TEST_P(Contract, AnswersInvalidForNonFiniteQueriesAndNotForTheirNeighbours) {
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto good = mixture<Query>(1, 17);
    const auto expected = answers(method, good, {.max_checks = 1000});
    for (const double bad : {Impact::nan, Impact::inf, -Impact::inf})
      for (std::size_t coordinate = 0; coordinate < 24; ++coordinate) {
        auto queries = good;
        for (std::size_t i = 0; i < queries.size(); i += 3) {
          auto& side = coordinate < 12 ? queries[i].start : queries[i].end;
          side[coordinate / 3 % 4][int(coordinate % 3)] = bad;
        }
        const auto given = answers(method, queries, {.max_checks = 1000});
        for (std::size_t i = 0; i < queries.size(); ++i) {
          if (i % 3 == 0)
            ASSERT_EQ(given[i].verdict, Verdict::invalid) << coordinate << ' ' << bad;
          else
            ASSERT_EQ(hash({given[i]}), hash({expected[i]})) << coordinate << ' ' << bad;
          ASSERT_EQ(test::broken_field(method, {}, given[i]), "");
        }
      }
  });
}

TEST_P(Contract, AnswersInvalidForNonsensicalOptions) {
  constexpr double nan = Impact::nan, inf = Impact::inf;
  std::vector<Options> nonsense;
  for (const double t_max : {0.0, -1.0, 1.0000000000000002, inf, -inf, nan})
    nonsense.push_back({.t_max = t_max});
  for (const double tol : {0.0, -1e-6, inf, -inf, nan}) {
    nonsense.push_back({.distance_tol = tol});
    nonsense.push_back({.time_tol = tol});
  }
  for (const double separation : {-1e-300, inf, -inf, nan})
    nonsense.push_back({.min_separation = separation});
  if (method.norm == Norm::none)
    for (const double separation : {5e-324, 1e-3, 1e300})
      nonsense.push_back({.min_separation = separation});
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = mixture<Query>(1, 18);
    for (const Options& options : nonsense)
      for (const Impact& impact : answers(method, queries, options)) {
        ASSERT_EQ(impact.verdict, Verdict::invalid)
            << options.t_max << ' ' << options.distance_tol << ' ' << options.time_tol << ' '
            << options.max_checks << ' ' << options.min_separation;
        ASSERT_EQ(test::broken_field(method, options, impact), "");
      }
  });
}

// A query that a small budget leaves undecided and a large one decides has the same answer without
// a limit.
TEST_P(Contract, TakesNoChecksAsNoLimit) {
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = mixture<Query>(scaled(20), 29);
    const auto few = answers(method, queries, {.max_checks = 3}),
               many = answers(method, queries, {.max_checks = 20000});
    std::vector<Query> decided;
    std::vector<Impact> expected;
    for (std::size_t i = 0; i < queries.size(); ++i)
      if (many[i].verdict != Verdict::undecided &&
          (few[i].verdict == Verdict::undecided || i % 8 == 0)) {
        decided.push_back(queries[i]);
        expected.push_back(many[i]);
      }
    ASSERT_FALSE(decided.empty());
    EXPECT_EQ(hash(answers(method, decided, {.max_checks = 0})), hash(expected));
  });
}

// toi is never after the exact contact, nor after a sampled time at which the two are closer.
TEST_P(DistanceContract, IsNeverLateAtADistance) {
  int sampled = 0;
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for_each_primitive(method, [&]<class Query>(Query) {
      const bool slow = method.guarantee == Guarantee::exact;  // in integers of 1074 bits
      const auto work = workload<Query>(family, scaled(slow ? 3 : 40), 19);
      for (std::size_t i = 0; i < work.queries.size(); ++i) {
        const Query& query = work.queries[i];
        const double extent = test::extent(query);
        for (const double separation : {5e-324, 1e-9, 1e300, extent / 100, extent / 3}) {
          if (!(separation > 0 && separation < Impact::inf)) continue;
          const Options options{.max_checks = 2000, .min_separation = separation};
          const Impact given = first_contact(query, options, method);
          ASSERT_EQ(test::broken_field(method, options, given), "") << separation;
          ASSERT_NE(given.verdict, Verdict::invalid) << separation;
          const double close = test::sampled_time(query, separation, method.norm);
          sampled += close < work.truth[i].toi;
          ASSERT_TRUE(method.guarantee == Guarantee::heuristic ||
                      given.toi <= std::min(close, work.truth[i].toi))
              << "close at " << close << ", min_separation " << std::hexfloat << separation
              << ", answer " << test::describe(given) << '\n'
              << test::corpus_text(query, work.truth[i]);
        }
      }
    });
  }
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(sampled, 100);
}

TEST_P(Contract, AnswersTheSameInEveryBatchAndOnEveryNumberOfThreads) {
  const Options options{.max_checks = 1000};
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = mixture<Query>(30, 20);
    const auto whole = answers(method, queries, options);
    EXPECT_EQ(hash(whole), hash(answers(method, queries, options)));
    for (const int threads : {0, 2})
      EXPECT_EQ(hash(whole), hash(answers(method, queries, options, threads))) << threads;
    for (std::size_t i = 0; i < queries.size(); ++i)
      ASSERT_EQ(hash({whole[i]}), hash({first_contact(queries[i], options, method)})) << i;
    for (std::size_t offset = 1; offset < 9; ++offset)  // another lane for every query
      ASSERT_EQ(
          hash({whole.begin() + std::ptrdiff_t(offset), whole.end()}),
          hash(answers(method,
                       std::vector<Query>(queries.begin() + std::ptrdiff_t(offset), queries.end()),
                       options)));
    auto reversed = answers(method, std::vector<Query>(queries.rbegin(), queries.rend()), options);
    std::reverse(reversed.begin(), reversed.end());
    EXPECT_EQ(hash(whole), hash(reversed));
    EXPECT_TRUE(answers(method, std::vector<Query>{}, options).empty());
  });
}

// Compares all instruction sets of this processor, down to the oldest.
TEST_P(Contract, AnswersTheSameOnEveryInstructionSet) {
  for (const double separation : {0.0, 0.125}) {
    if (separation > 0 && method.norm == Norm::none) continue;
    const Options options{.max_checks = 1000, .min_separation = separation};
    for_each_primitive(method, [&]<class Query>(Query) {
      const auto queries = mixture<Query>(30, 24);
      const auto expected = hash(answers(method, queries, options));
      for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        EXPECT_EQ(expected, hash(answers(method, queries, options)))
            << hwy::TargetName(target) << " at a distance of " << separation;
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      }
    });
  }
}

#if defined(__x86_64__)
TEST_P(Contract, IgnoresAndRestoresTheFloatingPointModesOfTheHost) {
  const Options options{.max_checks = 1000};
  constexpr unsigned standard = 0x1f80, controls = 0xffc0;  // the rest are sticky status flags
  constexpr unsigned flush = 0x8040, down = 0x2000, up = 0x4000, zero = 0x6000;
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = mixture<Query>(10, 21);
    const auto expected = hash(answers(method, queries, options));
    for (const unsigned mode : {flush, down, up, zero, flush | up})
      for (const int threads : {1, 2}) {
        std::vector<Impact> impacts(queries.size());
        const std::span<const Query> asked(queries);
        const std::span<Impact> given(impacts);
        _mm_setcsr(standard | mode);
        first_contact(asked, given, options, {.threads = threads}, method);
        const unsigned after = _mm_getcsr();
        _mm_setcsr(standard);
        EXPECT_EQ(after & controls, standard | mode) << std::hex << mode;
        EXPECT_EQ(hash(impacts), expected) << std::hex << mode << ", threads " << threads;
      }
  });
}
#endif

// Renaming corners and axes, mirroring and scaling by powers of two change no time.
TEST_P(ExactContract, TimesDoNotDependOnNamesAxesAndUnits) {
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = mixture<Query>(scaled(20), 22);
    const auto expected = answers(method, queries);
    const auto expect_same = [&](const char* what, auto&& change) {
      auto changed = queries;
      std::vector<bool> comparable(queries.size(), true);
      for (std::size_t i = 0; i < queries.size(); ++i)
        for (auto* side : {&changed[i].start, &changed[i].end})
          comparable[i] = comparable[i] && change(*side);
      const auto given = answers(method, changed);
      for (std::size_t i = 0; i < given.size(); ++i)
        ASSERT_TRUE(!comparable[i] ||
                    (given[i].verdict == expected[i].verdict && given[i].toi == expected[i].toi &&
                     given[i].toi_hi == expected[i].toi_hi))
            << what << '\n'
            << test::corpus_text(queries[i], expected[i]);
    };
    using Corners = std::array<Vec3, 4>;
    expect_same("axes", [](Corners& side) {
      for (Vec3& corner : side) corner = Vec3(corner[1], corner[2], corner[0]);
      return true;
    });
    expect_same("mirror", [](Corners& side) {
      for (Vec3& corner : side) corner[1] = -corner[1];
      return true;
    });
    expect_same("unit", [](Corners& side) {
      bool same = true;
      for (Vec3& corner : side) {
        const Vec3 before = corner;
        corner *= 0x1p-40;
        same = same && corner * 0x1p40 == before;
      }
      return same;
    });
    if constexpr (std::is_same_v<Query, VertexFace>) {
      expect_same("rotated face", [](Corners& side) {
        std::rotate(side.begin() + 1, side.begin() + 2, side.end());
        return true;
      });
      expect_same("turned face", [](Corners& side) {
        std::swap(side[1], side[2]);
        return true;
      });
    } else {
      expect_same("swapped edges", [](Corners& side) {
        std::swap(side[0], side[2]);
        std::swap(side[1], side[3]);
        return true;
      });
      expect_same("turned edge", [](Corners& side) {
        std::swap(side[2], side[3]);
        return true;
      });
    }
  });
}

// Hashes of every field of every answer over a fixed workload. A change of any answer changes a
// hash; if the change is intended, replace the row by the one that the failing test prints.
struct Pinned {
  std::string_view method;
  std::uint64_t vertex_face, edge_edge;
};
constexpr Pinned pinned[] = {
    {"exact", 0x0753fb5cdd6c7630, 0x174a48d8b72d9fdf},
    {"exact_curved", 0xeb9d1b3d0893c37a, 0x666045fdc87a45f6},
    {"separation_root", 0xee4ad5c0a4e8d9b2, 0x3efcae5aef940049},
    {"tight_inclusion", 0x8fc8be305093faf1, 0x966207f15427bf1},
    {"oracle", 0xfcf22acf1262c044, 0xadecf5bdf2f018a4},
    {"area_inclusion", 0x10714fd66890d894, 0x269617399a9be162},
    {"cardano_edge", 0x0, 0x38d12fc4624d645b},
    {"additive_advancement", 0x80cd017b6d4591fe, 0x31510c2e5ea90570},
    {"root_parity", 0x256f45897c24b249, 0x98c2d52f979b33ed},
    {"rational_root_parity", 0xb10ac05e34e450e2, 0xc8e00b5d35c825ed},
    {"interval_multivariate", 0x98aa481667f54ae6, 0x35bb756fee1008e1},
    {"interval_univariate", 0x2459a0dcb02b70a4, 0xbe2de8423f1e06f1},
    {"cubic_root", 0x28b4a470de70955f, 0x8b082d5304c8b398},
    {"safe_cubic", 0x70612bfe02e98c40, 0x758ccfbfc60163e1},
    {"open_cubic", 0xe5203e0e42236140, 0x0},
    {"sextic_separation", 0x682b078905ade786, 0xa429ba56b3e0f6b4},
    {"tight_bernstein", 0xbd5dfacfc60b3c1d, 0xc3e994f343a3c908},
    {"bernstein_sign", 0x7c66544b12f5c279, 0x644759b66a8ac503},
    {"cubic_root_published", 0x780f408fe7fa2e29, 0xf5d8df0609707530},
    {"safe_cubic_published", 0x92ab6d319150afb, 0x5a1887e8d78590a8},
    {"root_parity_published", 0x55b102af408502bb, 0xfe5e69e151a91987},
    {"tight_bernstein_published", 0xa3dbf77f6abe92e5, 0xe36f95180255b8d0},
    {"bernstein_sign_published", 0xeb9e025dca55748e, 0xe942e896f0e4474c},
};

TEST(ContractHash, DependsOnEveryField) {
  const std::uint64_t plain = hash({Impact()});
  int fields = 0;
  const auto expect_noticed = [&](auto change) {
    Impact impact;
    change(impact);
    EXPECT_NE(hash({impact}), plain) << ++fields;
  };
  expect_noticed([](Impact& x) { x.verdict = Verdict::contact; });
  expect_noticed([](Impact& x) { x.kind = ContactKind::edge; });
  expect_noticed([](Impact& x) { x.checks = 1; });
  expect_noticed([](Impact& x) { x.toi = 0; });
  expect_noticed([](Impact& x) { x.toi_hi = 0; });
  expect_noticed([](Impact& x) { x.u = 0; });
  expect_noticed([](Impact& x) { x.v = 0; });
  expect_noticed([](Impact& x) { x.reached_tol = 0; });
  for (int k = 0; k < 3; ++k) expect_noticed([&](Impact& x) { x.normal[k] = 0; });
}

TEST_P(Contract, GivesThePinnedAnswers) {
  std::uint64_t found[2] = {0, 0};
  for_each_primitive(method, [&]<class Query>(Query) {
    found[std::is_same_v<Query, EdgeEdge>] =
        hash(answers(method, mixture<Query>(50, 23), {.max_checks = 1000}));
  });
  const auto* row = std::find_if(std::begin(pinned), std::end(pinned),
                                 [&](const Pinned& p) { return p.method == method.name; });
  EXPECT_TRUE(row != std::end(pinned) && row->vertex_face == found[0] && row->edge_edge == found[1])
      << std::hex << "{\"" << method.name << "\", 0x" << found[0] << ", 0x" << found[1] << "},";
}

}  // namespace
}  // namespace graze::narrow::contract_test
