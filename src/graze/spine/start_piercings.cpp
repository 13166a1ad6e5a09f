#include "graze/spine/start_piercings.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>

#include "graze/broad/per_thread.h"
#include "graze/broad/radix_sort.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/common_scale.h"
#include "graze/exact/rough_side.h"
#include "graze/exact/triangle_meet.h"

namespace graze {
namespace {

using exact::hidden, exact::rough_side;

constexpr int in_face = 3;  // beside `hidden` and the signs -1 and 1

}  // namespace

Face StartPiercings::corners(std::uint32_t id) const {
  if (id < mesh_.faces.size()) return mesh_.faces[id];
  const Edge& rod = mesh_.edges[id - mesh_.faces.size()];
  return {rod[0], rod[1], rod[1]};
}

// Returns the larger and the smaller end of the side that comes first in the order of edges.
std::array<std::uint32_t, 2> StartPiercings::least_side(std::uint32_t id) const {
  const auto [x, y, z] = corners(id);
  const std::uint32_t least = std::min(x, y), most = std::max(x, y);
  return {std::max(least, std::min(most, z)), std::min(least, z)};
}

bool StartPiercings::admits(const Edge& edge, std::uint32_t face) const {
  const Face& corners = mesh_.faces[face];
  const auto is_static = [&](std::uint32_t vertex) {
    return !filter_.is_static.empty() && filter_.is_static[vertex] != 0;
  };
  if (std::all_of(edge.begin(), edge.end(), is_static) &&
      std::all_of(corners.begin(), corners.end(), is_static))
    return false;
  if (!meeting_.any(edge, corners)) return false;
  return !filter_.admits ||
         filter_.admits(Kind::edge_face, {edge_indices(mesh_, {&edge, 1})[0], face});
}

// `sides_known`: the ends lie strictly on opposite sides of the face's plane.
bool StartPiercings::pierces(const Edge& edge, const Face& face, bool sides_known) const {
  const Vec3 &p = positions_[edge[0]], &q = positions_[edge[1]];
  const Vec3 &a = positions_[face[0]], &b = positions_[face[1]], &c = positions_[face[2]];
  const int x = rough_side(p, q, a, b), y = rough_side(p, q, b, c), z = rough_side(p, q, c, a);
  if (x + y == 0 || y + z == 0 || z + x == 0) return false;  // opposite signs
  if (sides_known && x != hidden && y != hidden && z != hidden) return true;
  numeric::CommonScale scale;
  for (const Vec3* point : {&p, &q, &a, &b, &c}) scale.include(*point);
  const auto integers = [&](const Vec3& point) {
    exact::IntegerPoint result;
    for (std::size_t k = 0; k < 3; ++k)
      result[k] = exact::to_integer(scale.scaled(point[static_cast<int>(k)]));
    return result;
  };
  return exact::segment_pierces(integers(p), integers(q), {integers(a), integers(b), integers(c)});
}

// Calls pierced(found, test) for the sides of one feature that may pierce the face of another;
// test() decides. Returns false if the two are proven to have no common point except a vertex.
template <class Pierced>
bool StartPiercings::test_sides(std::uint32_t of, std::uint32_t other, Pierced&& pierced) const {
  if (other >= mesh_.faces.size()) return true;
  const Face sides = corners(of), &face = mesh_.faces[other];
  const auto at = [&](std::size_t i) -> const Vec3& { return positions_[face[i]]; };
  std::array<int, 3> side_of;
  bool above = true, below = true;  // all corners that are not in the face
  for (std::size_t i = 0; i < 3; ++i) {
    side_of[i] = std::find(face.begin(), face.end(), sides[i]) != face.end()
                     ? in_face
                     : rough_side(at(0), at(1), at(2), positions_[sides[i]]);
    above &= side_of[i] == 1 || side_of[i] == in_face;
    below &= side_of[i] == -1 || side_of[i] == in_face;
  }
  if (above || below) return false;
  const std::size_t count = of < mesh_.faces.size() ? 3 : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::uint32_t a = sides[i], b = sides[j];
    if (side_of[i] == in_face || side_of[j] == in_face || a == b) continue;
    if (side_of[i] == side_of[j] && side_of[i] != hidden) continue;
    const Edge edge = {std::min(a, b), std::max(a, b)};
    const bool sides_known = side_of[i] != hidden && side_of[j] != hidden;
    pierced(PiercedFace{edge[1], edge[0], other},
            [&] { return pierces(edge, face, sides_known) && admits(edge, other); });
  }
  return true;
}

template <class Pierced>
void StartPiercings::test(const Pair& crossing, Pierced&& pierced) const {
  if (test_sides(crossing.a, crossing.b, pierced)) test_sides(crossing.b, crossing.a, pierced);
}

