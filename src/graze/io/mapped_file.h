#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace graze::io {

// The bytes of a regular file, mapped read-only: nothing is copied, and pages are read on first
// use. No other program may shorten the file while it is mapped (the system would raise SIGBUS).
class MappedFile {
 public:
  // Throws FileError if the file cannot be opened or is not a regular file.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace graze::io
