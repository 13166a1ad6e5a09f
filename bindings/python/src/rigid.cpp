#include <pybind11/stl.h>

#include "arrays.h"
#include "graze/rigid/advance.h"
#include "graze/rigid/body.h"
#include "graze/rigid/distance.h"
#include "graze/rigid/motion.h"
#include "graze/rigid/path.h"

namespace graze::python {

namespace {

py::array vector_array(const Vec3& vector) {
  return array_of(vector);
}

Pose make_pose(const std::array<double, 4>& quaternion, py::handle translation) {
  return Pose::from_quaternion(quaternion[0], quaternion[1], quaternion[2], quaternion[3],
                               vector3(translation, "translation"));
}

Pose pose_of_matrix(const py::array_t<double, py::array::c_style | py::array::forcecast>& matrix) {
  const bool square = matrix.ndim() == 2 && matrix.shape(0) == matrix.shape(1);
  if (square && matrix.shape(0) == 4)
    return Pose::from_matrix(Eigen::Matrix4d(
        Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(matrix.data())));
  if (square && matrix.shape(0) == 3)
    return Pose::from_matrix(Eigen::Matrix3d(
        Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(matrix.data())));
  throw_value_error("matrix", "expected shape (4, 4) or (3, 3), got " +
                                  py::str(matrix.attr("shape")).cast<std::string>());
}

rigid::BodyImpact advance_bodies(const rigid::Body& a, const rigid::Motion& motion_a,
                                 const rigid::Body& b, const rigid::Motion& motion_b, double t_max,
                                 const std::optional<double>& threshold, double margin,
                                 std::uint32_t max_checks) {
  rigid::AdvanceOptions options;
  options.t_max = t_max;
  options.margin = margin;
  options.max_checks = max_checks;
  options.threshold = threshold.value_or(0);
  options.smallest_threshold = threshold == 0.0;
  // Most searches end within this budget, in less than a millisecond. A budget changes no answer
  // of two meshes that is found within it.
  constexpr std::uint32_t few_checks = 512;
  rigid::BodyImpact found;
  run_without_gil(0, 1, [&](const Run&) {
    rigid::AdvanceOptions short_search = options;
    if (max_checks == 0 || max_checks > few_checks) short_search.max_checks = few_checks;
    found = rigid::advance(a, motion_a, b, motion_b, short_search);
  });
  if (found.impact.verdict != Verdict::undecided || found.impact.checks < few_checks ||
      (max_checks != 0 && max_checks <= few_checks))
    return found;
  run_without_gil(long_work, 1, [&](const Run& run) {
    options.stop = run.stop;
    found = rigid::advance(a, motion_a, b, motion_b, options);
  });
  return found;
}

rigid::BodyDistance body_distance(const rigid::Body& a, const Pose& pose_a, const rigid::Body& b,
                                  const Pose& pose_b, double tol) {
  rigid::DistanceOptions options;
  options.tol = tol;
  rigid::BodyDistance found;
  run_without_gil(a.faces().size() + b.faces().size(), 1, [&](const Run& run) {
    options.stop = run.stop;
    found =
        rigid::distance(a, rigid::placement_of(pose_a), b, rigid::placement_of(pose_b), options);
  });
  return found;
}

rigid::PathCheck path(const rigid::Body& body,
                      const std::vector<std::tuple<rigid::Body, Pose, double>>& obstacles,
                      const std::vector<Pose>& poses, bool screw) {
  std::vector<rigid::Obstacle> world;
  for (const auto& [other, pose, margin] : obstacles) world.push_back({other, pose, margin, false});
  rigid::PathOptions options;
  options.motion = screw ? rigid::PathMotion::screw : rigid::PathMotion::linear;
  rigid::PathCheck found;
  run_without_gil(long_work, 1, [&](const Run& run) {
    options.advance.stop = run.stop;
    found = rigid::check_path(body, world, poses, options);
  });
  return found;
}

std::string number(const py::object& value) {
  return py::repr(value).cast<std::string>();
}
std::string number(double value) {
  return number(py::float_(value));
}

}  // namespace

void add_rigid(py::module_& module) {
  using namespace rigid;
  py::class_<Pose>(module, "Pose",
                   "The placement of a rigid body: a quaternion (w, x, y, z) of any length but 0, "
                   "and a translation.")
      .def(py::init(&make_pose), py::arg("quaternion") = std::array<double, 4>{1, 0, 0, 0},
           py::arg("translation") = py::make_tuple(0.0, 0.0, 0.0))
      .def_static("from_matrix", &pose_of_matrix, py::arg("matrix"))
      .def_static(
          "from_axis_angle",
          [](py::handle axis, double angle, py::handle translation) {
            return Pose::from_axis_angle(vector3(axis, "axis"), angle,
                                         vector3(translation, "translation"));
          },
          py::arg("axis"), py::arg("angle"), py::arg("translation") = py::make_tuple(0.0, 0.0, 0.0))
      .def_property_readonly("quaternion",
                             [](const Pose& pose) {
                               const auto& q = pose.rotation;
                               return py::make_tuple(q.w(), q.x(), q.y(), q.z());
                             })
      .def_property_readonly("translation",
                             [](const Pose& pose) { return vector_array(pose.translation); })
      .def("__repr__", [](const Pose& pose) {
        const auto& q = pose.rotation;
        const Vec3& t = pose.translation;
        return "graze.rigid.Pose(" + number(py::make_tuple(q.w(), q.x(), q.y(), q.z())) + ", " +
               number(py::make_tuple(t[0], t[1], t[2])) + ")";
      });
  py::class_<Motion>(
      module, "Motion",
      "The motion of a rigid body during a step: made by the functions of graze.rigid.")
      .def_readonly("start", &Motion::start)
      .def_property_readonly("centre", [](const Motion& m) { return vector_array(m.centre); })
      .def_property_readonly("velocity", [](const Motion& m) { return vector_array(m.velocity); })
      .def_property_readonly("rotation", [](const Motion& m) { return vector_array(m.rotation); })
      .def(
          "pose_at", [](const Motion& motion, double t) { return pose_at(motion, t); },
          py::arg("t"))
      .def("__repr__", [](const Motion& m) {
        const auto plain = [](const Vec3& v) { return number(py::make_tuple(v[0], v[1], v[2])); };
        return "<graze.rigid.Motion: centre " + plain(m.centre) + ", velocity " +
               plain(m.velocity) + ", rotation " + plain(m.rotation) + ">";
      });
  module.def("resting", &resting);
  module.def("translation", [](const Pose& start, py::handle way) {
    return translation(start, vector3(way, "way"));
  });
  module.def("rotation_about", [](const Pose& start, py::handle point, py::handle rotation) {
    return rotation_about(start, vector3(point, "point"), vector3(rotation, "rotation"));
  });
  module.def("linear_motion", [](const Pose& from, const Pose& to, py::handle centre) {
    return linear_motion(from, to, vector3(centre, "centre"));
  });
  module.def("screw_motion", &screw_motion);

  py::class_<Body>(
      module, "Body",
      "A triangle mesh prepared for advance(), distance() and check_path(): Body(vertices, faces). "
      "If not `ok`, `problem` names the defect and every answer is invalid.")
      .def(py::init([](py::handle vertices, py::handle faces, bool strict) {
             const PositionsArgument positions(vertices, "vertices", strict);
             const auto rows = index_rows<3>(faces, "faces", positions.size(), strict);
             const py::gil_scoped_release unlocked;
             const Positions view = positions.rows();
             return make_body(view.rows(), rows);
           }),
           py::arg("vertices"), py::arg("faces"), py::arg("strict") = false)
      .def_property_readonly("ok", [](const Body& body) { return body.status() == Status::ok; })
      .def_property_readonly("problem", &Body::problem)
      .def_property_readonly("size", &Body::size)
      .def("__repr__", [](const Body& body) {
        const std::string problem = body.problem();
        return "<graze.rigid.Body: " + counted(body.vertices().size(), "vertex", "vertices") +
               ", " + counted(body.faces().size(), "face", "faces") +
               (problem.empty() ? "" : "; " + problem) + ">";
      });

  py::class_<BodyImpact>(module, "BodyImpact",
                         "The first contact of two moving bodies: the answer of advance().")
      .def_property_readonly("verdict",
                             [](const BodyImpact& hit) {
                               return member("Verdict", static_cast<int>(hit.impact.verdict));
                             })
      .def_property_readonly("toi", [](const BodyImpact& hit) { return hit.impact.toi; })
      .def_property_readonly("toi_hi", [](const BodyImpact& hit) { return hit.impact.toi_hi; })
      .def_property_readonly("normal",
                             [](const BodyImpact& hit) { return vector_array(hit.impact.normal); })
      .def_property_readonly("checks", [](const BodyImpact& hit) { return hit.impact.checks; })
      .def_property_readonly(
          "faces", [](const BodyImpact& hit) { return py::make_tuple(hit.face_a, hit.face_b); })
      .def_property_readonly("point_a",
                             [](const BodyImpact& hit) { return vector_array(hit.point_a); })
      .def_property_readonly("point_b",
                             [](const BodyImpact& hit) { return vector_array(hit.point_b); })
      .def_readonly("distance", &BodyImpact::distance)
      .def_readonly("threshold", &BodyImpact::threshold)
      .def("__repr__", [](const BodyImpact& hit) {
        std::string text = std::string("<graze.rigid.BodyImpact: ") + name(hit.impact.verdict);
        if (hit.impact.verdict == Verdict::contact)
          text += " at t = " + number(hit.impact.toi) + ", faces " + std::to_string(hit.face_a) +
                  " and " + std::to_string(hit.face_b);
        return text + ">";
      });
  py::class_<BodyDistance>(
      module, "BodyDistance",
      "Bounds lo <= distance <= hi of two placed bodies, and their closest points.")
      .def_property_readonly("verdict",
                             [](const BodyDistance& found) {
                               return member("Verdict", static_cast<int>(found.verdict));
                             })
      .def_readonly("lo", &BodyDistance::lo)
      .def_readonly("hi", &BodyDistance::hi)
      .def_property_readonly(
          "faces",
          [](const BodyDistance& found) { return py::make_tuple(found.face_a, found.face_b); })
      .def_property_readonly("point_a",
                             [](const BodyDistance& found) { return vector_array(found.point_a); })
      .def_property_readonly("point_b",
                             [](const BodyDistance& found) { return vector_array(found.point_b); })
      .def_property_readonly("normal",
                             [](const BodyDistance& found) { return vector_array(found.normal); })
      .def("__repr__", [](const BodyDistance& found) {
        return std::string("<graze.rigid.BodyDistance: ") + name(found.verdict) + ", " +
               number(found.lo) + " <= distance <= " + number(found.hi) + ">";
      });
  py::class_<PathCheck>(module, "PathCheck",
                        "The answer of check_path(): the end of the free part of the path.")
      .def_property_readonly(
          "verdict",
          [](const PathCheck& found) { return member("Verdict", static_cast<int>(found.verdict)); })
      .def_readonly("segment", &PathCheck::segment)
      .def_readonly("obstacle", &PathCheck::obstacle)
      .def_readonly("toi", &PathCheck::toi)
      .def_readonly("impact", &PathCheck::impact)
      .def("__repr__", [](const PathCheck& found) {
        std::string text = std::string("<graze.rigid.PathCheck: ") + name(found.verdict);
        if (found.verdict != Verdict::separated)
          text += " on segment " + std::to_string(found.segment) + " at t = " + number(found.toi);
        return text + ">";
      });
  module.def("advance", &advance_bodies);
  module.def("distance", &body_distance);
  module.def("check_path", &path);
}

}  // namespace graze::python
