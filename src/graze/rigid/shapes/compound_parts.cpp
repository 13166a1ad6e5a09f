#include "graze/rigid/shapes/compound_parts.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "graze/core/numeric/strict_arithmetic.h"

namespace graze::rigid {
namespace {

// Indices of parts: first the inner nodes of a binary tree over the children, then the parts of the
// first child, of the second, and so on. With one child there is no inner node.
//
// An inner node is a ball: extreme() is its centre, and its radius is the margin.
//
// The part of a child with parts x of reach c, the radius r and the place R x + o is R x + o + r
// times a unit ball. Rounding, with u = 2^-53: extreme() of the child has the error 16u c; R is
// known up to 8u in each entry, so that R x + o errs by 40u c + 2u |o|; turning n into the
// coordinates of the child errs by 16u, which shifts the maximum by 32u c; r n/|n| errs by 6u r.
// The sum is below 128u (c + r) + 2u |o|, which is less than 16u reach() with the reach below.
class Compound final : public Parts {
 public:
  explicit Compound(std::vector<CompoundChild> children) : children_(std::move(children)) {
    std::vector<Ball> balls;
    for (const CompoundChild& child : children_) {
      const Part root = child.parts->part(child.parts->root());
      balls.push_back({child.at * root.centre, enlarged(root.radius + child.radius, child)});
      reach_ = std::max(reach_, reach_of(child));
      curved_ = curved_ || child.parts->is_curved() || child.radius > 0;
    }
    std::vector<std::uint32_t> order(children_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::uint64_t index = children_.size() - 1, face = 0;  // of the first part and face of a child
    for (const CompoundChild& child : children_) {
      first_.push_back(static_cast<std::uint32_t>(index));
      first_face_.push_back(static_cast<std::uint32_t>(face));
      index += child.parts->size();
      face += child.parts->faces();
    }
    size_ = index;
    faces_ = face;
    root_ = divide(order, balls);
  }

  std::uint32_t root() const override { return root_; }
  std::uint64_t size() const override { return size_; }
  std::uint64_t faces() const override { return faces_; }

  Part part(std::uint32_t i) const override {
    if (i < nodes_.size()) {
      const Ball& ball = nodes_[i].ball;
      return {ball.centre, ball.radius, ball.radius, false, 0};
    }
    const std::size_t c = child_of(i);
    const CompoundChild& child = children_[c];
    Part part = child.parts->part(i - first_[c]);
    part.centre = child.at * part.centre;
    part.radius = enlarged(part.radius + child.radius, child);
    part.face += first_face_[c];
    return part;
  }

  std::uint32_t children(std::uint32_t i, Children& to) const override {
    if (i < nodes_.size()) {
      to[0] = nodes_[i].children[0];
      to[1] = nodes_[i].children[1];
      return 2;
    }
    const std::size_t c = child_of(i);
    const std::uint32_t count = children_[c].parts->children(i - first_[c], to);
    for (std::uint32_t k = 0; k < count; ++k) to[k] += first_[c];
    return count;
  }

  Vec3 extreme(std::uint32_t i, const Vec3& n) const override {
    if (i < nodes_.size()) return nodes_[i].ball.centre;
    const std::size_t c = child_of(i);
    const CompoundChild& child = children_[c];
    const Vec3 core = child.parts->extreme(i - first_[c], child.at.rotation.transpose() * n);
    return child.at * core + child.radius * n.normalized();
  }

 private:
  struct Ball {
    Vec3 centre;
    double radius;
  };
  struct Node {
    Ball ball;
    std::array<std::uint32_t, 2> children;
  };

  static double reach_of(const CompoundChild& child) {
    return child.at.offset.cwiseAbs().maxCoeff() + 8 * (child.parts->reach() + child.radius);
  }
  // The radius of a ball around a rounded centre.
  static double enlarged(double radius, const CompoundChild& child) {
    return radius * (1 + 0x1p-48) + 0x1p-46 * reach_of(child);
  }

  std::size_t child_of(std::uint32_t i) const {
    return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), i) -
                                    first_.begin()) -
           1;
  }

  // Adds the nodes above some children and returns the index of the topmost part. Divides at the
  // median along the longest side of the box of the centres.
  std::uint32_t divide(std::span<std::uint32_t> order, std::span<const Ball> balls) {
    if (order.size() == 1) return first_[order[0]] + children_[order[0]].parts->root();
    Vec3 lo = balls[order[0]].centre, hi = lo;
    for (const std::uint32_t c : order) {
      lo = lo.cwiseMin(balls[c].centre);
      hi = hi.cwiseMax(balls[c].centre);
    }
    Ball around{lo / 2 + hi / 2, 0};
    for (const std::uint32_t c : order)
      around.radius =
          std::max(around.radius, (balls[c].centre - around.centre).stableNorm() + balls[c].radius);
    around.radius = around.radius * (1 + 0x1p-48) + 0x1p-48 * reach_;
    int axis = 0;
    (hi - lo).maxCoeff(&axis);
    const std::size_t half = order.size() / 2;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double x = balls[a].centre[axis], y = balls[b].centre[axis];
                       return x != y ? x < y : a < b;
                     });
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({around, {}});
    const std::uint32_t left = divide(order.first(half), balls);
    const std::uint32_t right = divide(order.subspan(half), balls);
    nodes_[node].children = {left, right};
    return node;
  }

  std::vector<CompoundChild> children_;
  std::vector<std::uint32_t> first_, first_face_;
  std::vector<Node> nodes_;
  std::uint64_t size_ = 0, faces_ = 0;
  std::uint32_t root_ = 0;
};

}  // namespace

std::shared_ptr<const Parts> compound(std::vector<CompoundChild> children) {
  constexpr std::uint64_t most = 0xffffffff;
  std::uint64_t parts = children.size(), faces = 0;
  for (const CompoundChild& child : children) {
    parts += child.parts->size();
    faces += child.parts->faces();
  }
  if (parts > most || faces > most) return nullptr;
  return std::make_shared<Compound>(std::move(children));
}

}  // namespace graze::rigid
