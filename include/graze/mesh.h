#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "graze/query.h"
#include "graze/vec3.h"

namespace graze {

using Edge = std::array<std::uint32_t, 2>;  // two vertices, the smaller index first
using Face = std::array<std::uint32_t, 3>;  // three vertices

// The connectivity of a mesh of triangles, rods and points. Positions are stored elsewhere, so one
// mesh serves all frames. Build it with make_mesh().
//
// Files and the command line number all features together: vertex v has the number v, edge e has
// vertex_count + e, face f has vertex_count + edges.size() + f.
struct Mesh {
  // The largest number of vertices of a mesh.
  static constexpr std::size_t max_vertices = std::size_t{1} << 30;

  std::size_t vertex_count = 0;
  // Sides of faces and rods, each once, sorted by larger vertex, then by smaller vertex.
  std::vector<Edge> edges;
  std::vector<Face> faces;            // in the order given to make_mesh()
  std::vector<std::uint32_t> rods;    // indices of edges that are not a side of a face, ascending
  std::vector<std::uint32_t> points;  // vertices without an edge, ascending

  // Returns the number of an edge in files and on the command line.
  std::size_t edge_id(std::size_t edge) const { return vertex_count + edge; }
  // Returns the number of a face in files and on the command line.
  std::size_t face_id(std::size_t face) const { return vertex_count + edges.size() + face; }

  bool operator==(const Mesh&) const = default;
};

// Returns the mesh of the given faces and rods: finds the edges, rods and points and sorts them.
// Rods may be given in any order, with either end first, more than once, or as sides of faces. A
// face that names a vertex twice has no edge between the two.
// Precondition: vertex_count <= Mesh::max_vertices, and every vertex is below vertex_count.
// Cost: O(n log n) for n faces and rods.
Mesh make_mesh(std::size_t vertex_count, std::vector<Face> faces,
               const std::vector<Edge>& rods = {});

// The index that stands for "no such edge".
inline constexpr std::uint32_t no_edge = std::numeric_limits<std::uint32_t>::max();
// Returns the index in mesh.edges of each edge, given with either end first; no_edge if the mesh
// has no such edge. It maps the edges of a caller to those of make_mesh(). Cost: O(log n) for each,
// for a mesh of n edges.
std::vector<std::uint32_t> edge_indices(const Mesh& mesh, std::span<const Edge> edges);

// Two features of a mesh by their indices a and b: a vertex and a face, a vertex and an edge, two
// edges, or two vertices. Of two edges or two vertices the smaller index comes first.
struct Pair {
  std::uint32_t a, b;
  auto operator<=>(const Pair&) const = default;
};

// The numbers of vertices, edges and faces of a mesh.
struct FeatureCounts {
  std::size_t vertices = 0, edges = 0, faces = 0;
};

// Returns the numbers of the two features in files and on the command line (see Mesh).
std::array<std::size_t, 2> feature_ids(const FeatureCounts& counts, Kind kind, const Pair& pair);
std::array<std::size_t, 2> feature_ids(const Mesh& mesh, Kind kind, const Pair& pair);

// A mesh whose vertices move on straight lines from `start` (t = 0) to `end` (t = 1).
//
// A view: it owns neither the mesh nor the positions, and both must outlive it. OwnedMotion is the
// owning form.
struct MovingMesh {
  const Mesh& mesh;
  std::span<const Vec3> start, end;  // mesh.vertex_count positions each

  // Returns the query of a vertex and a face.
  VertexFace vertex_face(std::size_t vertex, std::size_t face) const {
    const Face& f = mesh.faces[face];
    return {{start[vertex], start[f[0]], start[f[1]], start[f[2]]},
            {end[vertex], end[f[0]], end[f[1]], end[f[2]]}};
  }
  // Returns the query of two edges.
  EdgeEdge edge_edge(std::size_t edge_a, std::size_t edge_b) const {
    const Edge &a = mesh.edges[edge_a], &b = mesh.edges[edge_b];
    return {{start[a[0]], start[a[1]], start[b[0]], start[b[1]]},
            {end[a[0]], end[a[1]], end[b[0]], end[b[1]]}};
  }
  // Returns the query of a vertex and an edge.
  VertexEdge vertex_edge(std::size_t vertex, std::size_t edge) const {
    const Edge& e = mesh.edges[edge];
    return {{start[vertex], start[e[0]], start[e[1]]}, {end[vertex], end[e[0]], end[e[1]]}};
  }
  // Returns the query of two vertices.
  VertexVertex vertex_vertex(std::size_t a, std::size_t b) const {
    return {{start[a], start[b]}, {end[a], end[b]}};
  }
};

// A mesh whose vertices move on curves (Curve): points[i] holds point i of every vertex, for i <
// point_count(curve). A view: it owns neither the mesh nor the points, and all must outlive it.
struct CurvedMesh {
  const Mesh& mesh;
  Curve curve = Curve::line;
  std::array<std::span<const Vec3>, 4> points = {};  // mesh.vertex_count points each

