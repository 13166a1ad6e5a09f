#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "arguments/device.h"
#include "commands/command.h"
#include "graze/step.h"

// Types and functions shared by the commands `step` and `steps`, here and in graze-mpi.
namespace graze::command {

struct StepArguments {
  std::string method;                // empty: chosen_method() of an empty name
  std::string strategy = "default";  // or the name of a row of pair_strategies()
  Options query;
  int threads = 0;
  bool skip_start = false, shared_vertices = false, start_check = true;

  const Method& method_row() const { return chosen_method(method, query); }
  // Throws UsageError for unknown names and for values that make no sense.
  StepOptions options() const;
  // Returns the options of a step on curves, which `option` selected. Throws UsageError also for
  // options that such a step cannot use.
  StepOptions curved_options(const std::string& option) const;
};

void add_step_options(CLI::App& command, StepArguments& arguments);

// Throws UsageError where the method does not answer a kind of query that the mesh needs.
void check_primitives(const StepArguments& arguments, const Mesh& mesh);

// Throws FileError for a coordinate that is NaN or infinite, with the number of its vertex, counted
// from 0 as in the answers.
void require_finite(const std::string& file, std::span<const Vec3> positions);

// The same, and throws FileError for a mesh without vertices.
void check_positions(const std::string& file, std::span<const Vec3> positions);

// Throws UsageError where the step is invalid. A step of finite positions with sensible options is
// not.
void check_valid(Verdict verdict);

std::size_t count_contacts(const AllImpacts& all);

// The first impact of a step as it is printed. Without an impact, `found.impact` is separated.
struct ShownImpact {
  ShownImpact() = default;
  ShownImpact(const StepImpact& impact, const MovingMesh& moving)
      : found(impact),
        ids(feature_ids(moving.mesh, impact.kind, impact.pair)),
        point(contact_position(moving, impact)) {}
  // An impact on curves: the place is that at its time.
  ShownImpact(const StepImpact& impact, const CurvedMesh& curved);

  StepImpact found;
  std::array<std::size_t, 2> ids{};
  Vec3 point = Vec3::Constant(Impact::nan);
};

// Returns one line: the time, the features and the place of the first impact. `verdict`: of the
// step.
std::string describe(Verdict verdict, const ShownImpact& first, double t_max);

struct SingleStepArguments {
  std::string start, end, all, queries, html, record;
  std::vector<std::string> velocities;  // at the start and at the end; empty: straight motion
  StepArguments step;
  DeviceArguments device;
  bool first_only = false, json = false;
};

// The result of a step.
struct StepAnswer {
  Verdict verdict = Verdict::separated;
  ShownImpact first;
  std::optional<std::uint64_t> contacts, undecided;  // none with --first-only
  StepWork work;
};

// Prints the answer, as text or as JSON. Times are in seconds.
void print_step(const SingleStepArguments& arguments, const StepAnswer& answer,
                const UsedDevice& device, double load, double total);

// Answers a step in this process and returns the exit code.
int run_step(const SingleStepArguments& arguments);

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace graze::command
