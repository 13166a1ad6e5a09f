#include <boost/multiprecision/cpp_int.hpp>
#include <string>

#include "graze/io/queries/query_csv.h"
#include "test/fuzz/require.h"

namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

// Removes and returns the next field of a file that was read without an error.
cpp_int next_integer(std::string_view& rest) {
  const std::size_t length = std::min(rest.find_first_of(",\n"), rest.size());
  const std::string_view field = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  std::string digits;
  for (const char c : field)
    if (c >= '1' || (c == '0' && !digits.empty())) digits += c;
  const cpp_int value(digits.empty() ? "0" : digits);
  return field.find('-') == std::string_view::npos ? value : cpp_int(-value);
}

}  // namespace

// Every coordinate is the exact quotient, and the written set is read back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graze;
  const std::string_view bytes = fuzz::text_of(data, size);
  io::QuerySet set;
  try {
    set = io::parse_query_csv(bytes, "input");
  } catch (const io::FileError&) {
    return 0;
  }
  std::string_view rest = bytes;
  for (std::size_t i = 0; i < set.coordinates().size(); ++i) {
    const cpp_int numerator = next_integer(rest), denominator = next_integer(rest);
    fuzz::require(cpp_rational(set.coordinates()[i]) * denominator == numerator,
                  "a coordinate is the exact quotient");
    if (i % 3 == 2 && !set.truth().empty())
      fuzz::require(next_integer(rest) == set.truth()[i / 24], "the truth is the seventh column");
  }
  const std::string text = io::format_query_csv(set.coordinates(), set.truth());
  fuzz::require_equal(set, io::parse_query_csv(text, "written"), "written as it was read");
  return 0;
}
