#include "graze/narrow/contact/exact_pairs.h"

#include "graze/narrow/collapsed_face.h"
#include "graze/narrow/contact/exact_root.h"

namespace graze::narrow {
namespace {

template <class Query>
void answer_queries(const MovingMesh& moving,
                    Query (MovingMesh::*query_of)(std::size_t, std::size_t) const,
                    std::span<const Pair> pairs, const MethodOptions& options,
                    std::vector<IndexedImpact>& answers) {
  std::vector<VertexFace> queries;
  queries.reserve(pairs.size());
  for (const Pair& pair : pairs)
    queries.push_back(as_vertex_face((moving.*query_of)(pair.a, pair.b)));
  std::vector<Impact> impacts(pairs.size());
  exact_root(queries, options, impacts);
  for (std::size_t i = 0; i < impacts.size(); ++i)
    if (impacts[i].verdict != Verdict::separated)
      answers.push_back({i, from_collapsed_face<Query>(impacts[i])});
}

}  // namespace

void exact_pairs(const MovingMesh& moving, Kind kind, std::span<const Pair> pairs,
                 const MethodOptions& options, bool culled, std::vector<IndexedImpact>& answers) {
  switch (kind) {
    case Kind::vertex_face:
    case Kind::edge_edge: {
      ExactTally tally;
      return exact_root(moving, kind, pairs, options, answers, tally, culled);
    }
    case Kind::vertex_edge:
      return answer_queries(moving, &MovingMesh::vertex_edge, pairs, options, answers);
    case Kind::vertex_vertex:
      return answer_queries(moving, &MovingMesh::vertex_vertex, pairs, options, answers);
    case Kind::edge_face:  // no query
      return;
  }
}

}  // namespace graze::narrow
