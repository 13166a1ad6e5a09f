#include "step_arguments.h"

#include <cmath>
#include <memory>

#include "graze/method.h"

namespace graze::python {
namespace {

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

// Returns the two columns of an array of shape (n, 2); of shape (rows, 2) if rows is not 0. Empty
// for None.
std::array<std::vector<std::uint32_t>, 2> two_columns(py::handle value, const char* name,
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

void check_method(const Options& options, const Method* method) {
  if (method && !method->takes(options))
    throw_value_error("method",
                      std::string(method->name) + " takes no min_separation, or not in this norm");
}

}  // namespace

const py::dtype& step_dtype() {
  static const py::dtype& type = immortal(make_step_dtype());
  return type;
}

StepRow row_of(const StepImpact& found, const Vec3& point) {
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
  for (int k = 0; k < 3; ++k) {
    row.normal[k] = impact.normal[k];
    row.point[k] = point[k];
  }
  return row;
}

StepRow row_of(const MovingMesh& moving, const StepImpact& found) {
  return row_of(found, found.impact.verdict == Verdict::contact ? contact_position(moving, found)
                                                                : Vec3::Constant(Impact::nan));
}

py::object rows_of(const MovingMesh& moving, const AllImpacts& found) {
  py::object array;
  StepRow* row = nullptr;
  {
    const py::gil_scoped_acquire gil;
    auto [made, rows] = records<StepRow>(step_dtype(), found.impacts.size());
    array = std::move(made);
    row = rows;
  }
  for (const StepImpact& impact : found.impacts) *row++ = row_of(moving, impact);
  return array;
}

// Reads the filters that few callers use. `only`: the listed pairs are the only ones that meet.
// `admits`: None or a function of Python, which is called with the GIL. Its exceptions pass through
// the search: the exception class of pybind11 acquires the GIL itself.
void Question::read_rare_filters(py::handle mask_rows, py::handle listed, bool only,
                                 py::object admits, std::size_t vertex_count) {
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

void Question::read_filters(py::handle static_vertices, py::handle group_of, py::handle group_meets,
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
          throw_value_error("meets", "expected a symmetric matrix; elements (" + std::to_string(g) +
                                         ", " + std::to_string(h) + ") and (" + std::to_string(h) +
                                         ", " + std::to_string(g) + ") differ");
  }
  PairFilter& filter = options.pairs.filter;
  filter.is_static = is_static;
  filter.group = groups;
  filter.meets = meets;
}

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
  query.distance_tol = arguments[19].cast<double>();
  query.time_tol = arguments[20].cast<double>();
  query.max_checks = arguments[21].cast<std::uint32_t>();
  query.no_zero_toi = arguments[22].cast<bool>();
  result.read_rare_filters(arguments[15], arguments[16], arguments[17].cast<bool>(), arguments[18],
                           vertex_count);
  check_options(query);
  check_method(query, result.options.method);
  return result;
}

std::size_t work_of(const Mesh& mesh) {
  const std::size_t features = mesh.vertex_count + mesh.edges.size() + mesh.faces.size();
  return features * std::clamp<std::size_t>(features / 64, 1, 64);  // each may meet many others
}

std::size_t work_of(const Mesh& mesh, const StepOptions& options) {
  // A query of another method than the default may take seconds.
  return options.method && options.method != &default_method(options.query) ? long_work
                                                                            : work_of(mesh);
}

py::tuple first_result(const FirstImpact& found, const StepRow& row) {
  return py::make_tuple(row.verdict, row.toi, row.toi_hi, row.u, row.v, array_of(Vec3(row.normal)),
                        row.contact, row.checks, row.kind, row.a, row.b, array_of(Vec3(row.point)),
                        found.work.pairs, found.work.start_contacts);
}

py::tuple all_result(const AllImpacts& found, py::object rows) {
  return py::make_tuple(std::move(rows), static_cast<int>(found.verdict), found.toi, found.complete,
                        found.work.pairs, found.work.start_contacts, found.work.slabs);
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

void check_rows(std::size_t rows, const char* name, const Mesh& mesh) {
  if (rows != mesh.vertex_count)
    throw_value_error(name, "expected shape (" + std::to_string(mesh.vertex_count) +
                                ", 3) as the mesh has it, got (" + std::to_string(rows) + ", 3)");
}

}  // namespace graze::python
