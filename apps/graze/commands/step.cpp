#include "commands/step.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "graze/gpu.h"
#include "graze/io/mesh_files.h"
#include "graze/io/meshes/step_files.h"
#include "terminal/interrupt.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/recorded_mesh.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

// `Motion`: MovingMesh or CurvedMesh.
template <class Motion>
StepAnswer answer_of(const FirstImpact& first, const Motion& motion) {
  StepAnswer answer{first.impact.verdict, {}, {}, {}, first.work};
  if (first.impact.verdict == Verdict::contact || first.impact.verdict == Verdict::undecided)
    answer.first = {first, motion};
  return answer;
}

template <class Motion>
StepAnswer answer_of(const AllImpacts& all, const Motion& motion) {
  StepAnswer answer{all.verdict, {}, {}, {}, all.work};
  if (!all.impacts.empty()) answer.first = {all.impacts[0], motion};
  answer.contacts = count_contacts(all);
  answer.undecided = all.impacts.size() - *answer.contacts;
  return answer;
}

// The given velocities are doubles and are used as they are.
Json json_of(const StepAnswer& answer, bool on_curves, const UsedDevice& device, double load,
             double total) {
  const Impact& impact = answer.first.found.impact;
  const auto& ids = answer.first.ids;
  const bool found = impact.verdict != Verdict::separated;  // else the features mean nothing
  const auto vector = [&](const Vec3& x) {
    return x.allFinite() ? Json{x[0], x[1], x[2]} : Json(nullptr);
  };
  const auto if_found = [&](const Json& value) { return found ? value : Json(nullptr); };
  return {{"verdict", name(answer.verdict)},
          {"toi", impact.toi},
          {"toi_hi", impact.toi_hi},
          {"kind", if_found(name(answer.first.found.kind))},
          {"a", if_found(ids[0])},
          {"b", if_found(ids[1])},
          {"u", impact.u},
          {"v", impact.v},
          {"normal", vector(impact.normal)},
          {"point", if_found(vector(answer.first.point))},
          {"contacts", answer.contacts ? Json(*answer.contacts) : Json(nullptr)},
          {"undecided", answer.undecided ? Json(*answer.undecided) : Json(nullptr)},
          {"start_contacts_skipped", answer.work.start_contacts},
          {"pairs", answer.work.pairs},
          {"velocities", on_curves ? Json("exact") : Json(nullptr)},
          {"device", device.name},
          {"device_reason", device.reason.empty() ? Json(nullptr) : Json(device.reason)},
          {"seconds",
           {{"load", load},
            {"broad", answer.work.broad_seconds},
            {"narrow", answer.work.narrow_seconds},
            {"total", total}}}};
}

void print_text(const StepAnswer& answer, double t_max, double load) {
  fmt::print("{}\n", describe(answer.verdict, answer.first, t_max));
  if (answer.contacts) {
    fmt::print("{} contacts", report::format_count(*answer.contacts));
    if (*answer.undecided > 0)
      fmt::print(", {} undecided", report::format_count(*answer.undecided));
  } else {
    fmt::print("contacts not counted (--first-only)");
  }
  if (answer.work.start_contacts > 0)
    fmt::print(", {} skipped at the start", report::format_count(answer.work.start_contacts));
  fmt::print("\n{} pairs examined; load {}, broad phase {}, narrow phase {}\n",
             report::format_count(answer.work.pairs), report::format_nanoseconds(1e9 * load),
             report::format_nanoseconds(1e9 * answer.work.broad_seconds),
             report::format_nanoseconds(1e9 * answer.work.narrow_seconds));
}

// The velocities of a step on curves, empty for straight motion.
struct Velocities {
  std::vector<Vec3> start, end;

  CurvedMesh curved(const OwnedMotion& motion) const {
    return CurvedMesh::hermite(motion.mesh, motion.start, start, motion.end, end);
  }
};

