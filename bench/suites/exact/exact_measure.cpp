#include "bench/suites/exact/exact_measure.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "bench/harness/scene_pairs.h"
#include "bench/harness/timing.h"
#include "graze/exact/arena/first_contact.h"
#include "graze/exact/judge/oracle.h"
#include "graze/generate/random.h"

namespace graze::bench {
namespace {

// Long blocks, because the incomplete lanes at the end of each call cost extra time.
constexpr std::size_t block_size = 4096;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

auto batch_of(const Method& method, const VertexFace*) {
  return method.vertex_face;
}
auto batch_of(const Method& method, const EdgeEdge*) {
  return method.edge_edge;
}

// Calls f(first, size) for each block.
template <class F>
void for_blocks(std::size_t count, F&& f) {
  for (std::size_t first = 0; first < count; first += block_size)
    f(first, std::min(block_size, count - first));
}

double per_query(double seconds, std::size_t queries) {
  return queries == 0 ? unknown : 1e9 * seconds / static_cast<double>(queries);
}

volatile double sink;  // keeps the sums from being optimized away

// Uses eight sums, so that no addition waits for the previous one.
double sum_of(std::span<const double> values) {
  std::array<double, 8> sums{};
  for (std::size_t i = 0; i + sums.size() <= values.size(); i += sums.size())
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += values[i + k];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void add_to(Counts& counts, std::span<const Impact> answers, std::span<const double> truth) {
  for (std::size_t i = 0; i < std::min(answers.size(), truth.size()); ++i)
    counts.add(answers[i], truth[i] < Impact::inf, truth[i]);
}

std::span<const double> part_of(std::span<const double> truth, std::size_t first) {
  return truth.subspan(std::min(first, truth.size()));
}

constexpr Counts no_errors() {
  Counts counts;
  counts.false_positives = 0;
  return counts;
}

}  // namespace

template <class Query>
std::vector<double> find_times(std::span<const Query> queries,
                               std::span<const std::uint8_t> contact, int threads) {
  std::vector<double> times(queries.size(), Impact::inf);
  const int cores = tbb::info::default_concurrency();
  tbb::task_arena arena(threads > 0 ? std::min(threads, cores) : cores);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queries.size(), 64), [&](auto range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        if (!contact.empty() && contact[i] == 0) continue;
        times[i] = exact::oracle(queries[i]).toi;
        if (!contact.empty()) times[i] = std::min(times[i], 1.0);  // the file's truth prevails
      }
    });
  });
  return times;
}

template <class Query>
Workload<Query> shuffled(const Workload<Query>& set, std::size_t count, std::uint64_t seed) {
  auto chosen = sample(set.truth.size(), count, seed);
  generate::Random random("shuffle", 0, seed, 0);
  for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[random.below(i)]);
  Workload<Query> result{set.name, {}, {}, nullptr, {}};
  for (const std::size_t i : chosen) {
    result.queries.push_back(set.queries[i]);
    result.truth.push_back(set.truth[i]);
  }
  return result;
}

