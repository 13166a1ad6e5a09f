#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.h"
#include "graze/io/mesh_files.h"
#include "graze/io/query_files.h"
#include "graze/io/recording.h"

namespace graze::python {

namespace {

py::tuple load_mesh(const std::filesystem::path& path) {
  io::MeshFrame frame;
  {
    const py::gil_scoped_release unlocked;
    frame = io::read_mesh(path);
  }
  const py::array positions = positions_array(frame.positions);
  return py::make_tuple(std::move(frame.mesh), positions);
}

void save_mesh(const std::filesystem::path& path, py::handle positions, py::handle faces,
               py::handle edges, bool strict) {
  const PositionsArgument rows(positions, "positions", strict);
  const MeshArgument mesh(faces, edges, rows.size(), strict);
  const py::gil_scoped_release unlocked;
  const Positions view = rows.rows();
  io::write_mesh(path, mesh.mesh(), view.rows());
}

// Returns the queries as an array of shape (n, 8, 3) that views the file where it is mapped, and
// the truth, or None.
py::tuple load_queries(const std::filesystem::path& path) {
  auto set = std::make_unique<io::QuerySet>();
  {
    const py::gil_scoped_release unlocked;
    *set = io::read_queries(path);
  }
  const auto count = static_cast<py::ssize_t>(set->size());
  const double* data = set->coordinates().data();
  py::object truth = py::none();
  if (!set->truth().empty()) {
    py::array_t<bool> values(count);
    std::copy(set->truth().begin(), set->truth().end(), values.mutable_data());
    truth = values;
  }
  const py::capsule owner(set.release(), [](void* p) { delete static_cast<io::QuerySet*>(p); });
  py::array_t<double> array({count, py::ssize_t{8}, py::ssize_t{3}}, data, owner);
  array.attr("flags").attr("writeable") = false;
  return py::make_tuple(array, truth);
}

void save_queries(const std::filesystem::path& path, py::handle queries, py::handle truth,
                  bool strict) {
  const QueriesArgument list(queries, Kind::vertex_face, strict);
  const std::vector<std::uint8_t> known = flags(truth, "truth", {list.size()});
  const py::gil_scoped_release unlocked;
  io::write_queries(path, list.as<VertexFace>(), known);
}

// Returns the recording of frames of one mesh as glTF. A contact is (time, point, normal, kind, a,
// b), with a and b as in Pair.
py::bytes record(py::handle faces, py::handle edges, const py::sequence& frames,
                 const std::vector<double>& moments, const py::sequence& contacts,
                 const std::string& title, const std::string& time_unit, bool z_up) {
  if (py::len(frames) == 0) throw_value_error("frames", "expected at least one frame");
  std::vector<PositionsArgument> positions;
  for (std::size_t i = 0; i < py::len(frames); ++i) {
    const py::object frame = frames[i];
    positions.emplace_back(frame, "frames", false);
    if (positions.back().size() != positions[0].size())
      throw_value_error("frames", "frame " + std::to_string(i) + " has " +
                                      std::to_string(positions.back().size()) +
                                      " vertices; expected " + std::to_string(positions[0].size()));
  }
  const MeshArgument argument(faces, edges, positions[0].size(), false);
  const Mesh& mesh = argument.mesh();
  io::Recording recording;
  recording.title = title;
  recording.z_up = z_up;
  recording.time_unit = time_unit;
  recording.facts = {{"triangles", std::to_string(mesh.faces.size())},
                     {"contacts", std::to_string(py::len(contacts))}};
  const Positions first = positions[0].rows();
  const std::uint32_t body = recording.add_body(io::recorded_body("mesh", mesh, first.rows()));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    recording.begin_frame(moments[i]);
    const Positions view = positions[i].rows();
    recording.set_positions(body, view.rows());
  }
  const auto vertices = [&](char feature, std::uint32_t index) -> std::vector<std::uint32_t> {
    if (feature == 'v' && index < mesh.vertex_count) return {index};
    if (feature == 'e' && index < mesh.edges.size())
      return {mesh.edges[index].begin(), mesh.edges[index].end()};
    if (feature == 'f' && index < mesh.faces.size())
      return {mesh.faces[index].begin(), mesh.faces[index].end()};
    throw_value_error("hits", "index " + std::to_string(index) + " is not a feature of the mesh");
  };
  for (std::size_t i = 0; i < py::len(contacts); ++i) {
    const auto [time, point, normal, kind, a, b] =
        contacts[i]
            .cast<std::tuple<double, std::array<double, 3>, std::array<double, 3>, int,
                             std::uint32_t, std::uint32_t>>();
    if (kind < 0 || kind >= static_cast<int>(kind_count))
      throw_value_error("hits", "kind " + std::to_string(kind) + " is none of 0 to 3");
    constexpr const char* features[] = {"vf", "ee", "ve", "vv"};
    io::RecordedContact contact;
    contact.time = time;
    contact.point = Vec3(point.data());
    contact.normal = Vec3(normal.data());
    contact.kind = name(static_cast<Kind>(kind));
    contact.body_a = contact.body_b = body;
    contact.vertices_a = vertices(features[kind][0], a);
    contact.vertices_b = vertices(features[kind][1], b);
    recording.add_contact(std::move(contact));
  }
  std::string bytes;
  {
    const py::gil_scoped_release unlocked;
    bytes = io::glb_bytes(recording);
  }
  return py::bytes(bytes);
}

}  // namespace

void add_files(py::module_& module) {
  py::register_exception<io::FileError>(module, "FileError", PyExc_OSError);
  module.attr("FileError").attr("__doc__") =
      "A file that cannot be read or written. The message names file, line and reason.";
  module.def("read_mesh", &load_mesh);
  module.def("write_mesh", &save_mesh);
  module.def("read_queries", &load_queries);
  module.def("write_queries", &save_queries);
  module.def("record", &record);
  module.def("has_glb", &io::has_glb);
}

}  // namespace graze::python
