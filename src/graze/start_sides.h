#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/core/mesh.h"

namespace graze {

// The sides from which features in contact at the start of a step have come.
//
// Two features that touch at t = 0 may part to either side of each other, and nothing in the pair
// tells which one is through. Their neighbours do, where these lie on one side: the edges of a
// vertex in a face, the faces of two crossing edges.
class StartSides {
 public:
  explicit StartSides(const MovingMesh& moving);

  // Whether two features in contact at t = 0 go through each other at once.
  //   (1) True iff they touch inside of the face, or inside of both edges, not in parallel, leave
  //       their common plane at once, and leave it through each other: all ends of the vertex's
  //       edges that are not in the plane, at least one, are on the other side than the vertex goes
  //       to; third corners of the edges' faces likewise lie where the other edge goes to.
  //   (2) False for all other pairs: contact at a border, motion in the plane, no neighbours, or
  //       neighbours on both sides, which are through already. Signs are exact.
  bool go_through(PairKind kind, const Pair& pair) const;

 private:
  // The features at each vertex, in the order of vertices.
  struct Incidence {
    std::vector<std::uint32_t> first, features;

    template <class Feature>
    Incidence(std::size_t vertices, const std::vector<Feature>& corners);
    std::span<const std::uint32_t> at(std::uint32_t vertex) const {
      return std::span(features).subspan(first[vertex], first[vertex + 1] - first[vertex]);
    }
  };

  bool goes_through_face(std::uint32_t vertex, std::uint32_t face) const;
  bool go_through_each_other(std::uint32_t a, std::uint32_t b) const;

  MovingMesh moving_;
  Incidence edges_, faces_;
};

}  // namespace graze
