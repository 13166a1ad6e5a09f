#include "graze/rigid/model/hull_tree.h"

#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graze/core/numeric/float_environment.h"
#include "graze/rigid/model/bounding_polytope.h"

namespace graze::rigid {
namespace {

constexpr std::size_t grain = 64;

class Builder {
 public:
  Builder(std::span<const Vec3> vertices, std::span<const Face> faces)
      : original_(vertices),
        faces_(faces),
        points_(vertices.begin(), vertices.end()),
        order_(faces.size()) {
    double largest = 0;
    for (const Face& face : faces)
      for (const std::uint32_t v : face)
        largest = std::max(largest, vertices[v].lpNorm<Eigen::Infinity>());
    // Scales coordinates below 2. Small ones may underflow, by less than 2^-1074 each. The margins
    // and radii are above 2^-500 and cover that: see bounding_polytope.cpp.
    exponent_ = largest > 0 ? std::ilogb(largest) : 0;
    for (Vec3& p : points_)
      for (double& x : p) x = std::scalbn(x, -exponent_);
    centroids_.reserve(faces.size());
    for (const Face& f : faces)
      centroids_.push_back((points_[f[0]] + points_[f[1]] + points_[f[2]]) / 3);
    std::iota(order_.begin(), order_.end(), 0u);
  }

  HullTree build() {
    HullTree tree;
    tree.nodes.resize(2 * faces_.size() - 1);
    divide(tree, 0, 1, 0, static_cast<std::uint32_t>(faces_.size()));
    std::vector<BoundingPolytope> polytopes(tree.nodes.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, polytopes.size(), grain),
                      [&](const auto& range) {
                        const FloatEnvironment environment;
                        for (std::size_t i = range.begin(); i < range.end(); ++i)
                          bound(tree.nodes[i], polytopes[i]);
                      });
    pack(tree, polytopes);
    return tree;
  }

 private:
  // Fills node `at`, whose triangles are order_[begin, end), and its descendants, which are stored
  // from index `free` on.
  void divide(HullTree& tree, std::uint32_t at, std::uint32_t free, std::uint32_t begin,
              std::uint32_t end) {
    HullNode& node = tree.nodes[at];
    node.faces = end - begin;
    node.face = node.faces == 1 ? order_[begin] : begin;
    node.child = node.faces == 1 ? 0 : free;
    if (node.faces == 1) return;
    const std::uint32_t middle = split(begin, end);
    divide(tree, free, free + 2, begin, middle);
    divide(tree, free + 1, free + 2 * (middle - begin), middle, end);
  }

  // Divides order_[begin, end) across the direction of largest spread, in the middle of its extent,
  // with at least a quarter of the triangles on each side. Returns the index of the cut.
  // docs/rigid-models.md compares other ways.
  std::uint32_t split(std::uint32_t begin, std::uint32_t end) {
    const std::span<std::uint32_t> faces(order_.data() + begin, end - begin);
    Vec3 mean = Vec3::Zero();
    for (const std::uint32_t f : faces) mean += centroids_[f];
    mean /= static_cast<double>(faces.size());
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const std::uint32_t f : faces)
      spread += (centroids_[f] - mean) * (centroids_[f] - mean).transpose();
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(spread);
    const Vec3 widest = solver.eigenvectors().col(2);
    const Vec3 axis = widest.allFinite() ? widest : Vec3::UnitX();
    const auto key = [&](std::uint32_t f) { return axis.dot(centroids_[f]); };
    std::sort(faces.begin(), faces.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(key(a), a) < std::pair(key(b), b);
    });
    const double middle = 0.5 * (key(faces.front()) + key(faces.back()));
    const auto cut = std::partition_point(faces.begin(), faces.end(),
                                          [&](std::uint32_t f) { return key(f) < middle; });
    const std::uint32_t least = std::max((end - begin) / 4, 1u);
    return std::clamp(begin + static_cast<std::uint32_t>(cut - faces.begin()), begin + least,
                      end - least);
  }

  void bound(HullNode& node, BoundingPolytope& polytope) const {
    const std::uint32_t* first = node.is_leaf() ? &node.face : &order_[node.face];
    std::vector<std::uint32_t> corners;
    for (std::uint32_t i = 0; i < node.faces; ++i)
      for (const std::uint32_t v : faces_[first[i]]) corners.push_back(v);
    if (!node.is_leaf()) {
      std::sort(corners.begin(), corners.end());
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    }
    std::vector<Vec3> points;
    points.reserve(corners.size());
    for (const std::uint32_t v : corners) points.push_back(points_[v]);
    const BoundingBall ball = bounding_ball(points);
    polytope = bounding_polytope(points, HullTree::max_vertices);
    node.centre = scaled_back(ball.centre);
    node.radius = scaled_back_up(ball.radius);
    node.margin = polytope.margin == 0 ? 0 : scaled_back_up(polytope.margin);
    if (points.size() <= HullTree::max_vertices)  // exact, even if scaling underflows
      std::transform(corners.begin(), corners.end(), polytope.vertices.begin(),
                     [&](std::uint32_t v) { return original_[v]; });
    else
      for (Vec3& v : polytope.vertices) v = scaled_back(v);
  }

  void pack(HullTree& tree, std::span<const BoundingPolytope> polytopes) const {
    for (std::size_t i = 0; i < polytopes.size(); ++i) {
      HullNode& node = tree.nodes[i];
      const std::vector<Vec3>& v = polytopes[i].vertices;
      node.vertices = static_cast<std::uint32_t>(v.size());
      node.count = (node.vertices + 3) / 4 * 4;
      node.first = static_cast<std::uint32_t>(tree.coordinates.size());
      for (int k = 0; k < 3; ++k)
        for (std::uint32_t j = 0; j < node.count; ++j) {
          const double x = v[std::min(j, node.vertices - 1)][k];
          tree.coordinates.push_back(x);
          tree.reach = std::max(tree.reach, std::abs(x));
        }
    }
  }

  Vec3 scaled_back(Vec3 p) const {
    for (double& x : p) x = std::scalbn(x, exponent_);
    return p;
  }
  // Rounds up. Also covers the error of coordinates that become denormal: sqrt(3) * 2^-1075.
  double scaled_back_up(double x) const {
    return std::nextafter(std::scalbn(x, exponent_) + 0x1p-1072, HUGE_VAL);
  }

  std::span<const Vec3> original_;
  std::span<const Face> faces_;
  std::vector<Vec3> points_, centroids_;
  std::vector<std::uint32_t> order_;
  int exponent_ = 0;
};

}  // namespace

HullTree make_hull_tree(std::span<const Vec3> vertices, std::span<const Face> faces) {
  return Builder(vertices, faces).build();
}

}  // namespace graze::rigid
