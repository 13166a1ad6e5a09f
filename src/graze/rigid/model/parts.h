#pragma once

#include <array>
#include <cstdint>

#include "graze/vec3.h"

namespace graze::rigid {

// A convex part of a body and a ball that contains it, in body coordinates.
struct Part {
  Vec3 centre;
  double radius;
  double margin;       // length: see Parts::extreme(); 0 for a leaf
  bool leaf;           // the part is a piece of the body itself; otherwise it bounds pieces
  std::uint32_t face;  // of a leaf: the index that results report
};

// A body as a tree of convex parts. The body is the union of the leaves, and the part of every
// other node contains its children. Immutable.
class Parts {
 public:
  using Children = std::array<std::uint32_t, 4>;

  virtual ~Parts() = default;
  virtual std::uint32_t root() const = 0;
  virtual std::uint64_t size() const = 0;   // every index of a part is below it
  virtual std::uint64_t faces() const = 0;  // Part::face is below it
  virtual Part part(std::uint32_t i) const = 0;
  // Stores the children of part i, which is no leaf, and returns their number, at most 4.
  virtual std::uint32_t children(std::uint32_t i, Children& to) const = 0;

  // Returns the point p of part i that is extreme along n, of length 1 up to rounding.
  //   (1) n.x <= n.p + margin + err |n| for all x of the part, in real arithmetic.
  //   (2) p lies within err of the part, if it is a leaf.
  // err is 16u reach(), u = 2^-53.
  virtual Vec3 extreme(std::uint32_t i, const Vec3& n) const = 0;

  double reach() const { return reach_; }     // no coordinate of a part is larger in size
  bool is_curved() const { return curved_; }  // a leaf is no polytope

 protected:
  double reach_ = 0;
  bool curved_ = false;
};

}  // namespace graze::rigid
