#include "arrays.h"
#include "graze/check_mesh.h"

namespace graze::python {

namespace {

// A row of the array of find_intersections().
struct FaceRow {
  std::uint32_t a, b;
  std::uint8_t contact, unused[7];
  double point[3];
};
static_assert(sizeof(FaceRow) == 40);

py::dtype make_face_dtype() {
  py::list names, formats, offsets;
  const auto field = [&](const char* name, const char* format, std::size_t offset) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
  };
  field("a", "u4", offsetof(FaceRow, a));
  field("b", "u4", offsetof(FaceRow, b));
  field("contact", "u1", offsetof(FaceRow, contact));
  const char* const point[] = {"px", "py", "pz"};
  for (std::size_t k = 0; k < 3; ++k) field(point[k], "f8", offsetof(FaceRow, point) + 8 * k);
  return py::dtype(names, formats, offsets, sizeof(FaceRow));
}

const py::dtype& face_dtype() {
  static const py::dtype& type = immortal(make_face_dtype());
  return type;
}

py::tuple result_of(const Intersections& found) {
  auto [array, rows] = records<FaceRow>(face_dtype(), found.faces.size());
  for (const FaceIntersection& pair : found.faces) {
    *rows = {pair.a, pair.b, static_cast<std::uint8_t>(pair.contact), {}, {}};
    for (int k = 0; k < 3; ++k) rows->point[k] = pair.point[k];
    ++rows;
  }
  return py::make_tuple(static_cast<int>(found.verdict), array);
}

py::tuple intersections(py::handle faces, py::handle x, py::handle other_faces, py::handle other_x,
                        py::handle static_vertices, int threads, bool strict) {
  const PositionsArgument positions(x, "x", strict);
  const MeshArgument mesh(faces, py::none(), positions.size(), strict);
  Intersections found;
  if (other_faces.is_none() != other_x.is_none())
    throw_value_error("other_x", "other_faces and other_x are given together or not at all");
  if (other_faces.is_none()) {
    const auto is_static = flags(static_vertices, "static", {positions.size()});
    run_without_gil(mesh.mesh().faces.size(), threads, [&](const Run& run) {
      found = find_intersections(mesh.mesh(), positions.rows(), is_static, run);
    });
    return result_of(found);
  }
  if (!static_vertices.is_none()) throw_value_error("static", "two meshes have no static vertices");
  const PositionsArgument other_positions(other_x, "other_x", strict);
  const MeshArgument other(other_faces, py::none(), other_positions.size(), strict);
  run_without_gil(mesh.mesh().faces.size() + other.mesh().faces.size(), threads,
                  [&](const Run& run) {
                    found = find_intersections(mesh.mesh(), positions.rows(), other.mesh(),
                                               other_positions.rows(), run);
                  });
  return result_of(found);
}

py::tuple checked_mesh(py::handle faces, py::handle x, int threads, bool strict) {
  const PositionsArgument positions(x, "x", strict);
  const MeshArgument mesh(faces, py::none(), positions.size(), strict);
  MeshCheck found;
  run_without_gil(mesh.mesh().faces.size(), threads,
                  [&](const Run& run) { found = check_mesh(mesh.mesh(), positions.rows(), run); });
  const auto edges = [&](const std::vector<std::uint32_t>& list) {
    py::array_t<std::uint32_t> result({static_cast<py::ssize_t>(list.size()), py::ssize_t{2}});
    auto* at = result.mutable_data();
    for (const std::uint32_t edge : list)
      for (const std::uint32_t vertex : mesh.mesh().edges[edge]) *at++ = vertex;
    return result;
  };
  const auto indices = [](const std::vector<std::uint32_t>& list) {
    return py::array_t<std::uint32_t>(static_cast<py::ssize_t>(list.size()), list.data());
  };
  return py::make_tuple(edges(found.border_edges), edges(found.branched_edges),
                        edges(found.turned_edges), indices(found.pinched_vertices),
                        indices(found.flat_faces), indices(found.repeated_positions),
                        result_of(found.intersections));
}

}  // namespace

void add_checks(py::module_& module) {
  module.def("find_intersections", &intersections);
  module.def("check_mesh", &checked_mesh);
}

}  // namespace graze::python
