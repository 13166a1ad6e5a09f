#include <algorithm>
#include <cmath>

#include "graze/io/robot_files.h"
#include "test/fuzz/file.h"

// A path that is read has rows of one finite number per joint, and increasing times.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graze::fuzz::require;
  const graze::fuzz::MemoryFile file(graze::fuzz::text_of(data, size));
  const std::string joints[] = {"a", "b"};
  const std::pair<std::string, double> fixed[] = {{"b", 0.5}};
  for (const std::size_t given : {0u, 1u}) {
    graze::io::JointPath path;
    try {
      path = graze::io::read_path(file.name(), joints, std::span(fixed).first(given));
    } catch (const graze::io::FileError&) {
      continue;
    }
    const std::size_t numbers = path.configurations.size();
    require(numbers > 0 && numbers % 2 == 0 && numbers <= 2 * size, "rows of two joints");
    require(path.times.empty() || path.times.size() == numbers / 2, "a time for each row");
    require(path.velocities.empty() || path.velocities.size() == numbers, "all velocities");
    require(path.accelerations.empty() || path.accelerations.size() == numbers,
            "all accelerations");
    require(path.velocities.empty() || !path.times.empty(), "velocities have times");
    for (const auto* list :
         {&path.times, &path.configurations, &path.velocities, &path.accelerations})
      require(std::all_of(list->begin(), list->end(), [](double x) { return std::isfinite(x); }),
              "finite numbers");
    require(std::adjacent_find(path.times.begin(), path.times.end(),
                               [](double x, double y) { return !(x < y); }) == path.times.end(),
            "times increase");
  }
  return 0;
}
