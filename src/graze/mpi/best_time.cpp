#include "graze/mpi/best_time.h"

#include "graze/impact.h"
#include "graze/mpi/pause.h"

namespace graze::mpi {

BestTime::BestTime(Communicator& communicator, const Run& run)
    : communicator_(communicator), run_(run), best_(Impact::inf) {}

double BestTime::exchange(double toi) {
  double best = best_.load();
  while (toi < best && !best_.compare_exchange_weak(best, toi)) {
  }
  return best_.load();
}

// Waits until this rank's search has ended, it has to stop, or it is time for the next round.
void BestTime::wait_for_news() {
  constexpr std::chrono::milliseconds interval{2};
  const auto next = std::chrono::steady_clock::now() + interval;
  for (Pause pause; searching_ && std::chrono::steady_clock::now() < next; pause()) {
    look_at_run();
    if (stop_ && !stop_sent_) return;
  }
}

bool BestTime::serve() {
  std::array<double, 3> mine,
      least;  // minima over the ranks: the time, 0 if searching, -1 if stopped
  do {
    wait_for_news();
    look_at_run();
    const bool ended = !searching_;  // read first: a stop or a time before the end is sent with it
    stop_sent_ = stop_;
    mine = {best_.load(), ended ? 1.0 : 0.0, stop_sent_ ? -1.0 : 0.0};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(mine.data(), least.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_MIN,
                   communicator_.get(), &request);
    if (communicator_.size() > 1) {
      communicator_.traffic().bytes += sizeof mine;
      ++communicator_.traffic().messages;
    }
    int arrived = 0;
    for (Pause pause;; pause()) {
      MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
      if (arrived) break;
      look_at_run();
    }
    exchange(least[0]);
    if (least[2] == -1) stop_ = true;
  } while (least[1] == 0);
  return least[2] == -1;
}

}  // namespace graze::mpi
