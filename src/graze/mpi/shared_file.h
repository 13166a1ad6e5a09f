#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graze/mpi/communicator.h"

namespace graze::mpi {

// A file that all ranks write by MPI-IO. It is written as NAME.tmp in the same folder, and commit()
// renames it; without a commit no file is left behind.
class SharedFile {
 public:
  // Collective. Throws io::FileError or Failure on every rank. Keeps a reference to the
  // communicator.
  SharedFile(Communicator& communicator, const std::filesystem::path& path);
  ~SharedFile();  // collective
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // Writes bytes at an offset. Not collective. Throws io::FileError.
  void write_at(std::uint64_t offset, std::string_view bytes);

  // Collective. Throws on every rank if `error` is set on some rank or the file cannot be finished.
  void commit(std::exception_ptr error);

 private:
  void close();
  [[noreturn]] void fail(int code) const;

  Communicator& communicator_;
  std::filesystem::path path_, temporary_;
  MPI_File file_ = MPI_FILE_NULL;
  bool committed_ = false;
};

}  // namespace graze::mpi
