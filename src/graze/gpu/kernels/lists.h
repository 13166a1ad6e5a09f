#pragma once

#include "graze/gpu/kernels/arrays.h"
#include "graze/gpu/kernels/memory.h"

namespace graze::gpu::device {

// The memory of the lists of a search.
struct SearchLists {
  Array<uint2> pairs[deep_ee + 1];
  Array<uint2> packets_at_start;
  SharedArray<Crossing> pierced;
  Array<FoundContact> found[2];
  SharedArray<OpenQuery> open;
  Array<ImpactRecord> records, sorted;
  Array<uint32_t> ranks;
  Array<Slot> slots;

  // Gives every list the wanted length. A list whose length changes loses its elements.
  Fault grow(const uint64_t (&wanted)[list_count], Arrays& a, MemoryUse& use) {
    for (int list = packets_vf; list <= deep_ee; ++list) {
      if (wanted[list] == a.capacity[list]) continue;
      a.capacity[list] = 0;
      GRAZE_PASS(pairs[list].resize(wanted[list], use, "the list of pairs"));
      a.list[list] = pairs[list].data();
      a.capacity[list] = wanted[list];
    }
    if (wanted[crossing_packets] != a.capacity[crossing_packets]) {
      a.capacity[crossing_packets] = 0;
      GRAZE_PASS(
          packets_at_start.resize(wanted[crossing_packets], use, "the crossings at the start"));
      a.crossing_packets = packets_at_start.data();
      a.capacity[crossing_packets] = wanted[crossing_packets];
    }
    if (wanted[crossings] != a.capacity[crossings]) {
      a.capacity[crossings] = 0;
      GRAZE_PASS(pierced.make(wanted[crossings], "the crossings at the start"));
      a.crossings = pierced.device();
      a.capacity[crossings] = wanted[crossings];
    }
    for (int list = found_vf; list <= found_ee; ++list) {
      if (wanted[list] == a.capacity[list]) continue;
      a.capacity[list] = 0;
      GRAZE_PASS(found[list - found_vf].resize(wanted[list], use, "the list of roots"));
      a.found[list - found_vf] = found[list - found_vf].data();
      a.capacity[list] = wanted[list];
    }
    if (wanted[open_list] != a.capacity[open_list]) {
      a.capacity[open_list] = 0;
      GRAZE_PASS(open.make(wanted[open_list], "the undecided queries"));
      a.open = open.device();
      a.capacity[open_list] = wanted[open_list];
    }
    if (wanted[record_list] != a.capacity[record_list]) {
      const uint64_t count = wanted[record_list];
      a.capacity[record_list] = 0;
      GRAZE_PASS(records.resize(count, use, "the contacts"));
      GRAZE_PASS(sorted.resize(count, use, "the contacts"));
      GRAZE_PASS(ranks.resize(2 * count, use, "the contacts"));
      GRAZE_PASS(slots.resize(count, use, "the contacts"));
      a.records = records.data();
      a.sorted = sorted.data();
      a.bucket_of = ranks.data();
      a.rank = a.bucket_of + count;
      a.slot = slots.data();
      a.capacity[record_list] = count;
    }
    return {};
  }
};

}  // namespace graze::gpu::device
