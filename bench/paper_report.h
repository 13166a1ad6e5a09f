#pragma once

#include "bench/paper_measure.h"

namespace graze::bench {

// JSON, tables and page of what the suite `paper` measured.
Result paper_result(const PaperSets& sets, const PaperMeasurements& all, const Request& request);

// The parts of it: of [Wang 2021] and of [Huh 2014]. Each adds to the page and to the tables.
void add_wang(const PaperMeasurements& all, const Request& request, io::Report& report,
              std::vector<io::Table>& tables);
void add_huh(const PaperMeasurements& all, io::Report& report, std::vector<io::Table>& tables);

// "12 of 345" where not all of a set was reached.
io::Cell reached(const Row& row);
// A count in the tone of what it means: red where the method promised that there is none.
io::Cell wrong(std::size_t count, bool promised_none);
io::Cell published_time(double us);  // a dash where it is not known

}  // namespace graze::bench
