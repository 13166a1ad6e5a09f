#pragma once

#include <memory>

#include "graze/broad/pair_job.h"
#include "graze/broad/with_threads.h"

namespace graze::broad {

// Collects the pairs of one task and passes them to the consumer in full blocks; flush() passes the
// rest.
class PairBlock {
 public:
  PairBlock(Kind kind, const PairConsumer& consumer)
      : kind_(kind), consumer_(consumer), pairs_(new Pair[max_pair_block]) {}

  // Returns an empty block for the same consumer.
  PairBlock sibling() const { return {kind_, consumer_}; }

  // Returns room for `count` <= max_pair_block more pairs; commit() adds them.
  Pair* reserve(std::size_t count) {
    if (size_ + count > max_pair_block) flush();
    return pairs_.get() + size_;
  }
  void commit(std::size_t count) { size_ += count; }

  void add(Pair pair) {
    *reserve(1) = pair;
    commit(1);
  }
  void flush() {
    if (size_ > 0) consumer_(kind_, {pairs_.get(), size_});
    size_ = 0;
  }

 private:
  Kind kind_;
  const PairConsumer& consumer_;
  std::unique_ptr<Pair[]> pairs_;
  std::size_t size_ = 0;
};

// Calls body(first, last, block) in parallel for parts of [0, count) of at least `grain` elements,
// each with a block of its own, which is flushed. Together the parts are the whole work of one
// match of the job: the stop flag is read before each part and the progress reported after it.
template <class Body>
void for_each_part(const PairJob& job, Kind kind, std::size_t count, std::size_t grain,
                   const PairConsumer& consumer, Body&& body) {
  for_parts(count, grain, [&](std::size_t first, std::size_t last) {
    job.begin_part();
    PairBlock block(kind, consumer);
    body(first, last, block);
    block.flush();
    job.end_part(static_cast<double>(last - first) / static_cast<double>(count));
  });
}

}  // namespace graze::broad
