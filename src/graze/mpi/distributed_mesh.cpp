#include "graze/mpi/distributed_mesh.h"

#include <algorithm>
#include <numeric>

namespace graze::mpi {
namespace {

// A face with its number in the whole mesh.
struct NumberedFace {
  std::uint32_t number;
  Face corners;
};

using Point = std::array<std::uint32_t, 1>;

// The sizes of the part of one rank, and the spans that its filter has.
struct Sizes {
  Sizes() = default;
  Sizes(const MeshPart& part, const PairFilter& filter)
      : vertices(part.start.size()),
        faces(part.faces.size()),
        has_static(!filter.is_static.empty()),
        has_groups(!filter.group.empty()),
        has_masks(!filter.masks.empty()) {}
  std::uint64_t vertices = 0, faces = 0;
  bool has_static = false, has_groups = false, has_masks = false;
};

// Returns the elements for each rank whose region their cells touch.
template <class T, class CellsOf, class Make>
Packets<T> packed_by_region(std::size_t count, const Regions& regions, CellsOf&& cells_of,
                            Make&& make) {
  Packets<T> packets{{}, std::vector<std::size_t>(regions.ranks())};
  std::vector<std::uint32_t> only(count);  // the only rank of each element; or ranks()
  for (std::size_t i = 0; i < count; ++i) {
    const CellBox cells = cells_of(i);
    only[i] = static_cast<std::uint32_t>(regions.only_rank(cells));
    if (only[i] < regions.ranks())
      ++packets.counts[only[i]];
    else
      regions.for_each_rank(cells, [&](std::size_t rank) { ++packets.counts[rank]; });
  }
  std::vector<std::size_t> next(regions.ranks());
  std::exclusive_scan(packets.counts.begin(), packets.counts.end(), next.begin(), std::size_t{0});
  packets.items.resize(next.back() + packets.counts.back());
  for (std::size_t i = 0; i < count; ++i)
    if (only[i] < regions.ranks())
      packets.items[next[only[i]]++] = make(i);
    else
      regions.for_each_rank(cells_of(i),
                            [&](std::size_t rank) { packets.items[next[rank]++] = make(i); });
  return packets;
}

// Returns the values, or as many default values if there are none.
template <class T>
std::vector<T> filled(std::span<const T> values, std::size_t count) {
  return values.empty() ? std::vector<T>(count) : std::vector<T>(values.begin(), values.end());
}

// The numbers of corners of the two features of a pair, by kind.
constexpr std::array<std::array<std::size_t, 2>, 5> corner_counts = {
    {{1, 3}, {2, 2}, {1, 2}, {1, 1}, {2, 3}}};

}  // namespace

Cell RegionMesh::lowest_cell(std::size_t corner_count, std::uint32_t feature) const {
  const auto lowest = [&](const auto& corners) {
    Cell cell = lowest_cells_[corners[0]];
    for (const std::uint32_t vertex : corners)
      for (std::size_t k = 0; k < 3; ++k) cell[k] = std::min(cell[k], lowest_cells_[vertex][k]);
    return cell;
  };
  if (corner_count == 3) return lowest(mesh_.faces[feature]);
  return corner_count == 2 ? lowest(mesh_.edges[feature]) : lowest_cells_[feature];
}

bool RegionMesh::owns(Kind kind, const Pair& pair) const {
  const auto [count_a, count_b] = corner_counts[static_cast<std::size_t>(kind)];
  Cell corner = lowest_cell(count_a, pair.a);
  const Cell other = lowest_cell(count_b, pair.b);
  for (std::size_t k = 0; k < 3; ++k) corner[k] = std::max(corner[k], other[k]);
  return regions_->owner(corner) == rank_;
}

void RegionMesh::find_cells(const Grid& grid, const broad::Slab& slab, double separation) {
  const broad::SlabBoxes boxes(moving(), slab, separation);
  lowest_cells_.reserve(mesh_.vertex_count);
  for (std::uint32_t v = 0; v < mesh_.vertex_count; ++v)
    lowest_cells_.push_back(grid.cells(boxes, v).lo);
}

StepOptions RegionMesh::options(const StepOptions& whole) const {
  StepOptions mine = whole;
  PairFilter& filter = mine.pairs.filter;
  filter.is_static = is_static_;
  filter.group = group_;
  filter.masks = masks_;
  if (regions_) filter.admits = [this](Kind kind, const Pair& pair) { return owns(kind, pair); };
  return mine;
}

void RegionMesh::renumber(Communicator& communicator, const EdgeTable& edges,
                          std::span<StepImpact> impacts) const {
  std::vector<Edge> named;
  const auto name = [&](std::uint32_t edge) {
    const auto [a, b] = mesh_.edges[edge];
    named.push_back({vertex_numbers_[a], vertex_numbers_[b]});
  };
  for (const StepImpact& found : impacts) {
    if (found.kind == Kind::edge_edge || found.kind == Kind::edge_face) name(found.pair.a);
    if (found.kind == Kind::edge_edge || found.kind == Kind::vertex_edge) name(found.pair.b);
  }
  const std::vector<std::uint32_t> numbers = edges.numbers(communicator, named);
  auto next = numbers.begin();
  for (StepImpact& found : impacts) {
    const auto renumbered = [&](std::size_t corners, std::uint32_t feature) {
      if (corners == 2) return *next++;
      return corners == 1 ? vertex_numbers_[feature] : face_numbers_[feature];
    };
    const auto [a, b] = corner_counts[static_cast<std::size_t>(found.kind)];
    found.pair.a = renumbered(a, found.pair.a);
    found.pair.b = renumbered(b, found.pair.b);
  }
}

DistributedMesh::DistributedMesh(Communicator& communicator, const MeshPart& part,
                                 const PairFilter& filter)
    : communicator_(communicator), part_(part), filter_(filter) {
  blocks_.first = {0};
  const auto rank = static_cast<std::size_t>(communicator.rank());
  std::uint64_t faces = 0;
  for (std::size_t r = 0; const Sizes& sizes : communicator.gather_one(Sizes(part, filter))) {
    if (r++ == rank) first_face_ = faces;
    blocks_.first.push_back(blocks_.first.back() + sizes.vertices);
    faces += sizes.faces;
    has_static_ = has_static_ || sizes.has_static;
    has_groups_ = has_groups_ || sizes.has_groups;
    has_masks_ = has_masks_ || sizes.has_masks;
  }
  edges_.emplace(communicator, blocks_, part.faces, part.rods);
  counts_ = {blocks_.count(), edges_->count(), faces};
  std::array<std::uint64_t, 2> others = {edges_->rods().size(), edges_->points().size()};
  communicator.sum(others);
  kinds_ = {counts_.edges > 0, counts_.faces > 0, others[0] > 0, others[1] > 0};
  used_.emplace(blocks_.count());
  for (const Face& face : part.faces)
    for (const std::uint32_t vertex : face) used_->use(vertex);
  for (const Edge& rod : edges_->rods())
    for (const std::uint32_t vertex : rod) used_->use(vertex);
  for (const std::uint32_t point : edges_->points()) used_->use(point);
  used_vertices_ = used_->finish();
  find_scale();
}

DistributedMesh::Requests DistributedMesh::ask(const std::vector<std::uint32_t>& ascending) const {
  Requests requests;
  requests.counts = blocks_.counts(ascending);
  requests.received = communicator_.exchange(Packets<std::uint32_t>{ascending, requests.counts});
  return requests;
}

// Answers the requests `asked`, where `mine` has the values of this rank's block. Returns the
// values of the vertices that this rank has requested.
template <class T>
std::vector<T> DistributedMesh::fetch(const Requests& asked, std::span<const T> mine) const {
  const std::uint64_t first = blocks_.first[static_cast<std::size_t>(communicator_.rank())];
  Packets<T> values{{}, asked.received.counts};
  values.items.reserve(asked.received.items.size());
  for (const std::uint32_t vertex : asked.received.items)
    values.items.push_back(mine[vertex - first]);
  return communicator_.exchange(values, asked.counts).items;
}

// Computes the scale of the whole mesh from the same samples, in the same order, as one process.
void DistributedMesh::find_scale() {
  const std::uint64_t first = blocks_.first[static_cast<std::size_t>(communicator_.rank())];
  const auto multiple_from = [](std::uint64_t number, std::uint64_t stride) {
    return (number + stride - 1) / stride * stride;
  };
  const std::uint64_t vertex_stride = broad::vertex_sample_stride(counts_.vertices);
  std::vector<Vec3> positions;
  for (std::uint64_t v = multiple_from(first, vertex_stride); v < first + part_.start.size();
       v += vertex_stride)
    positions.push_back(part_.start[v - first]);
  position_sample_ = communicator_.gather(positions);

  const std::uint64_t edge_stride = broad::edge_sample_stride(counts_.edges);
  std::vector<Edge> edges;
  for (std::uint64_t e = multiple_from(edges_->first(), edge_stride);
       e < edges_->first() + edges_->size(); e += edge_stride)
    edges.push_back(edges_->edge(e));
  std::vector<std::uint32_t> ends;
  for (const Edge& edge : edges) ends.insert(ends.end(), edge.begin(), edge.end());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const Requests asked = ask(ends);
  const std::vector<Vec3> start = fetch(asked, part_.start), end = fetch(asked, part_.end);
  std::vector<double> motions;
  for (const auto& [a, b] : edges) {
    const auto at = [&](std::uint32_t vertex) {
      return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), vertex) -
                                      ends.begin());
    };
    motions.push_back(broad::edge_motion({start[at(a)], start[at(b)]}, {end[at(a)], end[at(b)]}));
  }
  motions = communicator_.gather(motions);
  double sum = 0;
  for (const double motion : motions) sum += motion;
  if (position_sample_.empty()) position_sample_.push_back(Vec3::Zero());
  scale_ = {broad::roundings(position_sample_),
            motions.empty() ? 0 : sum / static_cast<double>(motions.size())};
}

