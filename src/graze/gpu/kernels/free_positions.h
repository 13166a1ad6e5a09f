#pragma once

#include <utility>

#include "graze/gpu/kernels/arrays.h"
#include "graze/gpu/kernels/memory.h"

namespace graze::gpu::device {

// Positions in memory of the device at which no edge pierces a face, by place: a start and an end
// of earlier steps. A search that seeks crossings copies its positions beside them, so that keeping
// them exchanges addresses: it takes no work of the device, and the caller may change its arrays.
class FreePositions {
 public:
  // Called when places or the filter change.
  void forget() { is_free_[0] = is_free_[1] = false; }

  // Sets the parameters of a search.
  void pass_to(Parameters& parameters, bool crossings) {
    for (int s = 0; s < 2; ++s) parameters.free_start[s] = is_free_[s] ? free_[s] : nullptr;
    parameters.start_copy = copy_[0];
    parameters.end_copy = copy_[1];
    if (crossings) copied_ = copy_[0] != nullptr;
  }
  // Reads the state after a search that sought crossings. Returns whether its start is free.
  bool read(const Control& state) {
    starts_at_end_ = state.start_differs[0] && !state.start_differs[1];
    return !state.start_differs[0] || !state.start_differs[1];
  }

  // Keep the start or the end of the last search that sought crossings. The first call of
  // keep_start() allocates memory, if it suffices, for later searches and keeps nothing.
  void keep_start(uint32_t vertices, MemoryUse& use) {
    const std::size_t count = 3 * std::size_t{vertices};
    if (copied_) {
      std::swap(free_[0], copy_[0]);
      is_free_[0] = true;
    } else if (count > 0 && !memory_.resize(4 * count, use, "free positions")) {
      double* next = memory_.data();
      for (double** array : {&free_[0], &free_[1], &copy_[0], &copy_[1]})
        *array = std::exchange(next, next + count);
    }
  }
  void keep_end() {
    if (!copied_) return;
    if (starts_at_end_) {  // of an earlier step, whose end becomes the kept start
      std::swap(free_[0], free_[1]);
      std::swap(is_free_[0], is_free_[1]);
    }
    std::swap(free_[1], copy_[1]);
    is_free_[1] = true;
  }

 private:
  Array<double> memory_;
  double *free_[2] = {}, *copy_[2] = {};  // a start and an end each; null before there is memory
  bool is_free_[2] = {};
  // Of the last search that sought crossings: copy_ has its positions; its start is free_[1].
  bool copied_ = false, starts_at_end_ = false;
};

}  // namespace graze::gpu::device
