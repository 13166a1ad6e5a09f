#include "bench/harness/measure.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "bench/harness/timing.h"
#include "graze/exact/judge/oracle.h"
#include "graze/exact/judge/separation_oracle.h"
#include "graze/gpu.h"

namespace graze::bench {
namespace {

using WallClock = std::chrono::steady_clock;

double ns_between(WallClock::time_point from, WallClock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

auto batch_of(const Method& method, std::span<const VertexFace>) {
  return method.vertex_face;
}
auto batch_of(const Method& method, std::span<const EdgeEdge>) {
  return method.edge_edge;
}

// Returns the smallest value that at least `share` of all values do not exceed; NaN for none.
// Reorders `values`.
double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1)) - 1;
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// Returns the times of single queries, as many as fit in `seconds`: the least of up to three
// passes.
template <class Query, class Batch>
std::vector<double> time_each(Batch batch, std::span<const Query> queries, const Options& options,
                              double seconds) {
  const double overhead = clock_overhead_ns();
  std::vector<double> times;
  times.reserve(queries.size());
  Impact impact;
  double spent = 0;
  const auto time_one = [&](const Query& query) {
    const auto before = WallClock::now();
    batch({&query, 1}, {options}, {&impact, 1});
    const double elapsed = ns_between(before, WallClock::now());
    spent += elapsed;
    return std::max(elapsed - overhead, 0.0);
  };
  while (times.size() < queries.size() && spent < seconds * 1e9)
    times.push_back(time_one(queries[times.size()]));
  const double one_pass = spent;
  for (int pass = 1; pass < 3 && spent + one_pass < seconds * 1e9; ++pass)
    for (std::size_t i = 0; i < times.size(); ++i)
      times[i] = std::min(times[i], time_one(queries[i]));
  return times;
}

// Returns the processor times of runs of the whole batch: at least one, at most 31, as many as fit
// in `seconds`.
template <class Query, class Batch>
std::vector<double> time_batches(Batch batch, std::span<const Query> queries,
                                 const Options& options, std::span<Impact> answers,
                                 double seconds) {
  std::vector<double> times;
  double spent = 0, last = 0;
  do {
    const auto before = WallClock::now();
    const double begin = processor_seconds();
    batch(queries, {options}, answers);
    times.push_back(1e9 * (processor_seconds() - begin));
    last = ns_between(before, WallClock::now());
    spent += last;
  } while (times.size() < 31 && spent + last < seconds * 1e9);
  return times;
}

}  // namespace

double clock_overhead_ns() {
  static const double overhead = [] {
    std::vector<double> differences(10001);
    for (double& difference : differences) {
      const auto before = WallClock::now();
      difference = ns_between(before, WallClock::now());
    }
    return percentile(differences, 0.5);
  }();
  return overhead;
}

Truth find_truth(const NamedSet& set, const Options& options, int threads, const Progress& progress,
                 Norm norm) {
  Truth truth;
  truth.impacts.resize(set.size());
  truth.contact.resize(set.size());
  constexpr std::size_t chunk = 4096, grain = 16;
  const int cores = tbb::info::default_concurrency();
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  visit(set.kind, set.data, [&](auto queries) {
    for (std::size_t first = 0; first < queries.size(); first += chunk) {
      const std::size_t last = std::min(first + chunk, queries.size());
      if (progress)
        progress(fmt::format("truth of {}", set.name),
                 static_cast<double>(first) / static_cast<double>(queries.size()));
      arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(first, last, grain), [&](auto range) {
          for (std::size_t i = range.begin(); i < range.end(); ++i)
            truth.impacts[i] = options.min_separation == 0 ? exact::oracle(queries[i], options)
                               : norm == Norm::linf        ? exact::oracle_linf(queries[i], options)
                                                           : exact::oracle_l2(queries[i], options);
        });
      });
    }
  });
  const bool file_says =
      !set.data.truth().empty() && options.t_max == 1 && options.min_separation == 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const bool found = truth.impacts[i].verdict == Verdict::contact;
    truth.contact[i] = file_says ? set.data.truth()[i] : found;
    truth.disagreements += (truth.contact[i] != 0) != found;
  }
  return truth;
}

