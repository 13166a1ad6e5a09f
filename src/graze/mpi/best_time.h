#pragma once

#include <array>
#include <atomic>

#include "graze/mpi/communicator.h"
#include "graze/options.h"

namespace graze::mpi {

// The smallest time of impact that any rank has found in one slab, and whether any rank has to
// stop. One thread of each rank searches. Meanwhile the thread that made the object, the only one
// that communicates (MPI_THREAD_FUNNELED), exchanges both with the other ranks, in rounds of a
// nonblocking all-reduce. So the search never waits for a message, and a stop reaches it in the
// middle of a query.
//   (1) exchange() returns a time that some rank has passed to exchange(), or infinity.
//   (2) All ranks leave serve() after the same round, in which no rank was still searching, with
//       the same result.
class BestTime {
 public:
  // Keeps references to the arguments.
  BestTime(Communicator& communicator, const Run& run);
  BestTime(const BestTime&) = delete;
  BestTime& operator=(const BestTime&) = delete;

  // Lowers the time to `toi`, if that is smaller. Returns the smallest time so far. Called by any
  // thread.
  double exchange(double toi);
  // Makes all ranks stop soon. Called by any thread.
  void stop() { stop_ = true; }
  // The search of this rank has ended: the last call of the searching thread.
  void end_search() { searching_ = false; }

  // Set once this rank called stop() or saw run.stop, or a round reported the stop of another rank.
  const std::atomic<bool>& stopped() const { return stop_; }

  // Collective. Exchanges times and stops until the searches of all ranks have ended. Returns
  // whether any rank has stopped.
  bool serve();

 private:
  void look_at_run() {
    if (run_.stop && run_.stop->load()) stop_ = true;
  }
  void wait_for_news();

  Communicator& communicator_;
  const Run& run_;
  std::atomic<double> best_;
  std::atomic<bool> stop_ = false, searching_ = true;
  bool stop_sent_ = false;
};

}  // namespace graze::mpi