template <class Query>
StreamResult measure_stream(const Workload<Query>& set, const Options& options, double seconds) {
  const std::span<const Query> queries = set.queries;
  const std::size_t count = queries.size();
  constexpr Kind kind = kind_of_queries<Query>;
  StreamResult result{set.name, kind,    count,       set.truth.size(), unknown, unknown,
                      unknown,  unknown, no_errors(), no_errors(),      {}};
  std::vector<Impact> impacts(block_size);
  std::vector<Query> built(block_size);
  std::vector<IndexedImpact> answers;
  const auto block_of = [&](std::size_t first, std::size_t size) {
    return queries.subspan(first, size);
  };
  const auto answer_pairs = [&](std::size_t first, std::size_t size, narrow::ExactTally& tally) {
    constexpr Kind pair_kind = kind == Kind::vertex_face ? Kind::vertex_face : Kind::edge_edge;
    answers.clear();
    narrow::exact_root(*set.moving, pair_kind, set.pairs.subspan(first, size), options, answers,
                       tally);
  };
  std::vector<std::function<void()>> passes = {
      [&] {
        sink = sum_of({reinterpret_cast<const double*>(queries.data()), 24 * queries.size()});
      },
      [&] {
        for_blocks(count, [&](std::size_t first, std::size_t size) {
          narrow::exact_root(block_of(first, size), {options}, std::span(impacts).first(size));
        });
      }};
  if (set.moving) {
    passes.push_back([&] {
      narrow::ExactTally tally;
      for_blocks(count,
                 [&](std::size_t first, std::size_t size) { answer_pairs(first, size, tally); });
    });
    passes.push_back([&] {
      for_blocks(count, [&](std::size_t first, std::size_t size) {
        const auto block = std::span(built).first(size);
        fill_queries(*set.moving, set.pairs.subspan(first, size), block);
        narrow::exact_root(std::span<const Query>(block), {options},
                           std::span(impacts).first(size));
      });
    });
  }
  const auto times = time_in_turns(passes, seconds);
  result.plain_ns = per_query(times[0], count);
  result.exact_ns = per_query(times[1], count);
  if (set.moving) {
    result.pairs_ns = per_query(times[2], count);
    result.built_ns = per_query(times[3], count);
  }

  for_blocks(count, [&](std::size_t first, std::size_t size) {
    const auto block = std::span(impacts).first(size);
    const auto truth = part_of(set.truth, first);
    narrow::exact_root(block_of(first, size), options, block, result.tally);
    add_to(result.counts, block, truth);
    if (!set.moving) return;
    narrow::ExactTally tally;
    answer_pairs(first, size, tally);
    std::fill(impacts.begin(), impacts.end(), Impact::separated());
    for (const IndexedImpact& answer : answers) impacts[answer.index] = answer.impact;
    add_to(result.pairs_counts, block, truth);
  });
  return result;
}

template <class Query>
Row measure_sample(const Method& method, const Workload<Query>& sample, std::size_t set_size,
                   const Options& options, double seconds) {
  const auto batch = batch_of(method, static_cast<const Query*>(nullptr));
  std::vector<Impact> impacts(sample.queries.size());
  const auto time_part = [&](std::size_t begin, std::size_t end) {
    const double before = processor_seconds();
    for_blocks(end - begin, [&](std::size_t first, std::size_t size) {
      batch(std::span(sample.queries).subspan(begin + first, size), {options},
            std::span(impacts).subspan(begin + first, size));
    });
    return processor_seconds() - before;
  };
  std::size_t reached = 0;
  double spent = 0;
  while (reached < sample.queries.size() && spent < seconds) {
    const std::size_t next = std::min(std::max<std::size_t>(32, 2 * reached), impacts.size());
    spent += time_part(reached, next);
    reached = next;
  }
  std::vector<double> runs = {spent};
  while (runs.size() < 5 && spent + runs.front() < 2 * seconds) {
    runs.push_back(time_part(0, reached));
    spent += runs.back();
  }

  Row row;
  row.method = method.name;
  row.guarantee = method.guarantee;
  row.set = row.group = sample.name;
  row.kind = kind_of_queries<Query>;
  row.queries = reached;
  row.set_size = set_size;
  row.counts = no_errors();
  add_to(row.counts, std::span(impacts).first(reached), sample.truth);
  row.ns_per_query = per_query(median(runs), reached);
  row.p50_ns = row.p99_ns = row.max_ns = unknown;
  row.repeats = static_cast<int>(runs.size());
  if (reached < set_size) row.note = fmt::format("{} of {}, drawn at random", reached, set_size);
  return row;
}

