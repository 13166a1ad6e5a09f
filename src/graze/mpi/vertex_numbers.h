#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace graze::mpi {

// The numbers, within a part of the mesh, of the vertices in use, in the order of the whole mesh.
// Memory: 8 bytes for each page of 1024 vertices of the whole mesh, 4 KiB for each page in use.
class VertexNumbers {
 public:
  explicit VertexNumbers(std::uint64_t all_vertices) : pages_((all_vertices >> page_bits) + 1) {}

  void use(std::uint32_t vertex) {
    auto& page = pages_[vertex >> page_bits];
    if (!page) page = std::make_unique<Page>();
    (*page)[vertex & (page_size - 1)] = 1;
  }

  // Numbers the vertices in use. Returns them, ascending.
  std::vector<std::uint32_t> finish() {
    std::vector<std::uint32_t> used;
    for (std::size_t p = 0; p < pages_.size(); ++p) {
      if (!pages_[p]) continue;
      for (std::uint32_t i = 0; i < page_size; ++i) {
        std::uint32_t& number = (*pages_[p])[i];
        if (number == 0) continue;
        number = static_cast<std::uint32_t>(used.size());
        used.push_back((static_cast<std::uint32_t>(p) << page_bits) | i);
      }
    }
    return used;
  }

  // Precondition: finish() was called, and the vertex is in use.
  std::uint32_t operator[](std::uint32_t vertex) const {
    return (*pages_[vertex >> page_bits])[vertex & (page_size - 1)];
  }

 private:
  static constexpr unsigned page_bits = 10;
  static constexpr std::uint32_t page_size = 1u << page_bits;
  using Page = std::array<std::uint32_t, page_size>;

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace graze::mpi
