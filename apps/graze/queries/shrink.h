#pragma once

#include <string>

#include "graze/first_contact.h"
#include "graze/method.h"
#include "graze/options.h"
#include "queries/disagreement.h"
#include "queries/minimize.h"

namespace graze::queries {

// A method and the exact method that gives the truth.
struct Dispute {
  const Method& method;
  const Method& judge;
  Options options;
};

template <class Query>
struct Shrunk {
  Minimized<Query> minimal;
  Fault fault;
  Impact answer, truth;
};

// Returns the simplest query on which the method shows the same fault as on the given query. With
// Fault::none the query is returned unchanged.
template <class Query>
Shrunk<Query> shrink(const Query& query, const Dispute& dispute, const MinimizeLimits& limits = {});

// Returns the query as an entry of the corpus: a comment with the answer of the method, then the
// truth and the corners.
template <class Query>
std::string corpus_entry(const Shrunk<Query>& shrunk, const Dispute& dispute);

// Returns the verdict with its time: "contact at 0.25", "separated".
std::string describe(const Impact& impact);

}  // namespace graze::queries
