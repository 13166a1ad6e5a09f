#include "queries/answer.h"

#include <algorithm>
#include <utility>

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
                           const Options& options, int threads, std::size_t first,
                           std::size_t count, const Progress& progress) {
  std::vector<Impact> impacts(count);
  constexpr std::size_t chunk = 8192;
  std::size_t done = 0;
  for (const NamedSet& set : sets) {
    const std::size_t skipped = std::min(first, set.size());
    first -= skipped;
    visit(set.kind, set.data, [&](auto queries) {
      for (std::size_t i = skipped; i < queries.size() && done < count;) {
        const std::size_t size = std::min({chunk, queries.size() - i, count - done});
        const auto answers = std::span(impacts).subspan(done, size);
        first_contact(queries.subspan(i, size), answers, options, {.threads = threads}, method);
        map_to_kind(set.kind, answers);
        i += size;
        done += size;
        if (progress) progress(set.name, static_cast<double>(done) / static_cast<double>(count));
      }
    });
  }
  return impacts;
}

std::vector<Impact> answer(const Method& method, const std::vector<NamedSet>& sets,
                           const Options& options, int threads, const Progress& progress) {
  std::size_t count = 0;
  for (const NamedSet& set : sets) count += set.size();
  return answer(method, sets, options, threads, 0, count, progress);
}

GpuAnswers answer_on_gpu(int device, const Method& method, const std::vector<NamedSet>& sets,
                         const Options& options, int threads) {
  GpuAnswers answers;
  if (&method != &default_method()) {
    answers.outcome = {gpu::Status::unsupported, "the GPU answers queries by the method " +
                                                     std::string(default_method().name) + " alone"};
    return answers;
  }
  for (const NamedSet& set : sets)
    visit(set.kind, set.data, [&](auto queries) {
      if (!answers.outcome) return;
      std::vector<Impact> impacts(queries.size());
      answers.outcome =
          gpu::first_contact(queries, std::span(impacts), options, {.threads = threads}, device);
      map_to_kind(set.kind, impacts);
      answers.impacts.insert(answers.impacts.end(), impacts.begin(), impacts.end());
    });
  return answers;
}

Summary summarize(std::span<const Impact> impacts, std::size_t first_index) {
  Summary summary;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = impacts[i];
    ++summary.verdicts[static_cast<std::size_t>(impact.verdict)];
    if (impact.verdict != Verdict::contact || (summary.earliest && impact.toi >= summary.toi))
      continue;
    summary.earliest = first_index + i;
    summary.toi = impact.toi;
    summary.toi_hi = impact.toi_hi;
  }
  return summary;
}

void Summary::add(const Summary& other) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) verdicts[i] += other.verdicts[i];
  if (!other.earliest) return;
  if (earliest && std::pair(toi, *earliest) < std::pair(other.toi, *other.earliest)) return;
  earliest = other.earliest;
  toi = other.toi;
  toi_hi = other.toi_hi;
}

}  // namespace graze::queries
