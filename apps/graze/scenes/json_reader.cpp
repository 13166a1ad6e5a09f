#include "scenes/json_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"
#include "graze/mesh.h"
#include "terminal/interrupt.h"

namespace graze::command {

Json to_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

Json to_json(const std::vector<Vec3>& points) {
  Json json = Json::array();
  for (const Vec3& point : points) json.push_back(to_json(point));
  return json;
}

Json number_or(const char* word, double value) {
  return std::isfinite(value) ? Json(value) : Json(word);
}

void write_json(const std::string& file, const Json& json) {
  const Uninterrupted whole;
  io::write_file(file, json.dump(1) + "\n");
}

JsonReader::JsonReader(const std::string& file) : file_(file) {
  std::ifstream stream(file);
  if (!stream) throw io::FileError(file, "cannot be opened");
  try {
    json_ = Json::parse(stream);
  } catch (const Json::exception& error) {
    // what() begins with an identifier in brackets; 406 is a number that overflows.
    const std::string what = error.what();
    const std::size_t bracket = what.find("] ");
    const std::string reason = bracket == std::string::npos ? what : what.substr(bracket + 2);
    throw io::FileError(file, error.id == 406
                                  ? fmt::format("a number is too large for a double: {}", reason)
                                  : fmt::format("is not valid JSON: {}", reason));
  }
}

JsonReader::JsonReader(const std::string& file, const std::string& format) : JsonReader(file) {
  if (this->format() != format) fail("", fmt::format("\"format\" must be \"{}\"", format));
}

std::string JsonReader::format() const {
  const Json format = json_.is_object() ? json_.value("format", Json()) : Json();
  return format.is_string() ? format.get<std::string>() : "";
}

void JsonReader::fail(const std::string& where, const std::string& reason) const {
  throw io::FileError(file_, where.empty() ? reason : where + ": " + reason);
}

void JsonReader::read(const Json& object, const std::string& where, const Fields& fields) const {
  if (!object.is_object()) fail(where, "must be an object");
  for (const auto& [key, value] : object.items()) {
    const auto field = fields.find(key);
    if (field == fields.end()) fail(where, fmt::format("unknown key \"{}\"", key));
    field->second(value, where.empty() ? key : where + "." + key);
  }
}

void JsonReader::require(const Json& object, const std::string& where,
                         std::initializer_list<const char*> keys) const {
  for (const char* key : keys)
    if (!object.contains(key)) fail(where, fmt::format("key \"{}\" is missing", key));
}

void JsonReader::each(const Json& array, const std::string& where, const Entry& function) const {
  if (!array.is_array()) fail(where, "must be an array");
  for (std::size_t i = 0; i < array.size(); ++i)
    function(array[i], fmt::format("{}[{}]", where, i));
}

double JsonReader::number(const Json& value, const std::string& where, const char* word) const {
  if (word && value == word) return std::numeric_limits<double>::infinity();
  if (!value.is_number())
    fail(where, word ? fmt::format("must be a number or \"{}\"", word) : "must be a number");
  return value.get<double>();
}

std::string JsonReader::text(const Json& value, const std::string& where) const {
  if (!value.is_string()) fail(where, "must be a string");
  return value.get<std::string>();
}

std::uint32_t JsonReader::index(const Json& value, const std::string& where) const {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= Mesh::max_vertices)
    fail(where, "must be an index");
  return value.get<std::uint32_t>();
}

bool JsonReader::flag(const Json& value, const std::string& where) const {
  if (!value.is_boolean()) fail(where, "must be true or false");
  return value.get<bool>();
}

Vec3 JsonReader::vector(const Json& value, const std::string& where) const {
  if (!value.is_array() || value.size() != 3) fail(where, "must be three numbers");
  Vec3 v;
  for (std::size_t k = 0; k < 3; ++k)
    v[static_cast<Eigen::Index>(k)] = number(value[k], fmt::format("{}[{}]", where, k));
  return v;
}

std::vector<Vec3> JsonReader::vectors(const Json& value, const std::string& where) const {
  std::vector<Vec3> result;
  each(value, where,
       [&](const Json& json, const std::string& inner) { result.push_back(vector(json, inner)); });
  return result;
}

void JsonReader::read_indices(const Json& value, const std::string& where, std::uint32_t* into,
                              std::size_t count) const {
  if (!value.is_array() || value.size() != count)
    fail(where, fmt::format("must be {} indices", count));
  for (std::size_t k = 0; k < count; ++k) into[k] = index(value[k], where);
}

}  // namespace graze::command
