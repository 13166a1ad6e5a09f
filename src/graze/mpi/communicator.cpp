#include "graze/mpi/communicator.h"

#include <algorithm>

#include "graze/mpi/pause.h"

namespace graze::mpi {

Communicator::Communicator(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup(comm, &comm_, &request);
  wait(request);
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

void Communicator::wait(MPI_Request request) {
  int ended = 0;
  for (Pause pause;; pause()) {
    MPI_Test(&request, &ended, MPI_STATUS_IGNORE);
    if (ended) return;
  }
}

void Communicator::reduce(void* numbers, std::size_t count, MPI_Datatype type, MPI_Op operation) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, numbers, to_int(count), type, operation, comm_, &request);
  wait(request);
}

std::uint64_t Communicator::sum(std::uint64_t mine) {
  reduce(&mine, 1, MPI_UINT64_T, MPI_SUM);
  return mine;
}

void Communicator::sum(std::span<std::uint64_t> numbers) {
  reduce(numbers.data(), numbers.size(), MPI_UINT64_T, MPI_SUM);
}

void Communicator::largest(std::span<double> numbers) {
  reduce(numbers.data(), numbers.size(), MPI_DOUBLE, MPI_MAX);
}

void Communicator::barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm_, &request);
  wait(request);
}

void Communicator::broadcast(void* bytes, std::size_t count, int from) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(bytes, to_int(count), MPI_BYTE, from, comm_, &request);
  wait(request);
}

bool Communicator::any(bool mine) {
  return sum(mine) > 0;
}

std::uint64_t Communicator::sum_before(std::uint64_t mine) {
  std::uint64_t sum = 0;  // rank 0 receives nothing
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iexscan(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, comm_, &request);
  wait(request);
  return rank_ == 0 ? 0 : sum;
}

std::array<std::uint64_t, 2> Communicator::sums(std::uint64_t mine) {
  const std::vector<std::uint64_t> all = gather_one(mine);
  const auto sum_to = [&](std::size_t end) {
    return std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end),
                           std::uint64_t{0});
  };
  return {sum_to(static_cast<std::size_t>(rank_)), sum_to(ranks())};
}

void Communicator::agree(const std::exception_ptr& error) {
  int first = error ? rank_ : size_;
  reduce(&first, 1, MPI_INT, MPI_MIN);
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
  broadcast(&length, sizeof length, first);
  message.resize(length);
  broadcast(message.data(), length, first);
  if (error) std::rethrow_exception(error);
  throw Failure(first, message);
}

}  // namespace graze::mpi
