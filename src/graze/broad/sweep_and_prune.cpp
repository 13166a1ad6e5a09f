#include "graze/broad/sweep_and_prune.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "graze/broad/pair_block.h"
#include "graze/broad/rank_boxes.h"
#include "graze/broad/sweep_kernel.h"

namespace graze {
namespace {

using Point = std::array<std::uint32_t, 1>;

// How space is swept.
struct Plan {
  std::size_t axis, axis_1, axis_2;  // along the sweep, across the strips, the remaining one
  std::int64_t strips, ranks;        // on axis_1, ranks > 0

  std::size_t strip_of(std::int32_t rank) const {
    return static_cast<std::size_t>(rank * strips / ranks);
  }
  std::int32_t strip_begin(std::size_t strip) const {
    return static_cast<std::int32_t>((static_cast<std::int64_t>(strip) * ranks + strips - 1) /
                                     strips);
  }
};

// A strip as wide as the average box makes about two copies of a box and, of all widths, the
// fewest comparisons: n boxes of width w in m strips are n (1 + w m) copies, compared
// n^2 (1 + w m)^2 / m times.
Plan make_plan(const Mesh& mesh, const RankBoxes& boxes) {
  std::array<std::int64_t, 3> spanned{};  // ranks, by all boxes
  const auto add = [&](const RankBox& box) {
    for (std::size_t k = 0; k < 3; ++k) spanned[k] += box.hi[k] - box.lo[k] + 1;
  };
  for (const Edge& edge : mesh.edges) add(boxes(edge));
  for (const Face& face : mesh.faces) add(boxes(face));
  std::array<std::size_t, 3> axes = {0, 1, 2};
  const auto density = [&](std::size_t k) {
    return static_cast<double>(spanned[k]) / boxes.ranks(k);
  };
  std::sort(axes.begin(), axes.end(),
            [&](std::size_t a, std::size_t b) { return density(a) < density(b); });
  const auto count = static_cast<std::int64_t>(mesh.edges.size() + mesh.faces.size());
  const std::int64_t ranks = boxes.ranks(axes[1]);
  return {axes[0], axes[1], axes[2], std::max<std::int64_t>(1, count * ranks / spanned[axes[1]]),
          ranks};
}

// Which features lie in which strip, in the order in which they begin along the sweep.
template <std::size_t N>
class Strips {
 public:
  Strips(const std::vector<std::array<std::uint32_t, N>>& features, const RankBoxes& boxes,
         const Plan& plan)
      : features_(features), boxes_(boxes), plan_(plan) {
    std::vector<std::uint32_t> place(static_cast<std::size_t>(boxes.ranks(plan.axis)) + 1);
    first_.resize(static_cast<std::size_t>(plan.strips) + 1);
    for (const auto& feature : features) {
      const RankBox box = boxes(feature);
      ++place[static_cast<std::size_t>(box.lo[plan.axis])];
      for_each_strip(box, [&](std::size_t strip) { ++first_[strip]; });
    }
    std::exclusive_scan(place.begin(), place.end(), place.begin(), std::uint32_t{0});
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), std::size_t{0});
    std::vector<std::uint32_t> order(features.size());
    for (std::uint32_t f = 0; f < features.size(); ++f)
      order[place[static_cast<std::size_t>(boxes(features[f]).lo[plan.axis])]++] = f;
    members_.resize(first_.back());
    std::vector<std::size_t> next = first_;
    for (const std::uint32_t f : order)
      for_each_strip(boxes(features[f]), [&](std::size_t strip) { members_[next[strip]++] = f; });
  }

