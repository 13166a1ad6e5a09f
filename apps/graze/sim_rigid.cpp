#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "graze/generate/models.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/rigid/rigid_scenes.h"
#include "scene_recorder.h"
#include "sim.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

std::uint32_t count_or(const SimArguments& arguments, std::uint32_t usual) {
  return arguments.count > 0 ? arguments.count : usual;
}

// Runs a scene of rigid bodies and checks after every step, exactly, that nothing passes into
// anything; follows the energy.
class RigidRun {
 public:
  RigidRun(const SimArguments& arguments, RigidSystem& system)
      : arguments_(arguments),
        system_(system),
        recorder_(arguments.recording, system),
        lowest_(energy()),
        start_(lowest_) {}

  double time() const { return time_; }
  bool goes_on() const { return time_ < arguments_.seconds - 1e-9 && penetrations_ == 0; }

  void step() {
    const double seconds = std::min(arguments_.step.value_or(1.0 / 60), arguments_.seconds - time_);
    RigidStep tally;
    advance_by(system_, seconds, &tally);
    ++steps_;
    time_ += seconds;
    queries_ += tally.queries;
    impacts_ += tally.impacts;
    held_ += tally.held;
    if (time_ > recorded_ + 0.016 || !goes_on()) {
      recorder_.add_frame(time_);
      recorded_ = time_;
    }
    const Stopwatch check;
    penetrations_ += find_penetration(system_).has_value();
    checking_ += check.seconds();
    growth_ = std::max(growth_, energy() - lowest_);
    lowest_ = std::min(lowest_, energy());
    joint_error_ = std::max(joint_error_, joint_error(system_));
    bar_("falling", time_ / arguments_.seconds);
  }

  // What `change` does to the energy is put into the system from outside.
  template <class Change>
  void inject(const Change& change) {
    const double before = energy();
    change();
    injected_ += energy() - before;
    lowest_ += energy() - before;
  }

  SimSummary summary(std::size_t moving) const {
    SimSummary summary;
    double fastest = 0, highest = 0;
    std::size_t asleep = 0;
    for (const RigidBody& body : system_.bodies) {
      if (body.fixed) continue;
      fastest = std::max(fastest, body.velocity.norm());
      highest = std::max(highest, body.pose.translation[2]);
      asleep += body.asleep();
    }
    const double wall = total_.seconds();
    summary.clean = penetrations_ == 0;
    summary.json = {{"scene", arguments_.scene},
                    {"bodies", moving},
                    {"simulated_s", time_},
                    {"steps", steps_},
                    {"queries", queries_},
                    {"impacts", impacts_},
                    {"held", held_},
                    {"penetrations", penetrations_},
                    {"asleep_at_the_end", asleep},
                    {"fastest_at_the_end", fastest},
                    {"highest_at_the_end", highest},
                    {"energy",
                     {{"start", start_},
                      {"injected", injected_},
                      {"end", energy()},
                      {"largest_growth", growth_}}},
                    {"seconds", {{"check", checking_}, {"total", wall}}}};
    if (!system_.joints.empty()) summary.json["largest_joint_error"] = joint_error_;
    summary.text = fmt::format(
        "{} bodies, {:.4g} s in {} steps: {}\n"
        "{} pairs looked at, {} impacts on the way, {} bodies held; {} asleep at the end\n"
        "energy {:.6g} and {:.6g} put in, {:.6g} at the end; it grew by {:.3g} at most\n"
        "{:.1f} s, of them {:.1f} s to check\n",
        moving, time_, io::format_count(steps_),
        penetrations_ > 0 ? "PENETRATION" : "no penetration at any step",
        io::format_count(queries_), io::format_count(impacts_), io::format_count(held_), asleep,
        start_, injected_, energy(), growth_, wall, checking_);
    return summary;
  }

  double growth() const { return growth_; }
  double injected() const { return injected_; }
  double largest_joint_error() const { return joint_error_; }

 private:
  double energy() const { return kinetic_energy(system_) + potential_energy(system_); }

  const SimArguments& arguments_;
  RigidSystem& system_;
  RigidRecorder recorder_;
  ProgressBar bar_{"falling"};
  Stopwatch total_;
  std::uint64_t steps_ = 0, queries_ = 0, impacts_ = 0, held_ = 0, penetrations_ = 0;
  double time_ = 0, recorded_ = 0, checking_ = 0, joint_error_ = 0;
  double lowest_, start_, growth_ = 0, injected_ = 0;
};

