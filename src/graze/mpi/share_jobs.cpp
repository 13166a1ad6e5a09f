#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "graze/mpi.h"
#include "graze/mpi/communicator.h"
#include "graze/mpi/pause.h"

namespace graze::mpi {
namespace {

using Answer = std::function<std::string(std::size_t)>;
using Done = std::function<void(std::size_t, const std::string&)>;

enum Tag : int { job_tag = 1, result_tag = 2 };

// The message of a rank to the rank that distributes jobs: ready for the first job, a result, or an
// error.
enum class Report : char { ready, result, failed };

constexpr std::uint64_t no_job = ~std::uint64_t{0};

// Waits for a message with that tag and returns its bytes.
std::string receive(MPI_Comm comm, int source, Tag tag) {
  MPI_Status status;
  int arrived = 0;
  for (Pause pause;; pause()) {
    MPI_Iprobe(source, tag, comm, &arrived, &status);
    if (arrived) break;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE);
  return bytes;
}

// Runs on all ranks but 0: answers jobs of rank 0 until there is none.
void work(Communicator& communicator, const Answer& answer, std::exception_ptr& error) {
  std::string report(1, static_cast<char>(Report::ready));
  while (true) {
    MPI_Send(report.data(), static_cast<int>(report.size()), MPI_BYTE, 0, result_tag,
             communicator.get());
    std::uint64_t job = no_job;
    std::memcpy(&job, receive(communicator.get(), 0, job_tag).data(), sizeof job);
    if (job == no_job) return;
    report.assign(1, static_cast<char>(Report::result));
    report.append(reinterpret_cast<const char*>(&job), sizeof job);
    try {
      report += answer(job);
    } catch (...) {
      error = std::current_exception();
      report.assign(1, static_cast<char>(Report::failed));
    }
  }
}

// The thread of rank 0 that answers jobs while the calling thread serves the other ranks.
class LocalWorker {
 public:
  explicit LocalWorker(const Answer& answer) : answer_(answer), thread_([this] { run(); }) {}
  ~LocalWorker() {
    {
      const std::lock_guard lock(mutex_);
      end_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  struct Result {
    std::size_t job;
    std::string text;
    std::exception_ptr error;
  };

  bool is_idle() {
    const std::lock_guard lock(mutex_);
    return !job_ && !result_;
  }
  void give(std::size_t job) {
    {
      const std::lock_guard lock(mutex_);
      job_ = job;
    }
    wake_.notify_one();
  }
  std::optional<Result> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return end_ || job_; });
      if (!job_) return;
      Result result{*job_, {}, {}};
      lock.unlock();
      try {
        result.text = answer_(result.job);
      } catch (...) {
        result.error = std::current_exception();
      }
      lock.lock();
      result_ = std::move(result);
      job_.reset();
    }
  }

  const Answer& answer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<std::size_t> job_;
  std::optional<Result> result_;
  bool end_ = false;
  std::thread thread_;  // last: it uses the other members
};

// The jobs that no rank has begun: a run of consecutive jobs for each rank. A rank whose run has
// ended takes the later half of the longest run. So one rank does most neighbouring jobs, which may
// read the same file.
class JobRuns {
 public:
  JobRuns(std::span<const std::size_t> jobs, std::size_t ranks) : runs_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::size_t begin = jobs.size() * r / ranks, end = jobs.size() * (r + 1) / ranks;
      runs_[r] = jobs.subspan(begin, end - begin);
    }
  }

  bool empty() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.empty(); });
  }

  // Removes the next job of a rank and returns it. Precondition: not empty().
  std::size_t take(std::size_t rank) {
    if (runs_[rank].empty()) {
      auto& longest =
          *std::max_element(runs_.begin(), runs_.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
      const std::size_t kept = longest.size() / 2;
      runs_[rank] = longest.subspan(kept);
      longest = longest.first(kept);
    }
    const std::size_t job = runs_[rank].front();
    runs_[rank] = runs_[rank].subspan(1);
    return job;
  }

 private:
  std::vector<std::span<const std::size_t>> runs_;
};

// The server on rank 0, which distributes the jobs and collects the results.
class Server {
 public:
  Server(Communicator& communicator, std::span<const std::size_t> jobs, const Done& done,
         const std::atomic<bool>* stop)
      : communicator_(communicator), jobs_(jobs, communicator.ranks()), done_(done), stop_(stop) {}

  void serve(const Answer& answer) {
    LocalWorker local(answer);
    int working = communicator_.size() - 1;
    bool local_ended = false;
    Pause pause;
    while (working > 0 || !local_ended) {
      bool idle = true;
      // A rank gets its next job before its last result is passed to done(), which may be slow.
      std::optional<LocalWorker::Result> result = local.take();
      if (result && result->error) fail(result->error);
      if (!local_ended && local.is_idle()) {
        idle = false;
        if (const std::uint64_t job = next_job(0); job != no_job)
          local.give(job);
        else
          local_ended = true;
      }
      if (result && !result->error) pass_on(result->job, result->text);
      MPI_Status status;
      int arrived = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, result_tag, communicator_.get(), &arrived, &status);
      if (arrived) {
        idle = false;
        const std::string report = receive(communicator_.get(), status.MPI_SOURCE, result_tag);
        if (static_cast<Report>(report[0]) == Report::failed) failed_ = true;  // the rank throws it
        const std::uint64_t job = next_job(static_cast<std::size_t>(status.MPI_SOURCE));
        MPI_Send(&job, sizeof job, MPI_BYTE, status.MPI_SOURCE, job_tag, communicator_.get());
        working -= job == no_job;
        if (static_cast<Report>(report[0]) == Report::result) pass_on(report);
      }
      if (idle)
        pause();
      else
        pause.reset();
    }
  }

  const std::exception_ptr& error() const { return error_; }
  bool stopped() const { return stopped_; }

 private:
  std::uint64_t next_job(std::size_t rank) {
    if (jobs_.empty()) return no_job;
    if (stop_ && stop_->load()) stopped_ = true;
    return failed_ || stopped_ ? no_job : jobs_.take(rank);
  }

  void pass_on(const std::string& report) {
    std::uint64_t job = 0;
    std::memcpy(&job, report.data() + 1, sizeof job);
    pass_on(job, report.substr(1 + sizeof job));
  }

  void pass_on(std::size_t job, const std::string& result) {
    if (error_) return;
    try {
      done_(job, result);
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void fail(const std::exception_ptr& error) {
    failed_ = true;
    if (!error_) error_ = error;
  }

  Communicator& communicator_;
  JobRuns jobs_;
  const Done& done_;
  const std::atomic<bool>* stop_;
  bool failed_ = false, stopped_ = false;
  std::exception_ptr error_;
};

}  // namespace

bool share_jobs(MPI_Comm comm, std::span<const std::size_t> jobs,
                const std::function<std::string(std::size_t)>& answer,
                const std::function<void(std::size_t, const std::string&)>& done,
                const std::atomic<bool>* stop) {
  Communicator communicator(comm);
  std::exception_ptr error;
  bool stopped = false;
  if (communicator.rank() == 0) {
    Server server(communicator, jobs, done, stop);
    server.serve(answer);
    error = server.error();
    stopped = server.stopped();
  } else {
    work(communicator, answer, error);
  }
  communicator.agree(error);
  return !communicator.any(stopped);
}

}  // namespace graze::mpi
