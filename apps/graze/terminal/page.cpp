#include "terminal/page.h"

#include <string_view>

#include "commands/command.h"
#include "graze/io/atomic_file.h"
#include "terminal/interrupt.h"
#include "terminal/viewer_template.h"

namespace graze::command {

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  const auto byte = [&](std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) text += digits[three >> shift & 63];
  }
  for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) text[text.size() - 1 - k] = '=';
  return text;
}

namespace {

void put(std::string& page, std::string_view placeholder, std::string_view text) {
  page.replace(page.find(placeholder), placeholder.size(), text);
}

void write(const std::string& html, std::string_view recording, std::string_view queries) {
  std::string page(viewer_template());
  put(page, "GRAZE_QUERY", queries);
  put(page, "GRAZE_RECORDING", recording);
  const Uninterrupted whole;
  io::write_file(html, page);
}

}  // namespace

void add_show_options(CLI::App& command, std::string& html, std::string& record) {
  command.add_option("--html", html,
                     "write a page that shows the motion: one file for any browser");
  command.add_option(
      "--record", record,
      "write the motion as FILE.glb, which Blender can also open, or as PLY frames into a folder");
}

bool has_viewer() {
  return !viewer_template().empty() && io::has_glb();
}

void check_page(const std::string& html) {
  if (html.empty()) return;
  if (viewer_template().empty())
    throw UsageError(
        "--html needs a build with the viewer: install Node.js and npm, then build again");
  if (!io::has_glb()) throw UsageError("--html needs a build with libtinygltf-dev (GRAZE_GLTF)");
  check_writable(html);
}

void write_page(const std::string& html, const io::Recording& recording) {
  write(html, base64(io::glb_bytes(recording, html)), "[]");
}

void write_page(const std::string& html, const nlohmann::ordered_json& queries) {
  std::string json = queries.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  // Inside a script element only "<" could end the element.
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at))
    json.replace(at, 1, "\\u003c");
  write(html, "", json);
}

void show(const std::string& html, const std::string& record, const io::Recording& recording) {
  if (!html.empty()) write_page(html, recording);
  if (!record.empty()) write_recording(record, recording);
}

bool is_recording(const std::string& file) {
  return file.ends_with(".glb");
}

void write_recording(const std::string& file, const io::Recording& recording) {
  const Uninterrupted whole;
  if (is_recording(file))
    io::write_glb(file, recording);
  else
    io::write_frames(file, recording);
}

}  // namespace graze::command
