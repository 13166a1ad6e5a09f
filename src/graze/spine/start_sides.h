#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze {

// The sides on which features that touch at the start of a step lay before it.
//
// Two features that touch at t = 0 may part to either side of each other, and the pair alone does
// not show for which side they pass through each other. The neighbours show it if they all lie on
// one side: the edges of a vertex that lies in a face, the faces of two crossing edges.
class StartSides {
 public:
  explicit StartSides(const MovingMesh& moving);

  // Returns whether two features in contact at t = 0 pass through each other at once.
  //   (1) True if and only if the features touch in the interior of the face, or in the interior of
  //       both edges without being parallel, leave their common plane at once, and move away from
  //       the side of their neighbours: all neighbours that are not in the plane, at least one, lie
  //       on the side from which the feature comes. For a vertex the neighbours are the other ends
  //       of its edges, on the side opposite to its motion. For two edges they are the third
  //       corners of their faces; those of one edge lie on the side to which the other edge moves.
  //   (2) False for all other pairs: contact at a border, motion in the plane, no neighbours, or
  //       neighbours on both sides, which already intersect. Signs are exact.
  bool go_through(Kind kind, const Pair& pair) const;

 private:
  // The features at each vertex: those of vertex v are features[first[v]] to
  // features[first[v+1]-1].
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
