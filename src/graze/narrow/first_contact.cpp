#include "graze/first_contact.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "graze/core/numeric/float_environment.h"
#include "graze/exact/arena/turning_paths.h"
#include "graze/narrow/collapsed_face.h"
#include "graze/narrow/run_blocks.h"
#include "graze/narrow/separation/enclosed_contact.h"
#include "graze/narrow/stop.h"
#include "graze/narrow/turning/exact_turning.h"

namespace graze {
namespace {

void answer(const Method& method, std::span<const VertexFace> queries, const MethodOptions& options,
            std::span<Impact> impacts) {
  method.vertex_face(queries, options, impacts);
}
void answer(const Method& method, std::span<const EdgeEdge> queries, const MethodOptions& options,
            std::span<Impact> impacts) {
  method.edge_edge(queries, options, impacts);
}

void answer(const Method& method, std::span<const Curved<VertexFace>> queries,
            const MethodOptions& options, std::span<Impact> impacts) {
  method.curved_vertex_face(queries, options, impacts);
}
void answer(const Method& method, std::span<const Curved<EdgeEdge>> queries,
            const MethodOptions& options, std::span<Impact> impacts) {
  method.curved_edge_edge(queries, options, impacts);
}

// Traits of a query with straight or curved paths: its primitives, the type as which it is solved
// if it has no area, and whether a method answers it.
template <class AnyQuery>
struct Asked {
  using Primitives = AnyQuery;
  using Solved = VertexFace;
  static bool of(const Method& method) { return method.has(kind_of<AnyQuery>); }
};
template <Query Q>
struct Asked<Curved<Q>> {
  using Primitives = Q;
  using Solved = Curved<VertexFace>;
  static bool of(const Method& method) { return method.has_curved(kind_of<Q>); }
};

// Answers vertex-edge and vertex-vertex queries as collapsed faces, in blocks that fit the cache.
template <class AnyQuery>
void answer(const Method& method, std::span<const AnyQuery> queries, const MethodOptions& options,
            std::span<Impact> impacts) {
  const FloatEnvironment environment;
  std::array<typename Asked<AnyQuery>::Solved, 64> block;
  for (std::size_t first = 0; first < queries.size(); first += block.size()) {
    const std::size_t count = std::min(block.size(), queries.size() - first);
    for (std::size_t i = 0; i < count; ++i) block[i] = as_vertex_face(queries[first + i]);
    answer(method, std::span<const typename Asked<AnyQuery>::Solved>(block).first(count), options,
           impacts.subspan(first, count));
  }
  for (Impact& impact : impacts)
    impact = narrow::from_collapsed_face<typename Asked<AnyQuery>::Primitives>(impact);
}

template <class AnyQuery>
Impact answer_one(const AnyQuery& query, const MethodOptions& options, const Method& method) {
  if (!Asked<AnyQuery>::of(method)) return Impact::invalid();
  Impact impact;
  answer(method, std::span<const AnyQuery>(&query, 1), options, std::span(&impact, 1));
  return impact;
}

template <class AnyQuery>
void answer_batch(std::span<const AnyQuery> queries, std::span<Impact> impacts,
                  const Options& options, const Run& run, const Method& method) {
  assert(queries.size() == impacts.size());
  if (!Asked<AnyQuery>::of(method) || !method.takes(options)) {
    std::fill(impacts.begin(), impacts.end(), Impact::invalid());
    return;
  }
  const MethodOptions asked{options, run.stop};
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        answer(method, queries.subspan(first, size), asked, impacts.subspan(first, size));
      },
      [&](std::size_t first, std::size_t size) {
        std::fill_n(impacts.begin() + static_cast<std::ptrdiff_t>(first), size,
                    Impact::undecided(0, options.t_max));
      });
}

// Answers queries one by one.
template <class AnyQuery>
void answer_each(std::span<const AnyQuery> queries, std::span<Impact> impacts,
                 const Options& options, const Run& run,
                 Impact (*answer_query)(const AnyQuery&, const MethodOptions&)) {
  assert(queries.size() == impacts.size());
  const MethodOptions asked{options, run.stop};
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          impacts[i] = narrow::is_stopped(asked) ? Impact::undecided(0, options.t_max)
                                                 : answer_query(queries[i], asked);
      },
      [&](std::size_t first, std::size_t size) {
        std::fill_n(impacts.begin() + static_cast<std::ptrdiff_t>(first), size,
                    Impact::undecided(0, options.t_max));
      });
}

