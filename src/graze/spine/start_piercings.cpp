#include "graze/spine/start_piercings.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>

#include "graze/aabb.h"
#include "graze/broad/radix_sort.h"
#include "graze/broad/slab_pairs.h"
#include "graze/broad/with_threads.h"
#include "graze/core/numeric/common_scale.h"
#include "graze/exact/rough_side.h"
#include "graze/exact/triangle_meet.h"

namespace graze {
namespace {

using exact::hidden, exact::rough_side;

template <std::size_t size>
Aabb box_of(std::span<const Vec3> positions, const std::array<std::uint32_t, size>& vertices) {
  Aabb box{positions[vertices[0]], positions[vertices[0]]};
  for (const std::uint32_t vertex : vertices) box.include({positions[vertex], positions[vertex]});
  return box;
}

}  // namespace

bool StartPiercings::admits(const Pair& pair) const {
  const Edge& edge = mesh_.edges[pair.a];
  const Face& corners = mesh_.faces[pair.b];
  const auto is_static = [&](std::uint32_t vertex) {
    return !filter_.is_static.empty() && filter_.is_static[vertex] != 0;
  };
  if (std::all_of(edge.begin(), edge.end(), is_static) &&
      std::all_of(corners.begin(), corners.end(), is_static))
    return false;
  if (!meeting_.any(edge, corners)) return false;
  return !filter_.admits || filter_.admits(Kind::edge_face, pair);
}

bool StartPiercings::pierces(const Pair& pair) const {
  const Edge& edge = mesh_.edges[pair.a];
  const Face& face = mesh_.faces[pair.b];
  for (const std::uint32_t vertex : face)
    if (vertex == edge[0] || vertex == edge[1]) return false;
  const Vec3 &p = positions_[edge[0]], &q = positions_[edge[1]];
  const Vec3 &a = positions_[face[0]], &b = positions_[face[1]], &c = positions_[face[2]];
  const int side_p = rough_side(a, b, c, p), side_q = rough_side(a, b, c, q);
  if (side_p == side_q && side_p != hidden) return false;
  const int x = rough_side(p, q, a, b), y = rough_side(p, q, b, c), z = rough_side(p, q, c, a);
  if (x + y == 0 || y + z == 0 || z + x == 0) return false;  // opposite signs
  if (side_p != hidden && side_q != hidden && x != hidden && y != hidden && z != hidden)
    return true;
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

void StartPiercings::find_all(std::span<const Pair> crossings, std::vector<Pair>& pierced) const {
  for (const Pair& crossing : crossings)
    if (pierces(crossing) && admits(crossing)) pierced.push_back(crossing);
}

void StartPiercings::find_first(std::span<const Pair> crossings, std::optional<Pair>& first) const {
  for (const Pair& crossing : crossings)
    if ((!first || crossing < *first) && pierces(crossing) && admits(crossing)) first = crossing;
}

std::optional<Pair> StartPiercings::first_up_to(const Pair& known) const {
  if (!pierces(known) || !admits(known)) return {};
  const std::size_t edges = std::size_t{known.a} + 1;  // those of the pairs up to `known`
  // The tests of boxes, per face of the mesh, that take about as long as a search with trees.
  constexpr std::size_t most_tests = 32;
  if (edges > most_tests * mesh_.faces.size()) return {};
  std::vector<Aabb> boxes(edges);
  for (std::size_t e = 0; e < edges; ++e) boxes[e] = box_of(positions_, mesh_.edges[e]);
  Aabb around = boxes[0];
  for (const Aabb& box : boxes) around.include(box);
  Pair first = known;
  std::size_t tests = 0;
  for (std::uint32_t face = 0; face < mesh_.faces.size(); ++face) {
    const Aabb box = box_of(positions_, mesh_.faces[face]);
    if (!overlap(box, around)) continue;
    tests += std::size_t{first.a} + 1;
    if (tests > most_tests * mesh_.faces.size()) return {};
    for (Pair pair{0, face}; pair < first; ++pair.a)
      if (overlap(boxes[pair.a], box) && pierces(pair) && admits(pair)) first = pair;
  }
  return first;
}

std::vector<StepImpact> StartPiercings::impacts(std::vector<Pair> pierced, std::size_t most) const {
  constexpr std::size_t few = 256;  // the counters of a radix sort take longer than these pairs
  if (pierced.size() > few)
    broad::radix_sort(pierced, static_cast<int>(std::bit_width(mesh_.edges.size())),
                      [](const Pair& pair) { return pair.a; });
  else
    std::sort(pierced.begin(), pierced.end());
  for (auto first = pierced.begin(); first != pierced.end();) {
    const auto last =
        std::find_if(first, pierced.end(), [&](const Pair& pair) { return pair.a != first->a; });
    std::sort(first, last);
    first = last;
  }
  pierced.erase(std::unique(pierced.begin(), pierced.end()), pierced.end());
  if (pierced.size() > most) pierced.resize(most);
  std::vector<StepImpact> result;
  result.reserve(pierced.size());
  for (const Pair& pair : pierced) result.push_back(impact_of(pair));
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

void PiercingSearch::examine(std::span<const Pair> crossings, std::size_t most) {
  Found& found = found_.local();
  if (most != 1) return start_.find_all(crossings, found.all);
  start_.find_first(crossings, found.first);
  if (found.first) lower_last_edge(found.first->a);
}

void PiercingSearch::lower_last_edge(std::uint32_t edge) {
  std::uint32_t last = last_edge_.load();
  while (edge < last && !last_edge_.compare_exchange_weak(last, edge)) {
  }
}

std::vector<StepImpact> PiercingSearch::impacts(std::size_t most, int threads) const {
  std::vector<Pair> pierced;
  for (const auto& [all, first] : found_) {
    pierced.insert(pierced.end(), all.begin(), all.end());
    if (first) pierced.push_back(*first);
  }
  std::vector<StepImpact> result;
  broad::with_threads(broad::threads_for(pierced.size(), threads),
                      [&] { result = start_.impacts(std::move(pierced), most); });
  return result;
}

std::vector<StepImpact> start_piercings(const MovingMesh& moving, const PairFilter& filter,
                                        const Run& run, std::size_t most,
                                        const std::optional<Pair>& guess) {
  const StartPiercings start(moving.mesh, moving.start, filter);
  if (most == 1 && guess)
    if (const std::optional<Pair> first = start.first_up_to(*guess))
      return start.impacts({*first}, most);
  PiercingSearch search(start);
  const PairConsumer test = [&](Kind, std::span<const Pair> crossings) {
    search.examine(crossings, most);
  };
  PairOptions options;
  options.filter = filter;
  broad::find_pairs({moving.mesh, moving.start, moving.start}, {0, 0}, test, options, run,
                    default_pair_strategy(PairSet::meeting), broad::Sought::crossings, nullptr,
                    &search.last_edge());
  return search.impacts(most, run.threads);
}

}  // namespace graze
