#include "graze/mpi.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

// The module graze._mpi: translates arrays and communicators, which come as the handles of Fortran.
namespace {

namespace py = pybind11;
using graze::Vec3;

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Indices = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

// Returns the rows of an array of shape (n, N). The result is valid as long as the array.
template <class Row, class Array>
std::span<const Row> rows(const Array& array, std::size_t columns, const char* name) {
  if (array.ndim() != 2 || static_cast<std::size_t>(array.shape(1)) != columns)
    throw py::value_error(std::string(name) + ": expected an array of shape (n, " +
                          std::to_string(columns) + ")");
  return {reinterpret_cast<const Row*>(array.data()), static_cast<std::size_t>(array.shape(0))};
}

// The arguments of both functions.
struct Call {
  Call(int comm, const Rows& x0, const Rows& x1, const Indices& faces, const Indices& edges,
       double t_max, double min_separation, bool skip_start, bool start_check, int threads)
      : communicator(MPI_Comm_f2c(comm)),
        part{rows<Vec3>(x0, 3, "x0"), rows<Vec3>(x1, 3, "x1"), rows<graze::Face>(faces, 3, "faces"),
             rows<graze::Edge>(edges, 2, "edges")} {
    options.query.t_max = t_max;
    options.query.min_separation = min_separation;
    options.start_check = start_check;
    if (skip_start) options.at_start = graze::StartContacts::skip;
    run.threads = threads;
  }
  MPI_Comm communicator;
  graze::mpi::MeshPart part;
  graze::StepOptions options;
  graze::Run run;
};

// Returns the fields in the order of graze._results.step_impact_of().
py::tuple result_of(const graze::StepImpact& found, const Vec3& point,
                    const graze::StepWork& work) {
  const auto array = [](const Vec3& x) { return py::array_t<double>(3, x.data()); };
  const graze::Impact& impact = found.impact;
  return py::make_tuple(static_cast<int>(impact.verdict), impact.toi, impact.toi_hi, impact.u,
                        impact.v, array(impact.normal), static_cast<int>(impact.kind),
                        impact.checks, static_cast<int>(found.kind), found.pair.a, found.pair.b,
                        array(point), work.pairs, work.start_contacts);
}

template <class... Arguments>
py::tuple earliest(Arguments... arguments) {
  const Call call(arguments...);
  graze::mpi::FirstImpact first;
  {
    const py::gil_scoped_release release;
    first = graze::mpi::earliest_impact(call.communicator, call.part, call.options, call.run);
  }
  return result_of(first, first.position, first.work);
}

template <class... Arguments>
py::tuple all(Arguments... arguments) {
  const Call call(arguments...);
  graze::mpi::AllImpacts impacts;
  {
    const py::gil_scoped_release release;
    impacts = graze::mpi::all_impacts(call.communicator, call.part, call.options, call.run);
  }
  py::list mine;
  for (const graze::StepImpact& found : impacts.impacts)
    mine.append(result_of(found, Vec3::Constant(graze::Impact::nan), impacts.work));
  return py::make_tuple(result_of(impacts.first, impacts.first.position, impacts.work), mine,
                        impacts.contacts);
}

}  // namespace

PYBIND11_MODULE(_mpi, module) {
  module.doc() = "The C++ side of graze.mpi.";
  module.def("earliest_impact", earliest<int, const Rows&, const Rows&, const Indices&,
                                         const Indices&, double, double, bool, bool, int>);
  module.def("all_impacts", all<int, const Rows&, const Rows&, const Indices&, const Indices&,
                                double, double, bool, bool, int>);
}
