#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands/journal.h"
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
  std::string interpolate = "linear";
  StepArguments step;
  DeviceArguments device;
  bool json = false;

  bool on_curves() const { return interpolate != "linear"; }
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

// Replaces each folder by the mesh files in this process' copy of it.
std::vector<std::string> expand(const std::vector<std::string>& given, const Team& team) {
  std::vector<std::string> frames;
  for (const std::string& name : given) {
    const std::string folder = team.own_copy(name);
    if (!fs::is_directory(folder)) {
      frames.push_back(name);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(folder))
      if (io::is_mesh_file(entry.path()))
        inside.push_back((fs::path(name) / entry.path().filename()).string());
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
  std::string stamp;       // the times of the last change of the files that it depends on
  Verdict verdict = Verdict::separated;
  double toi = Impact::inf, toi_hi = Impact::inf;
  std::optional<Kind> kind;  // of the first impact; none where there is none
  std::array<std::size_t, 2> ids{};
  std::uint64_t contacts = 0, undecided = 0, pairs = 0;
  // On curves: a bound on the distance of the curves that were tested from the curves of unrounded
  // velocities; 0 if no velocity was rounded. None for straight motion.
  std::optional<double> path_error;
  double seconds = 0;
  std::string summary;
};

const char* velocities_of(const StepRecord& step) {
  return *step.path_error > 0 ? "rounded" : "exact";
}

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
          {"velocities", step.path_error ? Json(velocities_of(step)) : Json()},
          {"path_error", step.path_error ? Json(*step.path_error) : Json()},
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
  if (!json.at("path_error").is_null()) step.path_error = json.at("path_error").get<double>();
  json.at("seconds").get_to(step.seconds);
  json.at("summary").get_to(step.summary);
  return step;
}

