#include "graze/narrow/rivals/root_parity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graze/io/query_files.h"
#include "test/support/parity_queries.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::narrow::root_parity_test {
namespace {

using test::twice;

const Method& method = *find_method("root_parity");

TEST(RootParity, Promise1HoldsForEveryFamilyAndTimeLimit) {
  std::size_t even = 0, odd = 0, border = 0, flat = 0;
  const auto check = [&](const auto& queries) {
    for (const double t_max : {1.0, 0.625, 0.1}) {
      Options options;
      options.t_max = t_max;
      const auto given = test::answers(method, queries, options);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const test::RootCensus census = test::root_census(queries[i], t_max);
        if (census.bent_side) continue;
        EXPECT_EQ(given[i].verdict == Verdict::contact, census.odd_or_border())
            << i << " t_max " << t_max << "\n"
            << test::corpus_text(queries[i], given[i]);
        flat += census.flat_side;
        (census.border ? border : census.inside % 2 == 1 ? odd : even) += census.contact;
      }
    }
  };
  for (const generate::Family& family : generate::families())
    test::both(family.name, test::scaled(400), check);
  GRAZE_HIT_RATE_NEEDS_SCALE_1();
  EXPECT_GT(border, 500u);
  EXPECT_GT(odd, 1000u);
  EXPECT_GT(even, 200u);
  EXPECT_GT(flat, 200u);
}

TEST(RootParity, AnswersTheSameWhereItsProductsUnderflowOrOverflow) {
  const auto check = [](const auto& queries) {
    const auto given = test::answers(method, queries);
    // Products of two, three and six coordinates reach the smallest double, and the largest.
    for (const int exponent : {-537, -530, -358, -350, -179, -175, 149, 170, 341, 511, 1000}) {
      auto scaled = queries;
      for (auto& query : scaled)
        for (auto* side : {&query.start, &query.end})
          for (Vec3& corner : *side) corner *= std::ldexp(1.0, exponent);
      const auto again = test::answers(method, scaled);
      for (std::size_t i = 0; i < queries.size(); ++i)
        ASSERT_EQ(again[i].verdict, given[i].verdict) << i << " times 2^" << exponent;
    }
  };
  for (const auto* name : {"random", "near_ulp", "lattice_contact", "near_double_root"})
    test::both(name, test::scaled(200), check);
}

TEST(RootParity, Promise2MissesTheContactOfAppendixB) {
  const auto entry = io::read_corpus_entry("test/corpus/wang2021_appendix_b_hourglass.txt");
  const auto& query = std::get<VertexFace>(entry.query);
  EXPECT_EQ(entry.verdict, Verdict::contact);
  EXPECT_TRUE(test::root_census(query).bent_side);
  EXPECT_EQ(test::root_census(query).inside, 1);
  EXPECT_EQ(first_contact(query, {}, method).verdict, Verdict::separated);
}

TEST(RootParity, Promise2HasFalsePositivesAndFalseNegativesOnHourglasses) {
  std::size_t false_positives = 0, false_negatives = 0;
  test::both("hourglass", 1000, [&](const auto& queries) {
    const auto given = test::answers(method, queries);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const test::RootCensus census = test::root_census(queries[i]);
      const bool contact = given[i].verdict == Verdict::contact;
      if (contact != census.odd_or_border()) {
        EXPECT_TRUE(census.bent_side) << i;
      }
      false_positives += contact && !census.contact;
      false_negatives += !contact && census.odd_or_border();
    }
  });
  EXPECT_GT(false_positives, 10u);
  EXPECT_GT(false_negatives, 10u);
}

TEST(RootParity, MissesContactsThatComeInPairs) {
  for (const double height : {0.125, 0.0}) {  // passing twice, grazing once
    const auto check = [&](const auto& query) {
      EXPECT_EQ(exact::oracle(query).verdict, Verdict::contact);
      EXPECT_EQ(test::root_census(query).inside, 2);
      EXPECT_EQ(first_contact(query, {}, method).verdict, Verdict::separated);
      Options options;
      options.t_max = 0.5;  // one of the two contacts, or the one at the end
      EXPECT_EQ(first_contact(query, options, method).verdict, Verdict::contact);
    };
    check(twice<VertexFace>(height));
    check(twice<EdgeEdge>(height));
  }
}

template <class Query>
void check_query_sets(const std::string& kind, std::size_t& queries) {
  for (const auto& folder : std::filesystem::directory_iterator(test::data_folder() / "queries")) {
    const auto set = io::read_queries(folder.path() / (kind + ".csv"));
    const auto asked = set.template as<Query>();
    const auto given = test::answers(method, std::vector<Query>(asked.begin(), asked.end()));
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_EQ(given[i].verdict == Verdict::contact, set.truth()[i] != 0) << folder.path() << i;
    queries += given.size();
  }
}

TEST(RootParity, GivesTheTruthOfTheQuerySets) {
  GRAZE_SKIP_WITHOUT_DATA();
  std::size_t queries = 0;
  check_query_sets<VertexFace>("vertex-face", queries);
  check_query_sets<EdgeEdge>("edge-edge", queries);
  EXPECT_EQ(queries, 2429u);
}

TEST(RootParity, MissesOnTheListedPairsOnlyContactsThatComeInPairs) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto [queries, missed] = test::check_listed_pairs(method, 1);
  EXPECT_EQ(queries, 138179u);
  EXPECT_EQ(missed, 3127u);
}

}  // namespace
}  // namespace graze::narrow::root_parity_test
