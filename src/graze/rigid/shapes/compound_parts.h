#pragma once

#include <memory>
#include <vector>

#include "graze/rigid/model/parts.h"
#include "graze/rigid/motion.h"

namespace graze::rigid {

// A child of a compound: the parts of a body, each enlarged by a radius, at a fixed placement.
struct CompoundChild {
  std::shared_ptr<const Parts> parts;
  double radius;
  Placement at;
};

// Returns the union of the children, at least one, as a tree of convex parts. The faces of the
// children are numbered one after the other. Null if there are more than 2^32 - 1 parts or faces.
std::shared_ptr<const Parts> compound(std::vector<CompoundChild> children);

}  // namespace graze::rigid
