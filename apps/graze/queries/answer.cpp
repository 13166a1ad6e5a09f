#include "queries/answer.h"

#include <algorithm>

namespace graze::queries {
namespace {

// Turns the coordinates of a contact on a face without area into those on the edge or vertex.
void map_to_kind(Kind kind, std::span<Impact> impacts) {
  if (kind != Kind::vertex_edge && kind != Kind::vertex_vertex) return;
  for (Impact& impact : impacts) {
    impact.u = kind == Kind::vertex_edge ? impact.u + impact.v : Impact::nan;
    impact.v = Impact::nan;
  }
}

}  // namespace

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
        const auto answers = std::span(impacts).subspan(done, size);
        first_contact(queries.subspan(first, size), answers, options, {.threads = threads}, method);
        map_to_kind(set.kind, answers);
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

}  // namespace graze::queries
