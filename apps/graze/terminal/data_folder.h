#pragma once

#include <filesystem>
#include <optional>

namespace graze::command {

// Returns the folder of the real data, as the environment variable GRAZE_DATA names it; nothing if
// the variable is not set or empty. The folder need not exist.
std::optional<std::filesystem::path> data_folder();

}  // namespace graze::command
