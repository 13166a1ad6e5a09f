#include "graze/rigid/model/hull_tree.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/bounding_polytope.h"
#include "graze/rigid/model/flat_regions.h"

namespace graze::rigid {
namespace {

// Divides the triangles of a mesh. HullNode::face of an inner node is where its triangles begin in
// `order`.
class Divider {
 public:
  Divider(std::span<const Vec3> vertices, std::span<const Face> faces, int exponent,
          std::span<std::uint32_t> order, HullNode* nodes)
      : order_(order),
        nodes_(nodes),
        centroids_(faces.size()),
        normals_(faces.size()),
        keys_(faces.size()) {
    // Small coordinates may underflow: a division need not be accurate.
    const double scale = std::scalbn(1.0 / 3, -exponent);
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const Vec3 a = scale * vertices[faces[f][0]], b = scale * vertices[faces[f][1]],
                 c = scale * vertices[faces[f][2]];
      centroids_[f] = a + b + c;
      const Vec3 across = (b - a).cross(c - a);
      const double area = across.norm();
      normals_[f] = area > 0 ? Vec3(across / area) : Vec3(Vec3::Zero());
    }
  }

  // Fills the nodes of the whole tree. The flat regions of a surface that consists of such regions
  // are kept together: each is a node, whose hull is flat.
  void divide_all(std::span<const Vec3> vertices, std::span<const Face> faces) {
    const auto count = static_cast<std::uint32_t>(faces.size());
    regions_ = flat_regions(faces, normals_, centroids_);
    if (regions_.empty()) return divide(0, 1, 0, count);
    cuts_ = divide_regions(regions_, faces, vertices);
    starts_.push_back(0);
    for (const FlatRegion& region : regions_) {
      std::copy(region.begin(), region.end(), order_.begin() + starts_.back());
      starts_.push_back(starts_.back() + static_cast<std::uint32_t>(region.size()));
    }
    std::size_t cut = 0;
    divide_regions_of(0, 1, 0, static_cast<std::uint32_t>(regions_.size()), cut);
  }

 private:
  // Fills node `at`, whose regions are regions_[first, last), and its descendants, which are stored
  // from index `free` on. cuts_[cut] is that of the node.
  void divide_regions_of(std::uint32_t at, std::uint32_t free, std::uint32_t first,
                         std::uint32_t last, std::size_t& cut) {
    const std::uint32_t begin = starts_[first], end = starts_[last];
    if (last - first == 1) return divide(at, free, begin, end);
    HullNode& node = nodes_[at];
    node.faces = end - begin;
    node.face = begin;
    node.child = free;
    const std::uint32_t middle = first + cuts_[cut++];
    divide_regions_of(free, free + 2, first, middle, cut);
    divide_regions_of(free + 1, free + 2 * (starts_[middle] - begin), middle, last, cut);
  }

  // Fills node `at`, whose triangles are order[begin, end), and its descendants, which are stored
  // from index `free` on.
  void divide(std::uint32_t at, std::uint32_t free, std::uint32_t begin, std::uint32_t end) {
    HullNode& node = nodes_[at];
    node.faces = end - begin;
    node.face = node.faces == 1 ? order_[begin] : begin;
    node.child = node.faces == 1 ? 0 : free;
    if (node.faces == 1) return;
    const std::uint32_t middle = node.faces == 2 ? begin + 1 : split(begin, end);
    divide(free, free + 2, begin, middle);
    divide(free + 1, free + 2 * (middle - begin), middle, end);
  }

