#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace graze::io {

// A file that appears whole or not at all. It is written as NAME.tmp-PID-N in the same folder, and
// commit() renames it; without a commit no file is left behind. Symbolic links are followed, so
// that the file they name is replaced. Pipes and devices are written directly.
class AtomicFile {
 public:
  // All members throw FileError and no other exception.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // unbuffered: pass large pieces
  // Replaces the first bytes. At least as many were written, and not to a pipe.
  void overwrite_start(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::filesystem::path target_, temporary_;  // temporary_ is empty if written directly or renamed
  std::FILE* file_ = nullptr;
};

// Writes a whole file. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace graze::io
