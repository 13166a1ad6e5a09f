// std::from_chars and std::to_chars of floating-point numbers, which the C++ library of
// Emscripten 3.1.6 lacks, included before the sources of file formats.
#pragma once

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace std {

// Emscripten's strtod and strtof (musl) round to nearest, exactly. They also accept blanks, a plus
// sign and hexadecimal numbers, which from_chars does not.
template <class Float>
requires is_floating_point_v<Float> from_chars_result from_chars(const char* first,
                                                                 const char* last, Float& value) {
  const string_view digits(first, static_cast<size_t>(last - first));
  const size_t sign = digits.starts_with('-');
  const auto is = [&](size_t at, string_view these) {
    return digits.size() > sign + at && these.find(digits[sign + at]) != string_view::npos;
  };
  if (!is(0, ".0123456789iInN")) return {first, errc::invalid_argument};
  // "0x10" is the number 0, followed by other text.
  const string text(digits.substr(0, is(0, "0") && is(1, "xX") ? sign + 1 : digits.size()));
  char* end = nullptr;
  errno = 0;
  Float number;
  if constexpr (is_same_v<Float, float>)
    number = strtof(text.c_str(), &end);
  else
    number = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* const stop = first + (end - text.c_str());
  // A denormal result also sets ERANGE; only zero and infinity are out of range.
  if (errno == ERANGE && (number == 0 || isinf(number))) return {stop, errc::result_out_of_range};
  value = number;
  return {stop, errc()};
}

// Writes the fewest digits that strtod reads back as the same number.
inline to_chars_result to_chars(char* first, char* last, double value) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, nullptr) == value || value != value) break;
  }
  const size_t length = strlen(text);
  if (length > static_cast<size_t>(last - first)) return {last, errc::value_too_large};
  memcpy(first, text, length);
  return {first + length, errc()};
}

}  // namespace std
