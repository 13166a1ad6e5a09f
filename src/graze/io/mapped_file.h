#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace graze::io {

// The bytes of a regular file, mapped read-only: nothing is copied, pages are read on first use.
// The file must not be shortened by others while it is mapped (the system then raises SIGBUS).
class MappedFile {
 public:
  // Throws FileError when the file cannot be opened or is not a regular file.
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
