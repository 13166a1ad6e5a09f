#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "graze/io/file_error.h"

namespace graze::io {

// Text taken line by line, a line word by word.
class LineReader {
 public:
  // What follows `comment` in a line is skipped.
  LineReader(std::string_view text, std::string_view name, char comment = '\n')
      : rest_(text), name_(name), comment_(comment) {}

  // Goes to the next line with a word in it; false at the end.
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

  // The next word of the line, empty at its end.
  std::string_view word() {
    const std::size_t length = std::min(line_.find_first_of(blanks), line_.size());
    const std::string_view result = line_.substr(0, length);
    line_.remove_prefix(length);
    skip_blanks();
    return result;
  }

  // The next word as a number: the nearest of its type. Too large is an error, too small is zero.
  template <class Number>
  Number number(std::string_view what) {
    return to_number<Number>(word(), what);
  }
  template <class Number>
  Number to_number(std::string_view text, std::string_view what) const {
    Number value{};
    if (text.empty()) fail("the line ends where " + std::string(what) + " should be");
    const std::size_t plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const auto [end, error] = std::from_chars(text.data() + plus, text.data() + text.size(), value);
    if constexpr (std::is_floating_point_v<Number>)
      if (error == std::errc::result_out_of_range && is_tiny(text.substr(plus)))
        return text.starts_with('-') ? -Number{} : Number{};
    if (error == std::errc::result_out_of_range)
      fail(std::string(what) + " " + excerpt(text) + " is out of range");
    if (error != std::errc() || end != text.data() + text.size())
      fail(std::string(what) + " is " + excerpt(text));
    return value;
  }

  bool line_is_done() const { return line_.empty(); }
  std::string_view rest() const { return rest_; }  // after this line
  std::size_t line_number() const { return line_number_; }

  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(name_, std::max<std::size_t>(line_number_, 1), reason);
  }

 private:
  static constexpr std::string_view blanks = " \t\r\v\f";

  // Whether a number that fits in no double is too small for one rather than too large.
  static bool is_tiny(std::string_view text) {
    long double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    return error == std::errc() && end == last && value > -1 && value < 1;
  }

  void skip_blanks() {
    line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size()));
  }

  std::string_view rest_, line_, name_;
  std::size_t line_number_ = 0;
  char comment_;
};

}  // namespace graze::io
