#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "graze/exact/judge/separation_oracle.h"
#include "graze/generate/families.h"
#include "graze/narrow/separation/separation_root.h"
#include "graze/separation.h"
#include "test/support/generated.h"
#include "test/support/sampled_distance.h"

// The two norms of a separation as types, and queries of every family for all four kinds.
namespace graze::test {

struct L2 {
  static Impact oracle(const auto& query, const Options& options) {
    return exact::oracle_l2(query, options);
  }
  template <class Query>
  static void solve(const std::vector<Query>& queries, const Options& options,
                    std::vector<Impact>& impacts) {
    narrow::separation_root(std::span<const Query>(queries), {options}, impacts);
  }
  static constexpr Norm norm = Norm::l2;
  static ClosestPoints closest(const auto& query, double t) {
    return closest_points(query, t, norm);
  }
  static double size(const Vec3& x) { return x.stableNorm(); }
};
struct Linf {
  static Impact oracle(const auto& query, const Options& options) {
    return exact::oracle_linf(query, options);
  }
  template <class Query>
  static void solve(const std::vector<Query>& queries, const Options& options,
                    std::vector<Impact>& impacts) {
    narrow::separation_root_linf(std::span<const Query>(queries), {options}, impacts);
  }
  static constexpr Norm norm = Norm::linf;
  static ClosestPoints closest(const auto& query, double t) {
    return closest_points(query, t, norm);
  }
  static double size(const Vec3& x) { return x.cwiseAbs().maxCoeff(); }
};

template <class Query>
Impact solve_one(auto norm, const Query& query, const Options& options) {
  std::vector<Impact> impact(1);
  norm.solve(std::vector<Query>{query}, options, impact);
  return impact[0];
}

inline VertexEdge as_point_edge(const VertexFace& q) {
  return {{q.start[0], q.start[1], q.start[2]}, {q.end[0], q.end[1], q.end[2]}};
}
inline VertexVertex as_point_point(const VertexFace& q) {
  return {{q.start[0], q.start[1]}, {q.end[0], q.end[1]}};
}

template <class Check>
void for_each_query(std::size_t per_family, std::uint64_t seed, Check&& check) {
  for (const generate::Family& family : generate::families()) {
    SCOPED_TRACE(std::string(family.name));
    for (const auto& query : generated<VertexFace>(family, per_family, seed)) {
      check(query);
      check(as_point_edge(query));
      check(as_point_point(query));
    }
    for (const auto& query : generated<EdgeEdge>(family, per_family, seed)) check(query);
  }
}

inline VertexFace as_four(const VertexFace& query) {
  return query;
}
inline VertexFace as_four(const EdgeEdge& query) {
  return {query.start, query.end};
}
template <class Query>
VertexFace as_four(const Query& query) {
  return as_vertex_face(query);
}

// Returns distances from a small fraction up to the whole extent of a query, with few and with many
// significant bits; none if the extent is so small or large that they are not positive doubles.
template <class Query>
std::vector<double> distances(const Query& query) {
  const double largest = extent(as_four(query));
  if (!(largest > 0x1p-1040 && largest < 0x1p1020)) return {};
  const double unit = std::exp2(std::ilogb(largest));
  return {unit * 0x1p-30, unit / 8, largest / 3, unit};
}

inline bool same_times(const Impact& a, const Impact& b) {
  return a.verdict == b.verdict && a.toi == b.toi && a.toi_hi == b.toi_hi;
}

}  // namespace graze::test
