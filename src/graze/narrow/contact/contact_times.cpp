#include <algorithm>
#include <cassert>
#include <optional>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/exact_query.h"
#include "graze/exact/arena/turn_clock.h"
#include "graze/first_contact.h"
#include "graze/narrow/run_blocks.h"
#include "graze/narrow/stop.h"

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

// A maximal interval of contact.
template <class Root>
struct Span {
  Root begin, end;
  bool instant;
};
template <class Query>
using Spans = std::vector<Span<typename exact::ExactQuery<Query>::Root>>;

// Returns the intervals of contact in [0, t_max] of a motion in a common plane. Contact begins and
// ends only where a sign changes, so one time between two neighbouring events decides for all times
// between them.
template <class Query>
Spans<Query> coplanar_spans(exact::ExactQuery<Query>& query, exact::Arena& arena, double t_max) {
  Events<exact::ExactQuery<Query>::Polynomial::max_degree> events(arena, t_max);
  query.sign_changes([&](const auto& time) { events.add(time); });
  auto& times = events.times();
  Spans<Query> spans;
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!query.contact_at(times[i])) continue;
    if (!begin) begin = i;
    const bool goes_on =
        i + 1 < times.size() && query.contact_at(exact::time_between(times[i], times[i + 1]));
    if (goes_on) continue;
    spans.push_back({times[*begin], times[i], *begin == i});
    begin.reset();
  }
  return spans;
}

// Returns the intervals of contact in [0, t_max], in increasing order.
template <class Query>
Spans<Query> contact_spans(exact::ExactQuery<Query>& query, exact::Arena& arena, double t_max) {
  const auto d = query.coplanarity();
  if (d.is_zero()) return coplanar_spans(query, arena, t_max);
  Spans<Query> spans;
  typename exact::ExactQuery<Query>::Roots roots;
  const int count = exact::isolate_roots(d, roots);
  for (int i = 0; i < count; ++i) {
    auto& time = roots[static_cast<std::size_t>(i)];
    exact::refine(time);
    if (time.hi <= t_max && query.contact_at(time)) spans.push_back({time, time, true});
  }
  return spans;
}

template <class Query>
ContactTimes contact_times_of(const Query& query, const Options& options) {
  exact::Arena arena;
  exact::ExactQuery<Query> exact_query(query, arena);
  ContactTimes times{Verdict::separated, {}};
  for (auto& [begin, end, instant] : contact_spans(exact_query, arena, options.t_max)) {
    exact::refine(begin);
    exact::refine(end);
    times.intervals.push_back({begin.lo, begin.hi, end.lo, end.hi, instant});
    times.verdict = Verdict::contact;
  }
  return times;
}

// The intervals of contact of one half-turn, in its parameter y.
template <class Primitives>
struct HalfTurnContacts {
  using Paths = exact::TurningPaths<Primitives>;

  Spans<Paths> spans;
  exact::TurnClock clock;

  HalfTurnContacts(const Turning<Primitives>& query, const exact::SharedTurn& turn,
                   const exact::HalfTurn& part, exact::Arena& arena)
      : clock(turn, part, arena) {
    const Paths paths(query, turn, part, arena);
    exact::ExactQuery<Paths> exact_query(paths, arena);
    spans = contact_spans(exact_query, arena, 1);
  }
  static bool begins(const Span<exact::TurnClock::Root>& span) {
    return span.begin.exact && span.begin.hi == 0;
  }
  static bool ends(const Span<exact::TurnClock::Root>& span) {
    return span.end.exact && span.end.lo == 1;
  }
  bool always() const {
    return spans.size() == 1 && !spans[0].instant && begins(spans[0]) && ends(spans[0]);
  }
};

