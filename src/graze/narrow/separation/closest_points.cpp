#include "graze/narrow/separation/closest_points.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/strict_arithmetic.h"
#include "graze/narrow/contact/contact_point.h"
#include "graze/narrow/run_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/narrow/separation/closest_points.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include "graze/narrow/simd/closest_search-inl.h"
#include "graze/narrow/simd/exact_root_culls-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::narrow::HWY_NAMESPACE {

template <std::size_t n>
HWY_INLINE ClosestPoint closest_of_one(const std::array<Vec3, 4>& corners, Norm norm) {
  using T = Lanes<hn::CappedTag<double, 1>>;
  Polygon<n, T> e;
  for (std::size_t i = 0; i < n; ++i) e[i] = {T(corners[i][0]), T(corners[i][1]), T(corners[i][2])};
  const Closest<T> x = norm == Norm::l2 ? closest_of<Norm::l2>(e) : closest_of<Norm::linf>(e);
  const auto number = [](T value) { return hn::GetLane(value.v); };
  const auto vector = [&](const Vec<T>& v) { return Vec3(number(v.x), number(v.y), number(v.z)); };
  return {number(x.alpha),     number(x.beta),  number(x.distance),
          vector(x.direction), vector(x.along), vector(normal_of(x))};
}
ClosestPoint closest_of_polygon(const DifferencePolygon& polygon, Norm norm) {
  switch (polygon.size) {
    case 1:
      return closest_of_one<1>(polygon.corners, norm);
    case 2:
      return closest_of_one<2>(polygon.corners, norm);
    case 3:
      return closest_of_one<3>(polygon.corners, norm);
    default:
      return closest_of_one<4>(polygon.corners, norm);
  }
}

template <Norm norm, class Query>
HWY_INLINE void locate(std::span<const Query> queries, std::span<const std::uint32_t> which,
                       std::span<Impact> impacts) {
  using T = Lanes<Many>;
  Arrivals arrivals;
  alignas(64) double toi[Arrivals::width] = {};
  const QueryStream<Query> stream{queries.data(), impacts.data()};
  for (std::size_t k = 0; k < which.size(); ++k) {
    toi[arrivals.size] = impacts[which[k]].toi;
    arrivals.push(which[k], stream.corners(which[k]));
    if (!arrivals.full() && k + 1 < which.size()) continue;
    const Coordinates<T> x = arrivals.load();
    const T t = hn::Load(Many(), toi);
    std::array<Vec<T>, 4> at;
    for (int i = 0; i < 4; ++i)
      at[static_cast<std::size_t>(i)] = (T(1.0) - t) * corner(x, i, 0) + t * corner(x, i, 1);
    const auto e = polygon_between<Query>(at);
    const Closest<T> found = closest_of<norm>(e);
    const Vec<T> normal = normal_of(found);
    Located located;
    located.store(found, normal, std::is_same_v<Query, EdgeEdge>);
    const std::uint64_t sound = (is_moderate(largest_of(e)) & (largest_of(normal) > T(0.0))).bits();
    for (std::size_t lane = 0; lane < arrivals.size; ++lane) {
      const std::size_t i = arrivals.index[lane];
      if (sound >> lane & 1)
        located.answer(lane, impacts[i]);
      else
        locate_closest(queries[i], norm, impacts[i]);
    }
    arrivals.size = 0;
  }
}
void locate_vertex_face(std::span<const VertexFace> queries, std::span<const std::uint32_t> which,
                        Norm norm, std::span<Impact> impacts) {
  norm == Norm::l2 ? locate<Norm::l2>(queries, which, impacts)
                   : locate<Norm::linf>(queries, which, impacts);
}
void locate_edge_edge(std::span<const EdgeEdge> queries, std::span<const std::uint32_t> which,
                      Norm norm, std::span<Impact> impacts) {
  norm == Norm::l2 ? locate<Norm::l2>(queries, which, impacts)
                   : locate<Norm::linf>(queries, which, impacts);
}

}  // namespace graze::narrow::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::narrow {

HWY_EXPORT(closest_of_polygon);
HWY_EXPORT(locate_vertex_face);
HWY_EXPORT(locate_edge_edge);

