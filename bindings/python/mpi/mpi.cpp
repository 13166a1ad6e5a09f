#include "graze/mpi.h"

#include <exception>
#include <optional>

#include "../src/step_arguments.h"

// The module graze._mpi: translates arrays and communicators, which come as the handles of Fortran.
namespace graze::python {
namespace {

// Runs the function on every rank. If it throws on some rank, every rank throws: that error on its
// own rank, RuntimeError on all others, which would otherwise wait for that rank forever.
template <class Function>
void on_every_rank(MPI_Comm comm, const Function& function) {
  std::exception_ptr error;
  try {
    function();
  } catch (...) {
    error = std::current_exception();
  }
  int wrong = error ? 1 : 0;
  {
    const py::gil_scoped_release unlocked;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, comm);
  }
  if (error) std::rethrow_exception(error);
  if (wrong) throw std::runtime_error("another rank of the communicator has wrong arguments");
}

// The arguments of both functions: the part of this rank, and options that all ranks share.
class Call {
 public:
  Call(int comm, py::handle faces, py::handle edges, py::handle x0, py::handle x1, bool strict,
       const py::object& options)
      : comm_(MPI_Comm_f2c(comm)) {
    on_every_rank(comm_, [&] {
      frames_.emplace(x0, x1, strict);
      asked_ = question(options, frames_->start.size());
    });
    unsigned long long vertices = frames_->start.size();
    {
      const py::gil_scoped_release unlocked;
      MPI_Allreduce(MPI_IN_PLACE, &vertices, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm_);
    }
    on_every_rank(comm_, [&] {
      if (vertices > Mesh::max_vertices)
        throw_value_error("x0", "expected at most 2**30 vertices on all ranks together");
      faces_ = index_rows<3>(faces, "faces", vertices, strict);
      edges_ = index_rows<2>(edges, "edges", vertices, strict);
    });
  }

  // Calls function(comm, part, options, run) without the GIL. Ctrl-C on any rank ends the call on
  // all ranks, if MPI may be called from the thread that then does the work.
  template <class Function>
  void run(const Function& function) const {
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    run_without_gil(level >= MPI_THREAD_SERIALIZED ? long_work : 0, asked_.threads,
                    [&](const Run& given) {
                      const Positions start = frames_->start.rows(), end = frames_->end.rows();
                      Run run = given;
                      run.threads = asked_.threads;
                      function(comm_, mpi::MeshPart{start.rows(), end.rows(), faces_, edges_},
                               asked_.options, run);
                    });
  }

 private:
  MPI_Comm comm_;
  std::optional<Frames> frames_;
  Question asked_;
  std::vector<Face> faces_;
  std::vector<Edge> edges_;
};

py::tuple earliest(int comm, py::handle faces, py::handle edges, py::handle x0, py::handle x1,
                   bool strict, const py::object& options) {
  mpi::FirstImpact first;
  Call(comm, faces, edges, x0, x1, strict, options).run([&](auto... arguments) {
    first = mpi::earliest_impact(arguments...);
  });
  return first_result(first, row_of(first, first.position));
}

// Returns the first impact, the rows of this rank and the number of contacts of all ranks.
py::tuple all(int comm, py::handle faces, py::handle edges, py::handle x0, py::handle x1,
              bool strict, const py::object& options) {
  mpi::AllImpacts found;
  Call(comm, faces, edges, x0, x1, strict, options).run([&](auto... arguments) {
    found = mpi::all_impacts(arguments...);
  });
  auto [rows, row] = records<StepRow>(step_dtype(), found.impacts.size());
  for (const StepImpact& impact : found.impacts)
    *row++ = row_of(impact, Vec3::Constant(Impact::nan));
  AllImpacts summary;
  summary.verdict = found.verdict;
  summary.toi = found.toi;
  summary.complete = found.complete;
  summary.work = found.work;
  return py::make_tuple(first_result(found.first, row_of(found.first, found.first.position)),
                        all_result(summary, std::move(rows)), found.contacts);
}

}  // namespace
}  // namespace graze::python

PYBIND11_MODULE(_mpi, module) {
  module.doc() = "The C++ side of graze.mpi.";
  module.def("earliest_impact", &graze::python::earliest);
  module.def("all_impacts", &graze::python::all);
}
