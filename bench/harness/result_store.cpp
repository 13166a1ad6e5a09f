#include "bench/harness/result_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "graze/io/file_error.h"

namespace graze::bench {
namespace {

// FNV-1a by words: fast; not resistant to inputs made to collide.
class Hash {
 public:
  void add(std::uint64_t word) { value_ = (value_ ^ word) * 0x100000001b3; }
  void add(std::string_view bytes) {
    add(std::uint64_t(bytes.size()));
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      add(word), value_ ^= value_ >> 29;
    }
    for (const char c : bytes) add(std::uint64_t(static_cast<unsigned char>(c)));
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}
double number(const nlohmann::json& json) {
  return json.is_null() ? Impact::nan : json.get<double>();
}

nlohmann::json to_json(const Impact& impact) {
  return {static_cast<int>(impact.verdict), number(impact.toi), number(impact.toi_hi)};
}
Impact impact_from(const nlohmann::json& json) {
  Impact impact;
  impact.verdict = static_cast<Verdict>(json.at(0).get<int>());
  if (impact.verdict == Verdict::separated) return impact;
  impact.toi = number(json.at(1));
  impact.toi_hi = number(json.at(2));
  return impact;
}

nlohmann::json to_json(const report::LogHistogram& histogram) {
  nlohmann::json bins = nlohmann::json::array();
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin)
    if (histogram.counts[bin] > 0) bins.push_back({bin, histogram.counts[bin]});
  return bins;
}
report::LogHistogram histogram_from(const nlohmann::json& json) {
  report::LogHistogram histogram;
  for (const nlohmann::json& bin : json)
    histogram.counts.at(bin.at(0).get<std::size_t>()) = bin.at(1).get<std::uint64_t>();
  return histogram;
}

}  // namespace

ResultStore::ResultStore(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty() || !std::filesystem::exists(file_)) return;
  std::ifstream stream(file_);
  if (!stream) throw io::FileError(file_.string(), "cannot be opened for reading");
  for (std::string line; std::getline(stream, line);) {
    torn_ = stream.eof();
    const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry.contains("key") && entry["key"].is_string() &&
        entry.contains("value"))
      results_[entry["key"].get<std::string>()] = entry["value"];
  }
}

std::optional<nlohmann::json> ResultStore::find(const std::string& key) const {
  const auto found = results_.find(key);
  if (found == results_.end()) return {};
  if (!added_.contains(key)) recalled_.insert(key);
  return found->second;
}

void ResultStore::add(const std::string& key, const nlohmann::json& value) {
  results_[key] = value;
  added_.insert(key);
  if (file_.empty()) return;
  std::error_code error;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), error);
  if (error)
    throw io::FileError(file_.parent_path().string(), "cannot be created: " + error.message());
  const std::string line =
      fmt::format("{}{}\n", torn_ ? "\n" : "",
                  nlohmann::json{{"key", key}, {"value", value}}.dump(
                      -1, ' ', false, nlohmann::json::error_handler_t::replace));
  torn_ = false;
  // Writes a line by a single write(), which an interrupt does not divide. Only a full disk makes
  // it incomplete; then the second call sets errno.
  const int descriptor = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  std::string_view rest = line;
  while (descriptor >= 0 && !rest.empty()) {
    const ssize_t written = write(descriptor, rest.data(), rest.size());
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const int reason = errno;
  if (descriptor >= 0) close(descriptor);
  if (!rest.empty())
    throw io::FileError(file_.string(),
                        fmt::format("cannot be written: {}", std::strerror(reason)));
}

std::string result_key(const Method& method, const NamedSet& set, const Options& options,
                       double seconds) {
  Hash hash;
  hash.add(bytes_of(set.data.coordinates()));
  hash.add({reinterpret_cast<const char*>(set.data.truth().data()), set.data.truth().size()});
  return fmt::format("{} {} {} {} {} {:a} {:a} {:a} {} {:a} {} {:a}", build_id(), method.name,
                     name(set.kind), set.name, hash.text(), options.t_max, options.distance_tol,
                     options.time_tol, options.max_checks, options.min_separation,
                     options.no_zero_toi, seconds);
}

