#pragma once

#include <cstdint>
#include <vector>

#include "arrays.h"
#include "graze/find_pairs.h"
#include "graze/step.h"

// Arguments and results of the functions of a step, on the CPU and on the GPU.
namespace graze::python {

// A row of the array that all_impacts() returns.
struct StepRow {
  std::uint8_t verdict, kind, contact, unused;
  std::uint32_t a, b, checks;
  double toi, toi_hi, u, v;
  double normal[3], point[3];
};
static_assert(sizeof(StepRow) == 96);

const py::dtype& step_dtype();

// Return the impacts as rows. `point`: the place of the contact.
StepRow row_of(const StepImpact& found, const Vec3& point);
StepRow row_of(const MovingMesh& moving, const StepImpact& found);
// Returns the impacts as an array. Called without the GIL, which it holds while it makes the array.
py::object rows_of(const MovingMesh& moving, const AllImpacts& found);

// The keyword arguments of the functions of a step, in the order in which the package passes them.
struct Question {
  StepOptions options;
  int threads = 0;
  std::vector<std::uint8_t> is_static, meets;
  std::vector<std::uint32_t> groups;
  std::vector<CategoryMask> masks;
  std::vector<GroupPair> group_pairs;

  void read_rare_filters(py::handle mask_rows, py::handle listed, bool only, py::object admits,
                         std::size_t vertex_count);
  void read_filters(py::handle static_vertices, py::handle group_of, py::handle group_meets,
                    std::size_t vertex_count);
};

// Reads the keyword arguments. `given`: None for the defaults, or a tuple of all arguments. Views
// in the options last as long as the result.
Question question(const py::object& given, std::size_t vertex_count);

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

// Throws ValueError where there are not as many positions as vertices.
void check_rows(std::size_t rows, const char* name, const Mesh& mesh);

// The work of a call for run_without_gil().
std::size_t work_of(const Mesh& mesh);
std::size_t work_of(const Mesh& mesh, const StepOptions& options);

// Returns the fields of StepImpact, enumerations as numbers, the pair as two.
py::tuple first_result(const FirstImpact& found, const StepRow& row);
py::tuple all_result(const AllImpacts& found, py::object rows);
py::tuple arrays_of(const Pairs& pairs);

}  // namespace graze::python
