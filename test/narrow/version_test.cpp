#include "graze/version.h"

#include <gtest/gtest.h>

#include <string>

namespace graze::version_test {
namespace {

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(version, GRAZE_PROJECT_VERSION);
}

TEST(Version, HasTheThreeNumbersOfTheMacros) {
  EXPECT_EQ(std::to_string(GRAZE_VERSION_MAJOR) + "." + std::to_string(GRAZE_VERSION_MINOR) + "." +
                std::to_string(GRAZE_VERSION_PATCH),
            version);
}

}  // namespace
}  // namespace graze::version_test
