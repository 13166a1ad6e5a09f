#include "arrays.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace graze::python {

namespace {

// Calls with less work than this end within milliseconds.
constexpr std::size_t much_work = 512;
constexpr int most_threads = 1024;

std::string text(py::handle value) {
  return py::str(value).cast<std::string>();
}

std::string shape_of(const py::array& array) {
  return text(array.attr("shape"));
}

bool is_plain(const py::array& array) {
  constexpr int needed =
      py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return (array.flags() & needed) == needed;
}

// Returns whether the elements are of this type of NumPy in the byte order of the machine.
bool has_type(const py::array& array, int type) {
  const auto* descr =
      py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr);
  return descr->type_num == type && descr->byteorder == '=';
}

py::array copy_as(const py::array& array, const char* type) {
  return py::module_::import("numpy").attr("array")(array, type, py::arg("order") = "C",
                                                    py::arg("subok") = false);
}

// Returns the value as an array of real numbers.
py::array number_array(py::handle value, const char* name, bool strict, const char* expected) {
  py::array array;
  if (py::isinstance<py::array>(value)) {
    array = py::reinterpret_borrow<py::array>(value);
  } else {
    const std::string type = text(py::type::handle_of(value).attr("__name__"));
    if (strict) throw_type_error(name, "expected a NumPy array in strict mode, got " + type);
    array = py::array::ensure(value);
    if (!array) throw_type_error(name, std::string("expected ") + expected + ", got " + type);
  }
  const char kind =
      py::detail::array_descriptor_proxy(py::detail::array_proxy(array.ptr())->descr)->kind;
  if (kind != 'f' && kind != 'i' && kind != 'u')
    throw_type_error(name, std::string("expected ") + expected + ", got dtype " +
                               text(array.dtype()) + " with shape " + shape_of(array));
  return array;
}

// Returns the array as aligned C-contiguous float64.
py::array doubles(const py::array& array, const char* name, bool strict) {
  if (has_type(array, py::detail::npy_api::NPY_DOUBLE_) && is_plain(array)) return array;
  if (strict)
    throw_type_error(name, "expected aligned C-contiguous float64 in strict mode, got dtype " +
                               text(array.dtype()) + " with strides " +
                               text(array.attr("strides")));
  return copy_as(array, "f8");
}

template <class T, std::size_t N>
void append_rows(const py::array& array, const char* name, std::size_t vertex_count,
                 std::vector<std::array<std::uint32_t, N>>& rows) {
  const auto count = static_cast<std::size_t>(array.shape(0));
  const T* at = static_cast<const T*>(array.data());
  rows.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < N; ++k, ++at) {
      // A negative index becomes larger than every vertex count.
      if (static_cast<std::uint64_t>(*at) >= vertex_count)
        throw_value_error(name, "row " + std::to_string(i) + " has the index " +
                                    std::to_string(*at) + "; expected 0 <= index < " +
                                    std::to_string(vertex_count) + ", the number of vertices");
      rows[i][k] = static_cast<std::uint32_t>(*at);
    }
}

class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { PyEval_RestoreThread(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

  // Returns whether a signal handler of Python has raised an exception, which stays set.
  bool interrupted() {
    PyEval_RestoreThread(state_);
    const bool raised = PyErr_CheckSignals() != 0;
    state_ = PyEval_SaveThread();
    return raised;
  }

 private:
  PyThreadState* state_;
};

}  // namespace

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void throw_value_error(const char* name, const std::string& text) {
  throw py::value_error(std::string(name) + ": " + text);
}

void throw_type_error(const char* name, const std::string& text) {
  throw py::type_error(std::string(name) + ": " + text);
}

void check_options(const Options& options) {
  const auto got = [](double value) { return ", got " + std::to_string(value); };
  if (!(options.t_max > 0 && options.t_max <= 1))
    throw_value_error("t_max", "expected a number in (0, 1]" + got(options.t_max));
  if (!(options.min_separation >= 0) || std::isinf(options.min_separation))
    throw_value_error("min_separation",
                      "expected a finite length >= 0" + got(options.min_separation));
  if (!(options.distance_tol > 0) || std::isinf(options.distance_tol))
    throw_value_error("distance_tol", "expected a finite length > 0" + got(options.distance_tol));
  if (!(options.time_tol > 0) || std::isinf(options.time_tol))
    throw_value_error("time_tol", "expected a finite number > 0" + got(options.time_tol));
}

PositionsArgument::PositionsArgument(py::handle value, const char* name, bool strict)
    : array_(number_array(value, name, strict, "an array of numbers with shape (n, 3)")) {
  if (array_.ndim() != 2 || array_.shape(1) != 3)
    throw_value_error(name, "expected shape (n, 3), got " + shape_of(array_));
  if (size() > Mesh::max_vertices)
    throw_value_error(name, "expected at most 2**30 vertices, got shape " + shape_of(array_));
  single_ = has_type(array_, py::detail::npy_api::NPY_FLOAT_) && is_plain(array_);
  if (!single_) array_ = doubles(array_, name, strict);
}