void StartPiercings::find_all(std::span<const Pair> crossings,
                              std::vector<PiercedFace>& pierced) const {
  for (const Pair& crossing : crossings)
    test(crossing, [&](const PiercedFace& found, const auto& is_pierced) {
      if (is_pierced()) pierced.push_back(found);
    });
}

void StartPiercings::find_first(std::span<const Pair> crossings,
                                std::optional<PiercedFace>& first) const {
  for (const Pair& crossing : crossings) {
    if (first && std::min(least_side(crossing.a), least_side(crossing.b)) >
                     std::array{first->upper, first->lower})
      continue;
    test(crossing, [&](const PiercedFace& found, const auto& is_pierced) {
      if ((!first || found < *first) && is_pierced()) first = found;
    });
  }
}

std::vector<StepImpact> StartPiercings::impacts(std::vector<PiercedFace> pierced,
                                                std::size_t most) const {
  broad::radix_sort(pierced, static_cast<int>(std::bit_width(mesh_.vertex_count)),
                    [](const PiercedFace& found) { return found.upper; });
  for (auto first = pierced.begin(); first != pierced.end();) {
    const auto last = std::find_if(first, pierced.end(), [&](const PiercedFace& found) {
      return found.upper != first->upper;
    });
    std::sort(first, last);
    first = last;
  }
  pierced.erase(std::unique(pierced.begin(), pierced.end()), pierced.end());
  if (pierced.size() > most) pierced.resize(most);
  std::vector<StepImpact> result;
  result.reserve(pierced.size());
  auto edge = mesh_.edges.begin();
  for (const PiercedFace& found : pierced) {
    const auto precedes = [](const Edge& x, const PiercedFace& y) {
      return x[1] != y.upper ? x[1] < y.upper : x[0] < y.lower;
    };
    std::ptrdiff_t reach = 1;  // doubled until the edge is within
    while (reach < mesh_.edges.end() - edge && precedes(edge[reach], found)) reach *= 2;
    edge = std::lower_bound(edge, edge + std::min(reach + 1, mesh_.edges.end() - edge), found,
                            precedes);
    result.push_back(
        impact_of({static_cast<std::uint32_t>(edge - mesh_.edges.begin()), found.face}));
  }
  return result;
}

StepImpact StartPiercings::impact_of(const Pair& pair) const {
  StepImpact found{Kind::edge_face, pair, Impact::contact(0, 0)};
  Impact& impact = found.impact;
  impact.kind = ContactKind::interior;
  const Face& face = mesh_.faces[pair.b];
  const Edge& edge = mesh_.edges[pair.a];
  std::array<Vec3, 5> x = {positions_[face[0]], positions_[face[1]], positions_[face[2]],
                           positions_[edge[0]], positions_[edge[1]]};
  double largest = 0;
  for (const Vec3& point : x) largest = std::max(largest, point.lpNorm<Eigen::Infinity>());
  if (largest < 0x1p-200 || largest > 0x1p200)  // products would underflow or overflow
    for (Vec3& point : x)
      for (double& coordinate : point) coordinate = std::ldexp(coordinate, -std::ilogb(largest));
  const Vec3 first = x[1] - x[0], second = x[2] - x[0], p = x[3] - x[0], q = x[4] - x[0];
  impact.normal = first.cross(second).stableNormalized();
  const double at_p = impact.normal.dot(p), at_q = impact.normal.dot(q);
  const Vec3 place = p + std::clamp(at_p / (at_p - at_q), 0.0, 1.0) * (q - p);
  const double area = impact.normal.dot(first.cross(second));
  impact.u = std::clamp(impact.normal.dot(place.cross(second)) / area, 0.0, 1.0);
  impact.v = std::clamp(impact.normal.dot(first.cross(place)) / area, 0.0, 1.0);
  return found;
}

std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run, std::size_t most) {
  const StartPiercings start(moving.mesh, moving.start, filter);
  struct Found {  // by one thread
    std::vector<PiercedFace> all;
    std::optional<PiercedFace> first;
  };
  broad::PerThread<Found> found;
  const PairConsumer test = [&](Kind, std::span<const Pair> crossings) {
    if (most == 1)
      start.find_first(crossings, found.local().first);
    else
      start.find_all(crossings, found.local().all);
  };
  PairOptions options;
  options.filter = filter;
  broad::find_pairs({moving.mesh, moving.start, moving.start}, {0, 0}, test, options, run,
                    default_pair_strategy(PairSet::meeting), broad::Sought::crossings);
  std::vector<PiercedFace> pierced;
  for (const auto& [all, first] : found) {
    pierced.insert(pierced.end(), all.begin(), all.end());
    if (first) pierced.push_back(*first);
  }
  std::vector<StepImpact> impacts;
  broad::with_threads(broad::threads_for(pierced.size(), run.threads),
                      [&] { impacts = start.impacts(std::move(pierced), most); });
  return impacts;
}

}  // namespace graze
