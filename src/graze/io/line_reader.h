#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

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

  // The next word as a number.
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

  void skip_blanks() {
    line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size()));
  }

  std::string_view rest_, line_, name_;
  std::size_t line_number_ = 0;
  char comment_;
};

}  // namespace graze::io