template <class Query>
ThreadsResult measure_threads(const Workload<Query>& set, const Options& options, double seconds) {
  const Method& method = *find_method("exact");
  std::vector<Impact> impacts(set.queries.size());
  const auto solve_on = [&](int threads) {
    return [&, threads] {
      first_contact(std::span<const Query>(set.queries), impacts, options, {.threads = threads},
                    method);
    };
  };
  const std::vector<std::function<void()>> passes = {solve_on(1), solve_on(2)};
  const auto times = time_in_turns(passes, seconds, wall_seconds);
  ThreadsResult result{set.name,
                       kind_of_queries<Query>,
                       set.queries.size(),
                       per_query(times[0], set.queries.size()),
                       per_query(times[1], set.queries.size()),
                       no_errors()};
  add_to(result.counts, impacts, set.truth);
  return result;
}

template <class Query>
StageQueries<Query> divide_by_stage(const Workload<Query>& set, const Options& options,
                                    std::size_t most) {
  StageQueries<Query> stages;
  for (auto& stage : stages) stage.name = set.name;
  for (std::size_t i = 0; i < set.truth.size(); ++i) {
    narrow::ExactTally tally;
    Impact impact;
    narrow::exact_root(std::span<const Query>(&set.queries[i], 1), options, {&impact, 1}, tally);
    for (std::size_t k = 0; k < stages.size(); ++k)
      if (tally.*exact_stages[k].count == 1 && stages[k].queries.size() < most) {
        stages[k].queries.push_back(set.queries[i]);
        stages[k].truth.push_back(set.truth[i]);
      }
  }
  return stages;
}

namespace {

// Returns the median time of `answer(impacts)`, repeated often enough for the resolution of the
// clock.
template <class Query, class Answer>
StageResult measure_in_cache(const Workload<Query>& set, double seconds, Answer&& answer) {
  std::vector<Impact> impacts(set.queries.size());
  answer(impacts);
  const double before = processor_seconds();
  answer(impacts);
  const double once = std::max(processor_seconds() - before, 1e-7);
  const auto runs = static_cast<std::size_t>(seconds / 16 / once) + 1;
  const std::vector<std::function<void()>> passes = {[&] {
    for (std::size_t run = 0; run < runs; ++run) answer(impacts);
  }};
  StageResult result{"", set.name, kind_of_queries<Query>, set.queries.size(), 0, no_errors()};
  result.ns = per_query(time_in_turns(passes, seconds)[0], runs * set.queries.size());
  add_to(result.counts, impacts, set.truth);
  return result;
}

}  // namespace

template <class Query>
StageResult measure_stage(const Workload<Query>& queries, const Options& options, double seconds) {
  return measure_in_cache(queries, seconds, [&](std::span<Impact> impacts) {
    narrow::exact_root(std::span<const Query>(queries.queries), {options}, impacts);
  });
}

template <class Query>
StageResult measure_integer_alone(const Workload<Query>& queries, const Options& options,
                                  double seconds) {
  exact::Arena arena;
  return measure_in_cache(queries, seconds, [&](std::span<Impact> impacts) {
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      const auto first = exact::first_contact(queries.queries[i], options.t_max, arena);
      impacts[i] = first.found ? Impact::contact(first.lo, first.hi) : Impact::separated();
    }
  });
}

#define GRAZE_INSTANTIATE(Query)                                                                  \
  template std::vector<double> find_times(std::span<const Query>, std::span<const std::uint8_t>,  \
                                          int);                                                   \
  template Workload<Query> shuffled(const Workload<Query>&, std::size_t, std::uint64_t);          \
  template StreamResult measure_stream(const Workload<Query>&, const Options&, double);           \
  template Row measure_sample(const Method&, const Workload<Query>&, std::size_t, const Options&, \
                              double);                                                            \
  template ThreadsResult measure_threads(const Workload<Query>&, const Options&, double);         \
  template StageQueries<Query> divide_by_stage(const Workload<Query>&, const Options&,            \
                                               std::size_t);                                      \
  template StageResult measure_stage(const Workload<Query>&, const Options&, double);             \
  template StageResult measure_integer_alone(const Workload<Query>&, const Options&, double);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
#undef GRAZE_INSTANTIATE

}  // namespace graze::bench
