#include "graze/io/robot_files.h"
#include "test/fuzz/file.h"

// The pairs of an SRDF that is read are links of the robot; everything else is a FileError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graze::fuzz::require;
  static const graze::fuzz::MemoryFile urdf(
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint>"
      "<joint name='bc' type='fixed'><parent link='b'/><child link='c'/></joint></robot>");
  const graze::fuzz::MemoryFile file(graze::fuzz::text_of(data, size));
  graze::io::RobotFile robot;
  try {
    robot = graze::io::read_robot(urdf.name(), file.name());
  } catch (const graze::io::FileError&) {
    return 0;
  }
  for (const auto& pair : robot.description.may_touch)
    for (const std::string& link : pair)
      require(link == "a" || link == "b" || link == "c", "pairs name links of the robot");
  return 0;
}
