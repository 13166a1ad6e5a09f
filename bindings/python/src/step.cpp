#include "graze/step.h"

#include <cmath>
#include <memory>
#include <optional>

#include "arrays.h"
#include "graze/find_pairs.h"
#include "step_arguments.h"

namespace graze::python {

namespace {

// Reads the arguments of a step and calls function(moving, options, run) without the GIL.
template <class Function>
void with_motion(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
                 const py::object& arguments, const Function& function) {
  const Frames frames(x0, x1, strict);
  const MeshArgument mesh(faces, edges, frames.start.size(), strict);
  const Question asked = question(arguments, frames.start.size());
  run_without_gil(work_of(mesh.mesh(), asked.options), asked.threads, [&](const Run& run) {
    const Positions start = frames.start.rows(), end = frames.end.rows();
    function(MovingMesh{mesh.mesh(), start.rows(), end.rows()}, asked.options, run);
  });
}

py::tuple earliest(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
                   const py::object& arguments) {
  FirstImpact found;
  StepRow row;
  with_motion(faces, edges, x0, x1, strict, arguments,
              [&](const auto& moving, auto& options, auto& run) {
                found = earliest_impact(moving, options, run);
                row = row_of(moving, found);
              });
  return first_result(found, row);
}

py::tuple all(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
              const py::object& arguments) {
  AllImpacts found;
  py::object rows;
  with_motion(faces, edges, x0, x1, strict, arguments,
              [&](const auto& moving, auto& options, auto& run) {
                found = all_impacts(moving, options, run);
                rows = rows_of(moving, found);
              });
  return all_result(found, std::move(rows));
}

double free_step(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
                 const py::object& arguments) {
  double step = 0;
  with_motion(faces, edges, x0, x1, strict, arguments,
              [&](const auto& moving, auto& options, auto& run) {
                step = collision_free_step(moving, options.query.min_separation, options, run);
              });
  return step;
}

py::tuple pairs(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
                const py::object& arguments) {
  Pairs found;
  with_motion(
      faces, edges, x0, x1, strict, arguments, [&](const auto& moving, auto& options, auto& run) {
        PairOptions pair_options = options.pairs;
        pair_options.separation = options.query.min_separation;
        found = collect_pairs(moving, pair_options, run,
                              options.strategy ? *options.strategy : default_pair_strategy());
      });
  return arrays_of(found);
}

void check_length(const char* name, double length) {
  if (!(length >= 0) || std::isinf(length))
    throw_value_error(name, "expected a finite length >= 0, got " + std::to_string(length));
}

// Candidates of Python. Several threads may use an object at the same time.
class StepCandidates {
 public:
  // find(start, end, options, run) returns the candidates.
  template <class Find>
  static StepCandidates make(const Frames& frames, double margin, const Mesh& mesh,
                             const py::object& arguments, const Find& find) {
    check_length("margin", margin);
    check_rows(frames.start.size(), "x0", mesh);
    const Question asked = question(arguments, mesh.vertex_count);
    std::optional<Candidates> found;
    run_without_gil(work_of(mesh), asked.threads, [&](const Run& run) {
      found = find(frames.start.rows(), frames.end.rows(), asked.options.pairs, run);
    });
    if (found->status() == PairStatus::invalid)
      throw_value_error("x0, x1", "expected finite positions");
    return StepCandidates(std::move(*found));
  }

  const Candidates& candidates() const { return candidates_; }
  const Mesh& mesh() const { return candidates_.mesh(); }

