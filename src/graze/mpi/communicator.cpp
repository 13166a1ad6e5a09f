#include "graze/mpi/communicator.h"

#include <algorithm>

namespace graze::mpi {

Communicator::Communicator(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
}

Communicator::~Communicator() {
  MPI_Comm_free(&comm_);
}

std::vector<int> Communicator::to_ints(const std::vector<std::size_t>& counts) {
  std::vector<int> ints(counts.size());
  std::transform(counts.begin(), counts.end(), ints.begin(), to_int);
  return ints;
}

std::vector<int> Communicator::offsets(const std::vector<int>& counts) {
  std::vector<int> first(counts.size());
  std::size_t sum = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    first[r] = to_int(sum);
    sum += static_cast<std::size_t>(counts[r]);
  }
  return first;
}

std::uint64_t Communicator::sum(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, comm_);
  return mine;
}

void Communicator::sum(std::span<std::uint64_t> numbers) {
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), to_int(numbers.size()), MPI_UINT64_T, MPI_SUM, comm_);
}

double Communicator::largest(double mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return mine;
}

bool Communicator::any(bool mine) {
  return sum(mine) > 0;
}

std::uint64_t Communicator::sum_before(std::uint64_t mine) {
  std::uint64_t sum = 0;  // rank 0 receives nothing
  MPI_Exscan(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, comm_);
  return rank_ == 0 ? 0 : sum;
}

void Communicator::agree(const std::exception_ptr& error) {
  int first = error ? rank_ : size_;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm_);
  if (first == size_) return;
  std::string message;
  if (error) try {
      std::rethrow_exception(error);
    } catch (const std::exception& exception) {
      message = exception.what();
    } catch (...) {
      message = "an exception of unknown type";
    }
  std::uint64_t length = message.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, first, comm_);
  message.resize(length);
  MPI_Bcast(message.data(), to_int(length), MPI_CHAR, first, comm_);
  if (error) std::rethrow_exception(error);
  throw Failure(first, message);
}

}  // namespace graze::mpi
