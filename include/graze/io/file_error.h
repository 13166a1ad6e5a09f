#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace graze::io {

// Thrown by every reader and writer of graze::io. what() is "file:line: reason" or "file: reason".
class FileError : public std::runtime_error {
 public:
  FileError(std::string_view file, const std::string& reason)
      : std::runtime_error(std::string(file) + ": " + reason) {}
  FileError(std::string_view file, std::size_t line, const std::string& reason)
      : FileError(std::string(file) + ":" + std::to_string(line), reason) {}
};

}  // namespace graze::io