SimSummary drop(const SimArguments& arguments, RigidShape shape, std::uint32_t count) {
  const std::size_t triangles = shape.model.faces.size();
  RigidSystem system = falling_pile(std::move(shape), count, arguments.seed);
  RigidRun run(arguments, system);
  while (run.goes_on()) run.step();
  SimSummary summary = run.summary(count);
  summary.json["triangles"] = triangles;
  return summary;
}

}  // namespace

SimSummary run_bunnies(const SimArguments& arguments) {
  const char* named = std::getenv("GRAZE_DATA");
  const std::string file = !arguments.model.empty() ? arguments.model
                                                    : fmt::format("{}/models/stanford-bunny.obj",
                                                                  named ? named : "../shared/data");
  const io::MeshFrame frame = io::read_mesh(file);
  RigidShape shape = make_rigid_shape(frame.positions, frame.mesh.faces);
  if (!shape.model.valid()) throw io::FileError(file, shape.model.problem());
  if (!(shape.mass > 0)) throw io::FileError(file, "has no volume");
  return drop(arguments, std::move(shape), count_or(arguments, 3));
}

SimSummary run_rings(const SimArguments& arguments) {
  if (!arguments.model.empty()) throw UsageError("the scene rings has its own model");
  const SurfaceModel model = find_model_recipe("ring")->make();
  return drop(arguments, make_rigid_shape(model.vertices, model.faces), count_or(arguments, 4));
}

// The wall stands for a second, is shot at every second, and has the last third to come to rest.
SimSummary run_wall(const SimArguments& arguments) {
  if (!arguments.model.empty()) throw UsageError("the scene wall has its own models");
  constexpr double energy_tol = 1e-3;  // of what was put in
  constexpr double rest_tol = 1e-3;    // metres
  const auto shots = static_cast<std::uint32_t>(std::ceil(arguments.seconds * 2 / 3)) - 1;
  RigidSystem system = brick_wall(count_or(arguments, 200), shots);
  const RigidSystem standing = system;
  std::size_t bricks = 0;
  for (const RigidBody& body : system.bodies) bricks += !body.fixed;
  RigidRun run(arguments, system);
  std::uint32_t fired = 0, blocked = 0;
  double drift = 0;
  while (run.goes_on()) {
    if (fired + blocked < shots && run.time() >= 1 + fired + blocked - 1e-9)
      run.inject([&] { ++(shoot(system, fired + blocked) ? fired : blocked); });
    run.step();
    if (fired > 0) continue;
    for (std::size_t i = 1; i <= bricks; ++i)
      drift = std::max(
          drift, (system.bodies[i].pose.translation - standing.bodies[i].pose.translation).norm());
  }
  std::size_t moving = 0;
  for (const RigidBody& body : system.bodies) moving += !body.fixed;
  SimSummary summary = run.summary(moving);
  const bool kept = run.growth() <= energy_tol * std::max(run.injected(), 1.0);
  summary.clean = summary.clean && kept && drift <= rest_tol;
  summary.json["bricks"] = bricks;
  summary.json["shots"] = fired;
  summary.json["rest_drift"] = drift;
  summary.json["restitution"] = system.restitution;
  summary.json["impact_law"] = "Newton, Coulomb friction";
  summary.text +=
      fmt::format("{} bricks, {} shots; before the first no brick moved by more than {:.2g} mm\n",
                  bricks, fired, 1e3 * drift);
  return summary;
}

SimSummary run_ragdoll(const SimArguments& given) {
  if (!given.model.empty()) throw UsageError("the scene ragdoll has its own models");
  SimArguments arguments = given;
  arguments.step = given.step.value_or(1.0 / 240);
  RigidSystem system = stairs_with_figures(count_or(arguments, 1), 12, arguments.seed);
  RigidRun run(arguments, system);
  while (run.goes_on()) run.step();
  std::size_t moving = 0;
  for (const RigidBody& body : system.bodies) moving += !body.fixed;
  SimSummary summary = run.summary(moving);
  summary.text += fmt::format("{} joints; their ends were never further apart than {:.2g} mm\n",
                              system.joints.size(), 1e3 * run.largest_joint_error());
  return summary;
}

}  // namespace graze::command