  // The mean of vectors, and the directions in which they spread, the least first.
  struct Spread {
    Vec3 mean, squares;  // `squares`: the sums of squares along the directions
    Eigen::Matrix3d directions;
  };
  Spread spread_of(const std::vector<Vec3>& vectors, std::uint32_t begin, std::uint32_t end) const {
    Spread result;
    result.mean = Vec3::Zero();
    for (std::uint32_t i = begin; i < end; ++i) result.mean += vectors[order_[i]];
    result.mean /= end - begin;
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (std::uint32_t i = begin; i < end; ++i) {
      const Vec3 x = vectors[order_[i]] - result.mean;
      spread.noalias() += x * x.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(spread);
    result.directions = solver.eigenvectors();
    result.squares = solver.eigenvalues();
    return result;
  }

  // Orders order[begin, end) along `axis` and returns the index of the cut in the middle of the
  // extent of the vectors; at least `least` triangles are on each side.
  std::uint32_t cut(const std::vector<Vec3>& vectors, const Vec3& axis, std::uint32_t begin,
                    std::uint32_t end, std::uint32_t least) {
    const auto first = order_.begin() + begin, last = order_.begin() + end;
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (auto f = first; f != last; ++f) {
      const double key = keys_[*f] = axis.dot(vectors[*f]);
      lo = std::min(lo, key);
      hi = std::max(hi, key);
    }
    const double middle = 0.5 * (lo + hi);
    const auto parted =
        std::partition(first, last, [&](std::uint32_t f) { return keys_[f] < middle; });
    const std::uint32_t wanted = begin + static_cast<std::uint32_t>(parted - first);
    const std::uint32_t taken = std::clamp(wanted, begin + least, end - least);
    if (taken != wanted)
      std::nth_element(first, order_.begin() + taken, last, [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(keys_[a], a) < std::pair(keys_[b], b);
      });
    return taken;
  }

  // Returns how far triangles spread from two planes, one for each side of a cut: a sum of squares.
  double thickness(std::uint32_t begin, std::uint32_t middle, std::uint32_t end) const {
    return spread_of(centroids_, begin, middle).squares[0] +
           spread_of(centroids_, middle, end).squares[0];
  }

  // Divides order[begin, end) across the direction of largest spread, in the middle of its extent,
  // with at least a quarter of the triangles on each side. Where triangles lie on two sides of a
  // crease, they are divided by their normals instead: the hulls of both sides are then flat, and
  // separate from those of a part that fits into the crease. Returns the index of the cut.
  // docs/rigid-models.md compares other ways.
  std::uint32_t split(std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t count = end - begin;
    const Spread places = spread_of(centroids_, begin, end);
    const Vec3 widest = places.directions.col(2);
    const Vec3 axis = widest.allFinite() ? widest : Vec3::UnitX();
    constexpr std::uint32_t fewest = 16, most = 1024;
    if (count >= fewest && count <= most) {
      Vec3 mean = Vec3::Zero();
      for (std::uint32_t i = begin; i < end; ++i) mean += normals_[order_[i]];
      // The mean square of the distance of the normals from their mean.
      if (1 - (mean / count).squaredNorm() > 0.05) {
        const double otherwise =
            thickness(begin, cut(centroids_, axis, begin, end, count / 4), end);
        const Vec3 turned = spread_of(normals_, begin, end).directions.col(2);
        if (turned.allFinite()) {
          const std::uint32_t crease = cut(normals_, turned, begin, end, count / 8);
          if (thickness(begin, crease, end) < 0.1 * otherwise) return crease;
        }
      }
    }
    return cut(centroids_, axis, begin, end, std::max(count / 4, 1u));
  }

  std::span<std::uint32_t> order_;
  HullNode* nodes_;
  std::vector<Vec3> centroids_, normals_;
  std::vector<FlatRegion> regions_;    // in the order of the leaves
  std::vector<std::uint32_t> starts_;  // where each region begins in order_, and the end
  std::vector<std::uint32_t> cuts_;    // see divide_regions()
  std::vector<double> keys_;           // by face: its place along the axis of the current division
};

// Removes all but one of equal numbers below `end`; the order of the others is not defined.
void remove_duplicates(std::vector<std::uint32_t>& numbers, std::size_t end) {
  if (numbers.size() < end / 64) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return;
  }
  std::vector<bool> seen(end);
  std::erase_if(numbers, [&](std::uint32_t number) {
    const bool was_seen = seen[number];
    seen[number] = true;
    return was_seen;
  });
}

// Returns the corners of the box along the coordinate axes.
std::vector<Vec3> aligned_box(std::span<const Vec3> points) {
  Vec3 lo = points[0], hi = lo;
  for (const Vec3& p : points) {
    lo = lo.cwiseMin(p);
    hi = hi.cwiseMax(p);
  }
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i)
    corners.emplace_back(i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]);
  return corners;
}

}  // namespace

HullTree::HullTree(std::span<const Vec3> vertices, std::span<const Face> faces)
    : vertices_(vertices),
      faces_(faces),
      order_(faces.size()),
      size_(static_cast<std::uint32_t>(2 * faces.size() - 1)),
      nodes_(std::make_unique<HullNode[]>(size_)),
      being_bounded_(std::make_unique<std::array<std::mutex, 64>>()) {
  double largest = 0;
  for (const Face& face : faces)
    for (const std::uint32_t v : face)
      largest = std::max(largest, vertices[v].lpNorm<Eigen::Infinity>());
  exponent_ = largest > 0 ? std::ilogb(largest) : 0;
  reach_ = 2 * largest;
  std::iota(order_.begin(), order_.end(), 0u);
  Divider(vertices, faces, exponent_, order_, nodes_.get()).divide_all(vertices, faces);
  for (std::uint32_t i = 0; i < size_; ++i) {
    nodes_[i].first = coordinates_size_;
    coordinates_size_ += nodes_[i].is_leaf() ? 3 * 4 : 3 * max_vertices;
  }
  make_boxes();
  coordinates_.reset(new double[coordinates_size_]);  // without values: pages are used when visited
}

