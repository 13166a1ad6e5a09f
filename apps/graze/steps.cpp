#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "graze/io/atomic_file.h"
#include "graze/io/mesh_files.h"
#include "interrupt.h"
#include "step.h"
#include "terminal.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Arguments {
  std::vector<std::string> frames;
  std::string out;
  StepArguments step;
  bool json = false;
};

// Names in the order of the numbers in them: 2.ply before 10.ply.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t first = at;
      while (at < text.size() && digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    const std::string x = number(a, i), y = number(b, j);
    if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
  }
  return a.size() - i < b.size() - j;
}

// A folder stands for the mesh files in it.
std::vector<std::string> expand(const std::vector<std::string>& given) {
  std::vector<std::string> frames;
  for (const std::string& name : given) {
    if (!fs::is_directory(name)) {
      frames.push_back(name);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(name))
      if (io::is_mesh_file(entry.path())) inside.push_back(entry.path().string());
    std::sort(inside.begin(), inside.end(), natural_less);
    frames.insert(frames.end(), inside.begin(), inside.end());
  }
  for (std::string& frame : frames) frame = fs::path(frame).lexically_normal().string();
  if (frames.size() < 2) throw UsageError("steps needs two frames or more");
  return frames;
}

// The steps that are done, kept in a file where one is named, so that an interrupted run goes on
// where it was. Until all are done the file also keeps, under "later", what it held of steps that
// this run has not come to.
class Journal {
 public:
  Journal(std::string path, const StepArguments& step) : path_(std::move(path)) {
    const Options& query = step.query;
    json_["settings"] = {{"method", step.chosen_method().name},
                         {"broad", step.strategy},
                         {"t_max", query.t_max},
                         {"min_separation", query.min_separation},
                         {"distance_tol", query.distance_tol},
                         {"time_tol", query.time_tol},
                         {"max_checks", query.max_checks},
                         {"no_zero_toi", query.no_zero_toi},
                         {"skip_start_contacts", step.skip_start},
                         {"shared_vertices", step.shared_vertices}};
    json_["steps"] = Json::array();
    if (path_.empty()) return;
    check_writable(path_);
    if (!fs::exists(path_)) return;
    std::ifstream file(path_);
    const Json before = Json::parse(file, nullptr, false);
    if (!before.is_object() || !before.contains("steps"))
      throw io::FileError(path_, "is there already and is not what graze steps writes");
    if (before.value("settings", Json()) != json_["settings"]) return;
    for (const char* part : {"steps", "later"})
      for (const Json& saved : before.value(part, Json::array()))
        if (saved.is_object()) before_.push_back(saved);
  }

  // The step as it was answered before; null where it was not or the frames have changed since. It
  // is not found again.
  Json take(const std::string& start, const std::string& end) {
    Json found;
    const auto is_it = [&](const Json& step) {
      if (step.value("start", "") != start || step.value("end", "") != end) return false;
      if (step.value("stamp", "") == stamp(start, end)) found = step;
      return true;
    };
    std::erase_if(before_, is_it);
    return found;
  }

  void add(Json step) {
    step["stamp"] = stamp(step["start"], step["end"]);
    json_["steps"].push_back(std::move(step));
  }