  sweep::Boxes operator[](std::size_t strip) const {
    sweep::Boxes result;
    result.size = first_[strip + 1] - first_[strip];
    const std::size_t padded = result.size + sweep::Boxes::padding;
    result.begin.assign(padded, std::numeric_limits<std::int32_t>::max());
    for (auto* column : {&result.end, &result.lo_1, &result.hi_1, &result.lo_2, &result.hi_2})
      column->resize(padded);
    for (std::size_t c = 0; c < N; ++c) result.corners[c].resize(padded);
    result.id.resize(padded);
    for (std::size_t i = 0; i < result.size; ++i) {
      const std::uint32_t f = members_[first_[strip] + i];
      const RankBox box = boxes_(features_[f]);
      result.begin[i] = box.lo[plan_.axis];
      result.end[i] = box.hi[plan_.axis];
      result.lo_1[i] = box.lo[plan_.axis_1];
      result.hi_1[i] = box.hi[plan_.axis_1];
      result.lo_2[i] = box.lo[plan_.axis_2];
      result.hi_2[i] = box.hi[plan_.axis_2];
      for (std::size_t c = 0; c < N; ++c) result.corners[c][i] = features_[f][c];
      result.id[i] = f;
    }
    return result;
  }

 private:
  template <class Function>
  void for_each_strip(const RankBox& box, Function&& function) const {
    const std::size_t last = plan_.strip_of(box.hi[plan_.axis_1]);
    for (std::size_t strip = plan_.strip_of(box.lo[plan_.axis_1]); strip <= last; ++strip)
      function(strip);
  }

  const std::vector<std::array<std::uint32_t, N>>& features_;
  const RankBoxes& boxes_;
  const Plan& plan_;
  std::vector<std::size_t> first_;  // member of a strip
  std::vector<std::uint32_t> members_;
};

// Calls sweep(first, last, block) for all rows, many of them in parallel parts.
template <class Sweep>
void sweep_rows(std::size_t rows, PairBlock& block, Sweep&& sweep) {
  constexpr std::size_t grain = 4096;
  if (rows <= 2 * grain) return sweep(0, rows, block);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows, grain), [&](const auto& range) {
    PairBlock own = block.sibling();
    sweep(range.begin(), range.end(), own);
    own.flush();
  });
}

// Calls sweep(strip, block) for all strips.
template <class Sweep>
void sweep_strips(std::size_t strips, PairKind kind, const PairConsumer& consumer, Sweep&& sweep) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, strips), [&](const auto& range) {
    PairBlock block(kind, consumer);
    for (std::size_t strip = range.begin(); strip < range.end(); ++strip) sweep(strip, block);
    block.flush();
  });
}

}  // namespace

void sweep_and_prune(const MovingMesh& moving, double separation, const PairConsumer& consumer) {
  const Mesh& mesh = moving.mesh;
  if (mesh.edges.empty() && mesh.faces.empty()) return;
  const RankBoxes boxes(moving, separation);
  const Plan plan = make_plan(mesh, boxes);
  const auto strips = static_cast<std::size_t>(plan.strips);

  std::vector<Point> points(mesh.vertex_count);
  for (std::uint32_t v = 0; v < points.size(); ++v) points[v] = {v};
  std::optional<Strips<1>> vertex_strips;
  std::optional<Strips<2>> edge_strips;
  std::optional<Strips<3>> face_strips;
  tbb::parallel_invoke([&] { edge_strips.emplace(mesh.edges, boxes, plan); },
                       [&] { face_strips.emplace(mesh.faces, boxes, plan); },
                       [&] { vertex_strips.emplace(points, boxes, plan); });

  sweep_strips(strips, PairKind::vertex_face, consumer, [&](std::size_t strip, PairBlock& block) {
    const sweep::Boxes vertices = (*vertex_strips)[strip], faces = (*face_strips)[strip];
    const std::int32_t begin = plan.strip_begin(strip);
    sweep_rows(vertices.size, block, [&](std::size_t first, std::size_t last, PairBlock& part) {
      sweep::faces_of_vertices(vertices, faces, begin, first, last, part);
    });
    sweep_rows(faces.size, block, [&](std::size_t first, std::size_t last, PairBlock& part) {
      sweep::vertices_of_faces(faces, vertices, begin, first, last, part);
    });
  });
  sweep_strips(strips, PairKind::edge_edge, consumer, [&](std::size_t strip, PairBlock& block) {
    const sweep::Boxes edges = (*edge_strips)[strip];
    sweep_rows(edges.size, block, [&](std::size_t first, std::size_t last, PairBlock& part) {
      sweep::edges_of_edges(edges, plan.strip_begin(strip), first, last, part);
    });
  });
}

}  // namespace graze
