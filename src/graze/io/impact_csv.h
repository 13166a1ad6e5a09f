#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "graze/core/impact.h"

namespace graze::io {

inline constexpr std::string_view impact_csv_header = "index,verdict,toi,toi_hi,u,v,checks\n";

// One row per impact, numbered from `first_index`. Numbers are the shortest that read back to the
// same double, or "inf" or "nan".
std::string format_impacts(std::span<const Impact> impacts, std::size_t first_index = 0);

// Header and rows. Throws FileError and then leaves no file behind.
void write_impacts(const std::filesystem::path& path, std::span<const Impact> impacts);

}  // namespace graze::io