std::string build_id() {
  static const std::string id = [] {
    Hash hash;
    std::ifstream program("/proc/self/exe", std::ios::binary);
    std::ostringstream bytes;
    bytes << program.rdbuf();
    hash.add(bytes.view());
    return hash.text();
  }();
  return id;
}

nlohmann::json row_to_json(const Row& row) {
  nlohmann::json worst = nlohmann::json::array();
  for (const Failure& failure : row.worst)
    worst.push_back({failure.index, static_cast<int>(failure.fault), failure.harm,
                     to_json(failure.answer), to_json(failure.truth)});
  const Counts& counts = row.counts;
  return {{"method", row.method},
          {"set", row.set},
          {"group", row.group},
          {"guarantee", static_cast<int>(row.guarantee)},
          {"kind", static_cast<int>(row.kind)},
          {"queries", row.queries},
          {"set_size", row.set_size},
          {"hits", counts.hits},
          {"false_positives",
           counts.false_positives ? nlohmann::json(*counts.false_positives) : nlohmann::json()},
          {"false_negatives", counts.false_negatives},
          {"undecided", counts.undecided},
          {"late", counts.late},
          {"invalid", counts.invalid},
          {"ns_per_query", number(row.ns_per_query)},
          {"p50_ns", number(row.p50_ns)},
          {"p99_ns", number(row.p99_ns)},
          {"max_ns", number(row.max_ns)},
          {"repeats", row.repeats},
          {"hit_times", to_json(row.hit_times)},
          {"miss_times", to_json(row.miss_times)},
          {"note", row.note},
          {"worst", worst}};
}

Row row_from_json(const nlohmann::json& json) {
  Row row;
  json.at("method").get_to(row.method);
  json.at("set").get_to(row.set);
  json.at("group").get_to(row.group);
  row.guarantee = static_cast<Guarantee>(json.at("guarantee").get<int>());
  row.kind = static_cast<Kind>(json.at("kind").get<int>());
  json.at("queries").get_to(row.queries);
  json.at("set_size").get_to(row.set_size);
  Counts& counts = row.counts;
  json.at("hits").get_to(counts.hits);
  if (!json.at("false_positives").is_null())
    counts.false_positives = json.at("false_positives").get<std::size_t>();
  json.at("false_negatives").get_to(counts.false_negatives);
  json.at("undecided").get_to(counts.undecided);
  json.at("late").get_to(counts.late);
  json.at("invalid").get_to(counts.invalid);
  row.ns_per_query = number(json.at("ns_per_query"));
  row.p50_ns = number(json.at("p50_ns"));
  row.p99_ns = number(json.at("p99_ns"));
  row.max_ns = number(json.at("max_ns"));
  json.at("repeats").get_to(row.repeats);
  row.hit_times = histogram_from(json.at("hit_times"));
  row.miss_times = histogram_from(json.at("miss_times"));
  json.at("note").get_to(row.note);
  for (const nlohmann::json& failure : json.at("worst"))
    row.worst.push_back({failure.at(0).get<std::size_t>(),
                         static_cast<Fault>(failure.at(1).get<int>()), failure.at(2).get<double>(),
                         impact_from(failure.at(3)), impact_from(failure.at(4))});
  return row;
}

Row recall_or_measure(ResultStore& store, const Method& method, const NamedSet& set,
                      const std::function<const Truth&()>& truth, const Options& options,
                      double seconds) {
  const std::string key = result_key(method, set, options, seconds);
  if (const auto found = store.find(key)) try {
      return row_from_json(*found);
    } catch (const nlohmann::json::exception&) {  // an edited line is measured again
    }
  const Row row = measure(method, set, truth(), options, seconds);
  store.add(key, row_to_json(row));
  return row;
}

}  // namespace graze::bench
