#include "commands/journal.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "graze/io/atomic_file.h"
#include "graze/io/file_error.h"

namespace graze::command {

Journal::Journal(std::filesystem::path file, std::string question)
    : file_(std::move(file)), question_(std::move(question)) {
  std::ifstream lines(file_);
  std::string line;
  if (!std::getline(lines, line) || line != question_) return;
  while (std::getline(lines, line) && !lines.eof()) before_.push_back(line);
}

void Journal::begin() {
  std::string text = question_ + '\n';
  for (const std::string& answer : before_) text += answer + '\n';
  io::write_file(file_, text);
  stream_.open(file_, std::ios::app | std::ios::binary);
}

void Journal::add(const std::string& answer) {
  stream_ << answer + '\n' << std::flush;
  if (!stream_)
    throw io::FileError(file_.string(), std::string("cannot be written: ") + std::strerror(errno));
}

void Journal::remove() {
  stream_.close();
  std::filesystem::remove(file_);
}

}  // namespace graze::command
