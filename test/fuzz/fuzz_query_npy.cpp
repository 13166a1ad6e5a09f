#include <algorithm>
#include <cmath>
#include <vector>

#include "graze/io/queries/query_csv.h"
#include "graze/io/queries/query_npy.h"
#include "test/fuzz/require.h"

// The written set is read back the same, as .npy and, if finite, as .csv. An array of vectors is
// read or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  try {
    fuzz::require(io::parse_vector_npy(fuzz::text_of(data, size), "input").size() <= size / 24,
                  "no more vectors than the file has");
  } catch (const io::FileError&) {
  }
  io::QuerySet set;
  try {
    set = io::parse_query_npy(nullptr, fuzz::text_of(data, size), "input");
  } catch (const io::FileError&) {
    return 0;
  }
  const auto coordinates = std::as_bytes(set.coordinates());
  std::string npy = io::query_npy_header(set.size());
  npy.append(reinterpret_cast<const char*>(coordinates.data()), coordinates.size());
  fuzz::require_equal(set, io::parse_query_npy(nullptr, npy, "written"), "the same from .npy");

  std::vector<double> numbers(set.coordinates().begin(), set.coordinates().end());
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }))
    return 0;
  for (double& number : numbers) number += 0.0;  // minus zero becomes zero
  const io::QuerySet finite(std::move(numbers), {});
  const std::string csv = io::format_query_csv(finite.coordinates(), {});
  fuzz::require_equal(finite, io::parse_query_csv(csv, "written"), "the same from .csv");
  return 0;
}
