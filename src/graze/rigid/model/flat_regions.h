#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/mesh.h"
#include "graze/vec3.h"

namespace graze::rigid {

// A connected set of triangles in one plane, up to rounding.
using FlatRegion = std::vector<std::uint32_t>;  // faces

// Returns the flat regions of a surface of flat parts; every face is in one of them. Returns none
// if the surface is curved: if it has more than a quarter as many regions as faces. `normals` are
// of length 1, or 0; `centroids` are those of the faces.
std::vector<FlatRegion> flat_regions(std::span<const Face> faces, std::span<const Vec3> normals,
                                     std::span<const Vec3> centroids);

// Orders regions as the leaves of a tree, by the surface area heuristic, and returns for each inner
// node the number of regions of its first child. The nodes are listed from the root, each before
// its children, the first child before the second.
std::vector<std::uint32_t> divide_regions(std::vector<FlatRegion>& regions,
                                          std::span<const Face> faces,
                                          std::span<const Vec3> vertices);

}  // namespace graze::rigid
