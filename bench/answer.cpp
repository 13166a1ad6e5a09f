#include "bench/answer.h"

#include <algorithm>

namespace graze::bench {

std::vector<Impact> answer(const Method& method, const std::vector<NamedSet>& sets,
                           const Options& options, int threads, const Progress& progress) {
  std::size_t total = 0;
  for (const NamedSet& set : sets) total += set.size();
  std::vector<Impact> impacts(total);
  constexpr std::size_t chunk = 8192;
  std::size_t done = 0;
  for (const NamedSet& set : sets)
    visit(set.kind, set.data, [&](auto queries) {
      for (std::size_t first = 0; first < queries.size(); first += chunk) {
        const std::size_t size = std::min(chunk, queries.size() - first);
        solve(method, queries.subspan(first, size), options, std::span(impacts).subspan(done, size),
              threads);
        done += size;
        if (progress) progress(set.name, static_cast<double>(done) / static_cast<double>(total));
      }
    });
  return impacts;
}

Summary summarize(std::span<const Impact> impacts) {
  Summary summary;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    ++summary.verdicts[static_cast<std::size_t>(impacts[i].verdict)];
    if (impacts[i].verdict == Verdict::contact &&
        (!summary.earliest || impacts[i].toi < impacts[*summary.earliest].toi))
      summary.earliest = i;
  }
  return summary;
}

}  // namespace graze::bench