// A full turn repeats itself. The contacts of its two half-turns, in terms of y, are found once;
// each half-turn of the step has these contacts at its own times. An interval that reaches the end
// of a half-turn (y = 1) and the one at the beginning of the next (y = 0) are one interval: both
// ends are the same angle. A time after 0 at which an interval begins or ends is not a double
// (turn_clock.h) and thus not t_max; an interval that ends later is cut there.
template <class Primitives>
ContactTimes turning_times_of(const Turning<Primitives>& query, const exact::SharedTurn& turn,
                              const MethodOptions& options) {
  using Half = HalfTurnContacts<Primitives>;
  const double t_max = options.t_max;
  exact::Arena arena;
  std::vector<Half> halves;
  halves.emplace_back(query, turn, exact::HalfTurn{0, exact::turn_range(turn.rate, t_max)}, arena);
  // Below 3.14, theta < pi in the whole step, whatever the rounding.
  if (!(turn.rate * t_max < 3.14)) halves.emplace_back(query, turn, exact::HalfTurn{1, 0}, arena);
  const auto none = [](const Half& half) { return half.spans.empty(); };
  if (std::all_of(halves.begin(), halves.end(), none)) return {Verdict::separated, {}};
  ContactTimes times{Verdict::contact, {}};
  if (turn.rate == 0 ||
      std::all_of(halves.begin(), halves.end(), [](const Half& half) { return half.always(); })) {
    times.intervals.push_back({0, 0, t_max, t_max, false});
    return times;
  }
  bool reaches_end = false;  // the last interval reaches the end of the last half-turn
  for (std::uint64_t turns = 0;; ++turns)
    for (const Half& half : halves) {
      bool joins = reaches_end;
      reaches_end = false;
      for (Span<exact::TurnClock::Root> span : half.spans) {
        const exact::ArenaFrame frame(arena);
        const auto begin = half.clock.time_of(span.begin, t_max, turns);
        if (!begin) return times.intervals.empty() ? ContactTimes{Verdict::separated, {}} : times;
        const auto end = span.instant ? begin : half.clock.time_of(span.end, t_max, turns);
        const auto [end_lo, end_hi] = end.value_or(std::array{t_max, t_max});
        if (joins && Half::begins(span)) {
          ContactInterval& last = times.intervals.back();
          last.end_lo = end_lo;
          last.end_hi = end_hi;
          last.instant = last.instant && span.instant;
        } else if (narrow::is_spent(times.intervals.size(), options)) {
          return {Verdict::undecided, {}};
        } else {
          times.intervals.push_back({(*begin)[0], (*begin)[1], end_lo, end_hi, span.instant});
        }
        if (!end) return times;
        joins = false;
        reaches_end = Half::ends(span);
      }
    }
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
const Turning<VertexFace>& as_solved(const Turning<VertexFace>& query) {
  return query;
}
const Turning<EdgeEdge>& as_solved(const Turning<EdgeEdge>& query) {
  return query;
}
template <class AnyQuery>  // a point or a segment becomes a face without area
auto as_solved(const AnyQuery& query) {
  return as_vertex_face(query);
}

template <class AnyQuery>
ContactTimes times_of(const AnyQuery& query, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || options.min_separation > 0 || !is_finite(query)) return {};
  if constexpr (requires { query.turns; }) {
    const auto turn = exact::shared_turn(query.turns);
    return turn ? turning_times_of(as_solved(query), *turn, options) : ContactTimes{};
  } else {
    return contact_times_of(as_solved(query), options);
  }
}

template <class AnyQuery>
void times_of_batch(std::span<const AnyQuery> queries, std::span<ContactTimes> times,
                    const Options& options, const Run& run) {
  assert(queries.size() == times.size());
  const MethodOptions asked{options, run.stop};
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) times[i] = times_of(queries[i], asked);
      },
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i) times[i] = {Verdict::undecided, {}};
      });
}

}  // namespace

template <Query Q>
ContactTimes contact_times(const Q& query, const Options& options) {
  return times_of(query, {options});
}
template <Query Q>
ContactTimes contact_times(const Curved<Q>& query, const Options& options) {
  return times_of(query, {options});
}
template <Query Q>
ContactTimes contact_times(const Turning<Q>& query, const Options& options) {
  return times_of(query, {options});
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
template <Query Q>
void contact_times(std::span<const Turning<Q>> queries, std::span<ContactTimes> times,
                   const Options& options, const Run& run) {
  times_of_batch(queries, times, options, run);
}

#define GRAZE_INSTANTIATE(Q)                                                                  \
  template ContactTimes contact_times<Q>(const Q&, const Options&);                           \
  template ContactTimes contact_times<Q>(const Curved<Q>&, const Options&);                   \
  template ContactTimes contact_times<Q>(const Turning<Q>&, const Options&);                  \
  template void contact_times<Q>(std::span<const Q>, std::span<ContactTimes>, const Options&, \
                                 const Run&);                                                 \
  template void contact_times<Q>(std::span<const Curved<Q>>, std::span<ContactTimes>,         \
                                 const Options&, const Run&);                                 \
  template void contact_times<Q>(std::span<const Turning<Q>>, std::span<ContactTimes>,        \
                                 const Options&, const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
