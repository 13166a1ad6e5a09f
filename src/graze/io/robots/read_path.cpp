#include <algorithm>
#include <charconv>
#include <cmath>

#include "graze/io/mapped_file.h"
#include "graze/io/robot_files.h"

namespace graze::io {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(from, comma - from)));
    from = comma + 1;
  }
  return cells;
}

// The destination of the numbers of a column: the place of `joint` in each row of `to`. `joint` is
// not read for times.
struct Column {
  std::vector<double> JointPath::*to;
  std::size_t joint;
};

}  // namespace

JointPath read_path(const std::filesystem::path& csv, std::span<const std::string> joints,
                    std::span<const std::pair<std::string, double>> fixed) {
  const MappedFile file(csv);
  std::string_view rest = file.bytes();
  std::size_t line_number = 0;
  const auto fail = [&](const std::string& reason) {
    throw FileError(csv.string(), std::max<std::size_t>(line_number, 1), reason);
  };
  const auto next_line = [&](std::string_view& line) {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line = trimmed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++line_number;
      if (!line.empty() && line[0] != '#') return true;
    }
    return false;
  };
  std::string_view line;
  if (!next_line(line)) fail("the file is empty");
  constexpr std::pair<std::string_view, std::vector<double> JointPath::*> kinds[] = {
      {":velocity", &JointPath::velocities}, {":acceleration", &JointPath::accelerations}};
  std::vector<Column> columns;
  std::vector<std::array<int, 3>> seen(joints.size(), {0, 0, 0});
  for (std::string_view name : cells_of(line)) {
    if (name == "time") {
      if (std::any_of(columns.begin(), columns.end(),
                      [](const Column& c) { return c.to == &JointPath::times; }))
        fail("the column time occurs twice");
      columns.push_back({&JointPath::times, 0});
      continue;
    }
    Column column{&JointPath::configurations, 0};
    std::size_t kind = 0;
    for (std::size_t k = 0; k < 2; ++k)
      if (name.ends_with(kinds[k].first)) {
        name.remove_suffix(kinds[k].first.size());
        column.to = kinds[k].second;
        kind = k + 1;
      }
    const auto joint = std::find(joints.begin(), joints.end(), name);
    if (joint == joints.end()) fail("the robot has no joint \"" + std::string(name) + "\"");
    column.joint = static_cast<std::size_t>(joint - joints.begin());
    if (seen[column.joint][kind]++)
      fail("joint \"" + std::string(name) + "\" has two columns of the same kind");
    columns.push_back(column);
  }
  std::vector<double> values(joints.size(), 0.0);
  for (const auto& [name, value] : fixed) {
    const auto joint = std::find(joints.begin(), joints.end(), name);
    const auto j = static_cast<std::size_t>(joint - joints.begin());
    if (joint == joints.end()) fail("the robot has no joint \"" + name + "\"");
    if (seen[j] != std::array{0, 0, 0})
      fail("joint \"" + name + "\" has a column and a fixed value");
    values[j] = value;
    seen[j] = {1, 2, 2};
  }
  std::array<bool, 3> has{};
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!seen[j][0]) fail("joint \"" + joints[j] + "\" has no column");
    for (std::size_t k = 1; k < 3; ++k) has[k] = has[k] || seen[j][k] == 1;
  }
  for (std::size_t j = 0; j < joints.size(); ++j)
    for (std::size_t k = 1; k < 3; ++k)
      if (has[k] && !seen[j][k])
        fail("joint \"" + joints[j] + "\" has no column " +
             std::string(kinds[k - 1].first.substr(1)) + ", but another joint has");
  if (has[2] && !has[1]) fail("accelerations need velocities");
  const bool has_time = std::any_of(columns.begin(), columns.end(),
                                    [](const Column& c) { return c.to == &JointPath::times; });
  if (has[1] && !has_time) fail("velocities need a column time");

  JointPath path;
  while (next_line(line)) {
    const auto cells = cells_of(line);
    if (cells.size() != columns.size())
      fail("the row has " + std::to_string(cells.size()) + " numbers, the header " +
           std::to_string(columns.size()));
    const std::size_t row = path.configurations.size();
    path.configurations.insert(path.configurations.end(), values.begin(), values.end());
    if (has[1]) path.velocities.resize(row + joints.size(), 0.0);
    if (has[2]) path.accelerations.resize(row + joints.size(), 0.0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0;
      const char* end = cells[i].data() + cells[i].size();
      const auto [at, error] = std::from_chars(cells[i].data(), end, value);
      if (error != std::errc{} || at != end || !std::isfinite(value))
        fail("\"" + std::string(cells[i].substr(0, 40)) + "\" is no finite number");
      if (columns[i].to == &JointPath::times) {
        if (!path.times.empty() && !(value > path.times.back())) fail("the times do not increase");
        path.times.push_back(value);
      } else {
        (path.*columns[i].to)[row + columns[i].joint] = value;
      }
    }
  }
  if (path.configurations.empty()) fail("the file has no row of numbers");
  return path;
}

}  // namespace graze::io
