#include <pybind11/stl.h>

#include <cmath>

#include "arrays.h"
#include "graze/certificate.h"
#include "graze/first_contact.h"
#include "graze/method.h"
#include "graze/separation.h"

namespace graze::python {

namespace {

struct Field {
  const char* name;
  const char* format;
  std::size_t offset;
};

py::dtype record_dtype(std::initializer_list<Field> fields, std::size_t size) {
  py::list names, formats, offsets;
  for (const Field& field : fields) {
    names.append(field.name);
    formats.append(field.format);
    offsets.append(field.offset);
  }
  return py::dtype(names, formats, offsets, static_cast<py::ssize_t>(size));
}

// Returns the fields of Impact, without reached_tol, at their offsets, which the tests check.
py::dtype impact_dtype() {
  return record_dtype({{"verdict", "u1", 0},
                       {"contact", "u1", 1},
                       {"checks", "u4", 4},
                       {"toi", "f8", 8},
                       {"toi_hi", "f8", 16},
                       {"u", "f8", 24},
                       {"v", "f8", 32},
                       {"nx", "f8", 40},
                       {"ny", "f8", 48},
                       {"nz", "f8", 56}},
                      sizeof(Impact));
}

py::dtype interval_dtype() {
  static_assert(sizeof(ContactInterval) == 40);
  return record_dtype({{"begin_lo", "f8", 0},
                       {"begin_hi", "f8", 8},
                       {"end_lo", "f8", 16},
                       {"end_hi", "f8", 24},
                       {"instant", "?", 32}},
                      sizeof(ContactInterval));
}

py::dtype closest_dtype() {
  static_assert(sizeof(ClosestPoints) == 56);
  return record_dtype({{"u", "f8", 8},
                       {"v", "f8", 16},
                       {"nx", "f8", 24},
                       {"ny", "f8", 32},
                       {"nz", "f8", 40},
                       {"distance", "f8", 48}},
                      sizeof(ClosestPoints));
}

Options query_options(double t_max, double min_separation, int norm, double distance_tol,
                      double time_tol, std::uint32_t max_checks, bool no_zero_toi) {
  Options options;
  options.t_max = t_max;
  options.min_separation = min_separation;
  options.norm = static_cast<Norm>(norm);
  options.distance_tol = distance_tol;
  options.time_tol = time_tol;
  options.max_checks = max_checks;
  options.no_zero_toi = no_zero_toi;
  check_options(options);
  return options;
}

const Method& chosen_method(const py::object& name, Kind kind, const Options& options) {
  if (name.is_none()) return default_method(options);
  const auto text = name.cast<std::string>();
  const Method* method = find_method(text);
  if (!method)
    throw_value_error("method", "there is no method '" + text + "'; methods() lists them");
  if (!method->has(kind))
    throw_value_error("method", text + " does not answer kind " + graze::name(kind));
  if (!method->takes(options))
    throw_value_error("method", text + " takes no min_separation, or not in this norm");
  return *method;
}

// Returns the work of a batch for run_without_gil(). A query of the default method takes
// microseconds, or milliseconds where integers of many digits decide; with a separation tens of
// milliseconds. A query of another method may take seconds.
std::size_t work_of_queries(std::size_t count, const Method& method, const Options& options) {
  if (&method != &default_method(options)) return long_work;
  return options.min_separation > 0 ? 64 * count : count;
}

// Returns an array of Impact and whether the argument was one query.
py::tuple contacts(py::handle query, int kind, double t_max, double min_separation, int norm,
                   const py::object& method_name, double distance_tol, double time_tol,
                   std::uint32_t max_checks, bool no_zero_toi, int threads, bool strict) {
  const QueriesArgument queries(query, static_cast<Kind>(kind), strict);
  const Options options =
      query_options(t_max, min_separation, norm, distance_tol, time_tol, max_checks, no_zero_toi);
  const Method& method = chosen_method(method_name, queries.kind(), options);
  static const py::dtype& type = immortal(impact_dtype());
  auto [array, impacts] = records<Impact>(type, queries.size());
  const std::span<Impact> answers(impacts, queries.size());
  const std::size_t work = work_of_queries(queries.size(), method, options);
  run_without_gil(work, queries.is_single() ? 1 : threads, [&](const Run& run) {
    std::uninitialized_fill(answers.begin(), answers.end(), Impact{});
    queries.visit([&](auto list) { first_contact(list, answers, options, run, method); });
  });
  return py::make_tuple(array, queries.is_single());
}

py::tuple times(py::handle query, int kind, double t_max, int threads, bool strict) {
  const QueriesArgument queries(query, static_cast<Kind>(kind), strict);
  const Options options = query_options(t_max, 0, 0, 1e-6, 1e-9, 1, false);
  std::vector<ContactTimes> found(queries.size());
  // Integers decide every query: tens of microseconds, or milliseconds if they have many digits.
  run_without_gil(16 * queries.size(), threads, [&](const Run& run) {
    queries.visit([&](auto list) { contact_times(list, std::span(found), options, run); });
  });
  static const py::dtype& type = immortal(interval_dtype());
  py::list list;
  for (const ContactTimes& answer : found) {
    auto [array, rows] = records<ContactInterval>(type, answer.intervals.size());
    std::copy(answer.intervals.begin(), answer.intervals.end(), rows);
    list.append(py::make_tuple(static_cast<int>(answer.verdict), array));
  }
  return py::make_tuple(list, queries.is_single());
}

py::tuple closest(py::handle query, double t, int kind, int norm, bool strict) {
  const QueriesArgument queries(query, static_cast<Kind>(kind), strict);
  static const py::dtype& type = immortal(closest_dtype());
  auto [array, rows] = records<ClosestPoints>(type, queries.size());
  const std::span<ClosestPoints> answers(rows, queries.size());
  run_without_gil(queries.size(), 1, [&](const Run& run) {
    std::uninitialized_fill(answers.begin(), answers.end(), ClosestPoints{});
    queries.visit(
        [&](auto list) { closest_points(list, t, answers, static_cast<Norm>(norm), run); });
  });
  return py::make_tuple(array, queries.is_single());
}

QueriesArgument one_query(py::handle query, int kind, bool strict) {
  QueriesArgument queries(query, static_cast<Kind>(kind), strict);
  if (!queries.is_single())
    throw_value_error("query", "expected one query, an array of two dimensions");
  return queries;
}

Certificate prove(py::handle query, int kind, double t_max, std::uint32_t max_checks, bool strict) {
  const QueriesArgument queries = one_query(query, kind, strict);
  Options options = query_options(t_max, 0, 0, 1e-6, 1e-9, max_checks, false);
  // Most searches end within this budget, in less than a millisecond. A budget changes no
  // certificate that is found within it.
  constexpr std::uint32_t few_checks = 16;
  const bool may_take_long = max_checks == 0 || max_checks > few_checks;
  if (may_take_long) options.max_checks = few_checks;
  Certificate result;
  const auto search = [&](const Run& run) {
    queries.visit([&](auto list) { certificate(list, std::span(&result, 1), options, run); });
  };
  run_without_gil(0, 1, search);
  if (result.verdict != Verdict::undecided || !may_take_long) return result;
  options.max_checks = max_checks;
  run_without_gil(long_work, 1, search);
  return result;
}

bool check(const Certificate& proof, py::handle query, int kind, bool strict) {
  const QueriesArgument queries = one_query(query, kind, strict);
  bool valid = false;
  run_without_gil(
      1, 1, [&](const Run&) { queries.visit([&](auto list) { valid = verify(proof, list[0]); }); });
  return valid;
}

// A piece: the terms of its end, and for each coefficient of the direction the terms of the vector.
using PlainPiece = std::pair<std::vector<double>, std::vector<std::vector<std::array<double, 3>>>>;

std::vector<PlainPiece> plain_pieces(const Certificate& proof) {
  std::vector<PlainPiece> pieces;
  for (const CertificatePiece& piece : proof.pieces) {
    auto& [end, direction] = pieces.emplace_back();
    end = piece.end;
    for (const auto& terms : piece.direction) {
      auto& plain = direction.emplace_back();
      for (const Vec3& term : terms) plain.push_back({term[0], term[1], term[2]});
    }
  }
  return pieces;
}

Certificate certificate_of(double t_max, const std::vector<PlainPiece>& pieces) {
  Certificate proof{Verdict::separated, t_max, {}};
  for (const auto& [end, direction] : pieces) {
    CertificatePiece& piece = proof.pieces.emplace_back();
    piece.end = end;
    for (const auto& terms : direction) {
      auto& vectors = piece.direction.emplace_back();
      for (const auto& term : terms) vectors.emplace_back(term[0], term[1], term[2]);
    }
  }
  return proof;
}

py::list method_rows() {
  py::list rows;
  for (const Method& method : methods()) {
    py::list kinds;
    for (std::size_t i = 0; i < kind_count; ++i)
      if (const Kind kind = static_cast<Kind>(i); method.has(kind)) kinds.append(name(kind));
    rows.append(py::make_tuple(std::string(method.name), name(method.guarantee), kinds,
                               method.gives_time, name(method.norm),
                               std::string(method.reference)));
  }
  return rows;
}

}  // namespace

void add_queries(py::module_& module) {
  module.attr("impact_dtype") = impact_dtype();
  module.def("first_contact", &contacts);
  module.def("contact_times", &times);
  module.def("closest_points", &closest);
  module.def("certificate", &prove);
  module.def("verify", &check);
  module.def("methods", &method_rows);
  py::class_<Certificate>(
      module, "Certificate",
      "A proof that two moving primitives do not touch in [0, t_max]. A piece is "
      "(end, direction): the end of the piece as a sum of doubles, a fraction of "
      "t_max, and the coefficients of the separating direction, each a sum of "
      "vectors. Certificate(t_max, pieces) makes one for verify().")
      .def(py::init(&certificate_of), py::arg("t_max"), py::arg("pieces"),
           "Makes a certificate of a proof from elsewhere: Certificate(t_max, pieces).")
      .def_property_readonly(
          "verdict",
          [](const Certificate& proof) {
            return member("Verdict", static_cast<int>(proof.verdict));
          },
          "The Verdict. separated: proven. contact, undecided or invalid: there are no pieces.")
      .def_readonly("t_max", &Certificate::t_max,
                    "The end of the time that the proof covers, a fraction of the step.")
      .def_property_readonly("pieces", &plain_pieces,
                             "The pieces in the order of time, as a list of (end, direction).")
      .def("__len__", [](const Certificate& proof) { return proof.pieces.size(); })
      .def("__repr__", [](const Certificate& proof) {
        return std::string("<graze.Certificate: ") + name(proof.verdict) + ", " +
               counted(proof.pieces.size(), "piece", "pieces") + ">";
      });
}

}  // namespace graze::python
