#include <vector>

#include "graze/io/queries/query_npy.h"
#include "test/fuzz/require.h"

// The written truth is read back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  std::vector<std::uint8_t> truth;
  try {
    truth = io::parse_truth_npy(fuzz::text_of(data, size), "input");
  } catch (const io::FileError&) {
    return 0;
  }
  const std::string npy =
      io::truth_npy_header(truth.size()) + std::string(truth.begin(), truth.end());
  fuzz::require(io::parse_truth_npy(npy, "written") == truth, "the same truth");
  return 0;
}
