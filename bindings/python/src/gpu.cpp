#include "graze/gpu.h"

#include <memory>
#include <stdexcept>

#include "device_array.h"
#include "step_arguments.h"

namespace graze::python {
namespace {

// Throws RuntimeError with the status and the reason if the GPU has no answer.
void require(const gpu::Outcome& outcome) {
  if (!outcome)
    throw std::runtime_error(std::string("device='gpu': ") + gpu::name(outcome.status) + ": " +
                             outcome.message);
}

// The positions of a step, both on the host or both on the GPU.
class GpuFrames {
 public:
  GpuFrames(py::handle x0, py::handle x1, bool strict, const Mesh& mesh, int device)
      : device_(device), start_(device_array(x0, "x0")), end_(device_array(x1, "x1")) {
    if (start_.has_value() != end_.has_value())
      throw_value_error("x1",
                        "expected x0 and x1 both in memory of the GPU or both in that of the "
                        "host");
    if (!start_) {
      host_.emplace(x0, x1, strict);
      check_rows(host_->start.size(), "x0", mesh);
      return;
    }
    check_rows(start_->positions.count, "x0", mesh);
    check_rows(end_->positions.count, "x1", mesh);
    for (const auto* array : {&*start_, &*end_})
      if (array->device >= 0 && array->device != device)
        throw_value_error("x0, x1", "expected arrays of the GPU " + std::to_string(device) +
                                        " of the search, got GPU " + std::to_string(array->device));
  }

  // Calls function(start, end, run) with Positions or gpu::DevicePositions. Without the GIL.
  template <class Function>
  auto visit(int threads, const Function& function) const {
    gpu::RunOptions run;
    run.threads = threads;
    if (host_) return function(host_->start.rows(), host_->end.rows(), run);
    run.stream = start_->stream ? start_->stream : end_->stream;
    if (end_->stream && end_->stream != run.stream) wait_for_end();
    return function(start_->positions, end_->positions, run);
  }
  // Sets the rows of the vertices on the host, for places of contacts.
  void copy_rows(std::vector<Vec3>& start, std::vector<Vec3>& end) const {
    if (host_) {
      const Positions x0 = host_->start.rows(), x1 = host_->end.rows();
      start.assign(x0.rows().begin(), x0.rows().end());
      end.assign(x1.rows().begin(), x1.rows().end());
      return;
    }
    start.resize(start_->positions.count);
    end.resize(end_->positions.count);
    require(gpu::copy_to_host(start_->positions, start, device_, {.stream = start_->stream}));
    require(gpu::copy_to_host(end_->positions, end, device_, {.stream = end_->stream}));
  }

 private:
  // Waits for the work of the stream of x1: a search waits for one stream only. A copy of one row
  // ends after that work.
  void wait_for_end() const {
    if (end_->positions.count == 0) return;
    Vec3 row;
    require(
        gpu::copy_to_host({end_->positions.rows, 1}, {&row, 1}, device_, {.stream = end_->stream}));
  }

  int device_;
  std::optional<DeviceArray> start_, end_;
  std::optional<Frames> host_;
};

// A gpu::StepSearch of Python. Only one thread at a time may use it: a second one gets
// RuntimeError.
class GpuSearch {
 public:
  GpuSearch(py::handle faces, py::handle edges, std::size_t vertex_count, bool strict, int device)
      : device_(device),
        search_(MeshArgument(faces, edges, vertex_count, strict).mesh(), {.device = device}) {
    require(search_.outcome());
  }

  const Mesh& mesh() const { return search_.mesh(); }

  py::tuple earliest(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    gpu::FirstAnswer found;
    StepRow row{};
    answer(x0, x1, strict, arguments, [&](const GpuFrames& frames, const Question& asked) {
      found = frames.visit(asked.threads, [&](const auto& start, const auto& end, const auto& run) {
        return search_.earliest_impact(start, end, asked.options, run);
      });
      if (!found.outcome) return;
      std::vector<Vec3> start, end;
      if (found.impact.verdict == Verdict::contact) frames.copy_rows(start, end);
      row = row_of({mesh(), start, end}, found);
    });
    require(found.outcome);
    return first_result(found, row);
  }
  py::tuple all(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    gpu::AllAnswer found;
    py::object rows;
    answer(x0, x1, strict, arguments, [&](const GpuFrames& frames, const Question& asked) {
      found = frames.visit(asked.threads, [&](const auto& start, const auto& end, const auto& run) {
        return search_.all_impacts(start, end, asked.options, run);
      });
      std::vector<Vec3> start, end;
      if (!found.impacts.empty()) frames.copy_rows(start, end);
      rows = rows_of({mesh(), start, end}, found);
    });
    require(found.outcome);
    return all_result(found, std::move(rows));
  }
  double free_step(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    gpu::FreeStepAnswer found;
    answer(x0, x1, strict, arguments, [&](const GpuFrames& frames, const Question& asked) {
      found = frames.visit(asked.threads, [&](const auto& start, const auto& end, const auto& run) {
        return search_.collision_free_step(start, end, asked.options.query.min_separation,
                                           asked.options, run);
      });
    });
    require(found.outcome);
    return found.step;
  }
  py::tuple pairs(py::handle x0, py::handle x1, bool strict, const py::object& arguments) {
    gpu::PairsAnswer found;
    answer(x0, x1, strict, arguments, [&](const GpuFrames& frames, const Question& asked) {
      std::vector<Vec3> start, end;
      frames.copy_rows(start, end);
      PairOptions options = asked.options.pairs;
      options.separation = asked.options.query.min_separation;
      found = search_.find_pairs(start, end, options, {.threads = asked.threads});
    });
    require(found.outcome);
    return arrays_of(found);
  }

 private:
  template <class Function>
  void answer(py::handle x0, py::handle x1, bool strict, const py::object& arguments,
              const Function& function) {
    const GpuFrames frames(x0, x1, strict, mesh(), device_);
    const Question asked = question(arguments, mesh().vertex_count);
    if (busy_)
      throw std::runtime_error(
          "StepSearch: another thread is using this object; give each thread an object of its own");
    busy_ = true;
    const std::unique_ptr<bool, void (*)(bool*)> reset{&busy_, [](bool* busy) { *busy = false; }};
    const py::gil_scoped_release release;
    function(frames, asked);
  }

  int device_;
  gpu::StepSearch search_;
  bool busy_ = false;
};

}  // namespace

void add_gpu(py::module_& module) {
  module.def("gpu_devices", [] {
    const gpu::Devices found = gpu::devices();
    py::list list;
    for (const gpu::Device& device : found.list)
      list.append(py::make_tuple(device.index, device.name, device.memory));
    return py::make_tuple(list, found.outcome.message);
  });
  // For tests: returns the properties of an array in memory of a GPU, or None for any other object.
  module.def("device_array", [](py::handle value) -> py::object {
    const auto array = device_array(value, "x");
    if (!array) return py::none();
    return py::make_tuple(reinterpret_cast<std::uintptr_t>(array->positions.rows),
                          array->positions.count, array->device,
                          reinterpret_cast<std::uintptr_t>(array->stream));
  });
  py::class_<GpuSearch>(module, "GpuStepSearch")
      .def(py::init<py::handle, py::handle, std::size_t, bool, int>())
      .def_property_readonly("mesh", &GpuSearch::mesh, py::return_value_policy::copy)
      .def("earliest_impact", &GpuSearch::earliest)
      .def("all_impacts", &GpuSearch::all)
      .def("collision_free_step", &GpuSearch::free_step)
      .def("find_pairs", &GpuSearch::pairs);
}

}  // namespace graze::python
