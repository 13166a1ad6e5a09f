#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace graze::test {

// A test fixture with an empty folder for each test, removed at the end of the test.
class ScratchFolder : public ::testing::Test {
 protected:
  ScratchFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(::testing::TempDir()) /
             (std::string("graze-") + test->test_suite_name() + "-" + test->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~ScratchFolder() override { std::filesystem::remove_all(folder); }

  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      count += static_cast<std::size_t>(entry.exists());
    return count;
  }

  std::filesystem::path folder;
};

}  // namespace graze::test
