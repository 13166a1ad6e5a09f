#include "graze/io/robot_files.h"
#include "test/fuzz/file.h"

// A robot that is read has links, and joints between them; everything else is a FileError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graze::fuzz::require;
  const graze::fuzz::MemoryFile file(graze::fuzz::text_of(data, size));
  graze::io::RobotFile robot;
  try {
    robot = graze::io::read_robot(file.name());
  } catch (const graze::io::FileError&) {
    return 0;
  }
  require(!robot.description.links.empty(), "a robot has links");
  require(robot.description.joints.size() + 1 == robot.description.links.size(),
          "joints make a tree of the links");
  require(!robot.files.empty() && robot.files[0] == file.name(), "the URDF is the first file");
  return 0;
}
