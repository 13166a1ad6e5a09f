#include "bench/suites/exact/exact_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace graze::bench {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the sum of value(result) times its queries over both kinds of all named sets; none where
// one was not measured.
template <class Results, class Value>
std::optional<double> total(const Results& results, const Names& sets, Value value) {
  double sum = 0;
  std::size_t found = 0;
  for (const auto& result : results)
    if (contains(sets, result.set)) {
      sum += value(result) * static_cast<double>(result.queries);
      ++found;
    }
  if (found != 2 * sets.size() || !std::isfinite(sum)) return {};
  return sum;
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

// Sums over both kinds, where they were measured.
std::optional<double> average_ns(const std::vector<StageResult>& results, std::string_view set) {
  double sum = 0, queries = 0;
  for (const auto& result : results)
    if (result.set == set) {
      sum += result.ns * static_cast<double>(result.queries);
      queries += static_cast<double>(result.queries);
    }
  return ratio(sum, queries);
}

const Row* find_row(const std::vector<Row>& rows, std::string_view method, const std::string& set,
                    Kind kind) {
  for (const Row& row : rows)
    if (row.method == method && row.set == set && row.kind == kind) return &row;
  return nullptr;
}

// Returns the time of a method over that of `exact`, on all named sets; the time of a sample is
// scaled to its set.
std::optional<double> slower(const std::vector<Row>& rows, std::string_view method,
                             const Names& sets, const std::vector<Kind>& kinds) {
  double theirs = 0, ours = 0;
  for (const std::string& set : sets)
    for (const Kind kind : kinds) {
      const Row *rival = find_row(rows, method, set, kind),
                *exact = find_row(rows, "exact", set, kind);
      if (!rival || !exact) return {};
      theirs += rival->ns_per_query * static_cast<double>(rival->set_size);
      ours += exact->ns_per_query * static_cast<double>(exact->set_size);
    }
  return ratio(theirs, ours);
}

// Returns the least time of another method over that of `exact`, over the scenes and kinds.
Bar closest_rival(const ExactMeasurements& all) {
  Bar bar{"scenes, every other method over exact: the least", "x", 1, true, {}, ""};
  const Method* exact = find_method("exact");
  for (const Row& row : all.rows) {
    const double times = ratio_to_exact(all, row);
    if (row.method == exact->name || !contains(exact_scenes, row.set) || std::isnan(times))
      continue;
    if (bar.measured && *bar.measured <= times) continue;
    bar.measured = times;
    bar.note = fmt::format("{} on {}, {}", row.method, row.set, name(row.kind));
  }
  return bar;
}

// Counts the wrong answers of `exact` in all measurements.
Bar wrong_answers(const ExactMeasurements& all) {
  std::size_t wrong = 0, checked = 0;
  const auto add = [&](const Counts& counts, std::size_t queries) {
    wrong += counts.false_positives.value_or(0) + counts.false_negatives + counts.undecided +
             counts.late + counts.invalid;
    checked += queries;
  };
  for (const auto& stream : all.streams) {
    add(stream.counts, stream.checked);
    if (!std::isnan(stream.pairs_ns)) add(stream.pairs_counts, stream.checked);
  }
  for (const auto& threads : all.threads) add(threads.counts, 0);
  for (const auto& stage : all.stages) add(stage.counts, 0);
  for (const auto& stage : all.integer_alone) add(stage.counts, 0);
  return {"wrong or late answers of exact",
          "",
          0,
          false,
          static_cast<double>(wrong),
          fmt::format("{} answers compared", report::format_count(checked))};
}

}  // namespace

double ratio_to_exact(const ExactMeasurements& measurements, const Row& row) {
  return slower(measurements.rows, row.method, {row.set}, {row.kind})
      .value_or(std::numeric_limits<double>::quiet_NaN());
}

std::vector<Bar> bars_of(const ExactMeasurements& all) {
  const auto plain = [](const StreamResult& stream) { return stream.plain_ns; };
  const auto exact = [](const StreamResult& stream) { return stream.exact_ns; };
  const auto pairs = [](const StreamResult& stream) { return stream.pairs_ns; };
  const auto built = [](const StreamResult& stream) { return stream.built_ns; };
  const auto one = [](const StreamResult&) { return 1.0; };
  const Names large = {"armadillo-rollers", "cloth-ball"}, funnel = {"cloth-funnel"};
  const std::vector<Kind> both = {Kind::vertex_face, Kind::edge_edge};
  const auto& streams = all.streams;

  std::vector<Bar> bars = {
      {"armadillo-rollers and cloth-ball, exact over a plain pass", "x", 2, false,
       ratio(total(streams, large, exact), total(streams, large, plain)), ""},
      {"cloth-funnel, exact per query", "ns", 40, false,
       ratio(total(streams, funnel, exact), total(streams, funnel, one)), ""},
      {"scenes, building queries and exact over exact from pairs", "x", 1.3, true,
       ratio(total(streams, exact_scenes, built), total(streams, exact_scenes, pairs)), ""},
      {"scenes, exact from queries in memory over exact from pairs", "x", 1.3, true,
       ratio(total(streams, exact_scenes, exact), total(streams, exact_scenes, pairs)), ""},
      {"scenes, tight_inclusion over exact", "x", 60, true,
       slower(all.rows, "tight_inclusion", exact_scenes, both), ""},
      closest_rival(all),
      {"random vertex-face, tight_inclusion over exact", "x", 130, true,
       slower(all.rows, "tight_inclusion", {"random"}, {Kind::vertex_face}), ""},
      {"random edge-edge, tight_inclusion over exact", "x", 190, true,
       slower(all.rows, "tight_inclusion", {"random"}, {Kind::edge_edge}), ""},
      {"erleben, tight_inclusion over exact", "x", 3000, true,
       slower(all.rows, "tight_inclusion", {"erleben"}, both), ""},
  };
  for (const char* set : {"erleben", "cloth-funnel", "unit-tests"})
    bars.push_back({fmt::format("{}, integer stage alone", set), "ns", 3000, false,
                    average_ns(all.integer_alone, set), ""});
  for (const ThreadsResult& result : all.threads)
    bars.push_back({fmt::format("{} {}, one thread over two", result.set, name(result.kind)), "x",
                    1.8, true, ratio(result.one_ns, result.two_ns), ""});
  bars.push_back(wrong_answers(all));
  return bars;
}

}  // namespace graze::bench