Positions PositionsArgument::rows() const {
  if (single_) return std::span(static_cast<const Eigen::Vector3f*>(array_.data()), size());
  return std::span(static_cast<const Vec3*>(array_.data()), size());
}

QueriesArgument::QueriesArgument(py::handle value, Kind kind, bool strict)
    : array_(number_array(value, "query", strict, "an array of numbers")), kind_(kind) {
  static_assert(sizeof(VertexEdge) == 18 * sizeof(double));
  static_assert(sizeof(VertexVertex) == 12 * sizeof(double));
  constexpr std::array<py::ssize_t, kind_count> corners{8, 8, 6, 4};
  const py::ssize_t rows = corners[static_cast<std::size_t>(kind)];
  const py::ssize_t dimensions = array_.ndim();
  const bool fits = (dimensions == 2 || dimensions == 3) && array_.shape(dimensions - 1) == 3 &&
                    array_.shape(dimensions - 2) == rows;
  if (!fits) {
    const std::string last = std::to_string(rows) + ", 3)";
    throw_value_error("query", std::string("expected shape (") + last + " or (n, " + last +
                                   " for kind " + name(kind) + ", got " + shape_of(array_));
  }
  single_ = dimensions == 2;
  size_ = single_ ? 1 : static_cast<std::size_t>(array_.shape(0));
  array_ = doubles(array_, "query", strict);
}

template <std::size_t N>
std::vector<std::array<std::uint32_t, N>> index_rows(py::handle value, const char* name,
                                                     std::size_t vertex_count, bool strict) {
  std::vector<std::array<std::uint32_t, N>> rows;
  if (value.is_none()) return rows;
  const std::string expected = "an array of integers with shape (n, " + std::to_string(N) + ")";
  py::array array = number_array(value, name, strict, expected.c_str());
  if (array.ndim() == 1 && array.size() == 0) return rows;
  if (array.dtype().kind() == 'f')
    throw_type_error(name, "expected " + expected + ", got dtype " + text(array.dtype()) +
                               " with shape " + shape_of(array));
  if (array.ndim() != 2 || array.shape(1) != static_cast<py::ssize_t>(N))
    throw_value_error(name,
                      "expected shape (n, " + std::to_string(N) + "), got " + shape_of(array));
  const bool is_i32 = py::isinstance<py::array_t<std::int32_t>>(array);
  const bool is_u32 = py::isinstance<py::array_t<std::uint32_t>>(array);
  const bool is_u64 = py::isinstance<py::array_t<std::uint64_t>>(array);
  const bool is_i64 = py::isinstance<py::array_t<std::int64_t>>(array);
  if (strict && !(is_plain(array) && (is_i32 || is_u32 || is_i64)))
    throw_type_error(name,
                     "expected aligned C-contiguous int32, uint32 or int64 in strict mode, "
                     "got dtype " +
                         text(array.dtype()) + " with strides " + text(array.attr("strides")));
  if (!is_plain(array) || !(is_i32 || is_u32 || is_i64 || is_u64))
    array = copy_as(array, is_i32 ? "i4" : is_u32 ? "u4" : is_u64 ? "u8" : "i8");
  if (is_i32)
    append_rows<std::int32_t>(array, name, vertex_count, rows);
  else if (is_u32)
    append_rows<std::uint32_t>(array, name, vertex_count, rows);
  else if (is_u64)
    append_rows<std::uint64_t>(array, name, vertex_count, rows);
  else
    append_rows<std::int64_t>(array, name, vertex_count, rows);
  return rows;
}

template std::vector<Face> index_rows<3>(py::handle, const char*, std::size_t, bool);
template std::vector<Edge> index_rows<2>(py::handle, const char*, std::size_t, bool);

std::vector<std::uint32_t> numbers(py::handle value, const char* name, std::size_t count) {
  if (value.is_none()) return {};
  py::array array = number_array(value, name, false, "an array of integers");
  if (array.dtype().kind() == 'f' && array.size() > 0)
    throw_type_error(name, "expected an array of integers, got dtype " + text(array.dtype()));
  if (array.ndim() != 1 || static_cast<std::size_t>(array.shape(0)) != count)
    throw_value_error(name, "expected shape (" + std::to_string(count) +
                                ",), one number per vertex, got " + shape_of(array));
  const bool is_u64 = py::isinstance<py::array_t<std::uint64_t>>(array);
  array = copy_as(array, is_u64 ? "u8" : "i8");
  const auto* at = static_cast<const std::uint64_t*>(array.data());
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (at[i] > 0xffffffff)  // also every negative number
      throw_value_error(name, "element " + std::to_string(i) + " is not in [0, 2**32)");
    result[i] = static_cast<std::uint32_t>(at[i]);
  }
  return result;
}

