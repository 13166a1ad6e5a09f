#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/step.h"
#include "graze/io/atomic_file.h"
#include "graze/io/mesh_files.h"
#include "terminal/interrupt.h"
#include "terminal/json_values.h"
#include "terminal/terminal.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;
struct StepsArguments {
  std::vector<std::string> frames;
  std::string out;
  StepArguments step;
  bool json = false;
};

// Compares names by the numbers in them: 2.ply is before 10.ply.
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

// Replaces each folder by the mesh files in it.
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
  if (frames.size() < 2) throw UsageError("FRAMES: steps needs at least two frames");
  return frames;
}

// One step of the sequence.
struct StepRecord {
  std::string start, end;  // the files of its frames
  std::string stamp;       // the times of their last change
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf, toi_hi = Impact::inf;
  std::optional<Kind> kind;  // of the first impact; none where there is none
  std::array<std::size_t, 2> ids{};
  std::uint64_t contacts = 0, undecided = 0, pairs = 0;
  double seconds = 0;
  std::string summary;
};

Json json_of(const StepRecord& step) {
  return {{"start", step.start},
          {"end", step.end},
          {"verdict", name(step.verdict)},
          {"toi", step.toi},
          {"toi_hi", step.toi_hi},
          {"kind", step.kind ? Json(name(*step.kind)) : Json()},
          {"a", step.kind ? Json(step.ids[0]) : Json()},
          {"b", step.kind ? Json(step.ids[1]) : Json()},
          {"contacts", step.contacts},
          {"undecided", step.undecided},
          {"pairs", step.pairs},
          {"seconds", step.seconds},
          {"summary", step.summary},
          {"stamp", step.stamp}};
}

// The inverse of json_of(). Throws Json::exception for anything else.
StepRecord step_from(const Json& json) {
  const auto time = [&](const char* key) {
    return json.at(key).is_null() ? Impact::inf : json.at(key).get<double>();
  };
  StepRecord step;
  json.at("start").get_to(step.start);
  json.at("end").get_to(step.end);
  json.at("stamp").get_to(step.stamp);
  for (const Verdict verdict : {Verdict::contact, Verdict::undecided})
    if (json.at("verdict") == name(verdict)) step.verdict = verdict;
  step.toi = time("toi");
  step.toi_hi = time("toi_hi");
  if (!json.at("kind").is_null()) {
    const auto kind = json.at("kind").get<std::string>();
    step.kind = kind == name(Kind::edge_face) ? Kind::edge_face : find_kind(kind);
    step.ids = {json.at("a").get<std::size_t>(), json.at("b").get<std::size_t>()};
  }
  json.at("contacts").get_to(step.contacts);
  json.at("undecided").get_to(step.undecided);
  json.at("pairs").get_to(step.pairs);
  json.at("seconds").get_to(step.seconds);
  json.at("summary").get_to(step.summary);
  return step;
}

// The answered steps. Where a file is named they are also kept there, so that an interrupted run
// can be continued. Until the run is complete the file also keeps, under "later", the steps of an
// earlier run that this run has not reached.
class Journal {
 public:
  // Throws FileError where the file cannot be written or is not of this format.
  Journal(std::string path, const StepArguments& step) : path_(std::move(path)) {
    const Options& query = step.query;
    settings_ = {{"method", step.method_row().name},
                 {"broad", step.strategy},
                 {"t_max", query.t_max},
                 {"min_separation", query.min_separation},
                 {"distance_tol", query.distance_tol},
                 {"time_tol", query.time_tol},
                 {"max_checks", query.max_checks},
                 {"no_zero_toi", query.no_zero_toi},
                 {"skip_start_contacts", step.skip_start},
                 {"start_check", step.start_check},
                 {"shared_vertices", step.shared_vertices}};
    if (path_.empty()) return;
    check_writable(path_);
    if (!fs::exists(path_)) return;
    std::ifstream file(path_);
    const Json before = Json::parse(file, nullptr, false);
    if (!before.is_object() || !before.contains("steps"))
      throw io::FileError(path_, "exists and was not written by graze steps");
    if (before.value("settings", Json()) != settings_) return;
    for (const char* part : {"steps", "later"})
      for (const Json& saved : before.value(part, Json::array())) try {
          before_.push_back(step_from(saved));
        } catch (const Json::exception&) {  // an entry that was edited is answered again
        }
  }

  // Removes the step from those of the earlier run and returns it; nothing where it was not
  // answered or a frame has changed since.
  std::optional<StepRecord> take(const std::string& start, const std::string& end) {
    std::optional<StepRecord> found;
    const auto matches = [&](const StepRecord& step) {
      if (step.start != start || step.end != end) return false;
      if (step.stamp == stamp(start, end)) found = step;
      return true;
    };
    std::erase_if(before_, matches);
    return found;
  }

  void add(StepRecord step) {
    step.stamp = stamp(step.start, step.end);
    steps_.push_back(std::move(step));
  }

  void write(bool complete) const {
    if (path_.empty()) return;
    Json whole = json();
    if (!complete && !before_.empty()) whole["later"] = list(before_);
    const Uninterrupted guard;
    io::write_file(path_, whole.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  Json json() const { return {{"settings", settings_}, {"steps", list(steps_)}}; }
  const std::vector<StepRecord>& steps() const { return steps_; }

 private:
  static Json list(const std::vector<StepRecord>& steps) {
    Json array = Json::array();
    for (const StepRecord& step : steps) array.push_back(json_of(step));
    return array;
  }
  static std::string stamp(const std::string& start, const std::string& end) {
    const auto time = [](const std::string& file) {
      std::error_code ignored;
      return fs::last_write_time(file, ignored).time_since_epoch().count();
    };
    return fmt::format("{} {}", time(start), time(end));
  }

  std::string path_;
  Json settings_;
  std::vector<StepRecord> steps_, before_;
};

// The two frames of the current step. Each file is read once.
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
    check_positions(file, frame.positions);
    name = file;
  }

