#pragma once

#include <array>
#include <atomic>
#include <thread>

#include "graze/mpi/communicator.h"
#include "graze/options.h"

namespace graze::mpi {

// The smallest time of impact that any rank has found in one slab, and whether any rank has to
// stop. Rounds of a nonblocking all-reduce exchange both, and whether all ranks are done. Between
// two blocks of pairs, a rank starts the next round if the last one is complete. It never waits for
// a round before finish().
//   (1) exchange() returns a time that some rank has passed to exchange(), or infinity.
//   (2) All ranks leave finish() after the same round, in which no rank was still searching.
// Only the thread that made the object communicates, so MPI_THREAD_FUNNELED is enough.
class BestTime {
 public:
  // Collective. Keeps references to the arguments.
  BestTime(Communicator& communicator, const Run& run);
  ~BestTime();  // Precondition: finish() was called.
  BestTime(const BestTime&) = delete;
  BestTime& operator=(const BestTime&) = delete;

  // Lowers the time to `toi`, if that is smaller. Returns the smallest time so far.
  double exchange(double toi);

  // Makes all ranks stop soon.
  void stop() { stop_ = true; }
  // Set once this rank called stop() or saw run.stop, or a round reported the stop of another rank.
  const std::atomic<bool>& stopped() const { return stop_; }

  // Waits until all ranks have called finish(). Returns whether any rank has stopped.
  bool finish();

 private:
  void start_round();
  bool end_round();  // returns whether a round has ended
  void lower(double toi);

  Communicator& communicator_;
  const Run& run_;
  const std::thread::id thread_ = std::this_thread::get_id();
  std::atomic<double> best_;
  std::atomic<bool> stop_ = false;
  bool done_ = false, all_done_ = false;
  // Minima over the ranks: the time, 1 if done, -1 if stopped.
  std::array<double, 3> mine_, least_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace graze::mpi
