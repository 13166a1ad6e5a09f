#include "graze/broad/strategies/sweep_kernel.h"

#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graze/broad/strategies/sweep_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "graze/broad/compress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace graze::broad::sweep::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Ranks = hn::CappedTag<std::int32_t, Boxes::padding>;
using Ids = hn::RebindToUnsigned<Ranks>;

// Compares row r with the columns from `i` on that begin within the row.
HWY_INLINE void sweep_row(const Boxes& rows, std::size_t r, const Boxes& columns, std::size_t i,
                          First first_id, std::int32_t strip_begin, PairBlock& block) {
  constexpr std::size_t piece = 1024;
  static_assert(piece % Boxes::padding == 0 && piece + Boxes::padding <= max_pair_block);
  const Ranks ranks;
  const Ids ids;
  // A row that begins before the strip is paired with columns that begin in the strip; these end
  // after the row's begin. A row that begins in the strip is paired with columns that end at or
  // after the row's begin.
  const bool began = rows.lo_1[r] < strip_begin;
  const std::int32_t* const bound_1 = began ? columns.lo_1.data() : columns.hi_1.data();
  const auto lo_1 = hn::Set(ranks, began ? strip_begin : rows.lo_1[r]);
  const auto hi_1 = hn::Set(ranks, rows.hi_1[r]);
  const auto lo_2 = hn::Set(ranks, rows.lo_2[r]), hi_2 = hn::Set(ranks, rows.hi_2[r]);
  const std::int32_t end = rows.end[r];
  const auto end_of_row = hn::Set(ranks, end);
  const std::int32_t* const begin = columns.begin.data();

  for (bool within = true; within;) {
    Pair* const pairs = block.reserve(piece + Boxes::padding);
    std::size_t found = 0;
    for (const std::size_t stop = i + piece; within && i < stop; i += hn::Lanes(ranks)) {
      const auto apart_1 = hn::Or(hn::Gt(hn::LoadU(ranks, columns.lo_1.data() + i), hi_1),
                                  hn::Gt(lo_1, hn::LoadU(ranks, bound_1 + i)));
      const auto apart_2 = hn::Or(hn::Gt(hn::LoadU(ranks, columns.lo_2.data() + i), hi_2),
                                  hn::Gt(lo_2, hn::LoadU(ranks, columns.hi_2.data() + i)));
      const auto beyond = hn::Gt(hn::LoadU(ranks, begin + i), end_of_row);
      auto hit = hn::Not(hn::Or(hn::Or(apart_1, apart_2), beyond));
      within = begin[i + hn::Lanes(ranks) - 1] <= end;
      if (hn::AllFalse(ranks, hit)) continue;
      for (std::size_t c = 0; c < columns.corner_count; ++c) {
        const auto corner = hn::LoadU(ids, columns.corners[c].data() + i);
        for (std::size_t k = 0; k < rows.corner_count; ++k)
          hit = hn::AndNot(hn::RebindMask(ranks, hn::Eq(corner, hn::Set(ids, rows.corners[k][r]))),
                           hit);
      }
      const auto mask = hn::RebindMask(ids, hit);
      auto a = hn::Set(ids, rows.id[r]);
      auto b = broad::HWY_NAMESPACE::compress(ids, hn::LoadU(ids, columns.id.data() + i), mask);
      if (first_id == First::column) std::swap(a, b);
      if (first_id == First::smaller) {
        const auto smaller = hn::Min(a, b);
        b = hn::Max(a, b);
        a = smaller;
      }
      hn::StoreInterleaved2(a, b, ids, reinterpret_cast<std::uint32_t*>(pairs + found));
      found += hn::CountTrue(ids, mask);
    }
    block.commit(found);
  }
}

void Sweep(const Boxes& rows, const Boxes& columns, From from, First first_id,
           std::int32_t strip_begin, std::size_t first, std::size_t last, PairBlock& block) {
  std::size_t i = 0;
  for (std::size_t r = first; r < last; ++r) {
    if (from == From::next_row)
      i = r + 1;
    else
      while (columns.begin[i] < rows.begin[r] ||
             (from == From::after_begin_of_row && columns.begin[i] == rows.begin[r]))
        ++i;
    sweep_row(rows, r, columns, i, first_id, strip_begin, block);
  }
}

}  // namespace
}  // namespace graze::broad::sweep::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace graze::broad::sweep {

HWY_EXPORT(Sweep);

void sweep(const Boxes& rows, const Boxes& columns, From from, First first_id,
           std::int32_t strip_begin, std::size_t first, std::size_t last, PairBlock& block) {
  HWY_DYNAMIC_DISPATCH(Sweep)(rows, columns, from, first_id, strip_begin, first, last, block);
}

}  // namespace graze::broad::sweep
#endif
