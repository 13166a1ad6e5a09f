#include "graze/gpu/open_answer.h"

#include "graze/exact/arena/first_contact.h"
#include "graze/first_contact.h"
#include "graze/gpu/certified_roots.h"
#include "graze/gpu/contact_place.h"
#include "graze/narrow/contact/contact_point.h"

namespace graze::gpu {
namespace {

template <class Query>
MovingCorners corners_of_query(const Query& query) {
  MovingCorners x;
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3 &s = query.start[c], &e = query.end[c];
    x.at[0][c] = {s[0], s[1], s[2]};
    x.at[1][c] = {e[0], e[1], e[2]};
  }
  return x;
}

template <class Query>
Impact answer_by_integers(const Query& query, double t_max) {
  exact::Arena arena;
  const exact::FirstContact first = exact::first_contact(query, t_max, arena);
  const auto checks = static_cast<std::uint32_t>(first.candidates);
  if (!first.found) return Impact::separated(checks);
  Impact impact = Impact::contact(first.lo, first.hi, checks);
  impact.kind = first.kind;
  narrow::locate_contact(query, impact);
  return impact;
}

template <QueryKind kind, class Query>
Impact find_answer(const Query& query, OpenStage stage, const Options& options) {
  if (stage == OpenStage::pieces) {
    const MovingCorners x = corners_of_query(query);
    Bracket root{0, 0, 0};
    stage = OpenStage::any;  // for a contact without the tightest times
    switch (examine_pieces<kind>(x, options.t_max, root)) {
      case Stage::rootless:
      case Stage::miss:
        return Impact::separated(1);
      case Stage::unknown:
        stage = OpenStage::integers;
        break;
      case Stage::contact:
        double toi = 0, toi_hi = 0;
        ContactPlace place{};
        if (!tightest_times<kind>(x, root, toi, toi_hi) || !locate_contact<kind>(x, toi, place))
          break;
        Impact impact = Impact::contact(toi, toi_hi, 1);
        impact.kind = ContactKind::interior;
        impact.u = place.first;
        impact.v = place.second;
        impact.normal = Vec3(place.normal.x, place.normal.y, place.normal.z);
        return impact;
    }
  }
  return stage == OpenStage::integers ? answer_by_integers(query, options.t_max)
                                      : first_contact(query, options);
}

}  // namespace

Impact answer_from(const VertexFace& query, OpenStage stage, const Options& options) {
  return find_answer<vertex_face_query>(query, stage, options);
}
Impact answer_from(const EdgeEdge& query, OpenStage stage, const Options& options) {
  return find_answer<edge_edge_query>(query, stage, options);
}

}  // namespace graze::gpu
