#include "graze/mpi/best_time.h"

#include "graze/impact.h"
#include "graze/mpi/pause.h"

namespace graze::mpi {

BestTime::BestTime(Communicator& communicator, const Run& run)
    : communicator_(communicator), run_(run), best_(Impact::inf) {
  start_round();
}

BestTime::~BestTime() = default;

void BestTime::lower(double toi) {
  double best = best_.load();
  while (toi < best && !best_.compare_exchange_weak(best, toi)) {
  }
}

void BestTime::start_round() {
  if (run_.stop && run_.stop->load()) stop_ = true;
  mine_ = {best_.load(), done_ ? 1.0 : 0.0, stop_ ? -1.0 : 0.0};
  MPI_Iallreduce(mine_.data(), least_.data(), static_cast<int>(mine_.size()), MPI_DOUBLE, MPI_MIN,
                 communicator_.get(), &request_);
  if (communicator_.size() > 1) {
    communicator_.traffic().bytes += sizeof mine_;
    ++communicator_.traffic().messages;
  }
}

bool BestTime::end_round() {
  int ended = 0;
  MPI_Test(&request_, &ended, MPI_STATUS_IGNORE);
  if (!ended) return false;
  lower(least_[0]);
  all_done_ = least_[1] == 1;
  if (least_[2] == -1) stop_ = true;
  return true;
}

double BestTime::exchange(double toi) {
  lower(toi);
  if (std::this_thread::get_id() == thread_ && end_round()) start_round();
  return best_.load();
}

// Waiting ranks sleep, so that ranks that are still searching can use their cores.
bool BestTime::finish() {
  done_ = true;
  Pause pause;
  while (!all_done_) {
    if (end_round()) {
      if (!all_done_) start_round();
    } else {
      pause();
    }
  }
  return stop_;
}

}  // namespace graze::mpi
