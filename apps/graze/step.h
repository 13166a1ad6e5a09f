#pragma once

#include <chrono>
#include <string>

#include "command.h"
#include "graze/earliest_impact.h"

// What the commands `step` and `steps` share.
namespace graze::command {

struct StepArguments {
  std::string method;                    // empty: the default of StepOptions
  std::string strategy = "moving_tree";  // or of the table
  Options query;
  int threads = 0;
  bool skip_start = false, shared_vertices = false;

  const Method& chosen_method() const;
  // UsageError for names that are not known and values that make no sense.
  StepOptions options() const;
};

void add_step_options(CLI::App& command, StepArguments& arguments);

// UsageError when the method lacks a primitive that the mesh needs.
void check_primitives(const StepArguments& arguments, const Mesh& mesh);

// FileError that names the first vertex that is NaN or infinite.
void require_finite(const std::string& file, std::span<const Vec3> positions);

std::size_t count_contacts(const AllImpacts& all);

// One line: when, which features, where.
std::string describe(const StepImpact& first, const MovingMesh& moving, double t_max);

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace graze::command
