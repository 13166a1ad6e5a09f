#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "bench/measure.h"

namespace graze::bench {

// What was measured, in a file of one JSON value a line, so that a run that was interrupted goes on
// where it stopped. Every result is written at once and whole; a line torn by a crash is skipped.
class ResultStore {
 public:
  // An empty path keeps nothing. The file and its folder appear with the first result. Throws
  // io::FileError.
  explicit ResultStore(std::filesystem::path file = {});

  std::optional<nlohmann::json> find(const std::string& key) const;
  void add(const std::string& key, const nlohmann::json& value);

  // How many results of earlier runs were found so far.
  std::size_t recalled() const { return recalled_.size(); }

 private:
  std::filesystem::path file_;
  std::map<std::string, nlohmann::json> results_;
  std::set<std::string> added_;  // by this run
  mutable std::set<std::string> recalled_;
  bool torn_ = false;  // the file does not end with a line
};

// Changes with the program, the method, the queries and their truth, the options and the time.
std::string result_key(const Method& method, const NamedSet& set, const Options& options,
                       double seconds);

// Tells programs apart: a hash of the running executable.
std::string build_id();

// A row with all it knows.
nlohmann::json row_to_json(const Row& row);
Row row_from_json(const nlohmann::json& json);

// The row from the store, else measured and stored. `truth` is asked for only in the second case.
Row recall_or_measure(ResultStore& store, const Method& method, const NamedSet& set,
                      const std::function<const Truth&()>& truth, const Options& options,
                      double seconds);

}  // namespace graze::bench
