#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace graze::io {

// A file that appears whole or not at all: it is written beside its place as NAME.tmp-PID-N and
// renamed by commit(); without a commit nothing is left behind. Links are followed, so that a file
// is replaced where it lies; pipes and devices are written directly.
class AtomicFile {
 public:
  // All members throw FileError.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);            // unbuffered: hand over large pieces
  void overwrite_start(std::string_view bytes);  // as many bytes were written; no pipe
  void commit();

 private:
  [[noreturn]] void fail() const;

  std::string name_;
  std::filesystem::path target_, temporary_;  // no temporary: written directly, or renamed
  std::FILE* file_ = nullptr;
};

// The whole file at once.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace graze::io
