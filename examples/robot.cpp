#include <graze/io/robot_files.h>
#include <graze/rigid/robot.h>

#include <fstream>
#include <iostream>
#include <vector>

using namespace graze;

// An arm with one joint, as files that a robot would come with.
void write_files() {
  std::ofstream("panda.urdf") << R"(<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0 0 0.6"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>)";
  std::ofstream("panda.srdf")
      << R"(<robot name="arm"><disable_collisions link1="base" link2="hand"/></robot>)";
}

int main() {
  write_files();
  const rigid::RobotWorld world;  // no obstacles
  const std::vector<double> knots = {0, 1, -1}, from = {0, 1}, to = {0.1, 0.9};
  const io::RobotFile file = io::read_robot("panda.urdf", "panda.srdf");
  const rigid::Robot robot = rigid::make_robot(file.description);  // robot.problem() is ""
  const rigid::PathChecker checker(robot, world, {.margin = 0.005});
  const rigid::RobotCheck check = checker.check(rigid::straight_path(knots, robot.joints().size()));
  const auto edges = checker.check_edges(from, to);  // many edges, on all cores
  std::cout << robot.problem() << name(check.verdict) << ", " << edges.size() << " edges\n";
  return check.verdict == Verdict::separated && edges.size() == 2 ? 0 : 1;
}
