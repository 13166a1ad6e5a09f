#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "graze/vec3.h"
#include "terminal/json_values.h"

// Reading and writing JSON files of scenes and states. Numbers are written so that they are read
// back bit for bit.
namespace graze::command {

Json to_json(const Vec3& v);
Json to_json(const std::vector<Vec3>& points);
// Returns the number, or `word` if it is infinite.
Json number_or(const char* word, double value);

// Writes a file, whole or not at all. Throws io::FileError.
void write_json(const std::string& file, const Json& json);

// Reads values of a JSON file. Every defect throws io::FileError with its place in the file,
// `where`.
class JsonReader {
 public:
  explicit JsonReader(const std::string& file);
  // Requires this "format".
  JsonReader(const std::string& file, const std::string& format);

  const Json& json() const { return json_; }
  std::string format() const;  // empty if there is none

  [[noreturn]] void fail(const std::string& where, const std::string& reason) const;

  // Calls the function of each key of the object. A key without a function is an error.
  using Fields = std::map<std::string, std::function<void(const Json&, const std::string&)>>;
  void read(const Json& object, const std::string& where, const Fields& fields) const;
  void require(const Json& object, const std::string& where,
               std::initializer_list<const char*> keys) const;

  // Calls function(entry, where) for the entries of an array.
  using Entry = std::function<void(const Json&, const std::string&)>;
  void each(const Json& array, const std::string& where, const Entry& function) const;

  // Returns a number; `word`, if not null, stands for infinity.
  double number(const Json& value, const std::string& where, const char* word = nullptr) const;
  std::string text(const Json& value, const std::string& where) const;
  std::uint32_t index(const Json& value, const std::string& where) const;
  bool flag(const Json& value, const std::string& where) const;
  Vec3 vector(const Json& value, const std::string& where) const;
  std::vector<Vec3> vectors(const Json& value, const std::string& where) const;
  template <std::size_t N>
  std::array<std::uint32_t, N> indices(const Json& value, const std::string& where) const {
    std::array<std::uint32_t, N> result;
    read_indices(value, where, result.data(), N);
    return result;
  }
  template <std::size_t N>
  std::vector<std::array<std::uint32_t, N>> index_lists(const Json& value,
                                                        const std::string& where) const {
    std::vector<std::array<std::uint32_t, N>> result;
    each(value, where, [&](const Json& json, const std::string& inner) {
      result.push_back(indices<N>(json, inner));
    });
    return result;
  }

 private:
  void read_indices(const Json& value, const std::string& where, std::uint32_t* into,
                    std::size_t count) const;

  std::string file_;
  Json json_;
};

}  // namespace graze::command
