#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graze/io/file_error.h"
#include "graze/rigid/rigid_model.h"

namespace graze::io {

// Rigid models with their trees, as .grazehull files, so that preparing them is paid once. Binary,
// little-endian: a header of 88 bytes (magic, version, counts, size and reach), the arrays one
// after the other, and a checksum of all before it.
//   (1) What is written is read again bit for bit.
//   (2) A file that was cut short or damaged, is of another version, or does not hold a sound model
//       with a sound tree throws FileError: "file: offset N: reason". Memory stays in proportion to
//       the size of the file, whatever it claims.
// Checked are the mesh as by make_rigid_model, that the tree is one and has each triangle in one
// leaf, and that all of it lies in the balls; that polytopes contain their triangles rests on the
// checksum.
RigidModel read_hull(const std::filesystem::path& path);
RigidModel parse_hull(std::string_view bytes, std::string_view name);

// The model is valid. Throws FileError and then leaves no file behind.
void write_hull(const std::filesystem::path& path, const RigidModel& model);
std::string format_hull(const RigidModel& model);

// What the last 8 bytes hold, of all bytes before them.
std::uint64_t hull_checksum(std::string_view bytes);

}  // namespace graze::io