namespace {

// Returns the polygon at time t of the coordinates times a factor.
template <class Query>
DifferencePolygon polygon_at(const Query& query, double t, double factor) {
  auto x = query.start;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (1 - t) * (factor * query.start[i]) + t * (factor * query.end[i]);
  if constexpr (std::is_same_v<Query, EdgeEdge>)
    return {{x[2] - x[0], x[3] - x[0], x[3] - x[1], x[2] - x[1]}, 4};
  DifferencePolygon polygon;
  for (std::size_t i = 1; i < x.size(); ++i) polygon.corners[polygon.size++] = x[i] - x[0];
  return polygon;
}

Vec3 touching_normal(const VertexFace& query, double t) {
  Impact impact = Impact::contact(t, t);
  locate_contact(query, impact);
  return impact.normal;
}
Vec3 touching_normal(const EdgeEdge& query, double t) {
  Impact impact = Impact::contact(t, t);
  locate_contact(query, impact);
  return impact.normal;
}
template <class Query>
Vec3 touching_normal(const Query& query, double t) {
  return touching_normal(as_vertex_face(query), t);
}

// Returns the answer of graze::closest_points. The floating-point environment is set.
template <class Query>
ClosestPoints closest(const Query& query, double t, Norm norm) {
  if (!(t >= 0 && t <= 1) || !is_finite(query)) return {};
  if (norm == Norm::none) norm = Norm::l2;
  constexpr double nan = Impact::nan;
  double scale = 1, largest = 0;
  DifferencePolygon polygon = polygon_at(query, t, scale);
  for (std::size_t i = 0; i < polygon.size; ++i)
    largest = std::max(largest, polygon.corners[i].cwiseAbs().maxCoeff());
  if (largest > 0 && !(largest > 0x1p-100 && largest < 0x1p100)) {
    scale = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
    polygon = polygon_at(query, t, scale);
  }
  const ClosestPoint found = closest_to_zero(polygon, norm);
  const std::size_t n = polygon.size;
  ClosestPoints result;
  result.verdict = Verdict::separated;
  result.u = n == 4 ? found.beta : n > 1 ? found.alpha : nan;
  result.v = n == 4 ? found.alpha : n == 3 ? found.beta : nan;
  result.distance = found.distance / scale;
  if (result.distance == 0) result.verdict = Verdict::contact;
  result.normal = found.normal.isZero(0) ? touching_normal(query, t) : found.normal;
  return result;
}

}  // namespace

ClosestPoint closest_to_zero(const DifferencePolygon& polygon, Norm norm) {
  return HWY_DYNAMIC_DISPATCH(closest_of_polygon)(polygon, norm);
}

void locate_closest(std::span<const VertexFace> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts) {
  HWY_DYNAMIC_DISPATCH(locate_vertex_face)(queries, which, norm, impacts);
}
void locate_closest(std::span<const EdgeEdge> queries, std::span<const std::uint32_t> which,
                    Norm norm, std::span<Impact> impacts) {
  HWY_DYNAMIC_DISPATCH(locate_edge_edge)(queries, which, norm, impacts);
}

}  // namespace graze::narrow

namespace graze {

template <Query Q>
ClosestPoints closest_points(const Q& query, double t, Norm norm) {
  const FloatEnvironment environment;
  return narrow::closest(query, t, norm);
}

template <Query Q>
void closest_points(std::span<const Q> queries, double t, std::span<ClosestPoints> points,
                    Norm norm, const Run& run) {
  assert(queries.size() == points.size());
  narrow::run_blocks(
      queries.size(), run,
      [&](std::size_t first, std::size_t size) {
        const FloatEnvironment environment;
        for (std::size_t i = first; i < first + size; ++i)
          points[i] = narrow::closest(queries[i], t, norm);
      },
      [&](std::size_t first, std::size_t size) {
        for (std::size_t i = first; i < first + size; ++i)
          points[i] = {.verdict = Verdict::undecided};
      });
}

#define GRAZE_INSTANTIATE(Q)                                                                  \
  template ClosestPoints closest_points<Q>(const Q&, double, Norm);                           \
  template void closest_points<Q>(std::span<const Q>, double, std::span<ClosestPoints>, Norm, \
                                  const Run&);
GRAZE_INSTANTIATE(VertexFace)
GRAZE_INSTANTIATE(EdgeEdge)
GRAZE_INSTANTIATE(VertexEdge)
GRAZE_INSTANTIATE(VertexVertex)
#undef GRAZE_INSTANTIATE

}  // namespace graze
#endif