// The settings that the answers of a run depend on, besides the files of its frames.
Json settings_of(const StepsArguments& arguments, const Method& method) {
  const StepArguments& step = arguments.step;
  const Options& query = step.query;
  return {{"method", method.name},
          {"interpolate", arguments.interpolate},
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
}

std::string text_of(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Returns the times of the last change of files.
std::string stamp_of(std::span<const std::string> files) {
  std::string text;
  for (const std::string& file : files) {
    std::error_code ignored;
    text += fmt::format("{}{}", text.empty() ? "" : " ",
                        fs::last_write_time(file, ignored).time_since_epoch().count());
  }
  return text;
}

// The answers of a sequence. With --out FILE, FILE.journal has each answer as soon as it is known,
// so that a later run can continue; at the end FILE has all and the journal is removed.
class StoredAnswers {
 public:
  // Throws io::FileError if the file cannot be written or is not of this format.
  StoredAnswers(const StepsArguments& arguments, const Method& method)
      : path_(arguments.out), settings_(settings_of(arguments, method)) {
    if (path_.empty()) return;
    check_writable(path_);
    if (fs::exists(path_) && !fs::is_regular_file(path_)) return;  // a pipe keeps nothing
    if (fs::exists(path_)) {
      std::ifstream file(path_);
      const Json before = Json::parse(file, nullptr, false);
      if (!before.is_object() || !before.contains("steps"))
        throw io::FileError(path_, "exists and was not written by graze steps");
      if (before.value("settings", Json()) == settings_)
        for (const Json& step : before.at("steps")) keep(step);
    }
    journal_.emplace(path_ + ".journal", text_of(settings_));
    for (const std::string& line : journal_->before()) keep(Json::parse(line, nullptr, false));
  }

  // Returns an answer of an earlier run if no file that the step depends on has changed since.
  std::optional<StepRecord> find(const std::string& start, const std::string& end,
                                 std::span<const std::string> files) const {
    const auto found = before_.find({start, end});
    if (found == before_.end() || found->second.stamp != stamp_of(files)) return std::nullopt;
    return found->second;
  }

  // Must be called before the first add().
  void begin() {
    if (journal_) journal_->begin();
  }
  void add(const StepRecord& step) {
    if (journal_) journal_->add(text_of(json_of(step)));
  }

  // Returns all steps as JSON, in the order of time.
  Json json(const std::vector<StepRecord>& steps) const {
    Json array = Json::array();
    for (const StepRecord& step : steps) array.push_back(json_of(step));
    return {{"settings", settings_}, {"steps", std::move(array)}};
  }
  // Writes the file with all steps.
  void write(const std::vector<StepRecord>& steps) {
    if (path_.empty()) return;
    const Uninterrupted guard;
    io::write_file(path_, text_of(json(steps), 1) + "\n");
    if (journal_) journal_->remove();
  }

 private:
  // An entry that was edited is dropped, so that its step is answered again.
  void keep(const Json& json) try {
    StepRecord step = step_from(json);
    std::pair key{step.start, step.end};
    before_.insert_or_assign(std::move(key), std::move(step));
  } catch (const Json::exception&) {
  }

  std::string path_;
  Json settings_;
  std::optional<Journal> journal_;
  std::map<std::pair<std::string, std::string>, StepRecord> before_;  // by both frames
};

// The frames around the current step. Each file is read once.
class Frames {
 public:
  explicit Frames(const std::vector<std::string>& names) : names_(names) {}

  // Returns frame i, which must be of the same mesh as all others. Releases frames further than 3
  // from it.
  const io::MeshFrame& operator[](std::size_t i) {
    loaded_.erase(loaded_.begin(), loaded_.lower_bound(i > 3 ? i - 3 : 0));
    loaded_.erase(loaded_.upper_bound(i + 3), loaded_.end());
    const auto [found, fresh] = loaded_.try_emplace(i);
    if (fresh) {
      found->second = io::read_mesh(names_[i]);
      check_positions(names_[i], found->second.positions);
      if (!first_) first_ = {i, found->second.mesh};
      io::require_same_mesh(names_[first_->first], first_->second, names_[i], found->second.mesh);
    }
    return found->second;
  }
  std::size_t count() const { return names_.size(); }

 private:
  const std::vector<std::string>& names_;
  std::map<std::size_t, io::MeshFrame> loaded_;
  std::optional<std::pair<std::size_t, Mesh>> first_;  // the first frame that was read
};

// The velocities of the vertices at one frame.
struct FrameVelocities {
  std::vector<Vec3> velocities;
  double error = 0;  // the largest rounding of a coordinate; 0 if all are exact
};

// Returns the velocities of Catmull-Rom at frame i: half the way from the frame before to the frame
// after, or the whole way at an end of the sequence; rounded to doubles.
FrameVelocities catmull_rom(Frames& frames, std::size_t i) {
  const std::size_t before = i > 0 ? i - 1 : i, after = std::min(i + 1, frames.count() - 1);
  const double share = after - before == 2 ? 0.5 : 1;
  FrameVelocities result{frames[after].positions, 0};
  const std::vector<Vec3>& from = frames[before].positions;
  for (std::size_t v = 0; v < from.size(); ++v)
    for (int k = 0; k < 3; ++k) {
      double& velocity = result.velocities[v][k];
      const double whole[] = {velocity, -from[v][k]};
      const double x = share * whole[0], y = share * whole[1];
      velocity = x + y;
      // The difference of x + y and its rounding is a double: Knuth's two-sum.
      const double part = velocity - x;
      double error = std::abs((x - (velocity - part)) + (y - part));
      // Halving rounds odd subnormal numbers alone, each by half of the smallest double.
      if (x / share != whole[0] || y / share != whole[1])
        error += std::numeric_limits<double>::denorm_min();
      result.error = std::max(result.error, error);
    }
  return result;
}

// Returns a bound on the distance of two Hermite curves whose velocities differ by at most these
// lengths in each coordinate. A velocity moves a coordinate by at most 4/27 of its difference, the
// largest value of t (1 - t)^2, and sqrt(3) 4/27 < 0.257. The step upward covers underflow.
double path_error(double at_start, double at_end) {
  const double sum = at_start + at_end;
  return sum == 0 ? 0 : std::nextafter(0.26 * sum, Impact::inf);
}

// Returns the record of a step without its files and its time. `Motion`: MovingMesh or CurvedMesh.
template <class Motion>
StepRecord record_of(const AllImpacts& all, const Motion& motion, double t_max) {
  check_valid(all.verdict);
  const ShownImpact first =
      all.impacts.empty() ? ShownImpact() : ShownImpact(all.impacts[0], motion);
  StepRecord step;
  step.verdict = all.verdict;
  step.toi = first.found.impact.toi;
  step.toi_hi = first.found.impact.toi_hi;
  if (!all.impacts.empty()) step.kind = first.found.kind;
  step.ids = first.ids;
  step.contacts = count_contacts(all);
  step.undecided = all.impacts.size() - step.contacts;
  step.pairs = all.work.pairs;
  step.summary = describe(all.verdict, first, t_max);
  return step;
}

// Answers the steps of a sequence: on the CPU one by one, or shared out among GPUs.
class StepAnswers {
 public:
  // `steps`: the numbers of the first frames of the steps. With GPUs the calls have this
  // order. `obstacle`: why GPUs cannot be used, or null.
  StepAnswers(const StepsArguments& arguments, const StepOptions& options,
              const std::vector<std::string>& names, const std::vector<std::size_t>& steps,
              const char* obstacle)
      : arguments_(arguments), options_(options), frames_(names), steps_(steps) {
    if (obstacle)
      leave_gpu(arguments.device, obstacle, used_);
    else
      gpus_ = choose_gpus(arguments.device, used_);
  }

  const UsedDevice& used() const { return used_; }

  // Returns the step from frame i to the next, without its files.
  StepRecord operator()(std::size_t i) {
    const Stopwatch watch;
    StepRecord step = !gpus_.empty()           ? answer_on_gpus()
                      : arguments_.on_curves() ? answer_on_curves(i)
                                               : answer_on_cpu(motion(i));
    step.seconds = watch.seconds();
    return step;
  }

 private:
  MovingMesh motion(std::size_t i) {
    const io::MeshFrame &start = frames_[i], &end = frames_[i + 1];
    check_primitives(arguments_.step, start.mesh);
    return {start.mesh, start.positions, end.positions};
  }

  StepRecord answer_on_cpu(const MovingMesh& moving) const {
    return record_of(all_impacts(moving, options_, run()), moving, options_.query.t_max);
  }

  StepRecord answer_on_curves(std::size_t i) {
    const FrameVelocities start = catmull_rom(frames_, i), end = catmull_rom(frames_, i + 1);
    const io::MeshFrame &from = frames_[i], &to = frames_[i + 1];
    const CurvedMesh curved = CurvedMesh::hermite(from.mesh, from.positions, start.velocities,
                                                  to.positions, end.velocities);
    StepRecord step = record_of(all_impacts(curved, options_, run()), curved, options_.query.t_max);
    step.path_error = path_error(start.error, end.error);
    return step;
  }

  // Returns the first step that was begun and is not ended, after beginning one step per GPU.
  StepRecord answer_on_gpus() {
    for (; begun_.size() < gpus_.size() && next_ < steps_.size(); ++next_) {
      const MovingMesh moving = motion(steps_[next_]);
      if (!queue_) queue_.emplace(moving.mesh, gpus_);
      const OwnedMotion& kept =
          begun_.emplace_back(OwnedMotion{moving.mesh,
                                          {moving.start.begin(), moving.start.end()},
                                          {moving.end.begin(), moving.end.end()}});
      queue_->push(kept.start, kept.end, options_, {.threads = arguments_.step.threads});
    }
    const OwnedMotion first = std::move(begun_.front());
    begun_.pop_front();
    const gpu::AllAnswer answer = queue_->pop();
    if (answer.outcome) return record_of(answer, first.moving(), options_.query.t_max);
    leave_gpu(arguments_.device, answer.outcome.message, used_);
    return answer_on_cpu(first.moving());
  }

  Run run() const { return {.threads = arguments_.step.threads}; }

  const StepsArguments& arguments_;
  const StepOptions& options_;
  Frames frames_;
  const std::vector<std::size_t>& steps_;
  UsedDevice used_;
  std::vector<int> gpus_;
  std::optional<gpu::StepQueue> queue_;
  std::deque<OwnedMotion> begun_;  // in the order of the queue
  std::size_t next_ = 0;           // the first of steps_ that was not begun
};

// Returns the files that the step from frame i depends on.
std::span<const std::string> files_of(const std::vector<std::string>& names, std::size_t i,
                                      bool on_curves) {
  const std::size_t begin = on_curves && i > 0 ? i - 1 : i;
  const std::size_t end = std::min(names.size(), i + (on_curves ? 3 : 2));
  return std::span(names).subspan(begin, end - begin);
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

// Prints whether the velocities of a sequence on curves were rounded.
void print_velocities(const std::vector<StepRecord>& steps) {
  std::size_t rounded = 0;
  double error = 0;
  for (const StepRecord& step : steps) {
    rounded += step.path_error.value_or(0) > 0;
    error = std::max(error, step.path_error.value_or(0));
  }
  if (rounded == 0)
    fmt::print("velocities: exact\n");
  else
    fmt::print("velocities: rounded in {} of {} steps; the curves move by at most {}\n",
               report::format_count(rounded), report::format_count(steps.size()), error);
}

// Returns the verdict of the sequence: contact where a step has one, else undecided where a step
// is.
Verdict verdict_of(const std::vector<StepRecord>& steps) {
  for (const Verdict verdict : {Verdict::contact, Verdict::undecided})
    for (const StepRecord& step : steps)
      if (step.verdict == verdict) return verdict;
  return Verdict::separated;
}

int run(const StepsArguments& arguments, Team& team) {
  if (arguments.on_curves() && arguments.device.device == "gpu")
    throw UsageError("--interpolate cannot be used with --device gpu");
  if (!team.is_alone() && arguments.device.device == "gpu")
    throw UsageError("--device gpu: the ranks of graze-mpi answer on CPUs; use graze");
  const char* const obstacle = !team.is_alone()        ? ranks_need_cpu
                               : arguments.on_curves() ? curves_need_cpu
                                                       : nullptr;
  if (obstacle && !arguments.device.gpus.empty())
    throw UsageError(fmt::format("--gpus: {}", obstacle));
  const StepOptions options = arguments.on_curves() ? arguments.step.curved_options("--interpolate")
                                                    : arguments.step.options();
  const std::vector<std::string> given = expand(arguments.frames, team);
  std::vector<std::string> names;
  for (const std::string& name : given) names.push_back(team.own_copy(name));
  const auto files = [&](std::size_t i) { return files_of(names, i, arguments.on_curves()); };
  StoredAnswers stored(arguments, *options.method);
  std::vector<std::optional<StepRecord>> answered(names.size() - 1);
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < answered.size(); ++i) {
    answered[i] = stored.find(names[i], names[i + 1], files(i));
    if (!answered[i]) missing.push_back(i);
  }
  if (team.same_for_all(missing.empty() ? 0 : 1) == 1) team.require_same(given);
  StepAnswers answers(arguments, options, names, missing, obstacle);
  std::vector<StepRecord> steps;  // all answers before the first missing one
  {
    ProgressBar bar("reading");
    const auto take_answered = [&] {
      while (steps.size() < answered.size() && answered[steps.size()]) {
        steps.push_back(std::move(*answered[steps.size()]));
        if (!arguments.json) bar.print_line(line_of(steps.back()));
      }
    };
    if (team.leads()) take_answered();
    if (team.leads() && !missing.empty()) stored.begin();
    team.share(
        missing, [&](std::size_t i) { return text_of(json_of(answers(i))); },
        [&](std::size_t i, const std::string& text) {
          bar(names[i], double(i) / double(answered.size()));
          StepRecord& step = answered[i].emplace(step_from(Json::parse(text)));
          step.start = names[i];  // JSON cannot hold every file name
          step.end = names[i + 1];
          step.stamp = stamp_of(files(i));
          stored.add(step);
          take_answered();
        });
    if (team.leads()) stored.write(steps);
  }
  if (!team.leads()) return team.same_for_all(0);
  const UsedDevice& used = answers.used();
  if (arguments.json) {
    Json json = stored.json(steps);
    json["device"] = used.name;
    json["device_reason"] = used.reason.empty() ? Json() : Json(used.reason);
    print(json);
  } else {
    print_table(steps);
    if (arguments.on_curves()) print_velocities(steps);
    if (arguments.device.tries_gpu()) fmt::print("{}\n", used.line());
  }
  return team.same_for_all(exit_code_of(verdict_of(steps)));
}

}  // namespace

void add_steps(CLI::App& app, int& exit_code, Team& team) {
  auto& command =
      *app.add_subcommand("steps", "Find the impacts of every step of a sequence of frames");
  const auto arguments = std::make_shared<StepsArguments>();
  command
      .add_option("FRAMES", arguments->frames,
                  "mesh files in the order of time, or a folder with numbered mesh files")
      ->required();
  add_step_options(command, arguments->step);
  command
      .add_option("--interpolate", arguments->interpolate,
                  "how vertices move between frames: linear, or catmull-rom: on the cubic curves "
                  "whose velocity at a frame is half the way from the frame before to the frame "
                  "after, rounded to doubles")
      ->check(CLI::IsMember({"linear", "catmull-rom"}))
      ->capture_default_str();
  add_device(command, arguments->device, true);
  command.add_option("--out", arguments->out,
                     "write the steps to FILE.json; a later run continues from the file, and a run "
                     "that was interrupted from FILE.json.journal");
  add_json(command, arguments->json);
  command.footer(std::string(verdict_exit_codes) +
                 "Contact in any step is 1; undecided without a contact is 3.\n"
                 "\nExamples:\n"
                 "  graze steps cloth\n"
                 "  graze steps 0.ply 1.ply 2.ply --out steps.json\n"
                 "  graze steps cloth --interpolate catmull-rom");
  command.callback([arguments, &exit_code, &team] { exit_code = run(*arguments, team); });
}

}  // namespace graze::command
