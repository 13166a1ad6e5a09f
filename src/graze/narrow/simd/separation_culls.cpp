#include "graze/narrow/simd/separation_culls.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/simd/separation_culls.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/exact_root_culls-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

template <class Query>
HWY_INLINE void cull_queries(std::span<const Query> queries, const Options& options, double norm,
                             std::span<Impact> impacts, SeparationTally& tally,
                             std::vector<std::uint32_t>& passed) {
  QueryStream<Query> stream{queries.data(), impacts.data()};
  const Distance distance(options.min_separation, norm);
  const auto pass = [&](std::size_t i) { passed.push_back(static_cast<std::uint32_t>(i)); };
  if (options.t_max == 1)
    cull<Query, true>(stream, queries.size(), 1, distance, tally, pass);
  else
    cull<Query, false>(stream, queries.size(), options.t_max, distance, tally, pass);
}
void cull_vertex_face(std::span<const VertexFace> queries, const Options& options, double norm,
                      std::span<Impact> impacts, SeparationTally& tally,
                      std::vector<std::uint32_t>& passed) {
  cull_queries(queries, options, norm, impacts, tally, passed);
}
void cull_edge_edge(std::span<const EdgeEdge> queries, const Options& options, double norm,
                    std::span<Impact> impacts, SeparationTally& tally,
                    std::vector<std::uint32_t>& passed) {
  cull_queries(queries, options, norm, impacts, tally, passed);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(cull_vertex_face);
HWY_EXPORT(cull_edge_edge);

void cull(std::span<const VertexFace> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed) {
  HWY_DYNAMIC_DISPATCH(cull_vertex_face)(queries, options, norm, impacts, tally, passed);
}
void cull(std::span<const EdgeEdge> queries, const Options& options, double norm,
          std::span<Impact> impacts, SeparationTally& tally, std::vector<std::uint32_t>& passed) {
  HWY_DYNAMIC_DISPATCH(cull_edge_edge)(queries, options, norm, impacts, tally, passed);
}

}  // namespace graze::narrow
#endif
