#include "bench/suites/papers/paper_suite.h"

#include <stdexcept>

#include "bench/suites/papers/paper_report.h"

namespace graze::bench {

Result run_paper(const Request& request, const Progress& progress) {
  namespace fs = std::filesystem;
  if (request.count == std::size_t{0}) throw std::invalid_argument("--count must be at least 1");
  const fs::path data = real_data(request.paths);
  std::vector<const Method*> chosen = request.methods;
  if (chosen.empty())
    for (const Method& method : methods()) chosen.push_back(&method);

  const PaperSets sets =
      read_paper_sets(data, request.count.value_or(300), request.seed, request.threads, progress);
  const PaperMeasurements all = measure_paper(sets, request, chosen, progress);
  if (progress) progress("report", 1);
  return paper_result(sets, all, request);
}

}  // namespace graze::bench
