#pragma once

#include <memory>

#include "graze/gpu/kernels/arrays.h"
#include "graze/gpu/kernels/memory.h"

namespace graze::gpu::device {

// Finds the times of first contact of queries or pairs that lie on the device. Keeps its memory
// between calls.
class TimesSearch {
 public:
  TimesSearch();
  ~TimesSearch();
  Fault run(int device, const TimesQuestion& question, TimesResult& result);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace graze::gpu::device
