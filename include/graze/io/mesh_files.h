#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "graze/io/file_error.h"
#include "graze/mesh.h"

// Files of triangle meshes and of tetrahedral meshes. In messages, vertices and faces count from 0,
// as in Mesh; a message about an index in a file states whether that format counts from 0 or 1.
namespace graze::io {

// The contents of a mesh file: a mesh and the positions of its vertices.
struct MeshFrame {
  Mesh mesh;
  std::vector<Vec3> positions;
};

using graze::OwnedMotion;

// Reads a mesh file. The extension, in either case, names the format:
//   .ply  ASCII and binary of both byte orders, all number types; faces, triangle strips (element
//         tristrips), and edges as rods
//   .obj  vertices, faces, and lines as rods; other statements and a first line of counts are
//         skipped
//   .off  ASCII; colours, normals and texture coordinates are skipped
//   .stl  ASCII and binary; corners with equal coordinates become one vertex, with the bits of the
//         first corner
//   (1) Coordinates keep the bits of their type, as far as a double holds them (all but a
//       signalling NaN of 32 bits). Text becomes the nearest number of the type that the file
//       names: overflow is an error, underflow gives zero.
//   (2) Polygons become fans of triangles around their first corner. The triangles of a polygon
//       that is not convex may overlap. Triangles of a strip that name a vertex twice are left out.
//       The order of vertices and faces is that of the file.
//   (3) Throws FileError, "file:line: reason" or, in binary parts, "file: offset N: reason", if the
//       file breaks its format, ends early, has an index out of range, claims a size that it does
//       not have, or holds no vertex. Memory is proportional to the size of the file, whatever the
//       file claims.
MeshFrame read_mesh(const std::filesystem::path& path);

// Returns whether the extension names one of these formats.
bool is_mesh_file(const std::filesystem::path& path);

// Throws FileError, which names the second file and the difference, if two frames are not of the
// same mesh.
void require_same_mesh(const std::filesystem::path& first_path, const Mesh& first,
                       const std::filesystem::path& second_path, const Mesh& second);

// Reads two frames of one mesh. Throws FileError if the meshes differ. STL files have no vertex
// numbering, so two frames in that format rarely agree.
OwnedMotion read_motion(const std::filesystem::path& start, const std::filesystem::path& end);

// Writes a mesh of at least one vertex, as .ply (binary) or .obj (shortest numbers). read_mesh()
// returns the same mesh and the same bits. NaN and infinity are an error in .obj. Throws FileError
// and then leaves no file behind.
void write_mesh(const std::filesystem::path& path, const Mesh& mesh,
                std::span<const Vec3> positions);

// Reads the tetrahedra of a Gmsh file (.msh, versions 4.0 and 4.1, ASCII).
//   (1) Vertices and tetrahedra keep the order of the file. Vertices of no tetrahedron are dropped.
//       Coordinates are the doubles nearest to the text. A tetrahedron of negative volume, computed
//       in doubles, has its last two corners exchanged.
//   (2) Points, lines, surfaces and sections other than nodes and elements are skipped. Volume
//       elements other than tetrahedra of four nodes are an error: the solid would have holes.
//   (3) Throws FileError, "file:line: reason", if the file breaks the format, ends early, has an
//       unknown or repeated node, a coordinate that is not finite, no tetrahedron, or claims a size
//       that it does not have. Memory is proportional to the size of the file, whatever the file
//       claims.
TetMesh read_tets(const std::filesystem::path& path);

// Writes a Gmsh file, version 4.1. read_tets() returns the same mesh and the same bits if every
// vertex belongs to a tetrahedron and all volumes are positive. NaN and infinity are an error.
// Throws FileError and then leaves no file behind.
void write_tets(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace graze::io
