#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "graze/io/excerpt.h"
#include "graze/io/file_error.h"

namespace graze::io {

// Reads text line by line, and each line word by word.
class LineReader {
 public:
  // `name` stands for the file in messages. The rest of a line after `comment` is skipped.
  LineReader(std::string_view text, std::string_view name, char comment = '\n')
      : rest_(text), name_(name), comment_(comment) {}

  // Goes to the next line that has a word. Returns false at the end of the text.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t length = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, length);
      line_ = line_.substr(0, line_.find(comment_));
      rest_.remove_prefix(std::min(length + 1, rest_.size()));
      ++line_number_;
      skip_blanks();
      if (!line_.empty()) return true;
    }
    return false;
  }

  // Returns the next word of the line, empty at its end.
  std::string_view word() {
    const std::size_t length = std::min(line_.find_first_of(blanks), line_.size());
    const std::string_view result = line_.substr(0, length);
    line_.remove_prefix(length);
    skip_blanks();
    return result;
  }

  // Returns the next word as a number, the nearest of its type. A number that is too large is an
  // error; one that is too small is zero. `what` names the number in messages.
  template <class Number>
  Number number(std::string_view what) {
    return to_number<Number>(word(), what);
  }
  template <class Number>
  Number to_number(std::string_view text, std::string_view what) const {
    Number value{};
    if (text.empty()) fail("the line ends where " + std::string(what) + " should be");
    const std::size_t plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + plus, last, value);
    if constexpr (std::is_floating_point_v<Number>)
      if (error == std::errc::result_out_of_range && end == last && is_below_one(text))
        return text.starts_with('-') ? -Number{} : Number{};
    if (error == std::errc::result_out_of_range)
      fail(std::string(what) + " " + excerpt(text) + " is out of range");
    if (error != std::errc() || end != last) fail(std::string(what) + " is " + excerpt(text));
    return value;
  }

  bool line_is_done() const { return line_.empty(); }
  std::string_view rest() const { return rest_; }  // after the current line
  std::size_t line_number() const { return line_number_; }

  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(name_, std::max<std::size_t>(line_number_, 1), reason);
  }

 private:
  static constexpr std::string_view blanks = " \t\r\v\f";

  // Returns whether a decimal number that is not zero has an absolute value below 1, for exponents
  // of any size: whether its first digit that is not 0 has a negative power of ten.
  static bool is_below_one(std::string_view text) {
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    const std::string_view mantissa = text.substr(0, e);
    const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const std::int64_t power = first < point ? point - first - 1 : point - first;
    std::string_view digits = text.substr(std::min(e + 1, text.size()));
    const bool negative = digits.starts_with('-');
    if (negative || digits.starts_with('+')) digits.remove_prefix(1);
    std::int64_t exponent = 0;
    for (const char digit : digits)  // far beyond the length of any text
      exponent = std::min<std::int64_t>(10 * exponent + (digit - '0'), std::int64_t{1} << 50);
    return power + (negative ? -exponent : exponent) < 0;
  }

  void skip_blanks() {
    line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size()));
  }

  std::string_view rest_, line_, name_;
  std::size_t line_number_ = 0;
  char comment_;
};

}  // namespace graze::io
