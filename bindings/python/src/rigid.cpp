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
    found = rigid::advance(a, motion_a, b, motion_b, options, {}, run.stop);
  });
  return found;
}

rigid::BodyDistance body_distance(const rigid::Body& a, const Pose& pose_a, const rigid::Body& b,
                                  const Pose& pose_b, double tol) {
  rigid::DistanceOptions options;
  options.tol = tol;
  rigid::BodyDistance found;
  run_without_gil(a.faces().size() + b.faces().size(), 1, [&](const Run& run) {
    found = rigid::distance(a, rigid::placement_of(pose_a), b, rigid::placement_of(pose_b), options,
                            run.stop);
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
    found = rigid::check_path(body, world, poses, options, run.stop);
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
           py::arg("translation") = py::make_tuple(0.0, 0.0, 0.0),
           "Makes a pose: Pose(quaternion=(1, 0, 0, 0), translation=(0, 0, 0)).")
      .def_static("from_matrix", &pose_of_matrix, py::arg("matrix"),
                  "Returns the pose of a (4, 4) matrix, or of a (3, 3) rotation matrix.")
      .def_static(
          "from_axis_angle",
          [](py::handle axis, double angle, py::handle translation) {
            return Pose::from_axis_angle(vector3(axis, "axis"), angle,
                                         vector3(translation, "translation"));
          },
          py::arg("axis"), py::arg("angle"), py::arg("translation") = py::make_tuple(0.0, 0.0, 0.0),
          R"(Returns the rotation by `angle` (radians) about an axis of any length, followed by a translation
(length).)")
      .def_property_readonly(
          "quaternion",
          [](const Pose& pose) {
            const auto& q = pose.rotation;
            return py::make_tuple(q.w(), q.x(), q.y(), q.z());
          },
          "The quaternion (w, x, y, z) as given; its length does not matter.")
      .def_property_readonly(
          "translation", [](const Pose& pose) { return vector_array(pose.translation); },
          "The translation, (3,), a length.")
      .def("__repr__", [](const Pose& pose) {
        const auto& q = pose.rotation;
        const Vec3& t = pose.translation;
        return "graze.rigid.Pose(" + number(py::make_tuple(q.w(), q.x(), q.y(), q.z())) + ", " +
               number(py::make_tuple(t[0], t[1], t[2])) + ")";
      });
  py::class_<Motion>(
      module, "Motion",
      "The motion of a rigid body during a step: made by the functions of graze.rigid.")
      .def_readonly("start", &Motion::start, "The Pose at the start of the step.")
      .def_property_readonly(
          "centre", [](const Motion& m) { return vector_array(m.centre); },
          "The point of the body that moves on a straight line, (3,), in body coordinates "
          "(length).")
      .def_property_readonly(
          "velocity", [](const Motion& m) { return vector_array(m.velocity); },
          "The velocity of the centre, (3,), length per step.")
      .def_property_readonly(
          "rotation", [](const Motion& m) { return vector_array(m.rotation); },
          "The axis of the rotation, (3,); its length is the angle in radians per step.")
      .def(
          "pose_at", [](const Motion& motion, double t) { return pose_at(motion, t); },
          py::arg("t"), "Returns the Pose at time t in [0, 1], up to rounding.")
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
      R"(A triangle mesh prepared for advance(), distance() and check_path(): Body(vertices, faces).

The surface may be open or closed; it has no inside. If not `ok`, `problem` names the defect and every
answer is invalid. Threads may share a body.

>>> import graze
>>> body = graze.rigid.Body([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]])
>>> body.ok, body.size
(True, 5.0)
>>> graze.rigid.Body([[0, 0, 0]], []).problem
'the mesh has no triangles')")
      .def(py::init([](py::handle vertices, py::handle faces, bool strict) {
             const PositionsArgument positions(vertices, "vertices", strict);
             const auto rows = index_rows<3>(faces, "faces", positions.size(), strict);
             const py::gil_scoped_release unlocked;
             const Positions view = positions.rows();
             return make_body(view.rows(), rows);
           }),
           py::arg("vertices"), py::arg("faces"), py::arg("strict") = false,
           R"(Makes a body: Body(vertices, faces, strict=False).

vertices  (n, 3) positions in body coordinates, in any unit of length
faces     (m, 3) vertex indices
strict    if True, arrays that must be converted raise TypeError)")
      .def_property_readonly(
          "ok", [](const Body& body) { return body.status() == Status::ok; },
          "Whether the mesh can be used; if not, every answer is invalid.")
      .def_property_readonly("problem", &Body::problem,
                             "The defect of the mesh, or the number of its triangles without area; "
                             "\"\" if there is none.")
      .def_property_readonly("size", &Body::size, "The diagonal of the bounding box, a length.")
      .def("__repr__", [](const Body& body) {
        const std::string problem = body.problem();
        return "<graze.rigid.Body: " + counted(body.vertices().size(), "vertex", "vertices") +
               ", " + counted(body.faces().size(), "face", "faces") +
               (problem.empty() ? "" : "; " + problem) + ">";
      });

  py::class_<BodyImpact>(module, "BodyImpact",
                         "The first contact of two moving bodies: the answer of advance().")
      .def_property_readonly(
          "verdict",
          [](const BodyImpact& hit) {
            return member("Verdict", static_cast<int>(hit.impact.verdict));
          },
          "A Verdict: separated, contact, undecided or invalid.")
      .def_property_readonly(
          "toi", [](const BodyImpact& hit) { return hit.impact.toi; },
          "The time of impact, a fraction of the step: no contact in [0, toi); inf if separated.")
      .def_property_readonly(
          "toi_hi", [](const BodyImpact& hit) { return hit.impact.toi_hi; },
          "The end of the time searched (t_max) on contact; inf if separated.")
      .def_property_readonly(
          "normal", [](const BodyImpact& hit) { return vector_array(hit.impact.normal); },
          "The unit normal from the second body to the first, (3,); NaN without contact.")
      .def_property_readonly(
          "checks", [](const BodyImpact& hit) { return hit.impact.checks; },
          "The number of tests of two parts of the bodies: the work.")
      .def_property_readonly(
          "faces", [](const BodyImpact& hit) { return py::make_tuple(hit.face_a, hit.face_b); },
          "On contact, the indices of the two triangles that are within the threshold.")
      .def_property_readonly(
          "point_a", [](const BodyImpact& hit) { return vector_array(hit.point_a); },
          "Their closest point on the first body at toi, (3,), in world coordinates; NaN without "
          "contact.")
      .def_property_readonly(
          "point_b", [](const BodyImpact& hit) { return vector_array(hit.point_b); },
          "Their closest point on the second body at toi, (3,), in world coordinates; NaN without "
          "contact.")
      .def_readonly("distance", &BodyImpact::distance,
                    "The distance of these points, a length, margin included; NaN without contact.")
      .def_readonly("threshold", &BodyImpact::threshold, "The threshold that was used, a length.")
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
      .def_property_readonly(
          "verdict",
          [](const BodyDistance& found) {
            return member("Verdict", static_cast<int>(found.verdict));
          },
          "The Verdict. separated: lo > 0. contact: the bodies touch. undecided: the bounds leave "
          "both "
          "possible. invalid.")
      .def_readonly("lo", &BodyDistance::lo, "A proven lower bound on the distance, a length.")
      .def_readonly("hi", &BodyDistance::hi, "A proven upper bound on the distance, a length.")
      .def_property_readonly(
          "faces",
          [](const BodyDistance& found) { return py::make_tuple(found.face_a, found.face_b); },
          "The indices of the two triangles with the closest points.")
      .def_property_readonly(
          "point_a", [](const BodyDistance& found) { return vector_array(found.point_a); },
          "The closest point on the first body, (3,), in world coordinates.")
      .def_property_readonly(
          "point_b", [](const BodyDistance& found) { return vector_array(found.point_b); },
          "The closest point on the second body, (3,), in world coordinates.")
      .def_property_readonly(
          "normal", [](const BodyDistance& found) { return vector_array(found.normal); },
          "The direction from the second body to the first, (3,), of length about 1; 0 if they "
          "intersect.")
      .def("__repr__", [](const BodyDistance& found) {
        return std::string("<graze.rigid.BodyDistance: ") + name(found.verdict) + ", " +
               number(found.lo) + " <= distance <= " + number(found.hi) + ">";
      });
  py::class_<PathCheck>(module, "PathCheck",
                        "The answer of check_path(): the end of the free part of the path.")
      .def_property_readonly(
          "verdict",
          [](const PathCheck& found) { return member("Verdict", static_cast<int>(found.verdict)); },
          "The Verdict. separated: the whole path is free. contact, undecided or invalid.")
      .def_readonly("segment", &PathCheck::segment,
                    "The index of the segment at which the free part of the path ends.")
      .def_readonly("obstacle", &PathCheck::obstacle,
                    "The index of the obstacle at which the free part ends.")
      .def_readonly(
          "toi", &PathCheck::toi,
          "The end of the free part as a fraction of that segment; inf if the path is free.")
      .def_readonly("impact", &PathCheck::impact, "The BodyImpact with that obstacle.")
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
