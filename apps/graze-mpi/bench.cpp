#include "bench.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "commands/command.h"
#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;

// The rows that graze-bench keeps in its folder.
constexpr const char* rows_file = "measured.jsonl";

// The folder of the results if none is given. The ranks share it, so it is not a temporary one.
constexpr const char* default_folder = "graze-results";

// The arguments of graze-bench without --methods and --out.
struct BenchArguments {
  explicit BenchArguments(const std::vector<std::string>& given) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto take = [&](const std::string& flag, std::string& value) {
        if (given[i].starts_with(flag + "="))
          value = given[i].substr(flag.size() + 1);
        else if (given[i] == flag && i + 1 < given.size())
          value = given[++i];
        else
          return false;
        return true;
      };
      std::string suite;
      if (take("--suite", suite) || given[i] == "--papers" || given[i] == "--fresh")
        throw UsageError(
            "bench: graze-mpi measures the suite narrow; use graze for --suite, --papers and "
            "--fresh");
      if (!take("--methods", methods) && !take("--out", out)) others.push_back(given[i]);
    }
    std::istringstream list(methods);
    for (std::string name; std::getline(list, name, ',');)
      if (name != "all") names.push_back(std::string(require_method(name).name));
    if (methods == "all")
      for (const Method& method : graze::methods()) names.emplace_back(method.name);
  }

  // Returns the arguments of a run for these methods.
  std::vector<std::string> with(const std::string& run_methods, const fs::path& folder) const {
    std::vector<std::string> all = {"graze-bench"};
    all.insert(all.end(), others.begin(), others.end());
    all.insert(all.end(), {"--methods", run_methods, "--out", folder.string()});
    return all;
  }

  std::vector<std::string> others, names;
  std::string methods = "all", out = default_folder;
};

// Runs the program graze-bench, beside this one, and returns its exit code. `quiet`: its output is
// dropped, and its errors are thrown.
int run_bench(const std::vector<std::string>& arguments, bool quiet) {
  std::error_code ignored;
  const std::string program =
      (fs::read_symlink("/proc/self/exe", ignored).parent_path() / "graze-bench").string();
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  int errors[2] = {-1, -1};
  if (pipe2(errors, O_CLOEXEC) != 0) throw std::runtime_error("bench: no pipe can be opened");
  const pid_t child = fork();
  if (child == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (quiet) {
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
      dup2(errors[1], STDERR_FILENO);
    }
    execv(program.c_str(), words.data());
    _exit(127);
  }
  close(errors[1]);
  std::string text;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = read(errors[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  close(errors[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) status = 127 << 8;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127)
    throw io::FileError(
        program, "cannot be started; build it with: scripts/build release graze_bench_command");
  if (quiet && code != 0) throw std::runtime_error(text.substr(0, text.find('\n')));
  return code;
}

int run(const std::vector<std::string>& given, Ranks& ranks) {
  std::optional<BenchArguments> arguments;
  ranks.together([&] {
    arguments.emplace(given);
    if (ranks.leads()) check_writable_folder(arguments->out);
  });
  const fs::path folder = arguments->out;
  const auto folder_of = [&](std::size_t job) { return folder / "shared" / arguments->names[job]; };
  std::vector<std::size_t> jobs(arguments->names.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i] = i;
  if (ranks.leads()) fs::create_directories(folder);
  ranks.share(
      jobs,
      [&](std::size_t job) {
        // Rows of an earlier run, also of one that was cut off, are not measured again.
        fs::create_directories(folder_of(job));
        std::error_code none;
        fs::copy_file(folder / rows_file, folder_of(job) / rows_file,
                      fs::copy_options::skip_existing, none);
        run_bench(arguments->with(arguments->names[job], folder_of(job)), true);
        return std::string();
      },
      [](std::size_t, const std::string&) {});
  int code = 0;
  ranks.together([&] {
    if (!ranks.leads()) return;
    std::string rows;
    for (const std::size_t job : jobs) {
      std::ifstream file(folder_of(job) / rows_file);
      rows += (std::ostringstream() << file.rdbuf()).str();
    }
    io::write_file(folder / rows_file, rows);
    code = run_bench(arguments->with(arguments->methods, folder), false);
    if (code == 0) fs::remove_all(folder / "shared");
  });
  return ranks.same_for_all(code);
}

}  // namespace

void add_shared_bench(CLI::App& app, int& exit_code, Ranks& ranks) {
  auto& command = *app.add_subcommand(
      "bench", "Measure the time and the errors of the methods, shared among the ranks");
  command.prefix_command();  // graze-bench reads the arguments that follow
  command.footer(fmt::format(
      "Arguments: those of graze bench, without --suite, --papers and --fresh. Every rank reads "
      "and "
      "writes\nthe folder of --out [./{}]; a later run with this folder measures only what is "
      "missing.\n"
      "\nExample:\n"
      "  mpirun -n 16 graze-mpi bench queries --methods all --out results",
      default_folder));
  command.callback([&command, &exit_code, &ranks] { exit_code = run(command.remaining(), ranks); });
}

}  // namespace graze::command