template <class Corners>
CellBox DistributedMesh::cells_of(const Corners& corners, const std::vector<CellBox>& cells) const {
  CellBox box = cells[(*used_)[corners[0]]];
  for (const std::uint32_t vertex : corners) box.include(cells[(*used_)[vertex]]);
  return box;
}

// Returns the boxes of one of every `stride` elements of the whole mesh.
std::vector<CellBox> DistributedMesh::sample(const std::vector<CellBox>& cells,
                                             std::size_t& stride) const {
  constexpr std::size_t sample_size = std::size_t{1} << 15;
  const auto& rods = edges_->rods();
  const auto& points = edges_->points();
  const std::size_t count = part_.faces.size() + rods.size() + points.size();
  const auto [before, all] = communicator_.sums(count);
  stride = all / sample_size + 1;
  std::vector<CellBox> boxes;
  for (std::size_t i = (stride - before % stride) % stride; i < count; i += stride)
    if (i < part_.faces.size())
      boxes.push_back(cells_of(part_.faces[i], cells));
    else if (i < part_.faces.size() + rods.size())
      boxes.push_back(cells_of(rods[i - part_.faces.size()], cells));
    else
      boxes.push_back(cells_of(Point{points[i - part_.faces.size() - rods.size()]}, cells));
  return communicator_.gather(boxes);
}

