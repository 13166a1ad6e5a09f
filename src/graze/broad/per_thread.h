#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace graze::broad {

// One value for each thread that calls local(). For rare calls: local() locks and searches. Unlike
// the class of oneTBB it costs nothing before oneTBB is in use.
template <class Value>
class PerThread {
 public:
  // Returns the value of this thread. The reference stays valid.
  Value& local() {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(threads_.begin(), threads_.end(), std::this_thread::get_id());
    if (found != threads_.end()) return values_[static_cast<std::size_t>(found - threads_.begin())];
    threads_.push_back(std::this_thread::get_id());
    return values_.emplace_back();
  }

  // The values so far. No other thread may call local() in the meantime.
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  std::size_t size() const { return values_.size(); }

 private:
  std::mutex mutex_;
  std::vector<std::thread::id> threads_;
  std::deque<Value> values_;
};

}  // namespace graze::broad
