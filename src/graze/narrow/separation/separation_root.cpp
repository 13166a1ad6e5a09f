#include "graze/narrow/separation/separation_root.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <type_traits>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/first_contact.h"
#include "graze/exact/arena/first_separation.h"
#include "graze/exact/arena/gap_sign.h"
#include "graze/narrow/batch.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/run_blocks.h"
#include "graze/narrow/separation/closest_points.h"
#include "graze/narrow/separation/separation_filter.h"
#include "graze/narrow/separation/separation_pieces.h"
#include "graze/narrow/simd/separation_culls.h"
#include "graze/narrow/stop.h"
#include "graze/separation.h"

namespace graze::narrow {
namespace {

template <class Query>
constexpr bool has_area = std::is_same_v<Query, VertexFace> || std::is_same_v<Query, EdgeEdge>;

// Answers a query with d = 0 by the integer stage of the exact method.
template <class Query>
Impact touching(const Query& query, double t_max, exact::Arena& arena) {
  const exact::FirstContact first = exact::first_contact(query, t_max, arena);
  const auto checks = static_cast<std::uint32_t>(first.candidates) + 1;
  if (!first.found) return Impact::separated(checks);
  Impact impact = Impact::contact(first.lo, first.hi, checks);
  impact.kind = first.kind;
  locate_contact(query, impact);
  return impact;
}

template <Norm norm, class Query>
class Solver {
 public:
  Solver(const MethodOptions& options, SeparationTally& tally) : options_(options), tally_(tally) {}

  Impact solve(const Query& query) {
    const double d = options_.min_separation;
    const MovingPolygon polygon = moving_polygon(query);
    if (axis_separates(polygon, d)) {
      ++tally_.axis;
      return Impact::separated();
    }
    if (diagonal_separates(polygon, d * diagonal_norm)) {
      ++tally_.diagonal;
      return Impact::separated();
    }
    Impact impact = decide(query, polygon, 0);
    if (has_place(impact)) locate_closest(query, norm, impact);
    return impact;
  }

  // Decides a query that axes and diagonals do not separate. If has_place(), the caller must set u,
  // v and normal of the answer.
  Impact decide(const Query& query, double free) {
    return decide(query, moving_polygon(query), free);
  }
  bool has_place(const Impact& impact) const {
    return impact.verdict == Verdict::contact && options_.min_separation > 0;
  }

  // The length of (1, 1, 0) in the norm dual to that of the distance, rounded up.
  static constexpr double diagonal_norm = norm == Norm::l2 ? 1.4142135623730951 : 2;

 private:
  Impact decide(const Query& query, const MovingPolygon& polygon, double free) {
    const double d = options_.min_separation;
    if (d == 0) return touch(query);
    const Proven proven = l2 ? prove_l2(polygon, d, free, options_.t_max)
                             : prove_linf(polygon, d, free, options_.t_max);
    switch (proven.result) {
      case Proven::Result::separated:
        ++tally_.direction;
        return Impact::separated(1);
      case Proven::Result::start:
        ++tally_.start;
        return Impact::contact(0, 0, 1);
      case Proven::Result::root:
        ++tally_.root;
        return rounded(query, proven);
      case Proven::Result::nothing:
        break;
    }
    if (is_stopped(options_)) return Impact::undecided(0, options_.t_max);
    ++tally_.integer;
    const exact::FirstSeparation first =
        l2 ? exact::first_separation_l2(query, d, options_.t_max, arena_)
           : exact::first_separation_linf(query, d, options_.t_max, arena_);
    const auto checks = static_cast<std::uint32_t>(first.candidates) + 1;
    return first.found ? Impact::contact(first.lo, first.hi, checks) : Impact::separated(checks);
  }

  Impact rounded(const Query& query, const Proven& root) {
    int side = root.side;
    if (side == 0) {
      // The gap falls through 0 and is positive before the root.
      side = exact::gap_sign(query, root.feature, options_.min_separation, root.at);
      ++tally_.rounded_by_integers;
    }
    const double other =
        side == 0 ? root.at : std::bit_cast<double>(std::bit_cast<std::int64_t>(root.at) + side);
    return Impact::contact(std::min(root.at, other), std::max(root.at, other), 1);
  }

  // Answers a query with d = 0.
  Impact touch(const Query& query) {
    ++tally_.integer;
    if constexpr (has_area<Query>) {
      return touching(query, options_.t_max, arena_);
    } else {
      Impact impact = touching(as_vertex_face(query), options_.t_max, arena_);
      // The second and third corner of the face are the segment's second end; NaN stays NaN.
      impact.u = std::is_same_v<Query, VertexEdge> ? impact.u + impact.v : Impact::nan;
      impact.v = Impact::nan;
      return impact;
    }
  }