  std::string start_name_, end_name_;
  io::MeshFrame start_, end_;
};

StepRecord answer(const MovingMesh& moving, const StepOptions& options, const Run& run,
                  const Stopwatch& watch) {
  const AllImpacts all = all_impacts(moving, options, run);
  check_valid(all.verdict);
  const StepImpact first = all.impacts.empty() ? StepImpact() : all.impacts[0];
  StepRecord step;
  step.verdict = all.verdict;
  step.toi = first.impact.toi;
  step.toi_hi = first.impact.toi_hi;
  if (!all.impacts.empty()) {
    step.kind = first.kind;
    const auto ids = feature_ids(moving.mesh, first.kind, first.pair);
    step.ids = {ids[0], ids[1]};
  }
  step.contacts = count_contacts(all);
  step.undecided = all.impacts.size() - step.contacts;
  step.pairs = all.work.pairs;
  step.seconds = watch.seconds();
  step.summary = describe(all.verdict, first, moving, options.query.t_max);
  return step;
}

std::string short_name(const StepRecord& step) {
  return fmt::format("{} -> {}", fs::path(step.start).filename().string(),
                     fs::path(step.end).filename().string());
}

std::string line_of(const StepRecord& step) {
  return fmt::format("{}  {}; {} contacts, {} pairs, {}", short_name(step), step.summary,
                     report::format_count(step.contacts), report::format_count(step.pairs),
                     report::format_nanoseconds(1e9 * step.seconds));
}

bool is_free(const StepRecord& step) {
  return step.verdict == Verdict::separated;
}

void print_table(const std::vector<StepRecord>& steps) {
  std::vector<const StepRecord*> worst;
  std::uint64_t contacts = 0, pairs = 0;
  double seconds = 0;
  for (const StepRecord& step : steps) {
    if (!is_free(step)) worst.push_back(&step);
    contacts += step.contacts;
    pairs += step.pairs;
    seconds += step.seconds;
  }
  const std::size_t touching = worst.size();
  std::stable_sort(worst.begin(), worst.end(),
                   [](const StepRecord* a, const StepRecord* b) { return a->toi < b->toi; });
  worst.resize(std::min<std::size_t>(worst.size(), 10));
  if (!worst.empty()) {
    report::Table table{
        "\nWorst steps",
        {{"step", false}, {"verdict", false}, {"toi"}, {"contacts"}, {"pairs"}, {"time"}},
        {}};
    for (const StepRecord* step : worst)
      table.rows.push_back({{short_name(*step)},
                            {name(step->verdict)},
                            {fmt::format("{}", step->toi)},
                            {report::format_count(step->contacts)},
                            {report::format_count(step->pairs)},
                            {report::format_nanoseconds(1e9 * step->seconds)}});
    print(table);
  }
  fmt::print("\n{} steps, {} not free; {} contacts, {} pairs, {}\n",
             report::format_count(steps.size()), report::format_count(touching),
             report::format_count(contacts), report::format_count(pairs),
             report::format_nanoseconds(1e9 * seconds));
}

// Returns the verdict of the sequence: contact where a step has one, else undecided where a step
// is.
Verdict verdict_of(const std::vector<StepRecord>& steps) {
  for (const Verdict verdict : {Verdict::contact, Verdict::undecided})
    for (const StepRecord& step : steps)
      if (step.verdict == verdict) return verdict;
  return Verdict::separated;
}

int run(const StepsArguments& arguments) {
  const StepOptions options = arguments.step.options();
  const std::vector<std::string> names = expand(arguments.frames);
  Journal journal(arguments.out, arguments.step);
  {
    ProgressBar bar("reading");
    Frames frames;
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      std::optional<StepRecord> step = journal.take(names[i], names[i + 1]);
      const bool fresh = !step;
      bar(names[i], double(i) / double(names.size() - 1));
      if (fresh) {
        const Stopwatch watch;
        frames.read(names[i], names[i + 1]);
        check_primitives(arguments.step, frames.moving().mesh);
        step = answer(frames.moving(), options, {.threads = arguments.step.threads}, watch);
        step->start = names[i];
        step->end = names[i + 1];
        frames.advance();
      }
      if (!arguments.json) bar.print_line(line_of(*step));
      journal.add(std::move(*step));
      const bool last = i + 2 == names.size();
      if (fresh || last) journal.write(last);
    }
  }
  if (arguments.json)
    print(journal.json());
  else
    print_table(journal.steps());
  return exit_code_of(verdict_of(journal.steps()));
}

}  // namespace

void add_steps(CLI::App& app, int& exit_code) {
  auto& command =
      *app.add_subcommand("steps", "Find the impacts of every step of a sequence of frames");
  const auto arguments = std::make_shared<StepsArguments>();
  command
      .add_option("FRAMES", arguments->frames,
                  "mesh files in the order of time, or a folder with numbered mesh files")
      ->required();
  add_step_options(command, arguments->step);
  command.add_option("--out", arguments->out,
                     "write the steps to FILE.json; a later run continues from the file");
  add_json(command, arguments->json);
  command.footer(std::string(verdict_exit_codes) +
                 "Contact in any step is 1; undecided without a contact is 3.\n"
                 "\nExamples:\n"
                 "  graze steps cloth\n"
                 "  graze steps 0.ply 1.ply 2.ply --out steps.json");
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace graze::command
