#pragma once

#include <string>
#include <vector>

#include "bench/query_sets.h"
#include "graze/core/options.h"
#include "page.h"

namespace graze::command {

// One query to be shown: 24 coordinates, as files have them.
struct ShownQuery {
  std::string id;  // after # in links; without spaces
  std::string title;
  bench::Kind kind;
  std::vector<double> coordinates;
};

// A page of primitive pairs in motion, one at a time: the truth by the oracle with every interval
// of contact, what each method of the table says beside it, the distance over time, and where
// nothing touches the plane that proves it. UsageError for a query that is not finite.
void write_query_page(const std::string& html, const std::vector<ShownQuery>& queries,
                      const Options& options);

}  // namespace graze::command
