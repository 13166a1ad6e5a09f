#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "terminal/report.h"

namespace graze::bench {

// Returns the folder of real data: the only one of `paths`, else the folder that GRAZE_DATA names,
// else an empty path. Throws std::invalid_argument for several paths or one that is not a folder.
std::filesystem::path real_data(const std::vector<std::filesystem::path>& paths);

// Returns folder / name, or an empty path where `folder` is empty: nothing exists there.
std::filesystem::path inside(const std::filesystem::path& folder,
                             const std::filesystem::path& name);

// Returns a table of the data that was not found.
report::Table missing_table(const std::vector<std::string>& missing);

}  // namespace graze::bench