RegionMesh DistributedMesh::region(const broad::Slab& slab, double separation, Share& share) {
  const Grid grid(*scale_, position_sample_);
  RegionMesh region;
  std::vector<NumberedFace> faces;
  std::vector<Edge> rods;
  std::vector<Point> points;
  {
    const Mesh none;
    const broad::SlabBoxes boxes({none, part_.start, part_.end}, slab, separation);
    std::vector<CellBox> mine;
    mine.reserve(part_.start.size());
    for (std::uint32_t v = 0; v < part_.start.size(); ++v) mine.push_back(grid.cells(boxes, v));
    const std::vector<CellBox> cells = fetch(ask(used_vertices_), std::span<const CellBox>(mine));
    mine = {};
    std::size_t stride = 1;
    const std::vector<CellBox> sampled = sample(cells, stride);
    const Regions regions(sampled, stride, communicator_.ranks());
    const auto collect = [&](const auto& elements, auto&& make) {
      using Element = decltype(make(std::size_t{0}));
      return communicator_
          .exchange(packed_by_region<Element>(
              elements.size(), regions, [&](std::size_t i) { return cells_of(elements[i], cells); },
              make))
          .items;
    };
    faces = collect(part_.faces, [&](std::size_t i) {
      return NumberedFace{static_cast<std::uint32_t>(first_face_ + i), part_.faces[i]};
    });
    if (kinds_.rods)
      rods = collect(edges_->rods(), [&](std::size_t i) { return edges_->rods()[i]; });
    std::vector<Point> my_points;
    for (const std::uint32_t point : edges_->points()) my_points.push_back({point});
    if (kinds_.points) points = collect(my_points, [&](std::size_t i) { return my_points[i]; });
    if (communicator_.size() > 1) region.regions_ = regions;
    region.rank_ = static_cast<std::size_t>(communicator_.rank());
  }
  VertexNumbers numbers(blocks_.count());
  for (const NumberedFace& face : faces)
    for (const std::uint32_t vertex : face.corners) numbers.use(vertex);
  for (const Edge& rod : rods)
    for (const std::uint32_t vertex : rod) numbers.use(vertex);
  for (const Point& point : points) numbers.use(point[0]);
  region.vertex_numbers_ = numbers.finish();
  const Requests asked = ask(region.vertex_numbers_);
  region.start_ = fetch(asked, part_.start);
  region.end_ = fetch(asked, part_.end);
  const std::size_t vertices = part_.start.size();
  const auto fetch_if = [&](bool has, const auto& values, auto& fetched) {
    if (!has) return;
    const auto mine = filled(values, vertices);
    fetched = fetch(asked, std::span(mine));
  };
  fetch_if(has_static_, filter_.is_static, region.is_static_);
  fetch_if(has_groups_, filter_.group, region.group_);
  fetch_if(has_masks_, filter_.masks, region.masks_);

  std::vector<Face> corners;
  corners.reserve(faces.size());
  region.face_numbers_.reserve(faces.size());
  for (const auto& [number, c] : faces) {
    corners.push_back({numbers[c[0]], numbers[c[1]], numbers[c[2]]});
    region.face_numbers_.push_back(number);
  }
  faces = {};
  for (Edge& rod : rods) rod = {numbers[rod[0]], numbers[rod[1]]};
  region.mesh_ = make_mesh(region.vertex_numbers_.size(), std::move(corners), rods);
  if (region.regions_) region.find_cells(grid, slab, separation);
  share.faces = std::max(share.faces, region.faces());
  return region;
}

}  // namespace graze::mpi
