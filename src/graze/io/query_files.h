#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "graze/core/query.h"

namespace graze::io {

// Thrown by every reader and writer; what() is "file:line: reason" or "file: reason".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace graze::io
