#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace graze::io {

// Appends the shortest text that reads back as the number; "nan", without a sign, for NaN.
template <class Number>
void append_number(std::string& text, Number number) {
  if constexpr (std::is_floating_point_v<Number>)
    if (std::isnan(number)) number = std::numeric_limits<Number>::quiet_NaN();
  char digits[32];  // the longest double has 24 characters
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

}  // namespace graze::io
