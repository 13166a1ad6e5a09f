#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graze/earliest_impact.h"
#include "graze/io/file_error.h"

namespace graze::io {

inline constexpr std::string_view contact_csv_header = "kind,a,b,toi,toi_hi,u,v,nx,ny,nz\n";

// One row per impact whose verdict is contact, in the order given. Features are numbered as Mesh
// says; numbers are the shortest that read back to the same double, or "nan".
std::string format_contacts(const Mesh& mesh, std::span<const StepImpact> impacts);

// Header and rows. Throws FileError and then leaves no file behind.
void write_contacts(const std::filesystem::path& path, const Mesh& mesh,
                    std::span<const StepImpact> impacts);

// Writes the queries of the pairs as FOLDER/vertex-face.npy and FOLDER/edge-edge.npy, the first
// followed by vertex-edge and vertex-vertex pairs as faces without area. Makes the folder where
// there is none; throws FileError.
void write_pair_queries(const std::filesystem::path& folder, const MovingMesh& moving,
                        const Pairs& pairs);

}  // namespace graze::io
