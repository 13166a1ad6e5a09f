#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/broad/with_threads.h"

namespace graze::broad {

// Sorts elements by key(element), an unsigned number below 2^bits. Stable, parallel, least
// significant digit first; a digit that is the same in all keys costs no pass. `other` is a second
// array of that size. Returns the one of the two that holds the result.
template <class Element, class Key>
std::span<Element> radix_sort(std::span<Element> elements, std::span<Element> other, int bits,
                              Key&& key) {
  constexpr int digit_bits = 11;
  constexpr std::size_t radix = std::size_t{1} << digit_bits, part_size = 1 << 16;
  const std::size_t size = elements.size(), parts = (size + part_size - 1) / part_size;
  std::vector<std::array<std::uint32_t, radix>> place(parts);  // next index by part and digit
  for (int shift = 0; shift < bits; shift += digit_bits) {
    const auto digit = [&](const Element& element) {
      return static_cast<std::size_t>(key(element) >> shift) % radix;
    };
    const auto for_each_part = [&](auto&& function) {
      for_indices(parts, [&](std::size_t part) {
        const std::size_t end = std::min(size, (part + 1) * part_size);
        for (std::size_t i = part * part_size; i < end; ++i) function(place[part], elements[i]);
      });
    };
    for (auto& counts : place) counts.fill(0);
    for_each_part([&](auto& counts, const Element& element) { ++counts[digit(element)]; });
    std::uint32_t sum = 0, largest = 0;
    for (std::size_t d = 0; d < radix; ++d) {
      const std::uint32_t before = sum;
      for (auto& counts : place) sum += std::exchange(counts[d], sum);
      largest = std::max(largest, sum - before);
    }
    if (largest == size) continue;
    for_each_part(
        [&](auto& next, const Element& element) { other[next[digit(element)]++] = element; });
    std::swap(elements, other);
  }
  return elements;
}

// Sorts a vector.
template <class Element, class Key>
void radix_sort(std::vector<Element>& elements, int bits, Key&& key) {
  std::vector<Element> other(elements.size());
  if (radix_sort(std::span(elements), std::span(other), bits, key).data() != elements.data())
    elements.swap(other);
}

}  // namespace graze::broad
