#include "graze/step.h"

#include <cmath>
#include <memory>
#include <optional>

#include "arrays.h"
#include "graze/find_pairs.h"

namespace graze::python {

namespace {

// A row of the array that all_impacts() returns.
struct StepRow {
  std::uint8_t verdict, kind, contact, unused;
  std::uint32_t a, b, checks;
  double toi, toi_hi, u, v;
  double normal[3], point[3];
};
static_assert(sizeof(StepRow) == 96);

py::dtype make_step_dtype() {
  using L = py::list;
  L names, formats, offsets;
  const auto field = [&](const char* name, const char* format, std::size_t offset) {
    names.append(name);
    formats.append(format);
    offsets.append(offset);
  };
  field("kind", "u1", offsetof(StepRow, kind));
  field("a", "u4", offsetof(StepRow, a));
  field("b", "u4", offsetof(StepRow, b));
  field("verdict", "u1", offsetof(StepRow, verdict));
  field("toi", "f8", offsetof(StepRow, toi));
  field("toi_hi", "f8", offsetof(StepRow, toi_hi));
  field("u", "f8", offsetof(StepRow, u));
  field("v", "f8", offsetof(StepRow, v));
  for (std::size_t k = 0; k < 3; ++k) {
    const char* const normal[] = {"nx", "ny", "nz"};
    field(normal[k], "f8", offsetof(StepRow, normal) + 8 * k);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const char* const point[] = {"px", "py", "pz"};
    field(point[k], "f8", offsetof(StepRow, point) + 8 * k);
  }
  field("contact", "u1", offsetof(StepRow, contact));
  field("checks", "u4", offsetof(StepRow, checks));
  return py::dtype(names, formats, offsets, sizeof(StepRow));
}

const py::dtype& step_dtype() {
  static const py::dtype& type = immortal(make_step_dtype());
  return type;
}

StepRow row_of(const MovingMesh& moving, const StepImpact& found) {
  const Impact& impact = found.impact;
  StepRow row{};
  row.verdict = static_cast<std::uint8_t>(impact.verdict);
  row.kind = static_cast<std::uint8_t>(found.kind);
  row.contact = static_cast<std::uint8_t>(impact.kind);
  row.a = found.pair.a;
  row.b = found.pair.b;
  row.checks = impact.checks;
  row.toi = impact.toi;
  row.toi_hi = impact.toi_hi;
  row.u = impact.u;
  row.v = impact.v;
  const Vec3 point = impact.verdict == Verdict::contact ? contact_position(moving, found)
                                                        : Vec3::Constant(Impact::nan);
  for (int k = 0; k < 3; ++k) {
    row.normal[k] = impact.normal[k];
    row.point[k] = point[k];
  }
  return row;
}

// The keyword arguments of the functions of a step, in the order in which the package passes them.
struct Question {
  StepOptions options;
  int threads = 0;
  std::vector<std::uint8_t> is_static, meets;
  std::vector<std::uint32_t> groups;
  std::vector<CategoryMask> masks;
  std::vector<GroupPair> group_pairs;

  // Returns the two columns of an array of shape (n, 2); of shape (rows, 2) if rows is not 0. Empty
  // for None.
  static std::array<std::vector<std::uint32_t>, 2> two_columns(py::handle value, const char* name,
                                                               std::size_t rows) {
    if (value.is_none()) return {};
    const py::array given = py::array::ensure(value);
    const bool fits = given && given.ndim() == 2 && given.shape(1) == 2 &&
                      (rows == 0 || static_cast<std::size_t>(given.shape(0)) == rows);
    if (!fits)
      throw_value_error(name, "expected an array of integers of shape (" +
                                  (rows > 0 ? std::to_string(rows) : std::string("n")) + ", 2)");
    const auto column = [&](int k) {
      return numbers(given[py::make_tuple(py::ellipsis(), k)], name,
                     static_cast<std::size_t>(given.shape(0)));
    };
    return {column(0), column(1)};
  }