  // Returns the mesh that moves from one position to another with these velocities at its ends, in
  // lengths per step.
  static CurvedMesh hermite(const Mesh& mesh, std::span<const Vec3> start,
                            std::span<const Vec3> start_velocity, std::span<const Vec3> end,
                            std::span<const Vec3> end_velocity) {
    return {mesh, Curve::hermite, {start, start_velocity, end_velocity, end}};
  }

  // Returns the query of a vertex and a face.
  Curved<VertexFace> vertex_face(std::size_t vertex, std::size_t face) const {
    const Face& f = mesh.faces[face];
    return query<VertexFace>(
        std::array{vertex, std::size_t{f[0]}, std::size_t{f[1]}, std::size_t{f[2]}});
  }
  // Returns the query of two edges.
  Curved<EdgeEdge> edge_edge(std::size_t edge_a, std::size_t edge_b) const {
    const Edge &a = mesh.edges[edge_a], &b = mesh.edges[edge_b];
    return query<EdgeEdge>(std::array{a[0], a[1], b[0], b[1]});
  }
  // Returns the query of a vertex and an edge.
  Curved<VertexEdge> vertex_edge(std::size_t vertex, std::size_t edge) const {
    const Edge& e = mesh.edges[edge];
    return query<VertexEdge>(std::array{vertex, std::size_t{e[0]}, std::size_t{e[1]}});
  }
  // Returns the query of two vertices.
  Curved<VertexVertex> vertex_vertex(std::size_t a, std::size_t b) const {
    return query<VertexVertex>(std::array{a, b});
  }

 private:
  template <Query Q, class Index, std::size_t size>
  Curved<Q> query(const std::array<Index, size>& vertices) const {
    Curved<Q> result{curve, {}};
    for (std::size_t i = 0; i < point_count(curve); ++i)
      for (std::size_t c = 0; c < size; ++c) result.points[i][c] = points[i][vertices[c]];
    return result;
  }
};

// Four corners; x1 - x0, x2 - x0, x3 - x0 are right-handed, so that the volume is positive.
using Tetrahedron = std::array<std::uint32_t, 4>;

// A solid of tetrahedra (tets) whose corners are indices of positions.
struct TetMesh {
  std::vector<Vec3> positions;
  std::vector<Tetrahedron> tets;
};

// A mesh and its positions at the start (t = 0) and at the end (t = 1), with their storage;
// moving() is a view of it.
struct OwnedMotion {
  Mesh mesh;
  std::vector<Vec3> start, end;

  MovingMesh moving() const { return {mesh, start, end}; }
};

// Positions of vertices at one moment, as an argument of functions that accept many kinds of
// arrays: spans and vectors of 3-vectors, and Eigen matrices with three columns, of doubles or of
// floats.
//   (1) Doubles that lie one vertex after the other (a span or vector of Vec3, a row-major n x 3
//       matrix, a Map of a C-ordered NumPy array) are viewed without a copy and must outlive this
//       object.
//   (2) All other arrays are copied once, into memory that copies of this object share. Floats are
//       widened to doubles, which is exact.
// A matrix whose number of columns is not 3 has no rows.
class Positions {
 public:
  Positions(std::span<const Vec3> rows) : rows_(rows) {}
  Positions(const std::vector<Vec3>& rows) : rows_(rows) {}
  Positions(std::span<const Eigen::Vector3f> rows);
  Positions(const std::vector<Eigen::Vector3f>& rows)
      : Positions(std::span<const Eigen::Vector3f>(rows)) {}
  template <class Derived>
  Positions(const Eigen::MatrixBase<Derived>& matrix) {
    using Scalar = typename Derived::Scalar;
    static_assert(std::is_same_v<Scalar, double> || std::is_same_v<Scalar, float>,
                  "positions are doubles or floats");
    static_assert(Derived::ColsAtCompileTime == 3 || Derived::ColsAtCompileTime == Eigen::Dynamic,
                  "a matrix of positions has three columns");
    if (matrix.cols() != 3) return;
    const auto count = static_cast<std::size_t>(matrix.rows());
    if constexpr (std::is_same_v<Scalar, double> && bool(Derived::Flags & Eigen::DirectAccessBit) &&
                  bool(Derived::IsRowMajor)) {
      if (matrix.derived().innerStride() == 1 && matrix.derived().outerStride() == 3) {
        rows_ = {reinterpret_cast<const Vec3*>(matrix.derived().data()), count};
        return;
      }
    }
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
    Eigen::Map<Rows>(allocate(count), matrix.rows(), 3) = matrix.template cast<double>();
  }

  // The positions, valid as long as this object, or a copy of it, and the array it views.
  std::span<const Vec3> rows() const { return rows_; }

 private:
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && alignof(Vec3) == alignof(double));

  double* allocate(std::size_t count);  // 3 * count doubles, viewed by rows_

  std::shared_ptr<std::vector<Vec3>> copy_;
  std::span<const Vec3> rows_;
};

}  // namespace graze
