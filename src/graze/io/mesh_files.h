#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "graze/core/mesh.h"
#include "graze/io/file_error.h"

namespace graze::io {

// What a mesh file holds.
struct MeshFrame {
  Mesh mesh;
  std::vector<Vec3> positions;
};

using graze::MeshMotion;

// Reads a mesh file; the extension, in either case, names its format:
//   .ply  ASCII, binary of both byte orders, all types of numbers; faces, and edges as rods
//   .obj  vertices, faces, and lines as rods; all else is skipped
//   .off  ASCII, also with colours, normals or texture coordinates, which are skipped
//   .stl  ASCII and binary; corners at the same place become one vertex, with the bits of the first
//   (1) Coordinates keep the bits of their type, as far as a double holds them (all but a
//       signalling NaN of 32 bits); text becomes the nearest number of the type the file names.
//   (2) Polygons become fans of triangles around their first corner, also where they are not
//   convex:
//       triangles of a polygon that is not seen whole from there fold over each other. The order of
//       vertices and faces is that of the file.
//   (3) A file that breaks its format, is cut short, names vertices that are not there or claims a
//       size it does not have throws FileError: "file:line: reason", or "file: offset N: reason" in
//       binary parts. Memory stays in proportion to the size of the file, whatever it claims.
MeshFrame read_mesh(const std::filesystem::path& path);

// Does the extension name one of these formats?
bool is_mesh_file(const std::filesystem::path& path);

// Throws FileError, naming the second file, when two frames are not of the same mesh; says what
// differs.
void require_same_mesh(const std::filesystem::path& first_path, const Mesh& first,
                       const std::filesystem::path& second_path, const Mesh& second);

// Reads two frames of one mesh; throws FileError also when it is not the same in both. STL has no
// numbering of its own, so that two frames in it rarely agree.
MeshMotion read_motion(const std::filesystem::path& start, const std::filesystem::path& end);

// Writes what read_mesh() gives back bit for bit: .ply binary, .obj with the shortest numbers that
// read back the same, where NaN and infinity are an error. Throws FileError and then leaves no file
// behind.
void write_mesh(const std::filesystem::path& path, const Mesh& mesh,
                std::span<const Vec3> positions);

}  // namespace graze::io
