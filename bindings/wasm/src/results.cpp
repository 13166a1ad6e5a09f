#include "results.h"

#include <cstdlib>

namespace graze::wasm {

Results& results() {
  static Results all;
  return all;
}

Options CallOptions::query() const {
  Options options;
  options.t_max = t_max;
  options.distance_tol = distance_tol;
  options.time_tol = time_tol;
  options.max_checks = static_cast<std::uint32_t>(max_checks);
  options.min_separation = min_separation;
  options.norm = static_cast<Norm>(static_cast<int>(norm));
  options.no_zero_toi = no_zero_toi != 0;
  return options;
}

const PairStrategy* CallOptions::pair_strategy() const {
  return strategy < 0 ? nullptr : &pair_strategies()[static_cast<std::size_t>(strategy)];
}

PairOptions CallOptions::pairs() const {
  PairOptions options;
  options.separation = separation;
  options.shared_vertices = shared_vertices != 0;
  options.stray_vertices = stray_vertices != 0;
  options.filter.within_group = within_group != 0;
  options.filter.is_static = {is_static, static_cast<std::size_t>(static_count)};
  options.filter.group = {group, static_cast<std::size_t>(group_count)};
  return options;
}

StepOptions CallOptions::step() const {
  StepOptions options;
  options.query = query();
  options.pairs = pairs();
  if (method >= 0) options.method = &methods()[static_cast<std::size_t>(method)];
  options.strategy = pair_strategy();
  options.at_start = skip_start != 0 ? StartContacts::skip : StartContacts::report;
  options.start_check = start_check != 0;
  options.max_contacts = static_cast<std::size_t>(max_contacts);
  return options;
}

void add(std::vector<double>& numbers, const Vec3& v) {
  numbers.insert(numbers.end(), v.begin(), v.end());
}

void append_text(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  json += '"';
}

}  // namespace graze::wasm

using graze::wasm::results;

GRAZE_EXPORT(allocate) void* allocate(std::size_t bytes) {
  return std::malloc(bytes);
}
GRAZE_EXPORT(release_memory) void release_memory(void* address) {
  std::free(address);
}
GRAZE_EXPORT(numbers) const double* numbers() {
  return results().numbers.data();
}
GRAZE_EXPORT(number_count) std::size_t number_count() {
  return results().numbers.size();
}
GRAZE_EXPORT(indices) const std::uint32_t* indices() {
  return results().indices.data();
}
GRAZE_EXPORT(index_count) std::size_t index_count() {
  return results().indices.size();
}
GRAZE_EXPORT(impacts) const graze::Impact* impacts() {
  return results().impacts.data();
}
GRAZE_EXPORT(impact_count) std::size_t impact_count() {
  return results().impacts.size();
}
GRAZE_EXPORT(text) const char* text() {
  return results().text.data();
}
GRAZE_EXPORT(text_length) std::size_t text_length() {
  return results().text.size();
}
GRAZE_EXPORT(release) void release() {
  results() = {};
}
