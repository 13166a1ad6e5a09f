#pragma once

#include <string_view>

#include "graze/exact/judge/oracle.h"
#include "test/support/generated.h"
#include "test/support/scale.h"
#include "test/support/workload.h"

namespace graze::test {

struct ErrorCount {
  std::size_t contacts = 0, false_positives = 0, false_negatives = 0, late = 0;
};

// Counts the wrong answers of a method on a family of queries, summed over the kinds of queries
// that the method supports. `truth_of(query)` is the exact answer.
template <class TruthOf>
ErrorCount error_count(const Method& method, std::string_view name, std::size_t count,
                       const Options& options, TruthOf&& truth_of) {
  ErrorCount result;
  for_each_primitive(method, [&]<class Query>(Query) {
    const auto queries = generated<Query>(family(name), count);
    const auto given = answers(method, queries, options);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const Impact truth = truth_of(queries[i]);
      const bool touches = truth.verdict == Verdict::contact;
      const bool reported = given[i].verdict == Verdict::contact;
      result.contacts += touches;
      result.false_positives += reported && !touches;
      result.false_negatives += touches && given[i].verdict == Verdict::separated;
      result.late += touches && reported && given[i].toi > truth.toi;
    }
  });
  return result;
}
inline ErrorCount error_count(const Method& method, std::string_view name, std::size_t count,
                              const Options& options = {}) {
  return error_count(method, name, count, options, [&](const auto& query) {
    return exact::oracle(query, {.t_max = options.t_max});
  });
}

}  // namespace graze::test
