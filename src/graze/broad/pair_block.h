#pragma once

#include <memory>

#include "graze/broad/find_pairs.h"

namespace graze {

// Collects the pairs of one task and hands them over in full blocks, the rest at the end.
class PairBlock {
 public:
  PairBlock(PairKind kind, const PairConsumer& consumer)
      : kind_(kind), consumer_(consumer), pairs_(new Pair[max_pair_block]) {}

  // Another one for the same consumer.
  PairBlock sibling() const { return {kind_, consumer_}; }

  // Room for `count` <= max_pair_block more.
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
  PairKind kind_;
  const PairConsumer& consumer_;
  std::unique_ptr<Pair[]> pairs_;
  std::size_t size_ = 0;
};

}  // namespace graze
