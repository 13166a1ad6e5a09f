#include <cstring>
#include <string>

#include "graze/io/hull_files.h"
#include "test/fuzz/require.h"

// The last 8 bytes are made the checksum of the others, else nothing but that would be tested. What
// is read is written again as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  std::string bytes(fuzz::text_of(data, size));
  if (size >= 8) {
    const std::uint64_t sum = io::hull_checksum(std::string_view(bytes).substr(0, size - 8));
    std::memcpy(bytes.data() + size - 8, &sum, 8);
  }
  RigidModel model;
  try {
    model = io::parse_hull(bytes, "input");
  } catch (const io::FileError&) {
    return 0;
  }
  fuzz::require(model.valid() && !model.faces.empty(), "a model that is read is sound");
  fuzz::require(io::format_hull(model) == bytes, "written as it was read");
  return 0;
}