void Counts::add(const Impact& answer, bool contact, double toi) {
  const Verdict verdict = answer.verdict;
  hits += verdict == Verdict::contact;
  if (false_positives) *false_positives += verdict == Verdict::contact && !contact;
  false_negatives += verdict == Verdict::separated && contact;
  undecided += verdict == Verdict::undecided;
  invalid += verdict == Verdict::invalid;
  const bool claims_time = verdict == Verdict::contact || verdict == Verdict::undecided;
  late += claims_time && contact && answer.toi > toi;
}

Counts count(std::span<const Impact> answers, const Truth& truth) {
  Counts counts;
  counts.false_positives = 0;
  for (std::size_t i = 0; i < answers.size(); ++i)
    counts.add(answers[i], truth.contact[i] != 0, truth.impacts[i].toi);  // no contact: infinite
  return counts;
}

namespace {

Row row_of(const NamedSet& set) {
  Row row;
  row.set = set.name;
  row.group = set.group;
  row.kind = set.kind;
  row.set_size = set.size();
  return row;
}

}  // namespace

Row measure_on_gpu(int gpu, const NamedSet& set, const Truth& truth, const Options& options,
                   double seconds) {
  Row row = row_of(set);
  row.method = "exact (gpu)";
  row.guarantee = Guarantee::exact;
  row.ns_per_query = row.p50_ns = row.p99_ns = row.max_ns =
      std::numeric_limits<double>::quiet_NaN();
  visit(set.kind, set.data, [&](auto queries) {
    std::vector<Impact> answers(queries.size());
    gpu::Outcome outcome;
    const std::function<void()> call = [&] {
      outcome = gpu::first_contact(queries, std::span(answers), options, {}, gpu);
    };
    call();  // makes the device ready
    if (!outcome) {
      row.note = outcome.message;
      return;
    }
    const double wall = time_in_turns({&call, 1}, seconds, wall_seconds)[0];
    row.queries = queries.size();
    if (row.queries > 0) row.ns_per_query = 1e9 * wall / static_cast<double>(row.queries);
    row.counts = count(answers, truth);
    row.worst = worst_failures(answers, truth.impacts, row.guarantee, options.t_max, 5);
  });
  return row;
}

Row measure(const Method& method, const NamedSet& set, const Truth& truth, const Options& options,
            double seconds) {
  Row row = row_of(set);
  row.method = method.name;
  row.guarantee = method.guarantee;
  visit(set.kind, set.data, [&](auto queries) {
    const auto batch = batch_of(method, queries);
    std::vector<double> each = time_each(batch, queries, options, seconds / 2);
    row.queries = each.size();
    for (std::size_t i = 0; i < each.size(); ++i)
      (truth.contact[i] ? row.hit_times : row.miss_times).add(each[i]);
    row.p50_ns = percentile(each, 0.5);
    row.p99_ns = percentile(each, 0.99);
    row.max_ns = percentile(each, 1);

    std::vector<Impact> answers(row.queries);
    auto runs =
        time_batches(batch, queries.first(row.queries), options, std::span(answers), seconds / 2);
    row.repeats = static_cast<int>(runs.size());
    row.ns_per_query = row.queries > 0 ? percentile(runs, 0.5) / static_cast<double>(row.queries)
                                       : std::numeric_limits<double>::quiet_NaN();
    row.counts = count(answers, truth);
    row.worst = worst_failures(answers, truth.impacts, method.guarantee, options.t_max, 5);
  });
  const auto add_note = [&](std::string_view text) {
    row.note += fmt::format("{}{}", row.note.empty() ? "" : "; ", text);
  };
  if (row.queries < row.set_size)
    add_note(fmt::format("the first {} of {} queries, all that fit in the time budget of {} s",
                         row.queries, row.set_size, seconds));
  if (row.counts.invalid > 0) add_note(fmt::format("{} queries are invalid", row.counts.invalid));
  if (truth.disagreements > 0)
    add_note(fmt::format("the truth of the file and the oracle disagree on {} queries",
                         truth.disagreements));
  return row;
}

}  // namespace graze::bench
