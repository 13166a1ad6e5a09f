#include <pybind11/stl.h>

#include "arrays.h"
#include "graze/io/robot_files.h"
#include "graze/rigid/robot.h"

namespace graze::python {

namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

// Returns rows of one number per joint.
std::span<const double> joint_rows(const Rows& rows, const char* name, std::size_t joints) {
  if (rows.ndim() != 2 || static_cast<std::size_t>(rows.shape(1)) != joints)
    throw py::value_error(std::string(name) + ": expected shape (n, " + std::to_string(joints) +
                          "), got " + py::str(rows.attr("shape")).cast<std::string>());
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}
std::span<const double> numbers_of(const Rows& values, const char* name) {
  if (values.ndim() != 1) throw py::value_error(std::string(name) + ": expected shape (n,)");
  return {values.data(), static_cast<std::size_t>(values.size())};
}

// Most paths are decided within this number of checks, in a few milliseconds. A budget changes no
// answer that is found within it.
constexpr std::uint64_t few_checks = 4096;

// A robot in a world, with the number of its joints.
struct RobotScene {
  rigid::Robot robot;
  rigid::RobotWorld world;
  rigid::RobotOptions options;
  rigid::PathChecker checker, short_checker;  // the second one with few checks
  std::size_t joints;
};

RobotScene make_scene(
    const rigid::Robot& robot,
    const std::vector<std::tuple<std::string, rigid::Body, rigid::Motion>>& obstacles,
    const std::vector<std::array<std::string, 2>>& may_touch, double margin,
    const std::vector<std::tuple<std::string, std::string, double>>& margins, double threshold,
    std::uint64_t max_checks, bool joint_limits) {
  rigid::RobotWorld world;
  for (const auto& [name, body, motion] : obstacles) {
    world.names.push_back(name);
    world.bodies.push_back({body, motion});
  }
  world.may_touch = may_touch;
  rigid::RobotOptions options;
  options.margin = margin;
  for (const auto& [a, b, own] : margins) options.margins.push_back({a, b, own});
  options.threshold = threshold;
  options.max_checks = max_checks;
  options.joint_limits = joint_limits;
  rigid::RobotOptions few = options;
  if (max_checks == 0 || max_checks > few_checks) few.max_checks = few_checks;
  RobotScene scene{robot,
                   world,
                   options,
                   rigid::PathChecker(robot, world, options),
                   rigid::PathChecker(robot, world, few),
                   robot.joints().size()};
  if (!scene.checker.problem().empty()) throw py::value_error(scene.checker.problem());
  return scene;
}

rigid::Trajectory path_of(const RobotScene& scene, const Rows& configurations,
                          const std::optional<Rows>& times, const std::optional<Rows>& velocities,
                          const std::optional<Rows>& accelerations) {
  const auto knots = joint_rows(configurations, "configurations", scene.joints);
  std::span<const double> when, speeds, changes;
  if (times) when = numbers_of(*times, "times");
  if (velocities) speeds = joint_rows(*velocities, "velocities", scene.joints);
  if (accelerations) changes = joint_rows(*accelerations, "accelerations", scene.joints);
  if (accelerations && !velocities) throw py::value_error("accelerations need velocities");
  rigid::Trajectory path = velocities
                               ? rigid::smooth_path(knots, scene.joints, when, speeds, changes)
                               : rigid::straight_path(knots, scene.joints, when);
  if (path.pieces() == 0)
    throw py::value_error("configurations, times, velocities and accelerations do not fit");
  return path;
}

rigid::RobotCheck check_robot_path(const RobotScene& scene, const Rows& configurations,
                                   const std::optional<Rows>& times,
                                   const std::optional<Rows>& velocities,
                                   const std::optional<Rows>& accelerations, bool proof) {
  const rigid::Trajectory path = path_of(scene, configurations, times, velocities, accelerations);
  rigid::RobotCheck check;
  if (!proof) run_without_gil(0, 1, [&](const Run&) { check = scene.short_checker.check(path); });
  if (proof || (check.verdict == Verdict::undecided && check.checks > few_checks))
    run_without_gil(long_work, 1, [&](const Run& run) {
      rigid::RobotOptions options = scene.options;
      options.proof = true;
      check = proof ? rigid::check_path(scene.robot, path, scene.world, options, run.stop)
                    : scene.checker.check(path, run.stop);
    });
  if (check.verdict == Verdict::invalid) throw py::value_error(check.problem);
  return check;
}

rigid::ProofCheck verify_robot_path(const RobotScene& scene, const rigid::RobotProof& proof,
                                    const Rows& configurations, const std::optional<Rows>& times,
                                    const std::optional<Rows>& velocities,
                                    const std::optional<Rows>& accelerations) {
  const rigid::Trajectory path = path_of(scene, configurations, times, velocities, accelerations);
  const py::gil_scoped_release unlocked;
  return rigid::verify(proof, scene.robot, path, scene.world, scene.options);
}

// A proof as lists of tuples, in the order of the fields of rigid::RobotProof.
using PairTuple = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t, std::uint32_t,
                             std::uint32_t, double>;
using IntervalTuple =
    std::tuple<std::uint32_t, std::uint32_t, double, double, std::uint32_t, std::uint32_t,
               std::uint32_t, std::uint32_t, std::array<double, 3>>;

std::vector<PairTuple> pairs_of(const rigid::RobotProof& proof) {
  std::vector<PairTuple> pairs;
  for (const auto& p : proof.pairs)
    pairs.emplace_back(p.a, p.b, p.shape_a, p.shape_b, p.order_a, p.order_b, p.margin);
  return pairs;
}
std::vector<IntervalTuple> intervals_of(const rigid::RobotProof& proof) {
  std::vector<IntervalTuple> intervals;
  for (const auto& i : proof.intervals)
    intervals.emplace_back(i.pair, i.piece, i.s0, i.s1, i.a_begin, i.a_end, i.b_begin, i.b_end,
                           std::array{i.normal[0], i.normal[1], i.normal[2]});
  return intervals;
}
rigid::RobotProof make_proof(const std::vector<PairTuple>& pairs,
                             const std::vector<std::vector<std::uint32_t>>& orders,
                             const std::vector<IntervalTuple>& intervals) {
  rigid::RobotProof proof;
  for (const auto& [a, b, shape_a, shape_b, order_a, order_b, margin] : pairs)
    proof.pairs.push_back({a, b, shape_a, shape_b, order_a, order_b, margin});
  proof.orders = orders;
  for (const auto& [pair, piece, s0, s1, a0, a1, b0, b1, n] : intervals)
    proof.intervals.push_back({pair, piece, s0, s1, a0, a1, b0, b1, Vec3(n[0], n[1], n[2])});
  return proof;
}

// Returns the verdicts and, for edges in contact or undecided, the end of the free part; else inf.
py::tuple check_robot_edges(const RobotScene& scene, const Rows& start, const Rows& end,
                            int threads) {
  const auto from = joint_rows(start, "start", scene.joints);
  const auto to = joint_rows(end, "end", scene.joints);
  if (from.size() != to.size()) throw py::value_error("start and end have different lengths");
  std::vector<rigid::RobotCheck> checks;
  run_without_gil(long_work, threads,
                  [&](const Run& run) { checks = scene.checker.check_edges(from, to, run); });
  py::array_t<std::uint8_t> verdicts(static_cast<py::ssize_t>(checks.size()));
  py::array_t<double> ends(static_cast<py::ssize_t>(checks.size()));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    verdicts.mutable_data()[i] = static_cast<std::uint8_t>(checks[i].verdict);
    ends.mutable_data()[i] = checks[i].verdict == Verdict::separated ? Impact::inf : checks[i].s;
  }
  return py::make_tuple(verdicts, ends);
}

