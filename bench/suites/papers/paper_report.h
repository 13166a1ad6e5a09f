#pragma once

#include "bench/suites/papers/paper_measure.h"

namespace graze::bench {

// Returns the JSON, tables and report of the measurements, without the queries that methods failed.
Result paper_result(const PaperSets& sets, const PaperMeasurements& all, const Request& request);

// Adds the missed and late contacts, with examples, to the report.
void add_paper_failures(const PaperSets& sets, const PaperMeasurements& all,
                        report::Report& report);

// Add the parts of [Wang 2021] and of [Huh 2014] to the report and to the tables.
void add_wang(const PaperMeasurements& all, const Request& request, report::Report& report,
              std::vector<report::Table>& tables);
void add_huh(const PaperMeasurements& all, report::Report& report,
             std::vector<report::Table>& tables);

// Returns the number of measured queries: "12 of 345" for a part of the set.
report::Cell reached(const Row& row);
// Returns a count of errors: red where the guarantee of the method rules them out, else orange.
report::Cell wrong(std::size_t count, bool promised_none);
report::Cell published_time(double us);  // "-" where unknown

}  // namespace graze::bench
