#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graze/impact.h"

namespace graze::io {

inline constexpr std::string_view impact_csv_header =
    "index,verdict,toi,toi_hi,u,v,nx,ny,nz,kind,reached_tol,checks\n";

// Returns one row per impact, numbered from `first_index`. `kind` is the ContactKind: unknown,
// interior, edge, vertex or coplanar. Numbers are the shortest that read back as the same double,
// or "inf" or "nan".
std::string format_impacts(std::span<const Impact> impacts, std::size_t first_index = 0);

// Writes header and rows, as records (impact_npy.h) if the extension is .npy. Throws FileError and
// then leaves no file behind.
void write_impacts(const std::filesystem::path& path, std::span<const Impact> impacts);

}  // namespace graze::io