template <Query Q>
Impact answer_turning(const Turning<Q>& query, const MethodOptions& options) {
  if (!is_finite(query)) return Impact::invalid();
  if (options.min_separation > 0) return narrow::turning_separation(query, options);
  if constexpr (kind_of<Q> == Kind::vertex_face || kind_of<Q> == Kind::edge_edge) {
    if (const auto impact = narrow::exact_turning(query, options)) return *impact;
  } else {
    if (const auto impact = narrow::exact_turning(as_vertex_face(query), options))
      return narrow::from_collapsed_face<Q>(*impact);
  }
  return narrow::turning_separation(query, options);
}

}  // namespace

template <Query Q>
Impact first_contact(const Q& query, const Options& options, const Method& method) {
  return answer_one(query, {options}, method);
}
template <Query Q>
Impact first_contact(const Curved<Q>& query, const Options& options, const Method& method) {
  return answer_one(query, {options}, method);
}

template <Query Q>
Impact first_contact(const Q& query, const Options& options) {
  return first_contact(query, options, default_method(options));
}
template <Query Q>
Impact first_contact(const Curved<Q>& query, const Options& options) {
  return options.min_separation > 0 ? narrow::curved_separation(query, {options})
                                    : first_contact(query, options, default_curved_method());
}
template <Query Q>
Impact first_contact(const PathEnclosure<Q>& path, const Options& options) {
  return narrow::enclosed_contact(path, {options});
}

template <Query Q>
void first_contact(std::span<const Q> queries, std::span<Impact> impacts, const Options& options,
                   const Run& run, const Method& method) {
  answer_batch(queries, impacts, options, run, method);
}
template <Query Q>
void first_contact(std::span<const Curved<Q>> queries, std::span<Impact> impacts,
                   const Options& options, const Run& run, const Method& method) {
  answer_batch(queries, impacts, options, run, method);
}

template <Query Q>
void first_contact(std::span<const Q> queries, std::span<Impact> impacts, const Options& options,
                   const Run& run) {
  first_contact(queries, impacts, options, run, default_method(options));
}
template <Query Q>
void first_contact(std::span<const Curved<Q>> queries, std::span<Impact> impacts,
                   const Options& options, const Run& run) {
  if (!(options.min_separation > 0))
    return first_contact(queries, impacts, options, run, default_curved_method());
  answer_each(queries, impacts, options, run, &narrow::curved_separation<Q>);
}

template <Query Q>
bool has_one_parameter(const Turning<Q>& query) {
  return is_finite(query) && exact::shared_turn(query.turns).has_value();
}
template <Query Q>
Impact first_contact(const Turning<Q>& query, const Options& options) {
  return answer_turning(query, {options});
}
template <Query Q>
void first_contact(std::span<const Turning<Q>> queries, std::span<Impact> impacts,
                   const Options& options, const Run& run) {
  answer_each(queries, impacts, options, run, &answer_turning<Q>);
}
template <Query Q>
PathEnclosure<Q> turning_path(const Turning<Q>& query) {
  return [query](double begin, double end) { return narrow::enclose(query, begin, end); };
}

#define GRAZE_INSTANTIATE(Q)                                                                     \
  template Impact first_contact<Q>(const Q&, const Options&);                                    \
  template Impact first_contact<Q>(const Q&, const Options&, const Method&);                     \
  template Impact first_contact<Q>(const Curved<Q>&, const Options&);                            \
  template Impact first_contact<Q>(const PathEnclosure<Q>&, const Options&);                     \
  template Impact first_contact<Q>(const Curved<Q>&, const Options&, const Method&);             \
  template void first_contact<Q>(std::span<const Q>, std::span<Impact>, const Options&,          \
                                 const Run&);                                                    \
  template void first_contact<Q>(std::span<const Q>, std::span<Impact>, const Options&,          \
                                 const Run&, const Method&);                                     \
  template void first_contact<Q>(std::span<const Curved<Q>>, std::span<Impact>, const Options&,  \
                                 const Run&);                                                    \
  template void first_contact<Q>(std::span<const Curved<Q>>, std::span<Impact>, const Options&,  \
                                 const Run&, const Method&);                                     \
  template bool has_one_parameter<Q>(const Turning<Q>&);                                         \
  template Impact first_contact<Q>(const Turning<Q>&, const Options&);                           \
  template PathEnclosure<Q> turning_path<Q>(const Turning<Q>&);                                  \
  template void first_contact<Q>(std::span<const Turning<Q>>, std::span<Impact>, const Options&, \
                                 const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
