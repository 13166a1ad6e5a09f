#include "graze/broad/sweep_and_prune.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "graze/broad/pair_block.h"
#include "graze/broad/rank_boxes.h"
#include "graze/broad/sweep_kernel.h"

namespace graze {
namespace {

template <std::size_t N>
using Features = std::vector<std::array<std::uint32_t, N>>;

// Features of N corners in the order in which their boxes begin along the sweep.
template <std::size_t N>
class Sorted {
 public:
  Sorted(const Features<N>& features, const RankBoxes& boxes, std::size_t axis)
      : first_(static_cast<std::size_t>(boxes.ranks(axis)) + 1), rows_(features.size()) {
    for (const auto& corners : features) ++first_[rank(boxes(corners).lo[axis])];
    std::exclusive_scan(first_.begin(), first_.end(), first_.begin(), std::uint32_t{0});
    for (auto& column : ranks_) column.resize(features.size() + sweep::padding);
    for (auto& column : ids_) column.resize(features.size() + sweep::padding);

    std::vector<std::uint32_t> next = first_;
    const std::size_t axis_1 = (axis + 1) % 3, axis_2 = (axis + 2) % 3;
    for (std::size_t f = 0; f < features.size(); ++f) {
      const RankBox box = boxes(features[f]);
      const std::size_t i = next[rank(box.lo[axis])]++;
      rows_[i].across = {box.lo[axis_1], box.hi[axis_1], box.lo[axis_2], box.hi[axis_2]};
      std::copy(features[f].begin(), features[f].end(), rows_[i].corners.begin());
      rows_[i].id = static_cast<std::uint32_t>(f);
      rows_[i].begin = box.lo[axis];
      rows_[i].end = box.hi[axis];
      for (std::size_t k = 0; k < 4; ++k) ranks_[k][i] = rows_[i].across[k];
      for (std::size_t c = 0; c < N; ++c) ids_[c][i] = features[f][c];
      ids_[N][i] = rows_[i].id;
    }
  }

  const std::vector<sweep::Row>& rows() const { return rows_; }

  // The number of boxes that begin below a rank: those that begin in [r, s] are the ones
  // numbered below(r) <= i < below(s + 1).
  std::size_t below(std::int32_t r) const { return first_[rank(r)]; }

  sweep::Columns columns() const {
    sweep::Columns columns{};
    for (std::size_t k = 0; k < 4; ++k) columns.across[k] = ranks_[k].data();
    for (std::size_t c = 0; c < N; ++c) columns.corners[c] = ids_[c].data();
    columns.id = ids_[N].data();
    return columns;
  }

 private:
  static std::size_t rank(std::int32_t r) { return static_cast<std::size_t>(r); }

  std::vector<std::uint32_t> first_;
  std::vector<sweep::Row> rows_;
  std::array<std::vector<std::int32_t>, 4> ranks_;
  std::array<std::vector<std::uint32_t>, N + 1> ids_;
};

// Compares each row with the columns range(i, row) = {begin, end}.
template <class Overlaps, class Range>
void sweep_rows(const std::vector<sweep::Row>& rows, const sweep::Columns& columns, PairKind kind,
                const PairConsumer& consumer, Overlaps&& overlaps, Range&& range) {
  constexpr std::size_t grain = 1024, piece = 2048;
  static_assert(piece + sweep::padding <= max_pair_block);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows.size(), grain), [&](const auto& part) {
    PairBlock block(kind, consumer);
    for (std::size_t i = part.begin(); i < part.end(); ++i) {
      const auto [begin, end] = range(i, rows[i]);
      for (std::size_t j = begin; j < end; j += piece) {
        const std::size_t stop = std::min(end, j + piece);
        Pair* const place = block.reserve(stop - j + sweep::padding);
        block.commit(overlaps(rows[i], columns, j, stop, place));
      }
    }
    block.flush();
  });
}

// Where boxes span the fewest ranks, hence the fewest bounds of others.
std::size_t best_axis(const Mesh& mesh, const RankBoxes& boxes) {
  std::array<std::int64_t, 3> spanned{};
  const auto add = [&](const RankBox& box) {
    for (std::size_t k = 0; k < 3; ++k) spanned[k] += box.hi[k] - box.lo[k];
  };
  for (const Edge& edge : mesh.edges) add(boxes(edge));
  for (const Face& face : mesh.faces) add(boxes(face));
  return static_cast<std::size_t>(std::min_element(spanned.begin(), spanned.end()) -
                                  spanned.begin());
}

}  // namespace

void sweep_and_prune(const MovingMesh& moving, double separation, const PairConsumer& consumer) {
  const Mesh& mesh = moving.mesh;
  const RankBoxes boxes(moving, separation);
  const std::size_t axis = best_axis(mesh, boxes);
  {
    Features<1> points(mesh.vertex_count);
    for (std::uint32_t v = 0; v < points.size(); ++v) points[v] = {v};
    std::optional<Sorted<1>> vertices;
    std::optional<Sorted<3>> faces;
    tbb::parallel_invoke([&] { vertices.emplace(points, boxes, axis); },
                         [&] { faces.emplace(mesh.faces, boxes, axis); });
    // Of a vertex and a face one begins first, or both at once: then the vertex's row finds them.
    sweep_rows(vertices->rows(), faces->columns(), PairKind::vertex_face, consumer,
               sweep::faces_of_vertex, [&](std::size_t, const sweep::Row& vertex) {
                 return std::pair(faces->below(vertex.begin), faces->below(vertex.end + 1));
               });
    sweep_rows(faces->rows(), vertices->columns(), PairKind::vertex_face, consumer,
               sweep::vertices_of_face, [&](std::size_t, const sweep::Row& face) {
                 return std::pair(vertices->below(face.begin + 1), vertices->below(face.end + 1));
               });
  }
  const Sorted<2> edges(mesh.edges, boxes, axis);
  sweep_rows(edges.rows(), edges.columns(), PairKind::edge_edge, consumer, sweep::edges_of_edge,
             [&](std::size_t i, const sweep::Row& edge) {
               return std::pair(i + 1, edges.below(edge.end + 1));
             });
}

}  // namespace graze
