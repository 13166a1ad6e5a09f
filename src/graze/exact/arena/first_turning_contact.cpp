#include "graze/exact/arena/first_turning_contact.h"

#include "graze/exact/arena/turn_clock.h"

namespace graze::exact {
namespace {

using Root = TurnClock::Root;

// Finds the first contact on one half-turn, whose first instant is y = 0.
template <class Primitives>
void examine_half(const Turning<Primitives>& query, const SharedTurn& turn, const HalfTurn& part,
                  double t_max, Arena& arena, FirstContact& first) {
  const TurningPaths<Primitives> paths(query, turn, part, arena);
  ExactQuery<TurningPaths<Primitives>> exact(paths, arena);
  std::optional<Root> best;
  const auto examine = [&](Root y) {
    if (best && order(y, *best) >= 0) return;
    ++first.candidates;
    if (const auto kind = exact.contact_at(y)) {
      best = y;
      first.kind = *kind;
    }
  };
  const auto d = exact.coplanarity();
  if (!d.is_zero()) {
    typename ExactQuery<TurningPaths<Primitives>>::Roots roots;
    const int count = isolate_roots(d, roots);
    for (int i = 0; i < count && !best; ++i) examine(roots[static_cast<std::size_t>(i)]);
  } else {
    examine(exact_time<12>(arena, 0));
    if (!best) exact.coplanar_events(examine);
    first.kind = ContactKind::coplanar;
  }
  if (!best) return;
  const auto time =
      turn.rate == 0 ? std::array{0.0, 0.0} : TurnClock(turn, part, arena).time_of(*best, t_max);
  if (!time) return;
  first.found = true;
  first.lo = (*time)[0];
  first.hi = (*time)[1];
}

template <class Primitives>
FirstContact first_contact_of(const Turning<Primitives>& query, const SharedTurn& turn,
                              double t_max, Arena& arena) {
  const ArenaFrame frame(arena);
  FirstContact first;
  for (int half = 0; half < 2 && !first.found; ++half) {
    if (half == 1 && turn.rate * t_max < 3.14) break;  // theta < pi, whatever the rounding
    examine_half(query, turn, {half, half == 0 ? turn_range(turn.rate, t_max) : 0}, t_max, arena,
                 first);
  }
  if (!first.found) first.kind = ContactKind::unknown;
  return first;
}

template <class Primitives>
std::optional<FirstContact> time_of(const Turning<Primitives>& query, const SharedTurn& turn,
                                    const TurningRoot& root, double t_max, Arena& arena) {
  const ArenaFrame frame(arena);
  const TurningPaths<Primitives> paths(query, turn, root.part, arena);
  const auto d = ExactQuery<TurningPaths<Primitives>>(paths, arena).coplanarity();
  const ArenaDyadic a = make_dyadic(arena, root.lo), b = make_dyadic(arena, root.hi);
  if (sign_at(d, a) * sign_at(d, b) >= 0) return {};
  Root y = bracketed_root(d, a, b);
  FirstContact first;
  first.candidates = 1;
  if (const auto time = TurnClock(turn, root.part, arena).time_of(y, t_max)) {
    first.found = true;
    first.lo = (*time)[0];
    first.hi = (*time)[1];
    first.kind = ContactKind::interior;
  }
  return first;
}

}  // namespace

FirstContact first_contact(const Turning<VertexFace>& query, const SharedTurn& turn, double t_max,
                           Arena& arena) {
  return first_contact_of(query, turn, t_max, arena);
}
FirstContact first_contact(const Turning<EdgeEdge>& query, const SharedTurn& turn, double t_max,
                           Arena& arena) {
  return first_contact_of(query, turn, t_max, arena);
}
std::optional<FirstContact> time_of_root(const Turning<VertexFace>& query, const SharedTurn& turn,
                                         const TurningRoot& root, double t_max, Arena& arena) {
  return time_of(query, turn, root, t_max, arena);
}
std::optional<FirstContact> time_of_root(const Turning<EdgeEdge>& query, const SharedTurn& turn,
                                         const TurningRoot& root, double t_max, Arena& arena) {
  return time_of(query, turn, root, t_max, arena);
}

}  // namespace graze::exact
