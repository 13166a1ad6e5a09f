#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "commands/step.h"
#include "graze/generate/models.h"
#include "graze/io/mesh_files.h"
#include "graze/sim/rigid/rigid_scenes.h"
#include "rigid_checks.h"
#include "scene_recorder.h"
#include "sim.h"
#include "terminal/data_folder.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

using sim::rigid::Body;
using sim::rigid::Scene;
using sim::rigid::Shape;
using sim::rigid::State;

std::uint32_t count_or(const SimArguments& arguments, std::uint32_t usual) {
  return arguments.count > 0 ? arguments.count : usual;
}

// Runs a scene of rigid bodies. Checks every stored state exactly for penetrations and tracks the
// energy.
class RigidRun {
 public:
  RigidRun(const SimArguments& arguments, Scene& scene)
      : arguments_(arguments),
        scene_(scene),
        recorder_(arguments.recording, scene.model, scene.state),
        lowest_(energy()),
        start_(lowest_) {
    options_.monitor = [this](const State&, const State& after) { certify(after); };
    if (arguments.mover == "expel") options_.mover = sim::rigid::Mover::expel;
  }

  double time() const { return time_; }

  // Runs the scene to its end or to the first failed check. `before_step` may change the scene.
  void run(
      double step_seconds, const std::function<void()>& before_step = [] {}) {
    interrupted_ = run_steps(arguments_, step_seconds, [&](double seconds, double fraction) {
      before_step();
      step(seconds, fraction);
      return failure_.empty();
    });
  }

  // Runs `change`. The energy that it adds counts as injected, not as growth.
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
    for (const Body& body : scene_.state.bodies) {
      if (body.is_static) continue;
      fastest = std::max(fastest, body.velocity.norm());
      highest = std::max(highest, body.pose.translation[2]);
      asleep += body.is_asleep();
    }
    const double wall = total_.seconds();
    summary.clean = failure_.empty();
    summary.failure = failure_;
    summary.interrupted = interrupted_;
    summary.json = {{"scene", arguments_.scene},
                    {"bodies", moving},
                    {"simulated_s", time_},
                    {"steps", steps_},
                    {"queries", queries_},
                    {"impacts", impacts_},
                    {"stopped", stopped_},
                    {"penetrations", penetrations_},
                    {"asleep_at_the_end", asleep},
                    {"last_motion_s", last_motion_},
                    {"fastest_at_the_end", fastest},
                    {"highest_at_the_end", highest},
                    {"energy",
                     {{"start", start_},
                      {"injected", injected_},
                      {"end", energy()},
                      {"largest_growth", growth_}}},
                    {"seconds", {{"check", checking_}, {"total", wall}}}};
    if (!scene_.model.joints.empty()) summary.json["largest_joint_error"] = joint_error_;
    summary.text = fmt::format(
        "{} bodies, {:.4g} s in {} steps: {}\n"
        "{} continuous queries, {} impacts within steps, {} bodies stopped; {} asleep at the end\n"
        "energy {:.6g} at the start, {:.6g} injected, {:.6g} at the end; largest growth {:.3g}\n"
        "{:.1f} s, including {:.1f} s of checks\n",
        moving, time_, report::format_count(steps_),
        penetrations_ > 0 ? "PENETRATION" : "no penetration at any step",
        report::format_count(queries_), report::format_count(impacts_),
        report::format_count(stopped_), asleep, start_, injected_, energy(), growth_, wall,
        checking_);
    return summary;
  }

  void check_energy(double put_in) { check(energy_failure(growth_, put_in)); }
  void check_stopped(std::size_t moving) { check(stopped_failure(stopped_, moving, steps_)); }
  void check_rest(double seconds) { check(rest_failure(last_motion_, seconds)); }
  void check_joints() { check(joint_failure(joint_error_, scene_.model.gap)); }
  void check_drift(double drift) { check(drift_failure(drift)); }
  double fall() const { return start_ - lowest_; }
  double injected() const { return injected_; }
  double largest_joint_error() const { return joint_error_; }

 private:
  // Records a failed check; the first failure is reported and ends the run.
  void fail(const std::string& check) {
    if (failure_.empty()) failure_ = fmt::format("{}: {}", arguments_.scene, check);
  }
  // Records a failure of rigid_checks.h, unless it is empty.
  void check(const std::string& failure) {
    if (!failure.empty()) fail(failure);
  }

  void step(double seconds, double fraction) {
    options_.seconds = seconds;
    const sim::rigid::Report report = sim::rigid::step(scene_.model, scene_.state, options_);
    ++steps_;
    time_ += seconds;
    if (report.verdict == Verdict::invalid) fail("the state is not finite");
    queries_ += report.queries;
    impacts_ += report.impacts;
    stopped_ += report.stopped;
    if (time_ > recorded_ + 0.016 || fraction >= 1 || !failure_.empty()) {
      recorder_.add_frame(time_);
      recorded_ = time_;
    }
    growth_ = std::max(growth_, energy() - lowest_);
    lowest_ = std::min(lowest_, energy());
    joint_error_ = std::max(joint_error_, joint_error(scene_.model, scene_.state));
    if (std::any_of(scene_.state.bodies.begin(), scene_.state.bodies.end(),
                    [](const Body& body) { return body.is_active(); }))
      last_motion_ = time_;
    bar_("falling", fraction);
  }

  double energy() const {
    return kinetic_energy(scene_.model, scene_.state) +
           potential_energy(scene_.model, scene_.state);
  }

  void certify(const State& state) {
    const Stopwatch check;
    const sim::rigid::Penetration found = find_penetration(scene_.model, state);
    if (found.verdict == Verdict::contact) {
      ++penetrations_;
      fail(fmt::format("bodies {} and {} intersect after {:.6g} s (triangles {} and {})", found.a,
                       found.b, time_ + options_.seconds, found.face_a, found.face_b));
    }
    checking_ += check.seconds();
  }

  const SimArguments& arguments_;
  Scene& scene_;
  sim::rigid::Options options_;
  RigidRecorder recorder_;
  ProgressBar bar_{"falling"};
  Stopwatch total_;
  std::string failure_;
  int interrupted_ = 0;
  std::uint64_t steps_ = 0, queries_ = 0, impacts_ = 0, stopped_ = 0, penetrations_ = 0;
  double time_ = 0, recorded_ = 0, checking_ = 0, joint_error_ = 0, last_motion_ = 0;
  double lowest_, start_, growth_ = 0, injected_ = 0;
};

