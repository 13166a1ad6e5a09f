#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "graze/mpi.h"

namespace graze::share_jobs_test {
namespace {

int this_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// (1) of mpi::share_jobs().
TEST(ShareJobs, AnswersEachJobOnce) {
  std::vector<std::size_t> jobs;
  for (std::size_t j = 0; j < 100; ++j) jobs.push_back(3 * j);
  std::map<std::size_t, std::string> results;
  const bool complete = mpi::share_jobs(
      MPI_COMM_WORLD, jobs, [](std::size_t job) { return std::string(job, 'x'); },
      [&](std::size_t job, const std::string& result) {
        EXPECT_EQ(this_rank(), 0);
        EXPECT_TRUE(results.emplace(job, result).second);
      });
  EXPECT_TRUE(complete);
  EXPECT_EQ(results.size(), this_rank() == 0 ? 100u : 0u);
  for (const auto& [job, result] : results) EXPECT_EQ(result, std::string(job, 'x'));
  EXPECT_TRUE(mpi::share_jobs(MPI_COMM_WORLD, {}, {}, {}));
}

// Ranks that take equally long each answer one run of neighbouring jobs.
TEST(ShareJobs, GivesNeighbouringJobsToOneRank) {
  constexpr std::size_t per_rank = 20;
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<std::size_t> jobs(per_rank * static_cast<std::size_t>(size));
  std::iota(jobs.begin(), jobs.end(), std::size_t{0});
  std::vector<std::string> answered_by(jobs.size());
  mpi::share_jobs(
      MPI_COMM_WORLD, jobs,
      [](std::size_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return std::to_string(this_rank());
      },
      [&](std::size_t job, const std::string& rank) { answered_by[job] = rank; });
  std::size_t changes = 0;
  for (std::size_t j = 1; j < jobs.size(); ++j) changes += answered_by[j] != answered_by[j - 1];
  // A slow rank gives up halves of its run, so the rank changes a few times more than there are
  // ranks. If jobs were distributed in turn, it would change at almost every job.
  EXPECT_TRUE(this_rank() > 0 || changes < jobs.size() / 2) << changes;
}

// (2)
TEST(ShareJobs, ThrowsOnEveryRankIfACallThrows) {
  const std::vector<std::size_t> jobs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto answer = [](std::size_t job) {
    if (job == 4) throw std::invalid_argument("job 4 is bad");
    return std::string();
  };
  try {
    mpi::share_jobs(MPI_COMM_WORLD, jobs, answer, [](std::size_t, const std::string&) {});
    ADD_FAILURE() << "no error";
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "job 4 is bad");
  }
  EXPECT_ANY_THROW(mpi::share_jobs(
      MPI_COMM_WORLD, jobs, [](std::size_t) { return std::string(); },
      [](std::size_t, const std::string&) { throw std::runtime_error("no room"); }));
}

// (3)
TEST(ShareJobs, StopsOnAllRanks) {
  std::atomic<bool> stop = false;
  std::size_t done = 0;
  std::vector<std::size_t> jobs(1000);
  EXPECT_FALSE(mpi::share_jobs(
      MPI_COMM_WORLD, jobs, [](std::size_t) { return std::string(); },
      [&](std::size_t, const std::string&) { stop = ++done == 3; }, &stop));
  EXPECT_LT(done, 1000u);
}

}  // namespace
}  // namespace graze::share_jobs_test
