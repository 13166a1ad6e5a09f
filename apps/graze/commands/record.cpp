#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands/command.h"
#include "terminal/json_values.h"
#include "terminal/page.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

struct RecordArguments {
  std::vector<std::filesystem::path> files;
  std::string html, record, frames;
  double rate = 60;
  bool json = false;
};

void print_json(const RecordArguments& arguments, const io::Recording& recording) {
  const auto written = [](const std::string& file) { return file.empty() ? Json() : Json(file); };
  std::size_t vertices = 0, faces = 0;
  for (const io::RecordedBody& body : recording.bodies()) {
    vertices += body.vertices.size();
    faces += body.faces.size();
  }
  const std::size_t frames = recording.frames();
  print(Json{{"title", recording.title},
             {"bodies", recording.bodies().size()},
             {"vertices", vertices},
             {"faces", faces},
             {"frames", frames},
             {"contacts", recording.contacts().size()},
             {"end", frames == 0 ? Json() : Json(recording.time(frames - 1))},
             {"time_unit", recording.time_unit},
             {"out", written(arguments.record)},
             {"folder", written(arguments.frames)},
             {"html", written(arguments.html)}});
}

void run(const RecordArguments& arguments, const CLI::App& command) {
  if (arguments.html.empty() && arguments.record.empty() && arguments.frames.empty())
    throw UsageError("record needs at least one of --out, --frames and --html");
  if (!arguments.record.empty() && !is_recording(arguments.record))
    throw UsageError(fmt::format("--out: '{}' does not end in .glb", arguments.record));
  if (!(arguments.rate > 0 && arguments.rate <= 1e6))
    throw UsageError("--rate must be in (0, 1e6] frames per second");
  const bool again = arguments.files.size() == 1 && is_recording(arguments.files[0].string());
  if (again) refuse_options(command, {"--rate"}, "a recording, which has its own times");
  check_page(arguments.html);
  std::optional<ProgressBar> bar("recording");
  io::Recording recording = again ? io::read_glb(arguments.files[0])
                                  : io::read_frames(arguments.files, 1 / arguments.rate);
  if (!again) {
    recording.title = fmt::format("{} frames", arguments.files.size());
    recording.facts.emplace_back("triangles",
                                 report::format_count(recording.bodies()[0].faces.size()));
  }
  show(arguments.html, arguments.record, recording);
  if (!arguments.frames.empty()) write_recording(arguments.frames, recording);
  bar.reset();
  if (arguments.json) print_json(arguments, recording);
}

}  // namespace

void add_record(CLI::App& app) {
  auto& command = *app.add_subcommand(
      "record", "Convert mesh frames to a recording or a page, and a recording to frames");
  const auto arguments = std::make_shared<RecordArguments>();
  command
      .add_option("FILE", arguments->files, "one mesh file for each frame, or one recording .glb")
      ->required();
  command.add_option("--out", arguments->record,
                     "write a recording FILE.glb, which Blender can also open");
  command.add_option("--frames", arguments->frames, "write PLY frames into this folder");
  command.add_option("--html", arguments->html, "write a page that plays the recording");
  command.add_option("--rate", arguments->rate, "frames per second")->capture_default_str();
  add_json(command, arguments->json);
  command.footer(
      "\nExamples:\n"
      "  graze record cloth/*.ply --out cloth.glb\n"
      "  graze record cloth.glb --html cloth.html\n"
      "  graze record cloth.glb --frames cloth");
  command.callback([arguments, &command] { run(*arguments, command); });
}

}  // namespace graze::command
