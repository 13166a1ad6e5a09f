#include "terminal/data_folder.h"

#include <cstdlib>

namespace graze::command {

std::optional<std::filesystem::path> data_folder() {
  const char* folder = std::getenv("GRAZE_DATA");
  if (!folder || !*folder) return std::nullopt;
  return folder;
}

}  // namespace graze::command
