#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "graze/exact/judge/oracle.h"
#include "queries/shrink.h"
#include "test/support/mutate.h"
#include "test/support/promises.h"
#include "test/support/scale.h"
#include "test/support/scratch_folder.h"
#include "test/support/workload.h"

// Runs mutated queries of every family through all methods. A query on which a method breaks a
// promise fails the test; the minimal query with the same error is written to the folder `fuzz` of
// the build, as an entry for test/corpus.
namespace graze::differential_fuzz_test {
namespace {

const Options small_budget{.max_checks = 500};

template <class Query>
std::string offence_of(const Method& method, const Query& query) {
  return test::broken_promise(method, small_budget, exact::oracle(query),
                              first_contact(query, small_budget, method));
}

// Returns the file that was written.
template <class Query>
std::filesystem::path leave_entry(const Method& method, const Query& query,
                                  const std::string& offence, const std::filesystem::path& folder) {
  const auto minimal = queries::minimize<Query>(query, [&](const Query& candidate) {
    return is_finite(candidate) && offence_of(method, candidate) == offence;
  });
  const Impact truth = exact::oracle(minimal.query);
  std::string stem = std::string(method.name) + "_" + offence;
  for (char& c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  std::filesystem::create_directories(folder);
  const char* kind = std::is_same_v<Query, VertexFace> ? "vf_" : "ee_";
  const auto file = folder / (kind + stem + ".txt");
  std::ofstream(file) << "# " << method.name << " answers "
                      << queries::describe(first_contact(minimal.query, small_budget, method))
                      << ": " << offence << ".\n"
                      << test::corpus_text(minimal.query, truth);
  return file;
}

// Returns the files that were written: one for each method and error, from its first query.
template <class Query>
std::set<std::filesystem::path> fuzz(std::span<const Method> methods, std::size_t count,
                                     const std::filesystem::path& folder) {
  std::set<std::filesystem::path> left;
  std::set<std::string> known;
  for (const generate::Family& family : generate::families()) {
    test::Workload<Query> work;
    const auto originals = test::generated<Query>(family, count, 31);
    for (std::size_t i = 0; i < count; ++i) {
      generate::Random random(family.name, std::is_same_v<Query, EdgeEdge>, 32, i);
      work.add({test::mutate(originals[i], random)});
    }
    for (const Method& method : methods) {
      if (!test::has<Query>(method)) continue;
      const auto given = test::answers(method, work.queries, small_budget);
      for (std::size_t i = 0; i < given.size(); ++i) {
        const auto offence = test::broken_promise(method, small_budget, work.truth[i], given[i]);
        if (offence.empty() || !known.insert(std::string(method.name) + offence).second) continue;
        left.insert(leave_entry(method, work.queries[i], offence, folder));
      }
    }
  }
  return left;
}

template <class Query>
void expect_no_offence() {
  const auto left = fuzz<Query>(methods(), test::scaled(150), GRAZE_FUZZ_FOLDER);
  for (const auto& file : left) {
    std::ifstream stream(file);
    ADD_FAILURE() << "a promise is broken, see " << file.string() << '\n' << stream.rdbuf();
  }
}

TEST(DifferentialFuzz, FindsNoBrokenPromiseInVertexFaceQueries) {
  expect_no_offence<VertexFace>();
}
TEST(DifferentialFuzz, FindsNoBrokenPromiseInEdgeEdgeQueries) {
  expect_no_offence<EdgeEdge>();
}

// Misses contacts of faces that have an edge along the axis x at t = 0.
void careless(std::span<const VertexFace> queries, const MethodOptions& options,
              std::span<Impact> impacts) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& q = queries[i];
    const bool forgotten = q.start[1].y() == q.start[2].y() && q.start[1].x() != q.start[2].x();
    impacts[i] = forgotten ? Impact::separated() : exact::oracle(q, options);
  }
}

class DifferentialFuzzEntry : public test::ScratchFolder {};

TEST_F(DifferentialFuzzEntry, IsLeftByAMethodThatMisses) {
  const Method methods[] = {
      {"careless", "", Guarantee::conservative, true, Norm::none, careless, nullptr}};
  const auto left = fuzz<VertexFace>(methods, 60, folder);
  ASSERT_EQ(left.size(), 1u);
  const auto entry = io::read_corpus_entry(*left.begin());
  EXPECT_EQ(entry.name, "vf_careless_false_negative");
  EXPECT_EQ(entry.verdict, Verdict::contact);
  const auto& query = std::get<VertexFace>(entry.query);
  EXPECT_EQ(first_contact(query, {}, methods[0]).verdict, Verdict::separated);
  EXPECT_EQ(exact::oracle(query).toi, entry.toi);
  EXPECT_LE(queries::complexity(query), 10u) << test::corpus_text(query, exact::oracle(query));
}

TEST(Mutation, MakesContactsAndMissesAndChangesMostQueries) {
  int changed = 0, hits = 0, count = 0;
  for (const generate::Family& family : generate::families()) {
    const auto originals = test::generated<EdgeEdge>(family, 20);
    for (std::size_t i = 0; i < originals.size(); ++i, ++count) {
      generate::Random random(family.name, 1, 33, i);
      const auto mutant = test::mutate(originals[i], random);
      changed += mutant.start != originals[i].start || mutant.end != originals[i].end;
      hits += exact::oracle(mutant).verdict == Verdict::contact;
    }
  }
  EXPECT_GT(changed * 10, count * 8);
  EXPECT_GT(hits * 10, count * 3);
  EXPECT_LT(hits * 10, count * 7);
}

}  // namespace
}  // namespace graze::differential_fuzz_test
