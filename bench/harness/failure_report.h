#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/measure.h"
#include "terminal/report.h"

namespace graze::bench {

// A query that a method answered wrongly, with the set it belongs to.
struct ShownFailure {
  std::string method, set;
  Kind kind = Kind::vertex_face;
  std::filesystem::path file;       // empty: the query was generated
  Failure failure;                  // its index is that in the set
  std::vector<double> coordinates;  // 24; none where the set is not among those given
};

// Returns the worst few failures of each method, the worst method first. `sets`: the sets of the
// rows.
std::vector<ShownFailure> shown_failures(const std::vector<Row>& rows,
                                         const std::vector<NamedSet>& sets);

// One object per failure: method, set, kind, file, index, fault, harm, verdict, toi, true_toi,
// true_toi_hi, coordinates.
nlohmann::ordered_json json_of(const std::vector<ShownFailure>& failures);

// Returns a table of the methods that missed a contact or were late, the worst first, each with its
// worst answer.
report::Table failing_methods(const std::vector<Row>& rows);

// Adds the same table to the report, then the worst queries of each method with all coordinates.
// `page`: the page that shows these queries, linked by their ids; empty where it is not written.
void add_failures(report::Report& report, const std::vector<Row>& rows,
                  const std::vector<NamedSet>& sets, const std::string& page = {});

// Returns the id of a query in a page: letters, digits, - and _. Different arguments have different
// ids.
std::string query_id(std::string_view set, Kind kind, std::size_t index);

}  // namespace graze::bench
