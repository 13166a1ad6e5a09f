// Compression of vectors of 32-bit lanes, compiled once for every SIMD target.

#if defined(GRAZE_BROAD_COMPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GRAZE_BROAD_COMPRESS_INL_H_
#undef GRAZE_BROAD_COMPRESS_INL_H_
#else
#define GRAZE_BROAD_COMPRESS_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace graze::broad::HWY_NAMESPACE {

// For each mask of eight lanes the permutation that moves the lanes of the mask to the front and
// keeps the order of both parts. The rows of masks below 16 permute the first four lanes among
// themselves.
inline constexpr auto compress_table = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned mask = 0; mask < table.size(); ++mask) {
    std::size_t next = 0;
    for (const unsigned wanted : {1u, 0u})
      for (std::uint8_t lane = 0; lane < 8; ++lane)
        if ((mask >> lane & 1) == wanted) table[mask][next++] = lane;
  }
  return table;
}();

// Returns the lanes of `v` whose bit in the mask is set, in order, from lane 0 on. The other lanes
// of the result have no meaning. The result is that of hwy::Compress, which in Highway 1.0 copies a
// table of 1 KiB to the stack on each call, except on targets with an instruction for it.
template <class Ids>
HWY_INLINE auto compress(Ids ids, hwy::HWY_NAMESPACE::Vec<Ids> v,
                         hwy::HWY_NAMESPACE::Mask<Ids> mask) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2 || \
    HWY_TARGET == HWY_NEON
  static_assert(sizeof(hn::TFromD<Ids>) == 4 && hn::MaxLanes(Ids()) <= 8);
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(ids, mask, bits);
  const hn::Rebind<std::uint8_t, Ids> bytes;
  const auto lanes = hn::PromoteTo(ids, hn::LoadU(bytes, compress_table[bits[0]].data()));
  return hn::TableLookupLanes(v, hn::IndicesFromVec(ids, lanes));
#else
  (void)ids;
  return hn::Compress(v, mask);
#endif
}

}  // namespace graze::broad::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
