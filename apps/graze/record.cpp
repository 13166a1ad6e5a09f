#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "page.h"
#include "terminal.h"

namespace graze::command {
namespace {

struct Arguments {
  std::vector<std::filesystem::path> files;
  std::string html, record, frames;
  double rate = 60;
};

void run(const Arguments& arguments) {
  if (arguments.html.empty() && arguments.record.empty() && arguments.frames.empty())
    throw UsageError("record needs --out, --frames or --html");
  if (!arguments.record.empty() && !is_recording(arguments.record))
    throw UsageError(fmt::format("--out: '{}' does not end in .glb", arguments.record));
  if (!(arguments.rate > 0 && arguments.rate <= 1e6))
    throw UsageError("--rate must be above 0 and at most 1e6");
  check_page(arguments.html);
  const ProgressBar bar("recording");
  const bool again = arguments.files.size() == 1 && is_recording(arguments.files[0].string());
  io::Recording recording = again ? io::read_glb(arguments.files[0])
                                  : io::read_frames(arguments.files, 1 / arguments.rate);
  if (!again) {
    recording.title = fmt::format("{} frames", arguments.files.size());
    recording.facts.emplace_back("triangles", io::format_count(recording.bodies()[0].faces.size()));
  }
  show(arguments.html, arguments.record, recording);
  if (!arguments.frames.empty()) write_recording(arguments.frames, recording);
}

}  // namespace

void add_record(CLI::App& app) {
  auto& command = *app.add_subcommand("record", "Make a recording or a page of frames, and back");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("FILE", arguments->files, "meshes, one for each frame, or a recording .glb")
      ->required();
  command.add_option("--out", arguments->record, "write a recording FILE.glb, for Blender too");
  command.add_option("--frames", arguments->frames, "write PLY frames into this folder");
  command.add_option("--html", arguments->html, "write a page that shows it");
  command.add_option("--rate", arguments->rate, "frames in a second")->capture_default_str();
  command.footer(
      "\nExamples:\n"
      "  graze record cloth/*.ply --out cloth.glb\n"
      "  graze record cloth.glb --html cloth.html\n"
      "  graze record cloth.glb --frames cloth");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace graze::command
