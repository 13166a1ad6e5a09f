#include "ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "commands/command.h"
#include "graze/mpi.h"

namespace graze::command {

Ranks::Ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks_here_);
  MPI_Comm_free(&here);
}

void Ranks::share(const std::vector<std::size_t>& jobs,
                  const std::function<std::string(std::size_t)>& answer,
                  const std::function<void(std::size_t, const std::string&)>& done) {
  mpi::share_jobs(MPI_COMM_WORLD, jobs, answer, done);
}

std::string Ranks::own_copy(const std::string& name) const {
  return mpi::path_of_rank(MPI_COMM_WORLD, name).string();
}

void Ranks::require_same(const std::vector<std::string>& files) const {
  // The least and, negated, the largest of two numbers that depend on all names.
  std::uint64_t names = 0;
  for (const std::string& file : files) names = 31 * names + std::hash<std::string>()(file);
  std::uint64_t range[4] = {files.size(), ~std::uint64_t{files.size()}, names, ~names};
  MPI_Allreduce(MPI_IN_PLACE, range, 4, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  if (range[0] != ~range[1])
    throw UsageError(fmt::format("the ranks find different numbers of files, from {} to {}",
                                 range[0], ~range[1]));
  if (range[2] != ~range[3]) throw UsageError("the ranks find files of different names");
  mpi::require_same_files(MPI_COMM_WORLD,
                          std::vector<std::filesystem::path>(files.begin(), files.end()));
}

int Ranks::same_for_all(int number) {
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return number;
}

void Ranks::together(const std::function<void()>& body) const {
  std::string message;
  int first = size_;
  try {
    body();
  } catch (const std::exception& error) {
    message = error.what();
    first = rank_;
  }
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size_) return;
  auto length = static_cast<int>(message.size());
  MPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  message.resize(static_cast<std::size_t>(length));
  MPI_Bcast(message.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  throw mpi::Failure(first, message);
}

int Ranks::threads(int given) const {
  if (given > 0) return given;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks_here_);
}

}  // namespace graze::command
