#pragma once

#include <string>

#include "bench/disagreement.h"
#include "bench/minimize.h"
#include "graze/core/options.h"
#include "graze/narrow/method.h"

namespace graze::bench {

// Two methods that disagree, one of them taken for the truth.
struct Dispute {
  const Method& method;
  const Method& judge;  // exact
  Options options;
};

template <class Query>
struct Shrunk {
  Minimized<Query> minimal;
  Fault fault;
  Impact answer, truth;
};

// The simplest query on which the method commits the fault it commits on the given one. With
// Fault::none the query is returned as it is.
template <class Query>
Shrunk<Query> shrink(const Query& query, const Dispute& dispute, const MinimizeLimits& limits = {});

// The query as an entry of the corpus: what the method says of it in a comment, then the truth and
// the corners.
template <class Query>
std::string corpus_entry(const Shrunk<Query>& shrunk, const Dispute& dispute);

// "contact at 0.25", "separated": a verdict with its time.
std::string describe(const Impact& impact);

}  // namespace graze::bench
