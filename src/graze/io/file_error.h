#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace graze::io {

// Thrown by every reader and writer; what() is "file:line: reason" or "file: reason".
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, const std::string& reason)
      : std::runtime_error(std::string(file) + ": " + reason) {}
  FileError(std::string_view file, std::size_t line, const std::string& reason)
      : FileError(std::string(file) + ":" + std::to_string(line), reason) {}
};

// Text of the file as an error message may show it: short and printable.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string result = "'";
  for (const char c : text.substr(0, shown)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > shown ? "...'" : "'");
}

}  // namespace graze::io
