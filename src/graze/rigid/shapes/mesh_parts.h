#pragma once

#include "graze/rigid/model/model.h"
#include "graze/rigid/model/parts.h"

namespace graze::rigid {

// The nodes of a hull tree as parts. The model is not owned.
class MeshParts final : public Parts {
 public:
  explicit MeshParts(const Model& model) : tree_(model.tree), faces_(model.faces.size()) {
    reach_ = tree_.reach();
  }

  std::uint32_t root() const override { return 0; }
  std::uint64_t size() const override { return tree_.size(); }
  std::uint64_t faces() const override { return faces_; }
  Part part(std::uint32_t i) const override {
    const HullNode& node = tree_.node(i);
    return {node.centre, node.radius, node.margin, node.is_leaf(), node.face};
  }
  std::uint32_t children(std::uint32_t i, Children& to) const override {
    to[0] = tree_.node(i).child;
    to[1] = to[0] + 1;
    return 2;
  }
  // The vertices are exact; the choice among them has the error dot_err(), below 4u times the sum
  // of the coordinates of n, which is at most 1.8.
  Vec3 extreme(std::uint32_t i, const Vec3& n) const override {
    const HullNode& node = tree_.node(i);
    return tree_.vertex(node, support(tree_, node, n).vertex);
  }

 private:
  const HullTree& tree_;
  std::uint64_t faces_;
};

// A model as parts: its own, or the nodes of its tree. The model is not owned.
class PartsOf {
 public:
  explicit PartsOf(const Model& model) : mesh_(model), parts_(model.parts.get()) {}
  const Parts& operator*() const { return parts_ ? *parts_ : mesh_; }

 private:
  MeshParts mesh_;
  const Parts* parts_;
};

}  // namespace graze::rigid