  // `only`: the listed pairs are the only ones that meet. `admits`: None or a function of Python,
  // which is called with the GIL. Its exceptions pass through the search: the exception of pybind11
  // takes the GIL itself where it needs it.
  void read_rare_filters(py::handle mask_rows, py::handle listed, bool only, py::object admits,
                         std::size_t vertex_count) {
    const auto [categories, meet] = two_columns(mask_rows, "masks", vertex_count);
    for (std::size_t v = 0; v < categories.size(); ++v) masks.push_back({categories[v], meet[v]});
    const auto [a, b] = two_columns(listed, "group_pairs", 0);
    for (std::size_t i = 0; i < a.size(); ++i) group_pairs.push_back({a[i], b[i]});
    PairFilter& filter = options.pairs.filter;
    filter.masks = masks;
    filter.group_pairs = group_pairs;
    filter.listed = only ? ListedPairs::only : ListedPairs::ignored;
    if (admits.is_none()) return;
    if (!PyCallable_Check(admits.ptr())) throw_type_error("admits", "expected a function or None");
    const std::shared_ptr<py::object> function(new py::object(std::move(admits)),
                                               [](py::object* object) {
                                                 const py::gil_scoped_acquire gil;
                                                 delete object;
                                               });
    filter.admits = [function](Kind kind, const Pair& pair) {
      const py::gil_scoped_acquire gil;
      return static_cast<bool>(
          py::bool_((*function)(member("Kind", static_cast<int>(kind)), pair.a, pair.b)));
    };
  }

  void read_filters(py::handle static_vertices, py::handle group_of, py::handle group_meets,
                    std::size_t vertex_count) {
    is_static = flags(static_vertices, "static", {vertex_count});
    groups = numbers(group_of, "groups", vertex_count);
    if (!group_meets.is_none()) {
      std::size_t count = 0;
      for (const std::uint32_t group : groups) count = std::max<std::size_t>(count, group + 1u);
      if (const py::array given = py::array::ensure(group_meets); given && given.ndim() == 2)
        count = std::max(count, static_cast<std::size_t>(given.shape(0)));
      meets = flags(group_meets, "meets", {count, count});
      for (std::size_t g = 0; g < count; ++g)
        for (std::size_t h = 0; h < g; ++h)
          if (meets[g * count + h] != meets[h * count + g])
            throw_value_error("meets", "expected a symmetric matrix; elements (" +
                                           std::to_string(g) + ", " + std::to_string(h) +
                                           ") and (" + std::to_string(h) + ", " +
                                           std::to_string(g) + ") differ");
    }
    PairFilter& filter = options.pairs.filter;
    filter.is_static = is_static;
    filter.group = groups;
    filter.meets = meets;
  }
};

void check_options(const Options& options, const Method* method) {
  if (!(options.t_max > 0 && options.t_max <= 1))
    throw_value_error("t_max", "expected a number in (0, 1], got " + std::to_string(options.t_max));
  if (!(options.min_separation >= 0) || std::isinf(options.min_separation))
    throw_value_error("min_separation", "expected a finite length >= 0, got " +
                                            std::to_string(options.min_separation));
  if (method && !method->takes(options))
    throw_value_error("method",
                      std::string(method->name) + " takes no min_separation, or not in this norm");
}

// `given`: None for the defaults, or a tuple of all arguments.
Question question(const py::object& given, std::size_t vertex_count) {
  Question result;
  if (given.is_none()) return result;
  const auto arguments = py::reinterpret_borrow<py::tuple>(given);
  Options& query = result.options.query;
  query.t_max = arguments[0].cast<double>();
  query.min_separation = arguments[1].cast<double>();
  query.norm = static_cast<Norm>(arguments[2].cast<int>());
  if (!arguments[3].is_none()) {
    const auto name = arguments[3].cast<std::string>();
    result.options.method = find_method(name);
    if (!result.options.method)
      throw_value_error("method", "there is no method '" + name + "'; methods() lists them");
  }
  if (!arguments[4].is_none()) {
    const auto name = arguments[4].cast<std::string>();
    result.options.strategy = find_pair_strategy(name);
    if (!result.options.strategy)
      throw_value_error("strategy", "there is no strategy '" + name + "'; strategies() lists them");
  }
  if (arguments[5].cast<bool>()) result.options.at_start = StartContacts::skip;
  const auto max_contacts = arguments[6].cast<long long>();
  if (max_contacts < 0)
    throw_value_error("max_contacts",
                      "expected 0 (no limit) or more, got " + std::to_string(max_contacts));
  result.options.max_contacts = static_cast<std::size_t>(max_contacts);
  result.options.pairs.shared_vertices = arguments[7].cast<bool>();
  result.read_filters(arguments[8], arguments[9], arguments[10], vertex_count);
  result.options.pairs.filter.within_group = arguments[11].cast<bool>();
  result.threads = arguments[12].cast<int>();
  result.options.start_check = arguments[13].cast<bool>();
  result.options.pairs.stray_vertices = arguments[14].cast<bool>();
  result.read_rare_filters(arguments[15], arguments[16], arguments[17].cast<bool>(), arguments[18],
                           vertex_count);
  check_options(query, result.options.method);
  return result;
}

// The positions of a step. Keeps both arrays alive.
struct Frames {
  PositionsArgument start, end;

