#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "graze/mesh.h"

namespace graze::rigid {

// The convex hull of a piece of a surface (decomposition.h), for searches from vertex to vertex.
//   (1) `points` are all vertices of the piece, each once; the ball contains them.
//   (2) Two vertices are neighbours if an edge of the hull or of the surface joins them. On a hull
//       that is computed without error, a vertex that no neighbour exceeds along n is extremal
//       along n. Rounding, and flat pieces, which have no hull, may break this rule.
class ConvexPiece {
 public:
  ConvexPiece(std::span<const Vec3> vertices, std::span<const Face> faces,
              std::vector<std::uint32_t> own);

  std::vector<Vec3> points;
  std::vector<std::uint32_t> faces;  // of the surface, ascending
  Vec3 centre;                       // of the ball
  double radius;

  // Returns a vertex whose value n.x is the largest of all points, in double arithmetic.
  std::uint32_t scan(const Vec3& n) const;
  // Returns a vertex that no neighbour exceeds along n: hill climbing from the vertex `start`.
  std::uint32_t climb(const Vec3& n, std::uint32_t start) const;
  // Returns the entry of the direction table that is closest to n, an extremal vertex along it.
  std::uint32_t look_up(const Vec3& n) const;

 private:
  static constexpr int cells = 3;  // of the table along each side of a cube around the origin

  void join_neighbours(std::span<const Face> surface, std::span<const std::uint32_t> vertices);
  void fill_table();

  std::vector<std::uint32_t> first_, next_;  // neighbours of v: next_[first_[v]] on
  std::vector<std::uint32_t> table_;         // empty if all vertices are neighbours
};

// The convex pieces of a mesh, made at first use, because only [Zhang 2006] Alg. 1 needs them.
class ConvexPieces {
 public:
  // Threads may share the object. The mesh is that of a valid model, the same at each call.
  const std::vector<ConvexPiece>& of(std::span<const Vec3> vertices, std::span<const Face> faces);

 private:
  std::once_flag made_;
  std::vector<ConvexPiece> pieces_;
};

}  // namespace graze::rigid
