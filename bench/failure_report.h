#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "graze/io/report.h"

namespace graze::bench {

// The methods that missed a contact or were late, the worst first, with what each did worst.
io::Table failing_methods(const std::vector<Row>& rows);

// The same with the worst queries of each, shown with all coordinates, for a reader who wonders
// whether the method would have failed them. `sets`: where the rows' queries are. `page`: the page
// that shows them, to which each is linked by its id; none where that is not written.
void add_failures(io::Report& report, const std::vector<Row>& rows,
                  const std::vector<NamedSet>& sets, const std::string& page = {});

// The name of a query in a page of several, of letters, digits and -.
std::string query_id(std::string_view set, Kind kind, std::size_t index);

// One object per query shown: method, set, kind, file, index, fault, harm, said, true times,
// coordinates.
nlohmann::ordered_json failures_json(const std::vector<Row>& rows,
                                     const std::vector<NamedSet>& sets);

}  // namespace graze::bench