  static constexpr bool l2 = norm == Norm::l2;
  MethodOptions options_;
  SeparationTally& tally_;
  exact::Arena arena_;
};

template <Norm norm, class Query>
void solve(std::span<const Query> queries, const MethodOptions& options, std::span<Impact> impacts,
           SeparationTally& tally) {
  Solver<norm, Query> solver(options, tally);
  if constexpr (has_area<Query>) {
    assert(queries.size() == impacts.size());
    const FloatEnvironment environment;
    if (!takes(norm, options)) {
      std::fill(impacts.begin(), impacts.end(), Impact::invalid());
      tally.invalid += queries.size();
      return;
    }
    constexpr std::size_t block = 256;  // few enough to stay in the cache
    std::vector<std::uint32_t> passed, contacts;
    std::vector<Open> open;
    for (std::size_t first = 0; first < queries.size(); first += block) {
      const auto part = queries.subspan(first, std::min(block, queries.size() - first));
      const auto answers = impacts.subspan(first, part.size());
      passed.clear();
      open.clear();
      contacts.clear();
      cull(part, options, solver.diagonal_norm, answers, tally, passed);
      for (const std::uint32_t i : passed) open.push_back({i, 0});
      if (options.min_separation > 0) settle(part, options, norm, answers, tally, open);
      for (const auto [i, free] : open) {
        answers[i] = solver.decide(part[i], free);
        if (solver.has_place(answers[i])) contacts.push_back(i);
      }
      locate_closest(part, contacts, norm, answers);
    }
  } else {
    solve_each(queries, options, norm, impacts,
               [&](const Query& query) { return solver.solve(query); });
  }
}

template <Norm norm, class Query>
void solve(std::span<const Query> queries, const MethodOptions& options,
           std::span<Impact> impacts) {
  SeparationTally tally;
  solve<norm>(queries, options, impacts, tally);
}

// Answers one query of graze::separation_step.
template <Norm norm, class Query>
SeparationStep step(const Query& query, double fraction, MethodOptions options) {
  SeparationStep answer;
  SeparationTally tally;
  const auto solve_within = [&](double d) {
    options.min_separation = answer.distance = d;
    answer.impact = Solver<norm, Query>(options, tally).solve(query);
  };
  const double limit = options.min_separation;
  double d = std::min(limit, fraction * closest_points(query, 0, norm).distance);
  solve_within(d);
  if (limit == 0 || (d > 0 && answer.impact.toi > 0)) return answer;
  const SeparationStep stopped{Impact::undecided(0, options.t_max), 0};
  if (is_stopped(options)) return stopped;
  // The start is within d, because the computed distance was too large, or d is 0. A smaller
  // distance > 0 suffices unless the primitives touch.
  solve_within(0);
  if (answer.impact.toi == 0) return answer;
  if (d == 0) d = std::min(limit, 0x1p-44 * moving_polygon(query).largest);
  do solve_within(d *= 0x1p-8);
  while (d > 0 && answer.impact.toi == 0 && !is_stopped(options));
  return answer.impact.toi == 0 && is_stopped(options) ? stopped : answer;
}

template <class Query>
SeparationStep checked_step(const Query& query, double fraction, const MethodOptions& options) {
  const FloatEnvironment environment;
  if (!is_sensible(options) || !(fraction > 0 && fraction < 1) || !is_finite(query))
    return {Impact::invalid(), Impact::nan};
  return options.norm == Norm::linf ? step<Norm::linf>(query, fraction, options)
                                    : step<Norm::l2>(query, fraction, options);
}

}  // namespace

void separation_root(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve<Norm::l2>(queries, options, impacts);
}
void separation_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve<Norm::l2>(queries, options, impacts);
}
void separation_root(std::span<const VertexEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve<Norm::l2>(queries, options, impacts);
}
void separation_root(std::span<const VertexVertex> queries, const MethodOptions& options,
                     std::span<Impact> impacts) {
  solve<Norm::l2>(queries, options, impacts);
}
void separation_root_linf(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve<Norm::linf>(queries, options, impacts);
}
void separation_root_linf(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve<Norm::linf>(queries, options, impacts);
}
void separation_root_linf(std::span<const VertexEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve<Norm::linf>(queries, options, impacts);
}
void separation_root_linf(std::span<const VertexVertex> queries, const MethodOptions& options,
                          std::span<Impact> impacts) {
  solve<Norm::linf>(queries, options, impacts);
}

void separation_root(std::span<const VertexFace> queries, const MethodOptions& options,
                     std::span<Impact> impacts, SeparationTally& tally) {
  solve<Norm::l2>(queries, options, impacts, tally);
}
void separation_root(std::span<const EdgeEdge> queries, const MethodOptions& options,
                     std::span<Impact> impacts, SeparationTally& tally) {
  solve<Norm::l2>(queries, options, impacts, tally);
}
void separation_root_linf(std::span<const VertexFace> queries, const MethodOptions& options,
                          std::span<Impact> impacts, SeparationTally& tally) {
  solve<Norm::linf>(queries, options, impacts, tally);
}
void separation_root_linf(std::span<const EdgeEdge> queries, const MethodOptions& options,
                          std::span<Impact> impacts, SeparationTally& tally) {
  solve<Norm::linf>(queries, options, impacts, tally);
}

}  // namespace graze::narrow

namespace graze {

template <Query Q>
SeparationStep separation_step(const Q& query, double fraction, const Options& options) {
  return narrow::checked_step(query, fraction, {options});
}

template <Query Q>
void separation_step(std::span<const Q> queries, double fraction, std::span<SeparationStep> steps,
                     const Options& options, const Run& run) {
  assert(queries.size() == steps.size());
  const MethodOptions asked{options, run.stop};
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          steps[i] = narrow::checked_step(queries[i], fraction, asked);
      },
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          steps[i] = {Impact::undecided(0, options.t_max), 0};
      });
}

#define GRAZE_INSTANTIATE(Q)                                                              \
  template SeparationStep separation_step<Q>(const Q&, double, const Options&);           \
  template void separation_step<Q>(std::span<const Q>, double, std::span<SeparationStep>, \
                                   const Options&, const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
