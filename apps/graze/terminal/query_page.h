#pragma once

#include <string>
#include <vector>

#include "graze/options.h"
#include "queries/query_sets.h"
#include "terminal/page.h"

namespace graze::command {

// A query of a page.
struct ShownQuery {
  std::string id;  // the fragment of links to it; without spaces
  std::string title;
  Kind kind;
  std::vector<double> coordinates;  // 24, in the order of query files
};

// Writes a page that shows one query at a time: the moving primitives, every interval of contact,
// the answer of each method, the distance over time and, where there is no contact, the separating
// plane that proves it. Throws UsageError for a query that is not finite.
void write_query_page(const std::string& html, const std::vector<ShownQuery>& queries,
                      const Options& options);

}  // namespace graze::command
