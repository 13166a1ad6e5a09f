// Compares separation_root, and its integer stage alone, with the oracle on the real data, at
// distances relative to the largest coordinate of each query.

#include <gtest/gtest.h>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/first_separation.h"
#include "test/support/corpus.h"
#include "test/support/data_queries.h"
#include "test/support/norms.h"
#include "test/support/scale.h"

namespace graze::exact::first_separation_data_test {
namespace {

bool same_times(const Impact& truth, const exact::FirstSeparation& first) {
  return first.found == (truth.verdict == Verdict::contact) && first.lo == truth.toi &&
         first.hi == truth.toi_hi;
}

// Tests one query of every `stride`, and all data if GRAZE_TEST_SCALE >= stride.
template <class Query>
std::size_t compare(const std::vector<Query>& queries, std::size_t stride) {
  exact::Arena arena;
  std::size_t answers = 0;
  stride = std::max<std::size_t>(1, stride / test::scaled(1));
  for (std::size_t i = 0; i < queries.size(); i += stride) {
    const Query& query = queries[i];
    const double unit = std::exp2(std::ilogb(test::extent(test::as_four(query))));
    for (const double relative : {1e-8, 1e-4, 0x1p-7, 1.0}) {
      const Options options{.min_separation = relative * unit};
      const double d = options.min_separation;
      const auto check = [&](auto norm, auto&& stage) {
        const Impact truth = norm.oracle(query, options);
        const FloatEnvironment environment;
        EXPECT_TRUE(same_times(truth, stage()) &&
                    test::same_times(truth, test::solve_one(norm, query, options)))
            << std::hexfloat << "d = " << d << '\n'
            << test::corpus_text(query, truth);
        ++answers;
      };
      check(test::L2(), [&] { return exact::first_separation_l2(query, d, 1, arena); });
      check(test::Linf(), [&] { return exact::first_separation_linf(query, d, 1, arena); });
    }
  }
  return answers;
}

TEST(FirstSeparationData, AgreesWithTheOracleOnAllQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::size_t answers = 0;
  test::for_each_query_set([&](const std::string& name, const auto& queries) {
    SCOPED_TRACE(name);
    answers += compare(queries, 20);
  });
  RecordProperty("answers", std::to_string(answers));
  EXPECT_GT(answers, 500);
}

TEST(FirstSeparationData, AgreesWithTheOracleOnListedPairsOfTheScenes) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::size_t answers = 0;
  test::for_each_scene(1, [&](const std::string& name, const auto& queries) {
    SCOPED_TRACE(name);
    answers += compare(queries, 1000);
  });
  RecordProperty("answers", std::to_string(answers));
  EXPECT_GT(answers, 500);
}

}  // namespace
}  // namespace graze::exact::first_separation_data_test
