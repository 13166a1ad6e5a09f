#include "graze/broad/sweep_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/sweep_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace graze::sweep::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Ranks = hn::CappedTag<std::int32_t, padding>;
using Ids = hn::RebindToUnsigned<Ranks>;

// `store(ids, place)` writes pairs; a row has `row_corners`, a column `column_corners` corners.
template <std::size_t row_corners, std::size_t column_corners, class Store>
HWY_INLINE std::size_t overlaps(const Row& row, const Columns& columns, std::size_t begin,
                                std::size_t end, Pair* pairs, Store&& store) {
  const Ranks ranks;
  const Ids ids;
  const auto lo_1 = hn::Set(ranks, row.across[0]), hi_1 = hn::Set(ranks, row.across[1]);
  const auto lo_2 = hn::Set(ranks, row.across[2]), hi_2 = hn::Set(ranks, row.across[3]);
  std::size_t found = 0;
  for (std::size_t i = begin; i < end; i += hn::Lanes(ranks)) {
    const auto apart_1 = hn::Or(hn::Gt(hn::LoadU(ranks, columns.across[0] + i), hi_1),
                                hn::Gt(lo_1, hn::LoadU(ranks, columns.across[1] + i)));
    const auto apart_2 = hn::Or(hn::Gt(hn::LoadU(ranks, columns.across[2] + i), hi_2),
                                hn::Gt(lo_2, hn::LoadU(ranks, columns.across[3] + i)));
    auto hit = hn::AndNot(hn::Or(apart_1, apart_2), hn::FirstN(ranks, end - i));
    if (hn::AllFalse(ranks, hit)) continue;
    for (std::size_t c = 0; c < column_corners; ++c) {
      const auto corner = hn::LoadU(ids, columns.corners[c] + i);
      for (std::size_t r = 0; r < row_corners; ++r)
        hit = hn::AndNot(hn::RebindMask(ranks, hn::Eq(corner, hn::Set(ids, row.corners[r]))), hit);
    }
    const auto mask = hn::RebindMask(ids, hit);
    store(ids, hn::Compress(hn::LoadU(ids, columns.id + i), mask),
          reinterpret_cast<std::uint32_t*>(pairs + found));
    found += hn::CountTrue(ids, mask);
  }
  return found;
}

std::size_t FacesOfVertex(const Row& row, const Columns& columns, std::size_t begin,
                          std::size_t end, Pair* pairs) {
  return overlaps<1, 3>(row, columns, begin, end, pairs, [&](auto d, auto id, auto* place) {
    hn::StoreInterleaved2(hn::Set(d, row.id), id, d, place);
  });
}

std::size_t VerticesOfFace(const Row& row, const Columns& columns, std::size_t begin,
                           std::size_t end, Pair* pairs) {
  return overlaps<3, 1>(row, columns, begin, end, pairs, [&](auto d, auto id, auto* place) {
    hn::StoreInterleaved2(id, hn::Set(d, row.id), d, place);
  });
}

std::size_t EdgesOfEdge(const Row& row, const Columns& columns, std::size_t begin, std::size_t end,
                        Pair* pairs) {
  return overlaps<2, 2>(row, columns, begin, end, pairs, [&](auto d, auto id, auto* place) {
    const auto own = hn::Set(d, row.id);
    hn::StoreInterleaved2(hn::Min(own, id), hn::Max(own, id), d, place);
  });
}

}  // namespace
}  // namespace graze::sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::sweep {

HWY_EXPORT(FacesOfVertex);
HWY_EXPORT(VerticesOfFace);
HWY_EXPORT(EdgesOfEdge);

std::size_t faces_of_vertex(const Row& row, const Columns& columns, std::size_t begin,
                            std::size_t end, Pair* pairs) {
  return HWY_DYNAMIC_DISPATCH(FacesOfVertex)(row, columns, begin, end, pairs);
}
std::size_t vertices_of_face(const Row& row, const Columns& columns, std::size_t begin,
                             std::size_t end, Pair* pairs) {
  return HWY_DYNAMIC_DISPATCH(VerticesOfFace)(row, columns, begin, end, pairs);
}
std::size_t edges_of_edge(const Row& row, const Columns& columns, std::size_t begin,
                          std::size_t end, Pair* pairs) {
  return HWY_DYNAMIC_DISPATCH(EdgesOfEdge)(row, columns, begin, end, pairs);
}

}  // namespace graze::sweep
#endif
