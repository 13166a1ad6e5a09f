#include <deque>
#include <future>
#include <mutex>
#include <utility>

#include "graze/gpu.h"

namespace graze::gpu {

struct StepQueue::State {
  // A search takes one call at a time.
  struct Worker {
    Worker(const Mesh& mesh, int device) : search(mesh, {.device = device}) {}
    StepSearch search;
    std::mutex busy;
  };
  std::deque<Worker> workers;
  std::size_t next = 0;                      // the worker of the next step
  std::deque<std::future<AllAnswer>> steps;  // in the order of push()
};

StepQueue::StepQueue(Mesh mesh, std::span<const int> devices) : state_(std::make_unique<State>()) {
  for (const int device : devices) state_->workers.emplace_back(mesh, device);
}
StepQueue::~StepQueue() = default;
StepQueue::StepQueue(StepQueue&&) noexcept = default;
StepQueue& StepQueue::operator=(StepQueue&&) noexcept = default;

void StepQueue::push(std::vector<Vec3> start, std::vector<Vec3> end, const StepOptions& options,
                     const RunOptions& run) {
  State::Worker& worker = state_->workers[state_->next];
  state_->next = (state_->next + 1) % state_->workers.size();
  state_->steps.push_back(std::async(
      std::launch::async, [&worker, options, run, x0 = std::move(start), x1 = std::move(end)] {
        const std::lock_guard lock(worker.busy);
        return worker.search.all_impacts(x0, x1, options, run);
      }));
}

std::size_t StepQueue::size() const {
  return state_->steps.size();
}

AllAnswer StepQueue::pop() {
  AllAnswer answer = state_->steps.front().get();
  state_->steps.pop_front();
  return answer;
}

}  // namespace graze::gpu
