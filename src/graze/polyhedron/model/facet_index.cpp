#include "graze/polyhedron/model/facet_index.h"

#include <algorithm>
#include <cmath>

#include "graze/core/numeric/float_environment.h"
#include "graze/core/numeric/unit_roundoff.h"
#include "graze/polyhedron/move/filtered.h"

namespace graze::polyhedron {
namespace {

// Bounds the error of n.x - k against the exact plane N.x - K. Intervals enclose N and K; n and k
// are their midpoints. The widths of the intervals are at least twice the radii, so that replacing
// N, K by n, k costs at most width |x|_1 + width. The three products and three sums of n.x - k are
// off by at most 4.01 u (|n|_max |x|_1 + |k|), or by four halves of the smallest denormal. 8 u and
// 2^-1070 leave room for one more sum of such numbers and for the rounding of the bound itself.
PlaneBound bound_of(const Model& model, const Facet& facet) {
  if (facet.count == 1) return {Vec3::Zero(), 0, 0, 0};
  const auto corner = [&](int i) { return interval(model.vertices[facet.plane[i]]); };
  const PlaneFrame<Interval> plane(corner(0), corner(1), corner(2));
  const Interval offset = dot(plane.normal, plane.origin);
  PlaneBound bound{};
  double width = 0;
  for (int k = 0; k < 3; ++k) {
    const Interval& n = plane.normal[static_cast<std::size_t>(k)];
    bound.normal[k] = n.lo / 2 + n.hi / 2;
    width = std::max(width, n.hi - n.lo);
  }
  bound.offset = offset.lo / 2 + offset.hi / 2;
  bound.err_per_length =
      (width + 8 * numeric::u * bound.normal.lpNorm<Eigen::Infinity>()) * (1 + 8 * numeric::u);
  bound.err =
      (offset.hi - offset.lo + 8 * numeric::u * std::abs(bound.offset)) * (1 + 8 * numeric::u) +
      0x1p-1070;
  if (!bound.normal.allFinite() || !std::isfinite(width + bound.offset)) bound.err = HUGE_VAL;
  return bound;
}

}  // namespace

Obstacle make_obstacle(Model model) {
  const FloatEnvironment environment;
  const auto index = std::make_shared<FacetIndex>();
  index->tree = PolygonTree(model.boxes);
  for (std::uint32_t entry = 0; entry < index->tree.entries(); ++entry)
    index->planes.push_back(bound_of(model, model.facets[index->tree.box_of(entry)]));
  return {std::move(model), index};
}

}  // namespace graze::polyhedron