  bool covers(py::handle x0, py::handle x1, double separation, bool strict) const {
    const Frames frames(x0, x1, strict);
    check_length("min_separation", separation);
    return candidates_.covers(frames.start.rows(), frames.end.rows(), separation);
  }
  py::object step_bounds(py::handle x, double keep_distance, int threads, bool strict) const {
    const PositionsArgument at(x, "x", strict);
    check_rows(at.size(), "x", mesh());
    check_length("keep_distance", keep_distance);
    std::vector<double> bounds;
    run_without_gil(work_of(mesh()), threads, [&](const Run& run) {
      bounds = candidates_.step_bounds(at.rows(), keep_distance, run);
    });
    if (bounds.size() != mesh().vertex_count) return py::none();
    return py::array_t<double>(static_cast<py::ssize_t>(bounds.size()), bounds.data());
  }
  py::tuple earliest(py::handle x0, py::handle x1, bool strict, const py::object& arguments) const {
    FirstImpact found;
    StepRow row;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = earliest_impact(candidates_, start, end, options, run);
             row = row_of({mesh(), start.rows(), end.rows()}, found);
           });
    return first_result(found, row);
  }
  py::tuple all(py::handle x0, py::handle x1, bool strict, const py::object& arguments) const {
    AllImpacts found;
    py::object rows;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = all_impacts(candidates_, start, end, options, run);
             rows = rows_of({mesh(), start.rows(), end.rows()}, found);
           });
    return all_result(found, std::move(rows));
  }
  double free_step(py::handle x0, py::handle x1, bool strict, const py::object& arguments) const {
    double step = 0;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             step = collision_free_step(candidates_, start, end, options.query.min_separation,
                                        options, run);
           });
    return step;
  }

 private:
  explicit StepCandidates(Candidates candidates) : candidates_(std::move(candidates)) {}

  template <class Function>
  void answer(py::handle x0, py::handle x1, bool strict, const py::object& arguments,
              const Function& function) const {
    const Frames frames(x0, x1, strict);
    check_rows(frames.start.size(), "x0", mesh());
    const Question asked = question(arguments, mesh().vertex_count);
    run_without_gil(work_of(mesh(), asked.options), asked.threads, [&](const Run& run) {
      function(frames.start.rows(), frames.end.rows(), asked.options, run);
    });
  }

  Candidates candidates_;
};

StepCandidates make_candidates(py::handle faces, py::handle edges, py::handle x0, py::handle x1,
                               double margin, bool strict, const py::object& arguments) {
  const Frames frames(x0, x1, strict);
  const MeshArgument mesh(faces, edges, frames.start.size(), strict);
  return StepCandidates::make(frames, margin, mesh.mesh(), arguments,
                              [&](const Positions& start, const Positions& end,
                                  const PairOptions& options, const Run& run) {
                                return find_candidates(mesh.mesh(), start, end, margin, options,
                                                       run);
                              });
}

// A StepSearch of Python. Only one thread at a time may use it: a second one gets RuntimeError.
class Search {
 public:
  Search(py::handle faces, py::handle edges, std::size_t vertex_count, bool strict)
      : search_(MeshArgument(faces, edges, vertex_count, strict).mesh()) {}

  const Mesh& mesh() const { return search_.mesh(); }
  StepSearch::Use use() const { return search_.use(); }

  py::tuple earliest(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    FirstImpact found;
    StepRow row;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = search_.earliest_impact(start, end, options, run);
             row = row_of({mesh(), start.rows(), end.rows()}, found);
           });
    return first_result(found, row);
  }
  py::tuple all(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    AllImpacts found;
    py::object rows;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = search_.all_impacts(start, end, options, run);
             rows = rows_of({mesh(), start.rows(), end.rows()}, found);
           });
    return all_result(found, std::move(rows));
  }
  StepCandidates candidates(py::handle x0, py::handle x1, double margin, bool strict,
                            const py::object& arguments) {
    const auto reset = begin_use();
    return StepCandidates::make(
        Frames(x0, x1, strict), margin, mesh(), arguments,
        [&](const Positions& start, const Positions& end, const PairOptions& options,
            const Run& run) { return search_.candidates(start, end, margin, options, run); });
  }
  double free_step(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    double step = 0;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             step = search_.collision_free_step(start, end, options.query.min_separation, options,
                                                run);
           });
    return step;
  }

 private:
  template <class Function>
  void answer(py::handle x0, py::handle x1, bool strict, const py::object& arguments,
              const Function& function) {
    const Frames frames(x0, x1, strict);
    check_rows(frames.start.size(), "x0", mesh());
    const Question asked = question(arguments, mesh().vertex_count);
    const auto reset = begin_use();
    run_without_gil(work_of(mesh(), asked.options), asked.threads, [&](const Run& run) {
      function(frames.start.rows(), frames.end.rows(), asked.options, run);
    });
  }

  // Marks the object as in use until the result is destroyed. With the GIL.
  std::unique_ptr<bool, void (*)(bool*)> begin_use() {
    if (busy_)
      throw std::runtime_error(
          "StepSearch: another thread is using this object; give each "
          "thread an object of its own");
    busy_ = true;
    return {&busy_, [](bool* busy) { *busy = false; }};
  }

  StepSearch search_;
  bool busy_ = false;
};

// Returns a view, not a copy, of rows of N numbers of a mesh. It keeps the Mesh of Python alive.
template <std::size_t N, class Row>
py::array index_view(const py::object& mesh, const std::vector<Row>& rows) {
  static_assert(sizeof(Row) == N * sizeof(std::uint32_t));
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(rows.size())};
  if (N > 1) shape.push_back(N);
  py::array_t<std::uint32_t> view(shape, reinterpret_cast<const std::uint32_t*>(rows.data()), mesh);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

}  // namespace