// Returns the step as a motion of one unit of time, with these contacts. Curves are shown by 32
// straight parts.
io::Recording recording_of(const SingleStepArguments& arguments, const MovingMesh& moving,
                           const std::optional<CurvedMesh>& curved, const StepAnswer& answer,
                           std::span<const StepImpact> impacts) {
  const auto stem = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  io::Recording recording;
  recording.title = fmt::format("graze step {} {}", stem(arguments.start), stem(arguments.end));
  recording.time_unit = "of the step";
  recording.facts = {
      {"triangles", report::format_count(moving.mesh.faces.size())},
      {"vertices", report::format_count(moving.mesh.vertex_count)},
      {"pairs examined", report::format_count(answer.work.pairs)},
      {"broad phase", report::format_nanoseconds(1e9 * answer.work.broad_seconds)},
      {"narrow phase", report::format_nanoseconds(1e9 * answer.work.narrow_seconds)}};
  RecordedMesh mesh(recording, "part", moving.mesh, moving.start);
  recording.begin_frame(0);
  constexpr int parts = 32;
  for (int i = 1; curved && i < parts; ++i) {
    recording.begin_frame(i / double(parts));
    mesh.set_positions(positions_at(*curved, i / double(parts)));
  }
  recording.begin_frame(1);
  mesh.set_positions(moving.end);
  for (const StepImpact& found : impacts) {
    if (found.impact.verdict != Verdict::contact) continue;
    const ShownImpact shown = curved ? ShownImpact(found, *curved) : ShownImpact(found, moving);
    mesh.add_contact(found.impact.toi, shown.point, found.impact.normal, found.kind, found.pair);
  }
  return recording;
}

// Answers on the GPU. Returns false, with the reason in `used`, if it cannot.
bool answer_on_gpu(const SingleStepArguments& arguments, const OwnedMotion& motion,
                   const StepOptions& options, AllImpacts& all, StepAnswer& answer,
                   UsedDevice& used) {
  const std::vector<int> gpus = choose_gpus(arguments.device, used);
  if (gpus.empty()) return false;
  gpu::StepSearch search(motion.mesh, {.device = gpus[0]});
  const gpu::RunOptions run{.threads = arguments.step.threads};
  gpu::Outcome outcome;
  if (arguments.first_only) {
    gpu::FirstAnswer first = search.earliest_impact(motion.start, motion.end, options, run);
    answer = answer_of(first, motion.moving());
    outcome = std::move(first.outcome);
  } else {
    gpu::AllAnswer impacts = search.all_impacts(motion.start, motion.end, options, run);
    outcome = std::move(impacts.outcome);
    all = std::move(impacts);
    answer = answer_of(all, motion.moving());
  }
  if (!outcome) leave_gpu(arguments.device, outcome.message, used);
  return bool(outcome);
}

}  // namespace

void print_step(const SingleStepArguments& arguments, const StepAnswer& answer,
                const UsedDevice& device, double load, double total) {
  const bool on_curves = !arguments.velocities.empty();
  if (arguments.json) return print(json_of(answer, on_curves, device, load, total));
  print_text(answer, arguments.step.query.t_max, load);
  if (on_curves) fmt::print("velocities: exact\n");
  if (arguments.device.tries_gpu()) fmt::print("{}\n", device.line());
}

