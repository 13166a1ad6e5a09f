#include <cassert>
#include <optional>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/exact_query.h"
#include "graze/first_contact.h"
#include "graze/narrow/run_blocks.h"

namespace graze {
namespace {

// A list of distinct times in [0, t_max] in increasing order, 0 and t_max included.
template <int max>
class Events {
  using Root = exact::IsolatedRootUpTo<max>;

 public:
  Events(exact::Arena& arena, double t_max)
      : times_{exact::exact_time<max>(arena, 0), exact::exact_time<max>(arena, t_max)} {}

  void add(Root time) {
    if (exact::compare(time, times_.back()) > 0) return;
    auto at = times_.begin();
    int order = exact::compare(time, *at);
    while (order > 0) order = exact::compare(time, *++at);
    if (order < 0) times_.insert(at, time);
  }
  std::vector<Root>& times() { return times_; }

 private:
  std::vector<Root> times_;
};

template <class Root>
ContactInterval enclosed(Root begin, Root end, bool instant) {
  exact::refine(begin);
  exact::refine(end);
  return {begin.lo, begin.hi, end.lo, end.hi, instant};
}

// Returns the contact intervals of a motion in a common plane. Contact begins and ends only where a
// sign changes, so one time between two neighbouring events decides for all times between them.
template <class Query>
std::vector<ContactInterval> coplanar_contact_times(exact::ExactQuery<Query>& query,
                                                    exact::Arena& arena, double t_max) {
  Events<exact::ExactQuery<Query>::Polynomial::max_degree> events(arena, t_max);
  query.sign_changes([&](const auto& time) { events.add(time); });
  auto& times = events.times();
  std::vector<ContactInterval> intervals;
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!query.contact_at(times[i])) continue;
    if (!begin) begin = i;
    const bool goes_on =
        i + 1 < times.size() && query.contact_at(exact::time_between(times[i], times[i + 1]));
    if (goes_on) continue;
    intervals.push_back(enclosed(times[*begin], times[i], *begin == i));
    begin.reset();
  }
  return intervals;
}

template <class Query>
std::vector<ContactInterval> contact_times_of(const Query& query, double t_max) {
  exact::Arena arena;
  exact::ExactQuery<Query> exact_query(query, arena);
  const auto d = exact_query.coplanarity();
  if (d.is_zero()) return coplanar_contact_times(exact_query, arena, t_max);
  std::vector<ContactInterval> instants;
  typename exact::ExactQuery<Query>::Roots roots;
  const int count = exact::isolate_roots(d, roots);
  for (int i = 0; i < count; ++i) {
    auto& time = roots[static_cast<std::size_t>(i)];
    exact::refine(time);
    if (time.hi <= t_max && exact_query.contact_at(time))
      instants.push_back(enclosed(time, time, true));
  }
  return instants;
}

const VertexFace& as_solved(const VertexFace& query) {
  return query;
}
const EdgeEdge& as_solved(const EdgeEdge& query) {
  return query;
}
const Curved<VertexFace>& as_solved(const Curved<VertexFace>& query) {
  return query;
}
const Curved<EdgeEdge>& as_solved(const Curved<EdgeEdge>& query) {
  return query;
}
template <class AnyQuery>  // a point or a segment becomes a face without area
auto as_solved(const AnyQuery& query) {
  return as_vertex_face(query);
}

template <class AnyQuery>
ContactTimes times_of(const AnyQuery& query, const Options& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0 || !is_finite(query)) return {};
  ContactTimes times;
  times.intervals = contact_times_of(as_solved(query), options.t_max);
  times.verdict = times.intervals.empty() ? Verdict::separated : Verdict::contact;
  return times;
}

template <class AnyQuery>
void times_of_batch(std::span<const AnyQuery> queries, std::span<ContactTimes> times,
                    const Options& options, const Run& run) {
  assert(queries.size() == times.size());
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) times[i] = times_of(queries[i], options);
      },
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) times[i] = {Verdict::undecided, {}};
      });
}

}  // namespace

template <Query Q>
ContactTimes contact_times(const Q& query, const Options& options) {
  return times_of(query, options);
}
template <Query Q>
ContactTimes contact_times(const Curved<Q>& query, const Options& options) {
  return times_of(query, options);
}
template <Query Q>
void contact_times(std::span<const Q> queries, std::span<ContactTimes> times,
                   const Options& options, const Run& run) {
  times_of_batch(queries, times, options, run);
}
template <Query Q>
void contact_times(std::span<const Curved<Q>> queries, std::span<ContactTimes> times,
                   const Options& options, const Run& run) {
  times_of_batch(queries, times, options, run);
}

#define GRAZE_INSTANTIATE(Q)                                                                  \
  template ContactTimes contact_times<Q>(const Q&, const Options&);                           \
  template ContactTimes contact_times<Q>(const Curved<Q>&, const Options&);                   \
  template void contact_times<Q>(std::span<const Q>, std::span<ContactTimes>, const Options&, \
                                 const Run&);                                                 \
  template void contact_times<Q>(std::span<const Curved<Q>>, std::span<ContactTimes>,         \
                                 const Options&, const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