  Frames(py::handle x0, py::handle x1, bool strict)
      : start(x0, "x0", strict), end(x1, "x1", strict) {
    if (start.size() != end.size())
      throw_value_error("x1", "expected shape (" + std::to_string(start.size()) +
                                  ", 3) as x0 has it, got (" + std::to_string(end.size()) + ", 3)");
  }
};

std::size_t work_of(const Mesh& mesh) {
  return mesh.vertex_count + mesh.edges.size() + mesh.faces.size();
}

// Returns the fields of StepImpact, enumerations as numbers, the pair as two.
py::tuple first_result(const FirstImpact& found, const StepRow& row) {
  return py::make_tuple(row.verdict, row.toi, row.toi_hi, row.u, row.v,
                        py::array_t<double>(3, row.normal), row.contact, row.checks, row.kind,
                        row.a, row.b, py::array_t<double>(3, row.point), found.work.pairs,
                        found.work.start_contacts);
}

py::tuple all_result(const AllImpacts& found, const std::vector<StepRow>& list) {
  auto [array, rows] = records<StepRow>(step_dtype(), list.size());
  std::copy(list.begin(), list.end(), rows);
  return py::make_tuple(array, static_cast<int>(found.verdict), found.toi, found.complete,
                        found.work.pairs, found.work.start_contacts, found.work.slabs);
}

// Calls function(moving, options, run), which returns an answer, and make(moving, answer).
template <class Function>
void with_motion(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
                 const py::object& arguments, const Function& function) {
  const Frames frames(x0, x1, strict);
  const MeshArgument mesh(faces, edges, frames.start.size(), strict);
  const Question asked = question(arguments, frames.start.size());
  run_without_gil(work_of(mesh.mesh()), asked.threads, [&](const Run& run) {
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

std::vector<StepRow> rows_of(const MovingMesh& moving, const AllImpacts& found) {
  std::vector<StepRow> rows;
  rows.reserve(found.impacts.size());
  for (const StepImpact& impact : found.impacts) rows.push_back(row_of(moving, impact));
  return rows;
}

py::tuple all(py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
              const py::object& arguments) {
  AllImpacts found;
  std::vector<StepRow> rows;
  with_motion(faces, edges, x0, x1, strict, arguments,
              [&](const auto& moving, auto& options, auto& run) {
                found = all_impacts(moving, options, run);
                rows = rows_of(moving, found);
              });
  return all_result(found, rows);
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

py::tuple arrays_of(const Pairs& pairs) {
  const auto array = [](const std::vector<Pair>& list) {
    py::array_t<std::uint32_t> result({static_cast<py::ssize_t>(list.size()), py::ssize_t{2}});
    auto* at = result.mutable_data();
    for (const Pair& pair : list) {
      *at++ = pair.a;
      *at++ = pair.b;
    }
    return result;
  };
  return py::make_tuple(array(pairs.vertex_face), array(pairs.edge_edge), array(pairs.vertex_edge),
                        array(pairs.vertex_vertex));
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

void check_rows(const PositionsArgument& positions, const char* name, const Mesh& mesh) {
  if (positions.size() != mesh.vertex_count)
    throw_value_error(name, "expected shape (" + std::to_string(mesh.vertex_count) +
                                ", 3) as the mesh has it, got (" +
                                std::to_string(positions.size()) + ", 3)");
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
    check_rows(frames.start, "x0", mesh);
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
    check_rows(at, "x", mesh());
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
    std::vector<StepRow> rows;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = all_impacts(candidates_, start, end, options, run);
             rows = rows_of({mesh(), start.rows(), end.rows()}, found);
           });
    return all_result(found, rows);
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
    check_rows(frames.start, "x0", mesh());
    const Question asked = question(arguments, mesh().vertex_count);
    run_without_gil(work_of(mesh()), asked.threads, [&](const Run& run) {
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
    std::vector<StepRow> rows;
    answer(x0, x1, strict, arguments,
           [&](const Positions& start, const Positions& end, auto& options, auto& run) {
             found = search_.all_impacts(start, end, options, run);
             rows = rows_of({mesh(), start.rows(), end.rows()}, found);
           });
    return all_result(found, rows);
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
    check_rows(frames.start, "x0", mesh());
    const Question asked = question(arguments, mesh().vertex_count);
    const auto reset = begin_use();
    run_without_gil(work_of(mesh()), asked.threads, [&](const Run& run) {
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

template <std::size_t N>
py::array index_array(const std::vector<std::array<std::uint32_t, N>>& rows) {
  py::array_t<std::uint32_t> result(
      {static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(N)});
  auto* at = result.mutable_data();
  for (const auto& row : rows) at = std::copy(row.begin(), row.end(), at);
  return result;
}

}  // namespace

void add_steps(py::module_& module) {
  py::class_<Mesh>(module, "Mesh",
                   "The connectivity of a mesh: Mesh(vertex_count, faces=None, edges=None). "
                   "Functions accept it in place of faces and then need not find the edges again. "
                   "`edges` of the object are the sides of faces and the rods, as pairs refer to "
                   "them; `rods` are indices of edges, `points` are vertices without an edge.")
      .def(py::init([](std::size_t vertex_count, py::handle faces, py::handle edges, bool strict) {
             if (vertex_count > Mesh::max_vertices)
               throw_value_error("vertex_count", "expected at most 2**30");
             return MeshArgument(faces, edges, vertex_count, strict).mesh();
           }),
           py::arg("vertex_count"), py::arg("faces") = py::none(), py::arg("edges") = py::none(),
           py::arg("strict") = false)
      .def_readonly("vertex_count", &Mesh::vertex_count)
      .def_property_readonly("faces", [](const Mesh& mesh) { return index_array<3>(mesh.faces); })
      .def_property_readonly("edges", [](const Mesh& mesh) { return index_array<2>(mesh.edges); })
      .def_property_readonly("rods",
                             [](const Mesh& mesh) {
                               return py::array_t<std::uint32_t>(
                                   static_cast<py::ssize_t>(mesh.rods.size()), mesh.rods.data());
                             })
      .def_property_readonly("points",
                             [](const Mesh& mesh) {
                               return py::array_t<std::uint32_t>(
                                   static_cast<py::ssize_t>(mesh.points.size()),
                                   mesh.points.data());
                             })
      .def("__eq__",
           [](const Mesh& a, const py::object& b) {
             return py::isinstance<Mesh>(b) && a == b.cast<const Mesh&>();
           })
      .def("__repr__", [](const Mesh& mesh) {
        return "<graze.Mesh: " + std::to_string(mesh.vertex_count) + " vertices, " +
               std::to_string(mesh.edges.size()) + " edges, " + std::to_string(mesh.faces.size()) +
               " faces>";
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
      .def_property_readonly("mesh", &StepCandidates::mesh, py::return_value_policy::copy)
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
      .def_property_readonly("mesh", &Search::mesh, py::return_value_policy::copy)
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