int run_step(const SingleStepArguments& arguments) {
  const bool on_curves = !arguments.velocities.empty();
  StepOptions options =
      on_curves ? arguments.step.curved_options("--velocities") : arguments.step.options();
  if (on_curves && arguments.device.device == "gpu")
    throw UsageError("--velocities cannot be used with --device gpu");
  if (on_curves && !arguments.queries.empty())
    throw UsageError("--velocities cannot be used with --dump-queries");
  if (arguments.first_only && !arguments.all.empty())
    throw UsageError("--all and --first-only exclude each other");
  if (!arguments.all.empty()) check_writable(arguments.all);
  check_page(arguments.html);

  const Stopwatch total;
  OwnedMotion motion;
  Velocities velocities;
  {
    const ProgressBar bar("reading");
    motion = io::read_motion(arguments.start, arguments.end);
    check_positions(arguments.start, motion.start);
    check_positions(arguments.end, motion.end);
    if (on_curves) {
      const auto read = [&](const std::string& file) {
        std::vector<Vec3> vectors = io::read_vectors(file, motion.mesh.vertex_count);
        require_finite(file, vectors);
        return vectors;
      };
      velocities = {read(arguments.velocities[0]), read(arguments.velocities[1])};
    }
  }
  const double load = total.seconds();
  if (!on_curves) check_primitives(arguments.step, motion.mesh);
  std::optional<CurvedMesh> curved;
  if (on_curves) curved.emplace(velocities.curved(motion));

  Pairs tested;
  if (!arguments.queries.empty())
    options.observer = [&](const MovingMesh&, const Pairs& pairs) { tested = pairs; };
  const Run run{.threads = arguments.step.threads};
  AllImpacts all;
  StepAnswer answer;
  UsedDevice device;
  {
    const ProgressBar bar("searching");
    const bool on_gpu =
        !on_curves && answer_on_gpu(arguments, motion, options, all, answer, device);
    const auto answer_on_cpu = [&](const auto& moving) {
      if (arguments.first_only) {
        answer = answer_of(earliest_impact(moving, options, run), moving);
      } else {
        all = all_impacts(moving, options, run);
        answer = answer_of(all, moving);
      }
    };
    if (curved) leave_gpu(arguments.device, curves_need_cpu, device);
    if (curved)
      answer_on_cpu(*curved);
    else if (!on_gpu)
      answer_on_cpu(motion.moving());
  }
  check_valid(answer.verdict);
  const double seconds = total.seconds();

  if (!arguments.all.empty() || !arguments.queries.empty()) {
    const ProgressBar bar("writing");
    const Uninterrupted guard;
    if (!arguments.all.empty()) io::write_contacts(arguments.all, motion.mesh, all.impacts);
    if (!arguments.queries.empty())
      io::write_pair_queries(arguments.queries, motion.moving(), tested);
  }
  if (!arguments.html.empty() || !arguments.record.empty()) {
    const ProgressBar bar("writing");
    const std::span<const StepImpact> impacts =
        arguments.first_only ? std::span(&answer.first.found, 1) : std::span(all.impacts);
    show(arguments.html, arguments.record,
         recording_of(arguments, motion.moving(), curved, answer, impacts));
  }
  print_step(arguments, answer, device, load, seconds);
  return exit_code_of(answer.verdict);
}

void add_step(CLI::App& app, int& exit_code, const RunStep& run) {
  auto& command = *app.add_subcommand("step", "Find the impacts of a mesh between two frames");
  const auto arguments = std::make_shared<SingleStepArguments>();
  command.add_option("T0", arguments->start, "mesh at t = 0: .ply, .obj, .off or .stl")->required();
  command.add_option("T1", arguments->end, "the same mesh at t = 1")->required();
  add_step_options(command, arguments->step);
  command
      .add_option("--velocities", arguments->velocities,
                  "velocities of the vertices at t = 0 and at t = 1, in lengths per step: NumPy "
                  "arrays (.npy) of float64, N x 3; the vertices move on the cubic curves with "
                  "these velocities")
      ->expected(2)
      ->type_name("V0 V1");
  add_device(command, arguments->device);
  command.add_flag("--first-only", arguments->first_only,
                   "find the first impact only, which is faster");
  command.add_option("--all", arguments->all,
                     "write every contact as CSV: kind,a,b,toi,toi_hi,u,v,nx,ny,nz");
  command.add_option(
      "--dump-queries", arguments->queries,
      "write every tested query to vertex-face.npy and edge-edge.npy in this folder");
  add_show_options(command, arguments->html, arguments->record);
  add_json(command, arguments->json);
  command.footer(std::string(verdict_exit_codes) +
                 "\nExamples:\n"
                 "  graze step 0.ply 1.ply\n"
                 "  graze step 0.ply 1.ply --all contacts.csv --json\n"
                 "  graze step 0.ply 1.ply --html step.html\n"
                 "  graze step 0.ply 1.ply --min-separation 1e-3\n"
                 "  graze step 0.ply 1.ply --velocities v0.npy v1.npy");
  command.callback([arguments, &exit_code, run] { exit_code = run(*arguments); });
}

}  // namespace graze::command