  void write(bool all_done) const {
    if (path_.empty()) return;
    Json json = json_;
    if (!all_done && !before_.empty()) json["later"] = before_;
    const Uninterrupted guard;
    io::write_file(path_, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  const Json& json() const { return json_; }
  const Json& steps() const { return json_["steps"]; }

 private:
  static std::string stamp(const std::string& start, const std::string& end) {
    const auto time = [](const std::string& file) {
      std::error_code ignored;
      return fs::last_write_time(file, ignored).time_since_epoch().count();
    };
    return fmt::format("{} {}", time(start), time(end));
  }

  std::string path_;
  Json json_;
  std::vector<Json> before_;
};

// Frames of one mesh, each read once.
class Frames {
 public:
  void read(const std::string& start, const std::string& end) {
    if (start_name_ != start) load(start, start_name_, start_);
    load(end, end_name_, end_);
    io::require_same_mesh(start, start_.mesh, end, end_.mesh);
  }
  MovingMesh moving() const { return {start_.mesh, start_.positions, end_.positions}; }
  void advance() {
    std::swap(start_, end_);
    std::swap(start_name_, end_name_);
  }

 private:
  static void load(const std::string& file, std::string& name, io::MeshFrame& frame) {
    frame = io::read_mesh(file);
    require_finite(file, frame.positions);
    name = file;
  }

  std::string start_name_, end_name_;
  io::MeshFrame start_, end_;
};

Json answer(const MovingMesh& moving, const StepOptions& options, const Stopwatch& watch) {
  const AllImpacts all = all_impacts(moving, options);
  const StepImpact first = all.impacts.empty() ? StepImpact() : all.impacts[0];
  const auto ids = feature_ids(moving.mesh, first.kind, first.pair);
  const std::size_t contacts = count_contacts(all);
  const bool found = !all.impacts.empty();
  return {{"verdict", name(first.impact.verdict)},
          {"toi", first.impact.toi},
          {"toi_hi", first.impact.toi_hi},
          {"kind", found ? Json(name(first.kind)) : Json(nullptr)},
          {"a", found ? Json(ids[0]) : Json(nullptr)},
          {"b", found ? Json(ids[1]) : Json(nullptr)},
          {"contacts", contacts},
          {"undecided", all.impacts.size() - contacts},
          {"pairs", all.work.pairs},
          {"seconds", watch.seconds()},
          {"summary", describe(first, moving, options.query.t_max)}};
}

std::string short_name(const std::string& start, const std::string& end) {
  return fmt::format("{} -> {}", fs::path(start).filename().string(),
                     fs::path(end).filename().string());
}

std::string line_of(const Json& step) {
  return fmt::format("{}  {}; {} contacts, {} pairs, {}", short_name(step["start"], step["end"]),
                     step["summary"].get<std::string>(),
                     io::format_count(step["contacts"].get<std::uint64_t>()),
                     io::format_count(step["pairs"].get<std::uint64_t>()),
                     io::format_nanoseconds(1e9 * step["seconds"].get<double>()));
}

bool is_free(const Json& step) {
  return step["verdict"] == name(Verdict::separated);
}

void print_table(const Json& steps) {
  std::vector<const Json*> worst;
  std::uint64_t contacts = 0, pairs = 0;
  double seconds = 0;
  for (const Json& step : steps) {
    if (!is_free(step)) worst.push_back(&step);
    contacts += step["contacts"].get<std::uint64_t>();
    pairs += step["pairs"].get<std::uint64_t>();
    seconds += step["seconds"].get<double>();
  }
  const std::size_t touching = worst.size();
  std::stable_sort(worst.begin(), worst.end(), [](const Json* a, const Json* b) {
    return (*a)["toi"].get<double>() < (*b)["toi"].get<double>();
  });
  worst.resize(std::min<std::size_t>(worst.size(), 10));
  if (!worst.empty()) {
    io::Table table{
        "\nWorst steps", {{"step", false}, {"toi"}, {"contacts"}, {"pairs"}, {"time"}}, {}};
    for (const Json* step : worst)
      table.rows.push_back({{short_name((*step)["start"], (*step)["end"])},
                            {fmt::format("{}", (*step)["toi"].get<double>())},
                            {io::format_count((*step)["contacts"].get<std::uint64_t>())},
                            {io::format_count((*step)["pairs"].get<std::uint64_t>())},
                            {io::format_nanoseconds(1e9 * (*step)["seconds"].get<double>())}});
    print(table);
  }
  fmt::print("\n{} steps, {} not free; {} contacts, {} pairs, {}\n", io::format_count(steps.size()),
             io::format_count(touching), io::format_count(contacts), io::format_count(pairs),
             io::format_nanoseconds(1e9 * seconds));
}

int run(const Arguments& arguments) {
  const StepOptions options = arguments.step.options();
  const std::vector<std::string> names = expand(arguments.frames);
  Journal journal(arguments.out, arguments.step);
  {
    ProgressBar bar("reading");
    Frames frames;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      bar(short_name(names[i], names[i + 1]), double(i) / double(names.size() - 1));
      Json step = journal.take(names[i], names[i + 1]);
      const bool fresh = step.is_null();
      if (fresh) {
        const Stopwatch watch;
        frames.read(names[i], names[i + 1]);
        check_primitives(arguments.step, frames.moving().mesh);
        step = {{"start", names[i]}, {"end", names[i + 1]}};
        step.update(answer(frames.moving(), options, watch));
        frames.advance();
      }
      if (!arguments.json) bar.print_line(line_of(step));
      journal.add(std::move(step));
      const bool last = i + 2 == names.size();
      if (fresh || last) journal.write(last);
    }
  }
  if (arguments.json)
    print(journal.json());
  else
    print_table(journal.steps());
  return std::all_of(journal.steps().begin(), journal.steps().end(), is_free) ? 0 : 1;
}

}  // namespace

void add_steps(CLI::App& app, int& exit_code) {
  auto& command = *app.add_subcommand("steps", "Do every step of a sequence of frames");
  const auto arguments = std::make_shared<Arguments>();
  command
      .add_option("FRAMES", arguments->frames,
                  "mesh files in the order of time, or a folder of them, numbered")
      ->required();
  add_step_options(command, arguments->step);
  command.add_option("--out", arguments->out,
                     "write the steps to FILE.json; a run that finds it goes on where it ended");
  add_json(command, arguments->json);
  command.footer(
      "\nExit code 0: every step is free; 1: some are not.\n"
      "\nExamples:\n"
      "  graze steps cloth\n"
      "  graze steps 0.ply 1.ply 2.ply --out steps.json");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
