#pragma once

#include <mpi.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graze/mpi.h"

namespace graze::mpi {

// Elements for each rank, or from each rank, in the order of the ranks: counts[r] of rank r.
template <class T>
struct Packets {
  std::vector<T> items;
  std::vector<std::size_t> counts;
};

// A duplicate of a communicator, so that messages of this library and of its caller are kept apart.
// Every member except the getters is collective: all ranks call it, in the same order. Elements are
// copied byte by byte. The traffic to other ranks is counted. A rank that waits for others sleeps
// (Pause), which the blocking functions of MPI do not.
class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  MPI_Comm get() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  std::size_t ranks() const { return static_cast<std::size_t>(size_); }
  const Traffic& traffic() const { return traffic_; }
  Traffic& traffic() { return traffic_; }

  // Sends the elements for each rank to that rank. Returns the elements received from each rank.
  template <class T>
  Packets<T> exchange(const Packets<T>& sent);
  // The same where this rank already has the numbers of elements that it will receive.
  template <class T>
  Packets<T> exchange(const Packets<T>& sent, std::vector<std::size_t> received_counts);

  // Returns the elements of all ranks, in the order of the ranks.
  template <class T>
  std::vector<T> gather(std::span<const T> mine);
  template <class T>
  std::vector<T> gather(const std::vector<T>& mine) {
    return gather(std::span<const T>(mine));
  }
  // The same with one element of each rank.
  template <class T>
  std::vector<T> gather_one(const T& mine);

  std::uint64_t sum(std::uint64_t mine);
  // Replaces each element by its sum over the ranks. All ranks pass the same number of elements.
  void sum(std::span<std::uint64_t> numbers);
  // Replaces each element by the largest of the ranks.
  void largest(std::span<double> numbers);
  bool any(bool mine);
  // Returns the sum of the numbers of all smaller ranks.
  std::uint64_t sum_before(std::uint64_t mine);
  // Returns sum_before(mine) and sum(mine).
  std::array<std::uint64_t, 2> sums(std::uint64_t mine);

  void barrier();

  // Throws on every rank if `error` is set on some rank: that error on its own rank, and Failure
  // with the message of the first such rank on all others.
  void agree(const std::exception_ptr& error);

 private:
  static int to_int(std::size_t count) {
    if (count > INT_MAX) throw std::length_error("a message has more than 2^31 elements");
    return static_cast<int>(count);
  }
  static void wait(MPI_Request request);
  void reduce(void* numbers, std::size_t count, MPI_Datatype type, MPI_Op operation);
  void broadcast(void* bytes, std::size_t count, int from);
  static std::vector<int> to_ints(const std::vector<std::size_t>& counts);
  static std::vector<int> offsets(const std::vector<int>& counts);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  Traffic traffic_;
};

// The datatype of one element as bytes, so that counts are counts of elements.
class ElementType {
 public:
  explicit ElementType(std::size_t size) {
    MPI_Type_contiguous(static_cast<int>(size), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~ElementType() { MPI_Type_free(&type_); }
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

template <class T>
Packets<T> Communicator::exchange(const Packets<T>& sent) {
  const std::vector<int> sends = to_ints(sent.counts);
  std::vector<int> receives(ranks());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(sends.data(), 1, MPI_INT, receives.data(), 1, MPI_INT, comm_, &request);
  wait(request);
  return exchange(sent, std::vector<std::size_t>(receives.begin(), receives.end()));
}

template <class T>
Packets<T> Communicator::exchange(const Packets<T>& sent,
                                  std::vector<std::size_t> received_counts) {
  Packets<T> received{{}, std::move(received_counts)};
  const std::vector<int> sends = to_ints(sent.counts), receives = to_ints(received.counts);
  received.items.resize(
      std::accumulate(received.counts.begin(), received.counts.end(), std::size_t{0}));
  const ElementType type(sizeof(T));
  const std::vector<int> send_at = offsets(sends), receive_at = offsets(receives);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoallv(sent.items.data(), sends.data(), send_at.data(), type.get(), received.items.data(),
                 receives.data(), receive_at.data(), type.get(), comm_, &request);
  wait(request);
  for (int r = 0; r < size_; ++r)
    if (const auto count = sent.counts[static_cast<std::size_t>(r)]; r != rank_ && count > 0) {
      traffic_.bytes += count * sizeof(T);
      ++traffic_.messages;
    }
  return received;
}

template <class T>
std::vector<T> Communicator::gather(std::span<const T> mine) {
  const int count = to_int(mine.size());
  std::vector<int> counts(ranks());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_, &request);
  wait(request);
  std::vector<T> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  const ElementType type(sizeof(T));
  const std::vector<int> at = offsets(counts);
  MPI_Iallgatherv(mine.data(), count, type.get(), all.data(), counts.data(), at.data(), type.get(),
                  comm_, &request);
  wait(request);
  if (size_ > 1) {
    traffic_.bytes += mine.size() * sizeof(T);
    ++traffic_.messages;
  }
  return all;
}

template <class T>
std::vector<T> Communicator::gather_one(const T& mine) {
  std::vector<T> all(ranks());
  const ElementType type(sizeof(T));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, 1, type.get(), all.data(), 1, type.get(), comm_, &request);
  wait(request);
  if (size_ > 1) {
    traffic_.bytes += sizeof(T);
    ++traffic_.messages;
  }
  return all;
}

}  // namespace graze::mpi
