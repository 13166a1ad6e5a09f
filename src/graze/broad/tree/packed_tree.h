#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graze/broad/search_memory.h"
#include "graze/broad/with_threads.h"

namespace graze::broad::tree {

inline constexpr std::size_t width = 16;
template <class T>
using Lanes = std::array<T, width>;

// A linear bounding volume hierarchy without pointers. Features are in spatial order. A packet
// holds the boxes of sixteen consecutive features, one array per quantity; a packet of the level
// above holds the boxes around sixteen consecutive packets, and so on. Positions follow from
// indices. Unused lanes of the last packet of a level hold empty boxes, which overlap nothing.
template <class Packet>
struct PackedTree {
  std::size_t corner_count = 0, size = 0;  // corners of a feature; number of features
  // levels[0]: the boxes of the features; levels[k + 1]: the boxes around the packets of levels[k].
  // The last level is one packet.
  std::vector<std::span<Packet>> levels;
  std::span<Lanes<std::uint32_t>> id;                      // ids by packet of features
  std::array<std::span<Lanes<std::uint32_t>>, 3> corners;  // corner_count are used

  // Allocates the tree of at least one feature; ids, corners and boxes are still to be set.
  void resize(std::size_t features, std::size_t corners_each, SearchMemory& memory) {
    size = features;
    corner_count = corners_each;
    levels.clear();
    for_each_level(size,
                   [&](std::size_t packets) { levels.push_back(memory.array<Packet>(packets)); });
    const std::size_t packets = levels[0].size();
    id = memory.array<Lanes<std::uint32_t>>(packets);
    id.back() = {};
    for (std::size_t c = 0; c < corner_count; ++c) {
      corners[c] = memory.array<Lanes<std::uint32_t>>(packets);
      corners[c].back() = {};
    }
  }

  // Returns the memory that resize() needs.
  static std::size_t bytes(std::size_t features, std::size_t corners_each) {
    std::size_t sum = 0;
    for_each_level(features,
                   [&](std::size_t packets) { sum += SearchMemory::bytes<Packet>(packets); });
    return sum + (1 + corners_each) *
                     SearchMemory::bytes<Lanes<std::uint32_t>>((features + width - 1) / width);
  }

  // Computes the boxes of all levels. set(packet, lane, i) sets the box of feature i. A packet has
  // clear(lane) for an empty box and set_around(lane, packet) for the box around a packet.
  template <class Set>
  void fit(Set&& set) {
    fit_level(0, size, set);
    for (std::size_t level = 1; level < levels.size(); ++level)
      fit_level(level, levels[level - 1].size(), [&](Packet& packet, std::size_t i, std::size_t p) {
        packet.set_around(i, levels[level - 1][p]);
      });
  }

 private:
  // Calls function(number of packets) for each level.
  template <class Function>
  static void for_each_level(std::size_t features, Function&& function) {
    std::size_t packets = (features + width - 1) / width;
    function(packets);
    do {
      packets = (packets + width - 1) / width;
      function(packets);
    } while (packets > 1);
  }

  template <class Set>
  void fit_level(std::size_t level, std::size_t count, Set&& set) {
    const std::span<Packet> packets = levels[level];
    for_ranges(packets.size(), 512, [&](std::size_t first, std::size_t last) {
      for (std::size_t p = first; p < last; ++p)
        for (std::size_t i = 0; i < width; ++i)
          if (p * width + i < count)
            set(packets[p], i, p * width + i);
          else
            packets[p].clear(i);
    });
  }
};

}  // namespace graze::broad::tree
