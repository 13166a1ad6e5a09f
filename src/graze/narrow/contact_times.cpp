#include "graze/narrow/contact_times.h"

#include "graze/core/float_environment.h"
#include "graze/exact/exact_query.h"

namespace graze {
namespace {

using exact::IsolatedRoot;

// The distinct times in [0, t_max], in order, with both ends.
class Events {
 public:
  Events(exact::Arena& arena, double t_max)
      : times_{exact::exact_time(arena, 0), exact::exact_time(arena, t_max)} {}

  void add(IsolatedRoot time) {
    if (exact::compare(time, times_.back()) > 0) return;
    auto at = times_.begin();
    int order = exact::compare(time, *at);
    while (order > 0) order = exact::compare(time, *++at);
    if (order < 0) times_.insert(at, time);
  }
  std::vector<IsolatedRoot>& times() { return times_; }

 private:
  std::vector<IsolatedRoot> times_;
};

ContactInterval enclosed(IsolatedRoot begin, IsolatedRoot end, bool instant) {
  exact::refine(begin);
  exact::refine(end);
  return {begin.lo, begin.hi, end.lo, end.hi, instant};
}

// Contact in a common plane begins and ends only where a sign changes, so its state between two
// neighbouring events is that of any time between.
template <class Query>
std::vector<ContactInterval> coplanar_contact_times(exact::ExactQuery<Query>& query,
                                                    exact::Arena& arena, double t_max) {
  Events events(arena, t_max);
  query.sign_changes([&](const IsolatedRoot& time) { events.add(time); });
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
std::optional<std::vector<ContactInterval>> contact_times_of(const Query& query,
                                                             const Options& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0 || !is_finite(query)) return {};
  exact::Arena arena;
  exact::ExactQuery<Query> exact_query(query, arena);
  const exact::ArenaPolynomial d = exact_query.coplanarity();
  if (d.is_zero()) return coplanar_contact_times(exact_query, arena, options.t_max);
  std::vector<ContactInterval> instants;
  std::array<IsolatedRoot, 3> roots;
  const int count = exact::isolate_roots(d, roots);
  for (int i = 0; i < count; ++i) {
    IsolatedRoot& time = roots[static_cast<std::size_t>(i)];
    exact::refine(time);
    if (time.hi <= options.t_max && exact_query.contact_at(time))
      instants.push_back(enclosed(time, time, true));
  }
  return instants;
}

}  // namespace

std::optional<std::vector<ContactInterval>> contact_times(const VertexFace& query,
                                                          const Options& options) {
  return contact_times_of(query, options);
}
std::optional<std::vector<ContactInterval>> contact_times(const EdgeEdge& query,
                                                          const Options& options) {
  return contact_times_of(query, options);
}
std::optional<std::vector<ContactInterval>> contact_times(const PointEdge& query,
                                                          const Options& options) {
  return contact_times_of(as_vertex_face(query), options);
}
std::optional<std::vector<ContactInterval>> contact_times(const PointPoint& query,
                                                          const Options& options) {
  return contact_times_of(as_vertex_face(query), options);
}

}  // namespace graze
