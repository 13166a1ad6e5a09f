#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "bench/harness/measure.h"

namespace graze::bench {

// Results in a file of one JSON value per line, so that an interrupted run can be continued. Each
// result is written immediately; a line that a crash left incomplete is skipped.
class ResultStore {
 public:
  // With an empty path results are kept in memory only. The file and its folder are created with
  // the first result. Throws io::FileError.
  explicit ResultStore(std::filesystem::path file = {});

  std::optional<nlohmann::json> find(const std::string& key) const;
  void add(const std::string& key, const nlohmann::json& value);

  // Returns how many results of earlier runs find() has returned.
  std::size_t recalled() const { return recalled_.size(); }

 private:
  std::filesystem::path file_;
  std::map<std::string, nlohmann::json> results_;
  std::set<std::string> added_;  // by this run
  mutable std::set<std::string> recalled_;
  bool torn_ = false;  // the last line of the file is incomplete
};

// Returns a key that depends on the program, the method, the queries and their truth, the options
// and the time.
std::string result_key(const Method& method, const NamedSet& set, const Options& options,
                       double seconds);

// Returns a hash of the running executable.
std::string build_id();

// All fields of a row, and back.
nlohmann::json row_to_json(const Row& row);
Row row_from_json(const nlohmann::json& json);

// Returns the row from the store, else measures and stores it. `truth` is called only to measure.
Row recall_or_measure(ResultStore& store, const Method& method, const NamedSet& set,
                      const std::function<const Truth&()>& truth, const Options& options,
                      double seconds);

}  // namespace graze::bench
