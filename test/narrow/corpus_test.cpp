#include <gtest/gtest.h>

#include "graze/exact/judge/oracle.h"
#include "graze/method.h"
#include "test/support/corpus.h"
#include "test/support/workload.h"

namespace graze::narrow::corpus_test {
namespace {

TEST(Corpus, RecordsTheTruth) {
  const auto corpus = test::read_corpus();
  EXPECT_GE(corpus.size(), 20u);
  for (const auto& entry : corpus)
    std::visit(
        [&](const auto& query) {
          const Impact truth = exact::oracle(query);
          EXPECT_TRUE(truth.verdict == entry.verdict && truth.toi == entry.toi &&
                      truth.toi_hi == entry.toi_hi)
              << entry.name << " should read\n"
              << test::corpus_text(query, truth);
        },
        entry.query);
}

class CorpusOf : public testing::TestWithParam<const Method*> {};

INSTANTIATE_TEST_SUITE_P(Methods, CorpusOf,
                         testing::ValuesIn(test::methods_where([](auto&) { return true; })),
                         test::test_name);

TEST_P(CorpusOf, KeepsItsPromises) {
  const Method& method = *GetParam();
  for (const auto& entry : test::read_corpus()) {
    SCOPED_TRACE(entry.name);
    std::visit(
        [&]<class Query>(const Query& query) {
          if (!test::has<Query>(method)) return;
          Impact truth;
          truth.verdict = entry.verdict;
          truth.toi = entry.toi;
          truth.toi_hi = entry.toi_hi;
          for (const std::uint32_t budget : {100u, 100000u})
            test::expect_promises(method, {.max_checks = budget},
                                  test::Workload<Query>{{query}, {truth}});
        },
        entry.query);
  }
}

}  // namespace
}  // namespace graze::narrow::corpus_test
