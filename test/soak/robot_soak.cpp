// robot_soak EDGES LONG_EDGES [SEED]: checks random edges of the robots of GRAZE_DATA, EDGES of 0.1
// radians and LONG_EDGES of 1 radian, alone and in three worlds. A judge that shares no code with
// the library samples each edge every 1e-3 radians, and every 1e-4 near the reported time; every
// free edge must have a proof that verify() accepts. Prints one row per robot and world; the exit
// code is 1 if an answer is wrong.
#include <cstdio>
#include <cstdlib>

#include "bench/suites/robot/robot_worlds.h"
#include "test/support/data.h"
#include "test/support/robot_judge.h"

namespace graze {
namespace {

struct Tally {
  std::size_t edges = 0, free = 0, contacts = 0, undecided = 0, missed = 0, late = 0, loose = 0,
              refuted = 0;
  bool is_clean() const { return missed + late + loose + refuted + undecided == 0; }
};

std::map<std::string, double> configuration(const rigid::Robot& robot,
                                            const rigid::Trajectory& edge, double s) {
  std::map<std::string, double> q;
  for (std::size_t j = 0; j < edge.joints; ++j)
    q[robot.joints()[j]] = edge.polynomial(0, j)[0] + s * edge.polynomial(0, j)[1];
  return q;
}

void check_edge(const bench::NamedRobot& robot, const rigid::RobotWorld& world,
                const rigid::PathChecker& checker, const rigid::RobotOptions& options,
                const test::RobotJudge& judge, const rigid::Trajectory& edge, double step,
                Tally& tally) {
  const rigid::RobotCheck check = checker.check(edge);
  ++tally.edges;
  const auto meets = [&](double s) {
    return judge.at(configuration(robot.robot, edge, s), 0, 0).meets;
  };
  const bool free = check.verdict == Verdict::separated;
  const double end = free ? 1 : check.s, stride = 1e-3 / step;
  bool wrong = false;
  for (double s = 0; s < end && !wrong; s += stride) wrong = meets(s);
  for (double s = std::max(end - 10 * stride, 0.0); !free && s < end && !wrong; s += 0.1 * stride)
    wrong = meets(s);
  if (free) wrong = wrong || meets(1);
  if (check.verdict == Verdict::undecided) {
    ++tally.undecided;
  } else if (free) {
    ++tally.free;
    tally.missed += wrong;
    if (!rigid::verify(check.proof, robot.robot, edge, world, options).valid) ++tally.refuted;
  } else {
    ++tally.contacts;
    tally.late += wrong;
    const auto found = judge.at(configuration(robot.robot, edge, check.s), 0, 1e-3);
    // Cylinders are enclosed with an excess of 1e-4, and judged by a prism inside of them.
    const double excess = robot.name == "panda_primitives" ? 6e-4 : 0;
    tally.loose += !(found.lower <= 2 * options.threshold + excess);
  }
}

int run(std::size_t short_edges, std::size_t long_edges, std::uint64_t seed) {
  bool is_clean = true;
  std::printf("%-17s %-6s %6s %6s %8s %9s %6s %5s %6s %8s\n", "robot", "world", "edges", "free",
              "contacts", "undecided", "missed", "late", "loose", "refuted");
  for (const char* name : {"panda", "panda_primitives", "ur5"}) {
    const bench::NamedRobot robot = bench::read_named_robot(test::data_folder(), name);
    for (const char* place : {"none", "table", "shelf", "cage"}) {
      const rigid::RobotWorld world = bench::named_world(place, robot.robot);
      rigid::RobotOptions options;
      options.proof = true;
      const rigid::PathChecker checker(robot.robot, world, options);
      if (!checker.problem().empty()) {
        std::printf("%s %s: %s\n", name, place, checker.problem().c_str());
        return 1;
      }
      const test::RobotJudge judge(robot.file.description, world);
      Tally tally;
      for (const double step : {0.1, 1.0}) {
        const std::size_t count = ((step < 1 ? short_edges : long_edges) + 11) / 12;
        const bench::Edges edges = bench::random_edges(robot.robot, count, step, seed);
        const std::size_t joints = robot.robot.joints().size();
        for (std::size_t i = 0; i < count; ++i) {
          const auto row = [&](const std::vector<double>& from) {
            return std::vector<double>(from.begin() + std::ptrdiff_t(i * joints),
                                       from.begin() + std::ptrdiff_t((i + 1) * joints));
          };
          std::vector<double> ends = row(edges.from);
          const std::vector<double> to = row(edges.to);
          ends.insert(ends.end(), to.begin(), to.end());
          check_edge(robot, world, checker, options, judge, rigid::straight_path(ends, joints),
                     step, tally);
        }
      }
      std::printf("%-17s %-6s %6zu %6zu %8zu %9zu %6zu %5zu %6zu %8zu\n", name, place, tally.edges,
                  tally.free, tally.contacts, tally.undecided, tally.missed, tally.late,
                  tally.loose, tally.refuted);
      std::fflush(stdout);
      is_clean = is_clean && tally.is_clean();
    }
  }
  std::printf(is_clean ? "all answers are right\n" : "WRONG ANSWERS\n");
  return is_clean ? 0 : 1;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  return graze::run(number(1, 10000), number(2, 500), number(3, 1));
}