std::vector<std::uint8_t> flags(py::handle value, const char* name,
                                const std::vector<std::size_t>& shape) {
  if (value.is_none()) return {};
  py::array array = py::array::ensure(value);
  if (!array) throw_type_error(name, "expected an array of bool");
  const char kind = array.dtype().kind();
  if (kind != 'b' && kind != 'i' && kind != 'u')
    throw_type_error(name, "expected an array of bool, got dtype " + text(array.dtype()) +
                               " with shape " + shape_of(array));
  bool fits = static_cast<std::size_t>(array.ndim()) == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i)
    fits = static_cast<std::size_t>(array.shape(static_cast<py::ssize_t>(i))) == shape[i];
  if (!fits) {
    std::string expected;
    for (const std::size_t length : shape) expected += std::to_string(length) + ",";
    throw_value_error(name, "expected shape (" + expected + "), got " + shape_of(array));
  }
  array = copy_as(array, "?");
  const auto* at = static_cast<const std::uint8_t*>(array.data());
  return {at, at + array.size()};
}

Vec3 vector3(py::handle value, const char* name) {
  const py::array array = number_array(value, name, false, "three numbers");
  if (array.ndim() != 1 || array.shape(0) != 3)
    throw_value_error(name, "expected shape (3,), got " + shape_of(array));
  return *static_cast<const Vec3*>(doubles(array, name, false).data());
}

MeshArgument::MeshArgument(py::handle faces, py::handle edges, std::size_t vertex_count,
                           bool strict) {
  if (py::isinstance<Mesh>(faces)) {
    if (!edges.is_none())
      throw_value_error("edges", "expected None where faces is a Mesh, which has its own edges");
    owner_ = py::reinterpret_borrow<py::object>(faces);
    mesh_ = faces.cast<const Mesh*>();
    if (mesh_->vertex_count != vertex_count)
      throw_value_error("x0", "expected shape (" + std::to_string(mesh_->vertex_count) +
                                  ", 3) as the mesh has it, got (" + std::to_string(vertex_count) +
                                  ", 3)");
    return;
  }
  auto face_rows = index_rows<3>(faces, "faces", vertex_count, strict);
  const auto edge_rows = index_rows<2>(edges, "edges", vertex_count, strict);
  const WithoutGil unlocked;
  built_ = make_mesh(vertex_count, std::move(face_rows), edge_rows);
  mesh_ = &*built_;
}

void run_without_gil(std::size_t work, int threads,
                     const std::function<void(const Run&)>& function) {
  if (threads < 0 || threads > most_threads)
    throw_value_error("threads", "expected 0 (all cores) to " + std::to_string(most_threads) +
                                     ", got " + std::to_string(threads));
  std::atomic<bool> stop = false;
  // With little work, waking other threads takes longer than the work.
  const Run run{work < much_work ? 1 : threads, &stop, {}};
  bool interrupted = false;
  {
    WithoutGil unlocked;
    if (work < much_work) {
      function(run);
      return;
    }
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::exception_ptr failure;
    std::thread worker([&] {
      try {
        function(run);
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    for (std::unique_lock lock(mutex);
         !changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return done; });) {
      if (interrupted) continue;
      lock.unlock();
      interrupted = unlocked.interrupted();
      if (interrupted) stop = true;
      lock.lock();
    }
    worker.join();
    if (failure && !interrupted) std::rethrow_exception(failure);
  }
  if (interrupted) throw py::error_already_set();
}

py::object member(const char* enumeration, int value) {
  return py::module_::import("graze._enums").attr(enumeration)(value);
}

py::array array_of(const Vec3& vector) {
  // The constructors of py::array need twice the time.
  auto& api = py::detail::npy_api::get();
  const Py_intptr_t shape = 3;
  py::object array = py::reinterpret_steal<py::object>(api.PyArray_NewFromDescr_(
      api.PyArray_Type_, api.PyArray_DescrFromType_(py::detail::npy_api::NPY_DOUBLE_), 1, &shape,
      nullptr, nullptr, 0, nullptr));
  if (!array) throw py::error_already_set();
  std::copy_n(vector.data(), 3,
              reinterpret_cast<double*>(py::detail::array_proxy(array.ptr())->data));
  return py::reinterpret_steal<py::array>(array.release());
}

py::array positions_array(const std::vector<Vec3>& rows) {
  py::array_t<double> array({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}});
  double* at = array.mutable_data();
  for (const Vec3& row : rows) at = std::copy(row.data(), row.data() + 3, at);
  return array;
}

}  // namespace graze::python
