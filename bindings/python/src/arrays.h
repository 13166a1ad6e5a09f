#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/mesh.h"
#include "graze/options.h"
#include "graze/query.h"

// Arguments of Python as the types of the library. Every function throws TypeError or ValueError
// that names the argument, what it is and what is expected.
namespace graze::python {

namespace py = pybind11;

// Positions of vertices. Keeps the array alive. Aligned C-contiguous float64 is viewed, float32 is
// widened by rows(), everything else is copied once, or refused if `strict`.
class PositionsArgument {
 public:
  PositionsArgument(py::handle value, const char* name, bool strict);

  std::size_t size() const { return static_cast<std::size_t>(array_.shape(0)); }
  // Returns the positions. Needs no GIL; the result is valid as long as this object.
  Positions rows() const;

 private:
  py::array array_;
  bool single_ = false;  // float32
};

// Queries of one kind. Keeps the array alive. Corners: rows of one query, 8, 6 or 4.
class QueriesArgument {
 public:
  QueriesArgument(py::handle value, Kind kind, bool strict);

  bool is_single() const { return single_; }
  std::size_t size() const { return size_; }
  Kind kind() const { return kind_; }
  template <Query Q>
  std::span<const Q> as() const {
    return {reinterpret_cast<const Q*>(array_.data()), size_};
  }
  // Calls the function with the span of queries of this kind.
  template <class Function>
  void visit(const Function& function) const {
    switch (kind_) {
      case Kind::vertex_face:
        return function(as<VertexFace>());
      case Kind::edge_edge:
        return function(as<EdgeEdge>());
      case Kind::vertex_edge:
        return function(as<VertexEdge>());
      case Kind::vertex_vertex:
        return function(as<VertexVertex>());
      case Kind::edge_face:
        break;  // no kind of query; kind_code() refuses it
    }
  }

 private:
  py::array array_;
  Kind kind_;
  bool single_ = false;
  std::size_t size_ = 0;
};

// Returns rows of N vertex indices, each in [0, vertex_count). None is no row.
template <std::size_t N>
std::vector<std::array<std::uint32_t, N>> index_rows(py::handle value, const char* name,
                                                     std::size_t vertex_count, bool strict);
extern template std::vector<Face> index_rows<3>(py::handle, const char*, std::size_t, bool);
extern template std::vector<Edge> index_rows<2>(py::handle, const char*, std::size_t, bool);

// Returns one number per vertex; empty for None.
std::vector<std::uint32_t> numbers(py::handle value, const char* name, std::size_t count);
// Returns an array of bool or integers as 0 and 1; empty for None. `shape` is the expected shape.
std::vector<std::uint8_t> flags(py::handle value, const char* name,
                                const std::vector<std::size_t>& shape);
// Returns three numbers.
Vec3 vector3(py::handle value, const char* name);

// The mesh of a call: a Mesh object of Python, or one that is built of faces and edges.
class MeshArgument {
 public:
  MeshArgument(py::handle faces, py::handle edges, std::size_t vertex_count, bool strict);

  const Mesh& mesh() const { return *mesh_; }

 private:
  py::object owner_;
  std::optional<Mesh> built_;
  const Mesh* mesh_ = nullptr;
};

// Runs the function without the GIL. `work` estimates the time of the call for the slowest input:
// the number of queries of the exact method that would take as long. Calls with little work run on
// one thread and are not interrupted. Calls with much work run in a thread of their own, while this
// thread checks for signals every 20 ms: if a handler raises, as that of Ctrl-C does, the stop flag
// of the Run is set and the exception is thrown when the function has ended.
void run_without_gil(std::size_t work, int threads,
                     const std::function<void(const Run&)>& function);
// The work of a call that may take seconds.
inline constexpr std::size_t long_work = std::size_t{1} << 20;

// Throw an error with the text "name: text".
// Returns a number with its noun in the singular or plural: "1 face", "2 faces".
std::string counted(std::size_t count, const char* one, const char* many);

[[noreturn]] void throw_value_error(const char* name, const std::string& text);
[[noreturn]] void throw_type_error(const char* name, const std::string& text);

// Throws ValueError where an option is outside its range.
void check_options(const Options& options);

// Returns the member of an enumeration of the package, such as Verdict.contact.
py::object member(const char* enumeration, int value);

// Returns an uninitialized array of records. A record is as large as T.
template <class T>
std::pair<py::array, T*> records(const py::dtype& type, std::size_t count) {
  py::array array(type, std::vector<py::ssize_t>{static_cast<py::ssize_t>(count)});
  return {array, static_cast<T*>(array.mutable_data())};
}

// Returns a reference to a copy that is never destroyed: at the end of the program static objects
// are destroyed after the interpreter.
inline const py::dtype& immortal(py::dtype type) {
  return *new py::dtype(std::move(type));
}

py::array array_of(const Vec3& vector);
// Returns positions as an array of shape (n, 3).
py::array positions_array(const std::vector<Vec3>& rows);

// The parts of the module.
void add_steps(py::module_& module);
void add_checks(py::module_& module);
void add_queries(py::module_& module);
void add_rigid(py::module_& module);
void add_robot(py::module_& module);
void add_files(py::module_& module);
void add_polyhedron(py::module_& module);
void add_sim(py::module_& module);
void add_gpu(py::module_& module);

}  // namespace graze::python
