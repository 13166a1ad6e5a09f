#include "bench/paper_suite.h"

#include <cstdlib>
#include <stdexcept>

#include "bench/paper_report.h"

namespace graze::bench {

Result run_paper(const Request& request, const Progress& progress) {
  namespace fs = std::filesystem;
  if (request.kind) throw std::invalid_argument("the suite paper measures both kinds");
  if (request.count == std::size_t{0}) throw std::invalid_argument("the suite paper needs queries");
  if (request.paths.size() > 1 ||
      (request.paths.size() == 1 && !fs::is_directory(request.paths[0])))
    throw std::invalid_argument("the suite paper takes one folder of real data");
  const char* named = std::getenv("GRAZE_DATA");
  const fs::path data =
      !request.paths.empty() ? request.paths[0] : fs::path(named ? named : "../shared/data");
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
