#include "bench/suites/area_inclusion/area_inclusion_table.h"

#include <algorithm>

#include "bench/harness/timing.h"
#include "graze/exact/judge/oracle.h"
#include "graze/generate/families.h"
#include "graze/narrow/contact/area_inclusion.h"

namespace graze::bench {
namespace {

constexpr std::uint64_t block_size = 4096;

// Counts the errors of the answers to the first queries of a block.
template <class AnswerOf, class Counts>
void count_errors(const std::vector<Impact>& truth, AnswerOf&& answer_of, Counts& counts) {
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Impact& answer = answer_of(i);
    const bool touches = truth[i].verdict == Verdict::contact;
    counts.false_positives += !touches && answer.verdict == Verdict::contact;
    counts.false_negatives += touches && answer.verdict == Verdict::separated;
    counts.late += touches && answer.verdict == Verdict::contact && answer.toi > truth[i].toi;
  }
}

void run_rival(const std::vector<VertexFace>& block,
               const std::vector<narrow::AreaInclusionResult>& results,
               const std::vector<Impact>& truth, AreaInclusionTable::Rival& rival) {
  std::vector<Impact> impacts(block.size());
  const double begin = processor_seconds();
  rival.method->vertex_face(block, {}, impacts);
  rival.seconds += processor_seconds() - begin;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool hit = impacts[i].verdict == Verdict::contact;
    rival.hits += hit;
    rival.not_odd += hit != (results[i].contacts % 2 == 1);
  }
  count_errors(
      truth, [&](std::size_t i) -> const Impact& { return impacts[i]; }, rival);
}

}  // namespace

AreaInclusionTable measure_area_inclusion(const AreaInclusionSetup& setup,
                                          const std::function<bool(double)>& progress) {
  const generate::Family& family = *generate::find_family("random");
  AreaInclusionTable table;
  for (const double tolerance : setup.tolerances) table.rows.push_back({{.tolerance = tolerance}});
  for (const Method* rival : setup.rivals) table.rivals.push_back({.method = rival});
  std::vector<VertexFace> block;
  std::vector<narrow::AreaInclusionResult> results(block_size);
  std::vector<Impact> truth;
  while (table.queries < setup.queries) {
    block.clear();
    const auto block_end = std::min(setup.queries, table.queries + block_size);
    for (auto i = table.queries; i < block_end; ++i)
      block.push_back(family.vertex_face(setup.seed, i));
    truth.clear();
    for (std::size_t i = 0; i < block.size() && table.sample < setup.sample; ++i, ++table.sample) {
      truth.push_back(exact::oracle(block[i]));
      table.sample_hits += truth.back().verdict == Verdict::contact;
    }
    for (auto& row : table.rows) {
      const Options options{.time_tol = row.tolerance};
      const double begin = processor_seconds();
      for (std::size_t i = 0; i < block.size(); ++i)
        results[i] = narrow::area_inclusion(block[i], options);
      row.seconds += processor_seconds() - begin;
      for (std::size_t i = 0; i < block.size(); ++i) {
        row.odd_hits += results[i].contacts % 2 == 1;
        row.even_hits += results[i].contacts > 0 && results[i].contacts % 2 == 0;
      }
      count_errors(
          truth, [&](std::size_t i) -> const Impact& { return results[i].impact; }, row);
    }
    for (auto& rival : table.rivals) run_rival(block, results, truth, rival);
    table.queries = block_end;
    const double done = static_cast<double>(table.queries) / static_cast<double>(setup.queries);
    if (progress && !progress(done)) break;
  }
  return table;
}

}  // namespace graze::bench
