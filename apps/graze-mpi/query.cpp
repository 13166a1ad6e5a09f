#include "query.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "commands/journal.h"
#include "commands/step.h"
#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"
#include "graze/io/mapped_file.h"
#include "graze/io/queries/impact_csv.h"
#include "graze/io/queries/impact_npy.h"
#include "graze/mpi.h"
#include "terminal/json_values.h"

namespace graze::command {
namespace {

namespace fs = std::filesystem;

// Returns the number of queries of one job: a 256th of all queries, so that each of many ranks has
// several jobs, but from 1,024 to 65,536. It depends on the number of queries alone, so that
// another number of ranks can continue a run.
std::size_t block_of(std::size_t queries) {
  return std::clamp(queries / 256, std::size_t{1} << 10, std::size_t{1} << 16);
}

// A summary as text, on one line, and back.
std::string text_of(const queries::Summary& summary) {
  std::string text;
  for (const std::size_t count : summary.verdicts) text += fmt::format("{} ", count);
  if (summary.earliest)
    text += fmt::format("{} {:a} {:a}", *summary.earliest, summary.toi, summary.toi_hi);
  return text;
}
queries::Summary summary_from(const std::string& text) {
  queries::Summary summary;
  std::istringstream words(text);
  for (std::size_t& count : summary.verdicts) words >> count;
  std::size_t earliest = 0;
  std::string toi, toi_hi;  // operator>> does not read hexadecimal doubles
  if (words >> earliest >> toi >> toi_hi) {
    summary.earliest = earliest;
    summary.toi = std::strtod(toi.c_str(), nullptr);
    summary.toi_hi = std::strtod(toi_hi.c_str(), nullptr);
  }
  return summary;
}

// The answers of the blocks that are done, in a file that all ranks write.
class PartFile {
 public:
  explicit PartFile(const fs::path& path)
      : name_(path.string()), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail();
  }
  ~PartFile() {
    if (file_ >= 0) ::close(file_);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void write_at(std::size_t offset, std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      offset += static_cast<std::size_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw io::FileError(name_, std::string("cannot be written: ") + std::strerror(errno));
  }

  std::string name_;
  int file_;
};

// Returns a line with all that the answers depend on: options, files, their sizes and times; and
// with the number of queries of a block.
std::string question_of(const QueryArguments& arguments, const Method& method, std::size_t block) {
  const Options& options = arguments.options;
  Json json = {{"method", method.name},
               {"t_max", options.t_max},
               {"min_separation", options.min_separation},
               {"distance_tol", options.distance_tol},
               {"time_tol", options.time_tol},
               {"max_checks", options.max_checks},
               {"no_zero_toi", options.no_zero_toi},
               {"block", block},
               {"files", Json::array()}};
  for (const std::string& file : arguments.files)
    json["files"].push_back({file, name(queries::kind_of(file, arguments.kind)),
                             fs::file_size(file),
                             fs::last_write_time(file).time_since_epoch().count()});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Writes the answers of the part file as text, each rank a part of them.
void write_csv(const fs::path& part, const fs::path& out, std::size_t queries, const Ranks& ranks) {
  const io::MappedFile file(part);
  const std::size_t header = io::impact_npy_header(queries).size();
  const auto records =
      std::span(reinterpret_cast<const io::ImpactRecord*>(file.bytes().data() + header), queries);
  constexpr std::size_t piece = 8192;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto size = static_cast<std::size_t>(ranks.size());
  const std::size_t begin = queries * rank / size, end = queries * (rank + 1) / size;
  const std::size_t pieces = (end - begin + piece - 1) / piece;
  mpi::write_text(MPI_COMM_WORLD, out, pieces + 1, [&](std::size_t i) {
    if (i == 0) return std::string(ranks.leads() ? io::impact_csv_header : "");
    const std::size_t first = begin + (i - 1) * piece;
    return io::format_impacts(
        io::from_records(records.subspan(first, std::min(piece, end - first))), first);
  });
}

}  // namespace

void run_query(const QueryArguments& arguments, Ranks& ranks) {
  const Stopwatch watch;
  const Method* method = nullptr;
  QueryArguments mine = arguments;
  for (std::string& file : mine.files) file = mpi::path_of_rank(MPI_COMM_WORLD, file).string();
  ranks.together([&] {
    if (arguments.show || !arguments.html.empty() || !arguments.certificate.empty() ||
        arguments.device.device == "gpu")
      throw UsageError(
          "--show, --html, --certificate and --device gpu: graze-mpi cannot do this; use graze");
    method = &chosen_method(arguments.method, arguments.options);
    check_options(arguments.options, *method);
    if (!arguments.out.empty()) check_writable(arguments.out);
    for (const std::string& file : mine.files) (void)queries::kind_of(file, mine.kind);
  });
  ranks.require_same(arguments.files);
  std::vector<queries::NamedSet> sets;
  ranks.together([&] { sets = read_sets_of(mine, *method); });
  std::size_t queries = 0;
  for (const queries::NamedSet& set : sets) queries += set.size();
  const std::size_t block = block_of(queries);
  const double load = watch.seconds();

  const bool stored = !arguments.out.empty();
  const fs::path part = arguments.out + ".part", list = arguments.out + ".journal";
  const std::string header = io::impact_npy_header(queries);
  std::optional<Journal> journal;
  std::optional<PartFile> answers;
  queries::Summary summary;
  std::vector<std::size_t> jobs;
  std::set<std::size_t> done;  // blocks of an earlier run
  ranks.together([&] {
    if (!ranks.leads()) return;
    if (stored) {
      if (!fs::exists(part)) fs::remove(list);
      journal.emplace(list, question_of(mine, *method, block));
      for (const std::string& line : journal->before()) {
        const std::size_t space = line.find(' ');
        done.insert(std::strtoull(line.c_str(), nullptr, 10));
        summary.add(summary_from(line.substr(std::min(space, line.size()))));
      }
      journal->begin();
      PartFile(part).write_at(0, header);
    }
    for (std::size_t first = 0; first < queries; first += block)
      if (!done.contains(first / block)) jobs.push_back(first / block);
  });
  ranks.together([&] {
    if (stored) answers.emplace(part);
  });
  const int threads = ranks.threads(arguments.threads);
  ranks.share(
      jobs,
      [&](std::size_t job) {
        const std::size_t first = job * block, count = std::min(block, queries - first);
        const std::vector<Impact> impacts =
            queries::answer(*method, sets, arguments.options, threads, first, count);
        if (answers) {
          const std::vector<io::ImpactRecord> records = io::to_records(impacts);
          answers->write_at(
              header.size() + first * sizeof records[0],
              {reinterpret_cast<const char*>(records.data()), records.size() * sizeof records[0]});
        }
        return text_of(queries::summarize(impacts, first));
      },
      [&](std::size_t job, const std::string& text) {
        if (journal) journal->add(fmt::format("{} {}", job, text));  // "BLOCK SUMMARY"
        summary.add(summary_from(text));
      });
  if (stored) {
    ranks.together([&] { answers->close(); });
    const bool records = fs::path(arguments.out).extension() == ".npy";
    if (!records) write_csv(part, arguments.out, queries, ranks);
    ranks.together([&] {
      if (!ranks.leads()) return;
      if (records) fs::rename(part, arguments.out);
      fs::remove(part);
      journal->remove();
    });
  }
  UsedDevice used;
  leave_gpu(arguments.device, ranks_need_cpu, used);
  if (ranks.leads()) print_query(arguments, *method, summary, used, load, watch.seconds() - load);
}

}  // namespace graze::command
