#include "graze/mpi/shared_file.h"

#include <algorithm>
#include <array>

#include "graze/io/file_error.h"
#include "graze/io/meshes/step_files.h"

namespace graze::mpi {

SharedFile::SharedFile(Communicator& communicator, const std::filesystem::path& path)
    : communicator_(communicator), path_(path), temporary_(path) {
  temporary_ += ".tmp";
  std::error_code ignored;
  if (communicator_.rank() == 0) std::filesystem::remove(temporary_, ignored);
  communicator_.barrier();
  const int code = MPI_File_open(communicator_.get(), temporary_.c_str(),
                                 MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
  std::exception_ptr error;
  if (code != MPI_SUCCESS) try {
      file_ = MPI_FILE_NULL;
      fail(code);
    } catch (...) {
      error = std::current_exception();
    }
  communicator_.agree(error);
}

SharedFile::~SharedFile() {
  close();
  std::error_code ignored;
  if (!committed_ && communicator_.rank() == 0) std::filesystem::remove(temporary_, ignored);
}

void SharedFile::close() {
  if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
}

void SharedFile::write_at(std::uint64_t offset, std::string_view bytes) {
  constexpr std::size_t most = std::size_t{1} << 30;
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), most);
    MPI_Status status;
    const int code = MPI_File_write_at(file_, static_cast<MPI_Offset>(offset), bytes.data(),
                                       static_cast<int>(count), MPI_BYTE, &status);
    int written = 0;
    if (code != MPI_SUCCESS) fail(code);
    MPI_Get_count(&status, MPI_BYTE, &written);
    if (written != static_cast<int>(count))
      throw io::FileError(path_.string(), "cannot be written: the disk may be full");
    offset += count;
    bytes.remove_prefix(count);
  }
}

void SharedFile::commit(std::exception_ptr error) {
  if (!error) try {
      if (const int code = MPI_File_sync(file_); code != MPI_SUCCESS) fail(code);
    } catch (...) {
      error = std::current_exception();
    }
  close();
  communicator_.agree(error);
  std::error_code renamed;
  if (communicator_.rank() == 0) std::filesystem::rename(temporary_, path_, renamed);
  if (renamed)
    error = std::make_exception_ptr(
        io::FileError(path_.string(), "cannot be written: " + renamed.message()));
  communicator_.agree(error);
  committed_ = true;
}

void SharedFile::fail(int code) const {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw io::FileError(
      path_.string(),
      "cannot be written: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

void write_text(MPI_Comm comm, const std::filesystem::path& path, std::size_t pieces,
                const std::function<std::string(std::size_t)>& piece) {
  Communicator communicator(comm);
  std::uint64_t size = 0;
  std::exception_ptr error;
  try {
    for (std::size_t i = 0; i < pieces; ++i) size += piece(i).size();
  } catch (...) {
    error = std::current_exception();
  }
  communicator.agree(error);
  std::uint64_t offset = communicator.sum_before(size);
  SharedFile file(communicator, path);
  try {
    for (std::size_t i = 0; i < pieces; ++i) {
      const std::string text = piece(i);
      file.write_at(offset, text);
      offset += text.size();
    }
  } catch (...) {
    error = std::current_exception();
  }
  file.commit(error);
}

void write_contacts(MPI_Comm comm, const std::filesystem::path& path, const AllImpacts& all) {
  constexpr std::size_t piece = 8192;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const std::span<const StepImpact> impacts = all.impacts;
  write_text(comm, path, (impacts.size() + piece - 1) / piece + 1, [&](std::size_t i) {
    if (i == 0) return std::string(rank == 0 ? io::contact_csv_header : "");
    const std::size_t first = (i - 1) * piece;
    return io::format_contacts(all.first.counts,
                               impacts.subspan(first, std::min(piece, impacts.size() - first)));
  });
}

}  // namespace graze::mpi
