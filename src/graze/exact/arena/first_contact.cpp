#include "graze/exact/arena/first_contact.h"

#include <array>

#include "graze/exact/arena/exact_query.h"

namespace graze::exact {
namespace {

template <class Query>
FirstContact first_contact_of(const Query& query, double t_max, Arena& arena) {
  const ArenaFrame frame(arena);
  using Exact = ExactQuery<Query>;
  Exact exact(query, arena);
  FirstContact first;
  const auto examine = [&](typename Exact::Root time) {
    if (time.lo >= first.hi || time.lo > t_max) return;
    refine(time);
    // Rounding is monotone: an earlier time has no later lo and no later hi.
    if ((time.lo >= first.lo && time.hi >= first.hi) || time.hi > t_max) return;
    ++first.candidates;
    if (const auto kind = exact.contact_at(time)) {
      first.found = true;
      first.lo = time.lo;
      first.hi = time.hi;
      first.kind = *kind;
    }
  };
  const auto d = exact.coplanarity();
  if (!d.is_zero()) {
    typename Exact::Roots roots;
    const int count = isolate_roots(d, roots);
    for (int i = 0; i < count && !first.found; ++i) examine(roots[static_cast<std::size_t>(i)]);
  } else {
    examine(exact_time<Exact::Polynomial::max_degree>(arena, 0));
    if (!first.found) exact.coplanar_events(examine);
    if (first.found) first.kind = ContactKind::coplanar;
  }
  return first;
}

template <class Query>
int coplanarity_sign_of(const Query& query, double t, Arena& arena) {
  const ArenaFrame frame(arena);
  return sign_at(ExactQuery<Query>(query, arena).coplanarity(), make_dyadic(arena, t));
}

}  // namespace

FirstContact first_contact(const VertexFace& query, double t_max, Arena& arena) {
  return first_contact_of(query, t_max, arena);
}
FirstContact first_contact(const EdgeEdge& query, double t_max, Arena& arena) {
  return first_contact_of(query, t_max, arena);
}
FirstContact first_contact(const Curved<VertexFace>& query, double t_max, Arena& arena) {
  return first_contact_of(query, t_max, arena);
}
FirstContact first_contact(const Curved<EdgeEdge>& query, double t_max, Arena& arena) {
  return first_contact_of(query, t_max, arena);
}
int coplanarity_sign(const VertexFace& query, double t, Arena& arena) {
  return coplanarity_sign_of(query, t, arena);
}
int coplanarity_sign(const EdgeEdge& query, double t, Arena& arena) {
  return coplanarity_sign_of(query, t, arena);
}

int coplanarity_sign(const Curved<VertexFace>& query, double t, Arena& arena) {
  return coplanarity_sign_of(query, t, arena);
}
int coplanarity_sign(const Curved<EdgeEdge>& query, double t, Arena& arena) {
  return coplanarity_sign_of(query, t, arena);
}

}  // namespace graze::exact
