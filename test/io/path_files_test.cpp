#include <gtest/gtest.h>

#include <fstream>

#include "graze/io/robot_files.h"
#include "test/support/scratch_folder.h"

namespace graze::io::path_files_test {
namespace {

class PathFiles : public test::ScratchFolder {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(folder / "path.csv") << text;
    return folder / "path.csv";
  }
};

const std::string joints[] = {"a", "b"};
const std::pair<std::string, double> fixed[] = {{"b", 0.5}};

TEST_F(PathFiles, AFixedJointNeedsNoColumn) {
  const auto file = write("time,a,a:velocity\n0,1,2\n1,3,4\n");
  const JointPath path = read_path(file, joints, fixed);
  EXPECT_EQ(path.times, (std::vector<double>{0, 1}));
  EXPECT_EQ(path.configurations, (std::vector<double>{1, 0.5, 3, 0.5}));
  EXPECT_EQ(path.velocities, (std::vector<double>{2, 0, 4, 0}));
}

TEST_F(PathFiles, AFixedJointMustHaveNoColumnOfAnyKind) {
  for (const std::string column : {"b", "b:velocity", "b:acceleration"}) {
    const auto file = write("time,a," + column + "\n0,0,0\n1,0.5,-1e-3\n");
    try {
      read_path(file, joints, fixed);
      ADD_FAILURE() << column << " was accepted";
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find("joint \"b\" has a column and a fixed value"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace graze::io::path_files_test
