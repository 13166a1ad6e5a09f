#pragma once

#include <cstdlib>
#include <filesystem>

namespace graze::test {

// Returns the folder of real data with ground truth that the environment variable GRAZE_DATA names;
// an empty path if it is unset.
inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("GRAZE_DATA");
  return folder ? folder : "";
}

}  // namespace graze::test

// Skips the test if there is no data. It must be the first line of a test that reads data_folder().
#define GRAZE_SKIP_WITHOUT_DATA()                                        \
  if (!std::filesystem::is_directory(graze::test::data_folder()))        \
  GTEST_SKIP() << "GRAZE_DATA must name the folder of real data; it is " \
               << graze::test::data_folder()
