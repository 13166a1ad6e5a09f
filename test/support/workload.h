#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "graze/exact/judge/oracle.h"
#include "graze/first_contact.h"
#include "test/support/corpus.h"
#include "test/support/generated.h"
#include "test/support/promises.h"

namespace graze::test {

// Queries of one kind with the truth for t_max = 1.
template <class Query>
struct Workload {
  std::vector<Query> queries;
  std::vector<Impact> truth;

  void add(std::vector<Query> more) {
    for (Query& query : more) {
      truth.push_back(exact::oracle(query));
      queries.push_back(std::move(query));
    }
  }
};

template <class Query>
bool has(const Method& method) {
  if constexpr (std::is_same_v<Query, VertexFace>)
    return method.vertex_face != nullptr;
  else
    return method.edge_edge != nullptr;
}

template <class Query>
std::vector<Impact> answers(const Method& method, const std::vector<Query>& queries,
                            const Options& options = {}, int threads = 1) {
  std::vector<Impact> impacts(queries.size());
  first_contact(queries, impacts, options, {.threads = threads}, method);
  return impacts;
}

// Checks the promises of the method on every query of the workload and prints the first few queries
// that violate one, in the format of the corpus.
template <class Query>
void expect_promises(const Method& method, const Options& options, const Workload<Query>& work) {
  const auto given = answers(method, work.queries, options);
  int broken = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Impact truth = truth_until(options.t_max, work.truth[i]);
    const std::string offence = broken_promise(method, options, truth, given[i]);
    if (offence.empty()) continue;
    if (++broken <= 3)
      ADD_FAILURE() << method.name << ", query " << i << ", t_max " << options.t_max << ": "
                    << offence << "\nanswer " << describe(given[i]) << "\n"
                    << corpus_text(work.queries[i], truth);
  }
  EXPECT_EQ(broken, 0) << method.name << ": promises broken in " << given.size() << " queries";
}

// Calls check(Query{}) for each type of query that the method supports.
template <class Check>
void for_each_primitive(const Method& method, Check&& check) {
  if (has<VertexFace>(method)) check(VertexFace{});
  if (has<EdgeEdge>(method)) check(EdgeEdge{});
}

inline std::string test_name(const testing::TestParamInfo<const Method*>& info) {
  return std::string(info.param->name);
}

template <class Condition>
std::vector<const Method*> methods_where(Condition&& condition) {
  std::vector<const Method*> rows;
  for (const Method& method : methods())
    if (condition(method)) rows.push_back(&method);
  return rows;
}

}  // namespace graze::test
