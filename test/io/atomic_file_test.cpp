#include "graze/io/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "graze/io/file_error.h"
#include "graze/io/mapped_file.h"
#include "test/support/scratch_folder.h"

namespace graze::io::atomic_file_test {
namespace {

class AtomicFileTest : public test::ScratchFolder {};

TEST_F(AtomicFileTest, AppearsOnCommitOnly) {
  const auto path = folder / "a";
  AtomicFile file(path);
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(exists(path));
  EXPECT_EQ(files(), 1u);
  file.commit();
  EXPECT_EQ(MappedFile(path).bytes(), "one two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutACommit) {
  AtomicFile(folder / "a").write("half");
  EXPECT_EQ(files(), 0u);
}

TEST_F(AtomicFileTest, KeepsTheOldFileUntilTheCommit) {
  const auto path = folder / "a";
  write_file(path, "old");
  AtomicFile(path).write("half");
  EXPECT_EQ(MappedFile(path).bytes(), "old");
  write_file(path, "new");
  EXPECT_EQ(MappedFile(path).bytes(), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, TwoWritersOfOneNameDoNotInterfere) {
  const auto path = folder / "a";
  AtomicFile first(path), second(path);
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(MappedFile(path).bytes(), "first");
  second.commit();
  EXPECT_EQ(MappedFile(path).bytes(), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFileTest, ReplacesTheFileBehindALink) {
  write_file(folder / "a", "old");
  std::filesystem::create_symlink(folder / "a", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(is_symlink(folder / "link"));
  EXPECT_EQ(MappedFile(folder / "a").bytes(), "new");
}

// A link of /proc to a file that was removed: the file exists, but its path cannot be resolved.
TEST_F(AtomicFileTest, ThrowsFileErrorIfALinkCannotBeResolved) {
  const auto path = folder / "a";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(descriptor, 0);
  std::filesystem::remove(path);
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  if (std::filesystem::is_regular_file(link)) {
    try {
      AtomicFile file(link);
      FAIL() << "no exception";
    } catch (const FileError& error) {
      EXPECT_EQ(error.what(), link + ": cannot be written: No such file or directory");
    }
  }
  ::close(descriptor);
}

TEST_F(AtomicFileTest, WritesDevicesDirectly) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(is_character_file(std::filesystem::path("/dev/null")));
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_THROW(write_file("/dev/full", "too much"), FileError);
    EXPECT_TRUE(is_character_file(std::filesystem::path("/dev/full")));
  }
}

}  // namespace
}  // namespace graze::io::atomic_file_test
