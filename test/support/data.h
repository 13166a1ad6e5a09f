#pragma once

#include <cstdlib>
#include <filesystem>

namespace graze::test {

// The real data with ground truth: $GRAZE_DATA, or ../shared/data seen from the project's root.
inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("GRAZE_DATA");
  return folder ? folder : "../shared/data";
}

}  // namespace graze::test

// First line of a test that needs the data.
#define GRAZE_SKIP_WITHOUT_DATA()                                 \
  if (!std::filesystem::is_directory(graze::test::data_folder())) \
  GTEST_SKIP() << "no data in " << graze::test::data_folder() << "; GRAZE_DATA names the folder"