// Children come after their parents.
void HullTree::make_boxes() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto below = [](double x) {
    const auto rounded = static_cast<float>(x);
    return double(rounded) > x ? std::nextafter(rounded, -inf) : rounded;
  };
  boxes_.resize(size_);
  for (std::uint32_t i = size_; i-- > 0;) {
    const HullNode& node = nodes_[i];
    Box& box = boxes_[i];
    box.child = node.child;
    box.face = node.face;
    for (std::size_t k = 0; k < 3; ++k) {
      if (node.is_leaf()) {
        const auto axis = static_cast<int>(k);
        const Face& face = faces_[node.face];
        const auto [least, most] = std::minmax(
            {vertices_[face[0]][axis], vertices_[face[1]][axis], vertices_[face[2]][axis]});
        box.lo[k] = below(least);
        box.hi[k] = -below(-most);
      } else {
        const Box &a = boxes_[node.child], &b = boxes_[node.child + 1];
        box.lo[k] = std::min(a.lo[k], b.lo[k]);
        box.hi[k] = std::max(a.hi[k], b.hi[k]);
      }
    }
  }
}

std::size_t HullTree::bytes() const {
  return size_ * (sizeof(HullNode) + sizeof(Box)) + coordinates_size_ * sizeof(double) +
         order_.size() * sizeof(order_[0]);
}

void HullTree::bound(std::uint32_t i) const {
  const FloatEnvironment environment;
  const std::scoped_lock lock((*being_bounded_)[i % being_bounded_->size()]);
  HullNode& node = nodes_[i];
  if (node.bounded.load(std::memory_order_relaxed)) return;

  const std::uint32_t* first = node.is_leaf() ? &node.face : &order_[node.face];
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * node.faces);
  for (std::uint32_t k = 0; k < node.faces; ++k)
    corners.insert(corners.end(), faces_[first[k]].begin(), faces_[first[k]].end());
  if (!node.is_leaf()) remove_duplicates(corners, vertices_.size());
  // Scales coordinates below 2. Small ones may underflow, by less than 2^-1074 each. The margins
  // and radii are above 2^-500 and cover that: see bounding_polytope.cpp. Scaling back up also
  // covers coordinates that become denormal: sqrt(3) * 2^-1075.
  std::vector<Vec3> points, scaled;
  for (const std::uint32_t v : corners) {
    points.push_back(vertices_[v]);
    scaled.push_back(vertices_[v].unaryExpr([&](double x) { return std::scalbn(x, -exponent_); }));
  }
  const auto back = [&](const Vec3& p) -> Vec3 {
    return p.unaryExpr([&](double x) { return std::scalbn(x, exponent_); });
  };
  const auto back_up = [&](double x) {
    return std::nextafter(std::scalbn(x, exponent_) + 0x1p-1072, HUGE_VAL);
  };
  const BoundingBall ball = bounding_ball(scaled);
  BoundingPolytope polytope = bounding_polytope(scaled, max_vertices);
  node.centre = back(ball.centre);
  node.radius = back_up(ball.radius);
  node.margin = polytope.margin == 0 ? 0 : back_up(polytope.margin);
  if (points.size() <= max_vertices)  // exact, even if scaling underflows
    polytope.vertices = points;
  else
    for (Vec3& v : polytope.vertices) v = back(v);
  for (const Vec3& v : polytope.vertices)
    if (v.lpNorm<Eigen::Infinity>() > reach_) {  // rare; this box is exact and within reach
      polytope.vertices = aligned_box(points);
      node.margin = 0;
      break;
    }
  node.vertices = static_cast<std::uint32_t>(polytope.vertices.size());
  for (std::uint32_t k = 0; k < node.stride(); ++k)
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      coordinates_[node.first + axis * node.stride() + k] =
          polytope.vertices[std::min(k, node.vertices - 1)][static_cast<Eigen::Index>(axis)];
  node.bounded.store(true, std::memory_order_release);
}

}  // namespace graze::rigid