void add_steps(py::module_& module) {
  py::class_<Mesh>(module, "Mesh",
                   "The connectivity of a mesh: Mesh(vertex_count, faces=None, edges=None). "
                   "Functions accept it in place of faces and then need not find the edges again. "
                   "`edges` of the object are the sides of faces and the rods, as pairs refer to "
                   "them; `rods` are indices of edges, `points` are vertices without an edge. All "
                   "are read-only views of its memory.")
      .def(py::init([](std::size_t vertex_count, py::handle faces, py::handle edges, bool strict) {
             if (vertex_count > Mesh::max_vertices)
               throw_value_error("vertex_count", "expected at most 2**30");
             return MeshArgument(faces, edges, vertex_count, strict).mesh();
           }),
           py::arg("vertex_count"), py::arg("faces") = py::none(), py::arg("edges") = py::none(),
           py::arg("strict") = false,
           R"(Makes a mesh: Mesh(vertex_count, faces=None, edges=None, strict=False).

faces   (m, 3) vertex indices
edges   (k, 2) rods: edges that are no side of a face
strict  if True, arrays that must be converted raise TypeError)")
      .def_readonly("vertex_count", &Mesh::vertex_count, "The number of vertices.")
      .def_property_readonly(
          "faces",
          [](const py::object& mesh) {
            return index_view<3>(mesh, mesh.cast<const Mesh&>().faces);
          },
          "The corners of the faces, (m, 3) uint32: a read-only view.")
      .def_property_readonly(
          "edges",
          [](const py::object& mesh) {
            return index_view<2>(mesh, mesh.cast<const Mesh&>().edges);
          },
          "The ends of the edges, (k, 2) uint32, sides of faces and rods: a read-only view.")
      .def_property_readonly(
          "rods",
          [](const py::object& mesh) { return index_view<1>(mesh, mesh.cast<const Mesh&>().rods); },
          "The indices of the edges that are no side of a face, (r,) uint32: a read-only view.")
      .def_property_readonly(
          "points",
          [](const py::object& mesh) {
            return index_view<1>(mesh, mesh.cast<const Mesh&>().points);
          },
          "The indices of the vertices without an edge, (p,) uint32: a read-only view.")
      .def("__eq__",
           [](const Mesh& a, const py::object& b) {
             return py::isinstance<Mesh>(b) && a == b.cast<const Mesh&>();
           })
      .def("__repr__", [](const Mesh& mesh) {
        return "<graze.Mesh: " + counted(mesh.vertex_count, "vertex", "vertices") + ", " +
               counted(mesh.edges.size(), "edge", "edges") + ", " +
               counted(mesh.faces.size(), "face", "faces") + ">";
      });
  module.attr("step_dtype") = step_dtype();
  module.def("earliest_impact", &earliest);
  module.def("all_impacts", &all);
  module.def("collision_free_step", &free_step);
  module.def("find_pairs", &pairs);
  module.def("strategies", [] {
    py::list list;
    for (const PairStrategy& row : pair_strategies()) list.append(std::string(row.name));
    return list;
  });
  module.def("find_candidates", &make_candidates);
  py::class_<StepCandidates>(module, "Candidates")
      .def_property_readonly("mesh", &StepCandidates::mesh,
                             py::return_value_policy::reference_internal)
      .def_property_readonly(
          "margin", [](const StepCandidates& object) { return object.candidates().margin(); })
      .def("pairs",
           [](const StepCandidates& object) { return arrays_of(object.candidates().pairs()); })
      .def("covers", &StepCandidates::covers)
      .def("step_bounds", &StepCandidates::step_bounds)
      .def("earliest_impact", &StepCandidates::earliest)
      .def("all_impacts", &StepCandidates::all)
      .def("collision_free_step", &StepCandidates::free_step);
  py::class_<Search>(module, "StepSearch")
      .def(py::init<py::handle, py::handle, std::size_t, bool>())
      .def_property_readonly("mesh", &Search::mesh, py::return_value_policy::reference_internal)
      .def("use",
           [](const Search& search) {
             return py::make_tuple(search.use().forecast, search.use().all);
           })
      .def("earliest_impact", &Search::earliest)
      .def("all_impacts", &Search::all)
      .def("collision_free_step", &Search::free_step)
      .def("candidates", &Search::candidates);
}

}  // namespace graze::python
