#include <pybind11/stl.h>

#include "arrays.h"
#include "graze/polyhedron/move.h"
#include "graze/polyhedron/slide.h"

namespace graze::python {

namespace {

polyhedron::Model polygon_model(py::handle vertices,
                                const std::vector<polyhedron::Polygon>& polygons, double planar_tol,
                                bool merge_coplanar, bool accept_soup) {
  const PositionsArgument positions(vertices, "vertices", false);
  if (!(planar_tol >= 0 && planar_tol <= 1))
    throw_value_error("planar_tol", "expected a fraction in [0, 1]");
  polyhedron::ModelOptions options;
  options.planar_tol = planar_tol;
  options.merge_coplanar = merge_coplanar;
  options.accept_soup = accept_soup;
  const Positions view = positions.rows();
  const py::gil_scoped_release unlocked;
  return polyhedron::make_model(view.rows(), polygons, options);
}

polyhedron::Model hull_model(py::handle points) {
  const PositionsArgument positions(points, "points", false);
  const Positions view = positions.rows();
  const py::gil_scoped_release unlocked;
  return polyhedron::convex_hull(view.rows());
}

polyhedron::Model box_model(py::handle lo, py::handle hi) {
  return polyhedron::model_of_box({vector3(lo, "lo"), vector3(hi, "hi")});
}

std::size_t facets_of(const std::vector<polyhedron::Obstacle>& world,
                      const polyhedron::Model& mover) {
  std::size_t count = mover.facets.size();
  for (const polyhedron::Obstacle& obstacle : world) count += obstacle.model.facets.size();
  return count;
}

polyhedron::MoveResult move_straight(const std::vector<polyhedron::Obstacle>& world,
                                     const polyhedron::Model& mover, const Pose& start,
                                     py::handle way, bool front) {
  const polyhedron::Path path = polyhedron::translating(start, vector3(way, "way"));
  polyhedron::MoveOptions options;
  if (front) options.sides = polyhedron::Sides::front;
  polyhedron::MoveResult found;
  run_without_gil(facets_of(world, mover), 1, [&](const Run& run) {
    polyhedron::Scratch scratch;
    scratch.stop_on(run.stop);
    found = polyhedron::move(world, mover, path, scratch, options);
  });
  return found;
}

polyhedron::MoveResult move_turning(const std::vector<polyhedron::Obstacle>& world,
                                    const polyhedron::Model& mover, const Pose& start,
                                    py::handle point, py::handle axis, double angle, bool front) {
  const std::vector<polyhedron::Path> pieces =
      polyhedron::turning(start, vector3(point, "point"), vector3(axis, "axis"), angle);
  polyhedron::MoveOptions options;
  if (front) options.sides = polyhedron::Sides::front;
  polyhedron::MoveResult found;
  run_without_gil(facets_of(world, mover) + pieces.size(), 1, [&](const Run& run) {
    polyhedron::Scratch scratch;
    scratch.stop_on(run.stop);
    found = polyhedron::move(world, mover, pieces, scratch, options);
  });
  return found;
}

polyhedron::SlideResult slide(const std::vector<polyhedron::Obstacle>& world,
                              const polyhedron::Model& mover, const Pose& start, py::handle way,
                              double step_height) {
  polyhedron::SlideOptions options;
  options.step_height = step_height;
  const Vec3 wanted = vector3(way, "way");
  polyhedron::SlideResult found;
  run_without_gil(facets_of(world, mover), 1, [&](const Run& run) {
    polyhedron::Scratch scratch;
    scratch.stop_on(run.stop);
    found = polyhedron::slide_move(world, mover, start, wanted, scratch, options);
  });
  return found;
}

py::tuple plain_contact(const polyhedron::Contact& contact) {
  return py::make_tuple(std::string(polyhedron::name(contact.meeting)), contact.obstacle,
                        contact.mover_feature, contact.world_feature, array_of(contact.point),
                        array_of(contact.normal));
}

py::object contact_or_none(Verdict verdict, const polyhedron::Contact& contact) {
  if (verdict != Verdict::contact) return py::none();
  return plain_contact(contact);
}

py::tuple plain_move(const polyhedron::MoveResult& found) {
  return py::make_tuple(static_cast<int>(found.verdict), found.toi, found.toi_hi, found.piece,
                        found.end, contact_or_none(found.verdict, found.contact));
}

}  // namespace

void add_polyhedron(py::module_& module) {
  py::class_<polyhedron::Model>(
      module, "Model",
      R"(A polyhedron, an open surface or a soup of convex polygons: Model(vertices, polygons).

`polygons` are lists of vertex indices, counterclockwise as seen from the front; a polygon of one corner
is a point. If not `ok`, `problem` names the defect and every answer is invalid.

>>> from graze import polyhedron
>>> roof = polyhedron.Model([[0, 0, 0], [4, 0, 0], [4, 2, 1], [0, 2, 1]], [[0, 1, 2, 3]])
>>> roof.ok, roof.closed, roof.polygons
(True, False, [[0, 1, 2, 3]])
>>> polyhedron.Model.box((0, 0, 0), (1, 2, 3)).closed
True)")
      .def(
          py::init(&polygon_model), py::arg("vertices"), py::arg("polygons"), py::kw_only(),
          py::arg("planar_tol") = 1e-5, py::arg("merge_coplanar") = false,
          py::arg("accept_soup") = false,
          R"(Makes a model: Model(vertices, polygons, *, planar_tol=1e-5, merge_coplanar=False, accept_soup=False).

vertices        (n, 3) positions, in any unit of length
polygons        lists of vertex indices
planar_tol      the largest distance of a corner from the plane of its polygon, as a fraction of the
                largest side of the bounding box
merge_coplanar  merges neighbouring polygons of one plane into convex polygons
accept_soup     accepts two polygons that pass an edge in the same direction; the surface then has no
                consistent front)")
      .def_static("box", &box_model, py::arg("lo"), py::arg("hi"),
                  "Returns the box between two corners, of positive extent along all axes.")
      .def_static("hull", &hull_model, py::arg("points"),
                  "Returns the convex hull of points, shape (n, 3), decided exactly.")
      .def_static(
          "point",
          [](py::handle position) {
            return polyhedron::model_of_point(vector3(position, "position"));
          },
          py::arg("position"), "Returns a single point.")
      .def_property_readonly("ok", &polyhedron::Model::ok,
                             "Whether the polygons can be used; if not, every answer is invalid.")
      .def_property_readonly(
          "problem",
          [](const polyhedron::Model& model) {
            return model.ok() ? std::string() : polyhedron::describe(model);
          },
          "The defect of the polygons; \"\" if there is none.")
      .def_property_readonly("closed", &polyhedron::Model::is_closed,
                             "Whether every edge is the side of two polygons.")
      .def_property_readonly(
          "vertices",
          [](const polyhedron::Model& model) { return positions_array(model.vertices); },
          "The positions, (n, 3), a copy.")
      .def_readonly("polygons", &polyhedron::Model::polygons,
                    "The polygons as lists of vertex indices, a copy.")
      .def("__repr__", [](const polyhedron::Model& model) {
        return "<graze.polyhedron.Model: " + counted(model.vertices.size(), "vertex", "vertices") +
               ", " + counted(model.facets.size(), "facet", "facets") +
               (model.ok() ? "" : "; " + polyhedron::describe(model)) + ">";
      });
  py::class_<polyhedron::Obstacle>(
      module, "Obstacle",
      "A static Model with an index that finds its facets: Obstacle(model). Threads may share it.")
      .def(py::init(&polyhedron::make_obstacle), py::arg("model"),
           "Makes an obstacle of a Model: Obstacle(model).")
      .def_property_readonly("ok", &polyhedron::Obstacle::ok,
                             "Whether the model can be used; if not, every answer is invalid.")
      .def_readonly("model", &polyhedron::Obstacle::model, "The model.")
      .def("__repr__", [](const polyhedron::Obstacle& obstacle) {
        return "<graze.polyhedron.Obstacle: " +
               counted(obstacle.model.facets.size(), "facet", "facets") + ">";
      });
  module.def("move_straight",
             [](const std::vector<polyhedron::Obstacle>& world, const polyhedron::Model& mover,
                const Pose& start, py::handle way,
                bool front) { return plain_move(move_straight(world, mover, start, way, front)); });
  module.def("move_turning",
             [](const std::vector<polyhedron::Obstacle>& world, const polyhedron::Model& mover,
                const Pose& start, py::handle point, py::handle axis, double angle, bool front) {
               return plain_move(move_turning(world, mover, start, point, axis, angle, front));
             });
  module.def("slide",
             [](const std::vector<polyhedron::Obstacle>& world, const polyhedron::Model& mover,
                const Pose& start, py::handle way, double step_height) {
               const polyhedron::SlideResult found = slide(world, mover, start, way, step_height);
               py::list stops;
               for (const polyhedron::Contact& contact : found.contacts)
                 stops.append(plain_contact(contact));
               return py::make_tuple(static_cast<int>(found.verdict), found.end,
                                     array_of(found.way), found.on_ground, found.stepped, stops);
             });
}

}  // namespace graze::python