std::vector<std::string> strings(std::span<const std::string> list) {
  return {list.begin(), list.end()};
}
std::vector<double> doubles(std::span<const double> list) {
  return {list.begin(), list.end()};
}

}  // namespace

void add_robot(py::module_& module) {
  using namespace rigid;
  py::class_<Robot>(
      module, "Robot",
      R"(A robot of a URDF file: Robot(urdf, srdf=None, packages={}). Raises FileError if it cannot be used.

>>> import graze, os, tempfile
>>> file = os.path.join(tempfile.mkdtemp(), "arm.urdf")
>>> _ = open(file, "w").write('''<robot name="arm"><link name="base"/><link name="upper"><collision>
...   <geometry><sphere radius="0.1"/></geometry></collision></link>
...   <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/>
...   <limit lower="-1" upper="2" effort="1" velocity="1"/></joint></robot>''')
>>> robot = graze.rigid.Robot(file)
>>> robot
<graze.rigid.Robot: arm, 1 joint, 2 links>
>>> robot.joints, robot.lower, robot.upper, robot.links_without_shapes
(['turn'], [-1.0], [2.0], ['base']))")
      .def(py::init([](const std::string& urdf, const std::optional<std::string>& srdf,
                       const std::map<std::string, std::string>& packages) {
             const std::vector<std::pair<std::string, std::filesystem::path>> places(
                 packages.begin(), packages.end());
             const py::gil_scoped_release unlocked;
             const io::RobotFile file = io::read_robot(urdf, srdf.value_or(""), places);
             Robot robot = make_robot(file.description);
             if (!robot.problem().empty()) throw io::FileError(urdf, robot.problem());
             return robot;
           }),
           py::arg("urdf"), py::arg("srdf") = py::none(),
           py::arg("packages") = std::map<std::string, std::string>{},
           R"(Reads a robot: Robot(urdf, srdf=None, packages={}).

urdf      the URDF file
srdf      an SRDF file that lists pairs of links that are not tested
packages  folders by name, for package:// in names of meshes)")
      .def_property_readonly("name", &Robot::name, "The name of the robot.")
      .def_property_readonly(
          "joints", [](const Robot& robot) { return strings(robot.joints()); },
          "The names of the joints: the coordinates of a configuration, in order.")
      .def_property_readonly(
          "lower", [](const Robot& robot) { return doubles(robot.lower()); },
          "The lower limits of the joints, in radians or metres; -inf without a limit.")
      .def_property_readonly(
          "upper", [](const Robot& robot) { return doubles(robot.upper()); },
          "The upper limits of the joints, in radians or metres; inf without a limit.")
      .def_property_readonly(
          "links", [](const Robot& robot) { return strings(robot.links()); },
          "The names of all links.")
      .def_property_readonly("links_without_shapes", &Robot::links_without_shapes,
                             "The names of the links that have no shape and cannot touch.")
      .def(
          "attached",
          [](const Robot& robot, const std::string& name, const Body& body, const std::string& link,
             const Pose& pose, const std::vector<std::string>& may_touch) {
            Robot carrying = attached(robot, name, body, link, pose, may_touch);
            if (!carrying.problem().empty()) throw py::value_error(carrying.problem());
            return carrying;
          },
          "Returns the robot with a body that a link carries, such as a grasped part.\n\n"
          "pose       of the body, in the coordinates of the link\n"
          "may_touch  links that are not tested against the body",
          py::arg("name"), py::arg("body"), py::arg("link"), py::arg("pose") = Pose{},
          py::arg("may_touch") = std::vector<std::string>{})
      .def("__repr__", [](const Robot& robot) {
        return "<graze.rigid.Robot: " + robot.name() + ", " +
               counted(robot.joints().size(), "joint", "joints") + ", " +
               counted(robot.links().size(), "link", "links") + ">";
      });
  py::class_<RobotCheck>(module, "RobotCheck", "The answer for one path of a robot.")
      .def_property_readonly(
          "verdict",
          [](const RobotCheck& check) {
            return member("Verdict", static_cast<int>(check.verdict));
          },
          "The Verdict. separated: the path is proven free. contact or undecided: the free part "
          "ends at `piece` "
          "and `s`.")
      .def_readonly("piece", &RobotCheck::piece,
                    "The index of the piece of the path at which the free part ends.")
      .def_readonly("s", &RobotCheck::s,
                    "The fraction of that piece at which the free part ends, in [0, 1].")
      .def_readonly("time", &RobotCheck::time,
                    "The time at which the free part ends, in the unit of `times`.")
      .def_readonly("a", &RobotCheck::a, "The name of the link in contact, or not decided.")
      .def_readonly("b", &RobotCheck::b, "The name of the other link, or of the obstacle.")
      .def_property_readonly(
          "point_a", [](const RobotCheck& check) { return array_of(check.point_a); },
          "The closest point on a, (3,), in world coordinates.")
      .def_property_readonly(
          "point_b", [](const RobotCheck& check) { return array_of(check.point_b); },
          "The closest point on b, (3,), in world coordinates.")
      .def_readonly("distance", &RobotCheck::distance, "The distance of these points, a length.")
      .def_readonly("checks", &RobotCheck::checks, "The number of tests of two parts: the work.")
      .def_property_readonly(
          "proof",
          [](const RobotCheck& check) -> py::object {
            if (check.proof.pairs.empty()) return py::none();
            return py::cast(check.proof);
          },
          "The RobotProof of a free path if check() was called with proof=True, else None.")
      .def("__repr__", [](const RobotCheck& check) {
        std::string text = std::string("<graze.rigid.RobotCheck: ") + name(check.verdict);
        if (check.verdict != Verdict::separated)
          text += " on piece " + std::to_string(check.piece) + ", " + check.a + " and " + check.b;
        return text + ">";
      });
  py::class_<RobotProof>(module, "RobotProof",
                         "A proof that a path is free: RobotProof(pairs, orders, intervals).")
      .def(py::init(&make_proof), py::arg("pairs"), py::arg("orders"), py::arg("intervals"),
           "Makes a proof of its lists: RobotProof(pairs, orders, intervals).")
      .def_property_readonly(
          "pairs", &pairs_of,
          R"(The pairs of shapes: (a, b, shape_a, shape_b, order_a, order_b, margin), names of links or obstacles,
numbers of shapes, indices in `orders`, and a length.)")
      .def_property_readonly(
          "orders", [](const RobotProof& proof) { return proof.orders; },
          "Lists of face indices of shapes: a range of an interval is a range of such a list.")
      .def_property_readonly(
          "intervals", &intervals_of,
          R"(The proven intervals: (pair, piece, s0, s1, a_begin, a_end, b_begin, b_end, normal). On [s0, s1] of the
piece a plane with this normal separates the faces of both ranges.)")
      .def(py::pickle(
          [](const RobotProof& proof) {
            return py::make_tuple(pairs_of(proof), proof.orders, intervals_of(proof));
          },
          [](const py::tuple& state) {
            return make_proof(state[0].cast<std::vector<PairTuple>>(),
                              state[1].cast<std::vector<std::vector<std::uint32_t>>>(),
                              state[2].cast<std::vector<IntervalTuple>>());
          }))
      .def("__repr__", [](const RobotProof& proof) {
        return "<graze.rigid.RobotProof: " + counted(proof.pairs.size(), "pair", "pairs") + ", " +
               counted(proof.intervals.size(), "interval", "intervals") + ">";
      });
  py::class_<ProofCheck>(module, "ProofCheck", "Whether a proof was accepted.")
      .def_readonly("valid", &ProofCheck::valid, "Whether the proof was accepted.")
      .def_readonly("problem", &ProofCheck::problem,
                    "The defect of the proof; \"\" if it is valid.")
      .def_property_readonly(
          "interval",
          [](const ProofCheck& check) -> py::object {
            if (check.interval == ~std::size_t{0}) return py::none();
            return py::int_(check.interval);
          },
          "The index of the interval at fault, or None.")
      .def("__bool__", [](const ProofCheck& check) { return check.valid; })
      .def("__repr__", [](const ProofCheck& check) {
        return check.valid ? std::string("<graze.rigid.ProofCheck: valid>")
                           : "<graze.rigid.ProofCheck: " + check.problem + ">";
      });
  py::class_<RobotScene>(module, "RobotScene")
      .def(py::init(&make_scene))
      .def("check", &check_robot_path)
      .def("verify", &verify_robot_path)
      .def("check_edges", &check_robot_edges);
}

}  // namespace graze::python
