#include "graze/io/atomic_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "graze/io/file_error.h"

namespace graze::io {

AtomicFile::AtomicFile(const std::filesystem::path& path) : name_(path.string()), target_(path) {
  static std::atomic<unsigned> counter = 0;
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (is_directory(status)) throw FileError(name_, "is a directory");
  if (exists(status) && !is_regular_file(status)) {
    file_ = std::fopen(target_.c_str(), "wb");
  } else {
    if (exists(status)) target_ = std::filesystem::canonical(path, error);
    if (exists(status) && error) throw FileError(name_, "cannot be written: " + error.message());
    do {
      temporary_ = target_;
      temporary_ += ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
      file_ = std::fopen(temporary_.c_str(), "wbx");
    } while (!file_ && errno == EEXIST);
  }
  if (!file_) fail();
  std::setvbuf(file_, nullptr, _IONBF, 0);
}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (file_) std::fclose(file_);
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(std::string_view bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
}

void AtomicFile::overwrite_start(std::string_view bytes) {
  if (std::fseek(file_, 0, SEEK_SET) != 0) fail();
  write(bytes);
  if (std::fseek(file_, 0, SEEK_END) != 0) fail();
}

void AtomicFile::commit() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail();
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
}

void AtomicFile::fail() const {
  throw FileError(name_, std::string("cannot be written: ") + std::strerror(errno));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace graze::io