std::size_t moving_bodies(const Scene& scene) {
  return static_cast<std::size_t>(std::count_if(scene.state.bodies.begin(),
                                                scene.state.bodies.end(),
                                                [](const Body& body) { return !body.is_static; }));
}

// Drops `count` bodies of one shape. `rests`: the run fails if bodies are stopped within steps or
// do not come to rest; bodies of some shapes may wedge each other.
SimSummary drop(const SimArguments& arguments, const Shape& shape, std::uint32_t count,
                bool rests) {
  Scene scene = falling_pile(shape, count, arguments.seed);
  RigidRun run(arguments, scene);
  run.run(arguments.step.value_or(1.0 / 60));
  run.check_energy(std::max(run.fall(), 1.0));
  if (rests) {
    run.check_stopped(count);
    run.check_rest(std::max(8.0, 2.0 * count));
  }
  SimSummary summary = run.summary(count);
  summary.json["triangles"] = shape.faces().size();
  return summary;
}

// Returns the mesh of the scene bunnies: --model, or the bunny in the folder GRAZE_DATA.
std::string bunny_file(const SimArguments& arguments) {
  if (!arguments.model.empty()) return arguments.model;
  const auto data = data_folder();
  if (!data)
    throw UsageError(
        "the scene bunnies needs --model FILE, or GRAZE_DATA set to the folder that has "
        "models/stanford-bunny.obj");
  return (*data / "models/stanford-bunny.obj").string();
}

}  // namespace

SimSummary run_bunnies(const SimArguments& arguments) {
  const std::string file = bunny_file(arguments);
  const io::MeshFrame frame = io::read_mesh(file);
  const Shape shape = sim::rigid::make_mesh_shape(frame.positions, frame.mesh.faces);
  if (!shape.ok()) throw io::FileError(file, shape.problem());
  return drop(arguments, shape, count_or(arguments, 3), false);
}

SimSummary run_rings(const SimArguments& arguments) {
  const generate::SurfaceModel model = generate::find_model_recipe("ring")->make();
  return drop(arguments, sim::rigid::make_mesh_shape(model.vertices, model.faces),
              count_or(arguments, 4), true);
}

// Runs the wall: it stands for a second, then is shot at every second, by default until the last
// third of the time, in which it must come to rest.
SimSummary run_wall(const SimArguments& arguments) {
  const std::uint32_t shots = arguments.shots.value_or(
      static_cast<std::uint32_t>(std::ceil(arguments.seconds * 2 / 3)) - 1);
  Scene scene = sim::rigid::brick_wall(count_or(arguments, 200), shots);
  const State standing = scene.state;
  const std::size_t bricks = moving_bodies(scene);
  RigidRun run(arguments, scene);
  std::uint32_t fired = 0, blocked = 0;
  double drift = 0;
  const auto follow_drift = [&] {
    if (fired > 0) return;
    for (std::size_t i = 1; i <= bricks; ++i)
      drift = std::max(
          drift,
          (scene.state.bodies[i].pose.translation - standing.bodies[i].pose.translation).norm());
  };
  run.run(arguments.step.value_or(1.0 / 60), [&] {
    follow_drift();
    if (fired + blocked < shots && run.time() >= 1 + fired + blocked - 1e-9)
      run.inject([&] { ++(shoot(scene, fired + blocked) ? fired : blocked); });
  });
  follow_drift();
  run.check_energy(std::max(run.injected(), 1.0));
  run.check_drift(drift);
  SimSummary summary = run.summary(moving_bodies(scene));
  const bool expels = arguments.mover == "expel";
  summary.json["mover"] = expels ? "expel" : "advance";
  summary.json["bricks"] = bricks;
  summary.json["shots"] = fired;
  summary.json["rest_drift"] = drift;
  summary.json["restitution"] = scene.model.restitution;
  summary.json["impact_law"] = "Newton, Coulomb friction";
  summary.text += fmt::format(
      "mover {}; {} bricks, {} shots; no brick moved by more than {:.2g} mm before the first\n",
      expels ? "expel (translation, then rotation)" : "advance", bricks, fired, 1e3 * drift);
  return summary;
}

SimSummary run_ragdoll(const SimArguments& arguments) {
  Scene scene = sim::rigid::stairs_with_figures(count_or(arguments, 1), 12, arguments.seed);
  RigidRun run(arguments, scene);
  run.run(arguments.step.value_or(1.0 / 240));
  run.check_energy(std::max(run.fall(), 1.0));
  run.check_joints();
  SimSummary summary = run.summary(moving_bodies(scene));
  summary.text += fmt::format("{} joints; no joint opened by more than {:.2g} mm\n",
                              scene.model.joints.size(), 1e3 * run.largest_joint_error());
  return summary;
}

}  // namespace graze::command
