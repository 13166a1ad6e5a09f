#include "graze/narrow/rivals/rational_root_parity.h"

#include <gtest/gtest.h>

#include "test/support/parity_queries.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::rational_root_parity_test {
namespace {

using test::twice;

const Method& method = *find_method("rational_root_parity");

TEST(RationalRootParity, Promises1And2HoldForEveryFamilyAndTimeLimit) {
  std::size_t even = 0, odd = 0, border = 0;
  const auto check = [&](const auto& queries) {
    for (const double t_max : {1.0, 0.625, 0.1}) {
      Options options;
      options.t_max = t_max;
      const auto given = test::answers(method, queries, options);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const test::RootCensus census = test::root_census(queries[i], t_max);
        const bool contact = given[i].verdict == Verdict::contact;
        EXPECT_EQ(contact, census.odd_or_border()) << i << " t_max " << t_max << "\n"
                                                   << test::corpus_text(queries[i], given[i]);
        EXPECT_LE(contact, census.contact);
        EXPECT_NE(given[i].verdict, Verdict::undecided);
        (census.border ? border : census.inside % 2 == 1 ? odd : even) += census.contact;
      }
    }
  };
  for (const generate::Family& family : generate::families())
    test::both(family.name, test::scaled(200), check);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(border, 5000u);
  EXPECT_GT(odd, 2500u);
  EXPECT_GT(even, 500u);
}

TEST(RationalRootParity, MissesContactsThatComeInPairs) {
  for (const double height : {0.125, 0.0}) {  // passing twice, grazing once
    const auto check = [&](const auto& query) {
      EXPECT_EQ(exact::oracle(query).verdict, Verdict::contact);
      EXPECT_EQ(test::root_census(query).inside, 2);
      EXPECT_EQ(first_contact(query, {}, method).verdict, Verdict::separated);
    };
    check(twice<VertexFace>(height));
    check(twice<EdgeEdge>(height));
  }
}

TEST(RationalRootParity, CountsContactsUntilTheTimeLimitAndThoseAtIt) {
  const auto check = [](const auto& query) {  // contacts at 1/4 and 3/4
    const auto verdict = [&](double t_max) {
      Options options;
      options.t_max = t_max;
      return first_contact(query, options, method).verdict;
    };
    EXPECT_EQ(verdict(0x1.fffffffffffffp-3), Verdict::separated);
    EXPECT_EQ(verdict(0.25), Verdict::contact);
    EXPECT_EQ(verdict(0.5), Verdict::contact);
    EXPECT_EQ(verdict(0x1.7ffffffffffffp-1), Verdict::contact);
    EXPECT_EQ(verdict(0.75), Verdict::contact);
    EXPECT_EQ(verdict(0x1.8000000000001p-1), Verdict::separated);
  };
  check(twice<VertexFace>(0.125));
  check(twice<EdgeEdge>(0.125));
}

TEST(RationalRootParity, FindsTheContactOfAppendixB) {
  const auto entry = io::read_corpus_entry("test/corpus/wang2021_appendix_b_hourglass.txt");
  const auto& query = std::get<VertexFace>(entry.query);
  EXPECT_EQ(test::root_census(query).inside, 1);
  EXPECT_EQ(first_contact(query, {}, method).verdict, Verdict::contact);
}

TEST(RationalRootParity, MissesOnTheListedPairsOnlyContactsThatComeInPairs) {
  GRAZE_SKIP_WITHOUT_DATA();
  // A part of the pairs; root_parity is tested on all.
  const auto [queries, missed] = test::check_listed_pairs(method, 8);
  EXPECT_GT(queries, 17000u);
  EXPECT_GT(missed, 300u);
}

}  // namespace
}  // namespace graze::narrow::rational_root_parity_test
