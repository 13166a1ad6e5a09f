#pragma once

#include "graze/gpu/kernels/arrays.h"

// The stages of a search: each function launches the kernels of one stage.
namespace graze::gpu::device {

struct Launch {
  Arrays a;
  int processors = 1;
  cudaStream_t stream = nullptr;

  // Returns the number of blocks for `threads` threads, at most as many as the device runs at a
  // time.
  unsigned blocks_for(uint64_t threads, unsigned block) const {
    const uint64_t most = uint64_t(processors) * (2048 / block);
    return static_cast<unsigned>(std::clamp<uint64_t>((threads + block - 1) / block, 1, most));
  }
  unsigned filled(unsigned blocks_per_processor) const {
    return static_cast<unsigned>(processors) * blocks_per_processor;
  }
};

// start.cu. Resets the counters. `pierced`: tests the first edge that pierced a face in the search
// before.
void start(const Launch& at, bool pierced);

// order.cu. Kind 0: vertices, 1: edges, 2: faces. The features of a kind can be placed after the
// vertices.
void find_frame(const Launch& at);
void make_keys(const Launch& at, int kind);
// Sorts the keys of a kind; sets `bytes` if `memory` is null.
cudaError_t sort_keys(const Launch& at, int kind, void* memory, std::size_t& bytes);
void place(const Launch& at, int kind);

// boxes.cu. `swept`: boxes of the whole slab instead of those at both ends. `compare`: copies the
// positions, and sets start_differs and static_moves.
void bound(const Launch& at, bool swept, bool compare);

// pairs.cu
void find_pairs(const Launch& at);
void find_crossing_packets(const Launch& at, bool first);

// crossings.cu
void find_crossings(const Launch& at, bool first);

// narrow.cu. The last kernel of keep_overlapping(), name_candidates() and, for the first
// contact, of find_times() reports.
void try_directions(const Launch& at);
void keep_overlapping(const Launch& at);
void name_candidates(const Launch& at);
void find_roots(const Launch& at, bool first);
void find_times(const Launch& at, bool first);
// find_times() and sort_contacts() for a step that is expected to have few contacts. Reports at the
// end. If there are at most few_contacts, few_sorted is set and they are in Arrays::extra, too;
// otherwise sort_contacts() has to follow. Waits for contacts of the host only after the report.
void find_few_times(const Launch& at);

// sort.cu. Reports at the end.
void sort_contacts(const Launch& at, bool to_host);

}  // namespace graze::gpu::device
