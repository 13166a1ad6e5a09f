#include "graze/mpi/communicator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

namespace graze::mpi::communicator_test {
namespace {

// Returns how often this process has given up its core to wait. A yield does not count.
long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

// All ranks but one wait for that rank for 0.1 s, in which a rank that polls without sleeping does
// not sleep at all. On a busy machine a rank may arrive late, so there are several attempts.
TEST(Communicator, SleepsWhileItWaits) {
  Communicator communicator(MPI_COMM_WORLD);
  const auto all_sleep = [&](const auto& wait) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const long before = sleeps();
      if (communicator.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      wait();
      if (!communicator.any(communicator.rank() > 0 && sleeps() < before + 10)) return true;
    }
    return false;
  };
  EXPECT_TRUE(all_sleep([] { Communicator another(MPI_COMM_WORLD); }));
  EXPECT_TRUE(all_sleep([&] { communicator.sum(1); }));
  EXPECT_TRUE(all_sleep([&] { communicator.sum_before(1); }));
  EXPECT_TRUE(all_sleep([&] { communicator.barrier(); }));
  EXPECT_TRUE(all_sleep([&] { communicator.gather_one(1); }));
  EXPECT_TRUE(all_sleep([&] { communicator.gather(std::vector<int>(3)); }));
  EXPECT_TRUE(all_sleep([&] {
    communicator.exchange(Packets<int>{std::vector<int>(communicator.ranks()),
                                       std::vector(communicator.ranks(), std::size_t{1})});
  }));
}

TEST(Communicator, SumsNumbersOfAllRanks) {
  Communicator communicator(MPI_COMM_WORLD);
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const std::uint64_t ranks = communicator.ranks();
  const auto [before, all] = communicator.sums(rank + 1);
  EXPECT_EQ(before, rank * (rank + 1) / 2);
  EXPECT_EQ(all, ranks * (ranks + 1) / 2);
  EXPECT_EQ(communicator.sum_before(rank + 1), before);
  std::array<double, 2> numbers = {double(rank), -double(rank)};
  communicator.largest(numbers);
  EXPECT_EQ(numbers[0], double(ranks - 1));
  EXPECT_EQ(numbers[1], 0);
}

TEST(Communicator, ExchangesElementsWithAllRanks) {
  Communicator communicator(MPI_COMM_WORLD);
  const auto rank = static_cast<std::size_t>(communicator.rank());
  Packets<std::uint64_t> sent;  // this rank sends r + 1 times its own number to rank r
  for (std::size_t r = 0; r < communicator.ranks(); ++r) {
    sent.counts.push_back(r + 1);
    sent.items.insert(sent.items.end(), r + 1, rank);
  }
  const Packets<std::uint64_t> received = communicator.exchange(sent);
  EXPECT_EQ(received.counts, std::vector<std::size_t>(communicator.ranks(), rank + 1));
  std::vector<std::uint64_t> expected;
  for (std::size_t r = 0; r < communicator.ranks(); ++r)
    expected.insert(expected.end(), rank + 1, r);
  EXPECT_EQ(received.items, expected);
  EXPECT_EQ(communicator.exchange(sent, received.counts).items, expected);
}

}  // namespace
}  // namespace graze::mpi::communicator_test
