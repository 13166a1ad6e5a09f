#include "bench/harness/real_data.h"

#include <stdexcept>

#include "terminal/data_folder.h"

namespace graze::bench {

std::filesystem::path real_data(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) return command::data_folder().value_or(std::filesystem::path());
  if (paths.size() > 1 || !std::filesystem::is_directory(paths[0]))
    throw std::invalid_argument("PATH: this suite takes one folder of real data");
  return paths[0];
}

std::filesystem::path inside(const std::filesystem::path& folder,
                             const std::filesystem::path& name) {
  return folder.empty() ? folder : folder / name;
}

report::Table missing_table(const std::vector<std::string>& missing) {
  report::Table table{
      "Not measured: data not found (GRAZE_DATA names its folder)", {{"missing", false}}, {}};
  for (const std::string& what : missing) table.rows.push_back({{what, report::Tone::bad}});
  return table;
}

}  // namespace graze::bench
