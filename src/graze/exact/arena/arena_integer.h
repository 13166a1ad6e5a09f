#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "graze/core/numeric/common_scale.h"

namespace graze::exact {

// Scratch memory for integers: a bump allocator whose first 16 KiB live in the object itself.
// `release(mark)` frees everything allocated since the call of `mark()` that returned `mark`.
class Arena {
 public:
  using Limb = std::uint64_t;
  struct Mark {
    std::size_t chunk, used;
  };

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Limb* allocate(std::size_t limbs) {
    if (used_ + limbs > capacity_) next_chunk(limbs);
    Limb* result = base_ + used_;
    used_ += limbs;
    return result;
  }
  Mark mark() const { return {chunk_, used_}; }
  void release(Mark mark) {
    if (mark.chunk != chunk_) use_chunk(mark.chunk);
    used_ = mark.used;
  }

 private:
  static constexpr std::size_t inline_limbs = 2048;

  void use_chunk(std::size_t chunk) {
    chunk_ = chunk;
    base_ = chunk == 0 ? first_.data() : more_[chunk - 1].data.get();
    capacity_ = chunk == 0 ? inline_limbs : more_[chunk - 1].size;
  }
  void next_chunk(std::size_t limbs) {
    while (chunk_ < more_.size()) {
      use_chunk(chunk_ + 1);
      used_ = 0;
      if (limbs <= capacity_) return;
    }
    const std::size_t size = std::max(limbs, 2 * capacity_);
    more_.push_back({std::unique_ptr<Limb[]>(new Limb[size]), size});
    use_chunk(more_.size());
    used_ = 0;
  }

  struct Chunk {
    std::unique_ptr<Limb[]> data;
    std::size_t size;
  };
  std::array<Limb, inline_limbs> first_;
  std::vector<Chunk> more_;
  Limb* base_ = first_.data();
  std::size_t capacity_ = inline_limbs, used_ = 0, chunk_ = 0;
};

// Scope guard: frees on destruction everything allocated in the arena since construction.
class ArenaFrame {
 public:
  explicit ArenaFrame(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaFrame() { arena_.release(mark_); }
  ArenaFrame(const ArenaFrame&) = delete;
  ArenaFrame& operator=(const ArenaFrame&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

// An immutable integer of any size, stored as sign and magnitude, whose limbs live in an arena.
// Allocation is a pointer bump, copies share their limbs, and the cost of an operation depends on
// the actual number of limbs.
class ArenaInteger {
  using Limb = Arena::Limb;
  using Wide = unsigned __int128;

 public:
  ArenaInteger() = default;  // a zero that must not take part in arithmetic
  explicit ArenaInteger(Arena& arena) : arena_(&arena) {}

  // The integer that the scaled double represents.
  ArenaInteger(Arena& arena, const numeric::CommonScale::Scaled& x)
      : ArenaInteger(arena, x.magnitude(), x.shift, x.is_negative()) {}
  // magnitude * 2^shift, negated if `negative`.
  ArenaInteger(Arena& arena, std::uint64_t magnitude, int shift, bool negative) : arena_(&arena) {
    assert(shift >= 0);
    if (magnitude == 0) return;
    const int words = shift / 64, bits = shift % 64;
    Limb* limb = arena.allocate(static_cast<std::size_t>(words) + 2);
    std::fill(limb, limb + words, Limb{0});
    limb[words] = magnitude << bits;
    limb[words + 1] = bits == 0 ? 0 : magnitude >> (64 - bits);
    *this = finished(arena, limb, words + 2, negative);
  }

  int sign() const { return size_ == 0 ? 0 : negative_ ? -1 : 1; }
  bool is_zero() const { return size_ == 0; }
  Arena& arena() const { return *arena_; }
  int bit_length() const {
    return size_ == 0 ? 0 : 64 * size_ - std::countl_zero(limb_[size_ - 1]);
  }

  ArenaInteger operator-() const {
    ArenaInteger result = *this;
    result.negative_ = !negative_;
    return result;
  }
  friend ArenaInteger operator+(const ArenaInteger& a, const ArenaInteger& b) {
    return combine(a, b, b.negative_);
  }
  friend ArenaInteger operator-(const ArenaInteger& a, const ArenaInteger& b) {
    return combine(a, b, !b.negative_);
  }
  friend ArenaInteger operator*(const ArenaInteger& a, const ArenaInteger& b) {
    if (a.size_ < b.size_) return b * a;
    if (b.size_ == 0) return ArenaInteger(*a.arena_);
    Limb* out = a.arena_->allocate(static_cast<std::size_t>(a.size_ + b.size_));
    out[a.size_] = multiply_row(out, a, b.limb_[0]);
    for (int j = 1; j < b.size_; ++j) out[j + a.size_] = multiply_add_row(out + j, a, b.limb_[j]);
    return finished(*a.arena_, out, a.size_ + b.size_, a.negative_ != b.negative_);
  }
  friend ArenaInteger operator<<(const ArenaInteger& a, int shift) {
    if (a.size_ == 0 || shift == 0) return a;
    const int words = shift / 64, bits = shift % 64;
    Limb* out = a.arena_->allocate(static_cast<std::size_t>(a.size_ + words) + 1);
    std::fill(out, out + words, Limb{0});
    if (bits == 0) {
      std::copy(a.limb_, a.limb_ + a.size_, out + words);
      out[words + a.size_] = 0;
    } else {
      Limb carry = 0;
      for (int i = 0; i < a.size_; ++i) {
        out[words + i] = (a.limb_[i] << bits) | carry;
        carry = a.limb_[i] >> (64 - bits);
      }
      out[words + a.size_] = carry;
    }
    return finished(*a.arena_, out, a.size_ + words + 1, a.negative_);
  }
  ArenaInteger times(unsigned small) const {
    if (size_ == 0) return *this;
    Limb* out = arena_->allocate(static_cast<std::size_t>(size_) + 1);
    out[size_] = multiply_row(out, *this, small);
    return finished(*arena_, out, size_ + 1, negative_);
  }

  // Returns the quotient by `divisor`, which must divide this number. The limbs are computed from
  // the lowest up: an odd number has an inverse modulo 2^64, and limbs above those of the quotient
  // do not affect the quotient.
  ArenaInteger divided_by(const ArenaInteger& divisor) const {
    assert(divisor.size_ > 0);
    if (size_ == 0) return *this;
    const int zeros = divisor.trailing_zeros();
    const ArenaInteger odd = divisor.shifted_down(zeros), rest = shifted_down(zeros);
    const int size = rest.size_ - odd.size_ + 1;
    Limb* out = arena_->allocate(static_cast<std::size_t>(size));
    std::copy(rest.limb_, rest.limb_ + size, out);
    Limb inverse = odd.limb_[0];  // correct in the lowest 3 bits; each step doubles their number
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd.limb_[0] * inverse;
    for (int i = 0; i < size; ++i) {
      const Limb digit = out[i] * inverse;
      Limb borrow = 0;
      for (int j = 0; j < odd.size_ && i + j < size; ++j) {
        const Wide product = static_cast<Wide>(digit) * odd.limb_[j] + borrow;
        borrow = static_cast<Limb>(product >> 64) + (out[i + j] < static_cast<Limb>(product));
        out[i + j] -= static_cast<Limb>(product);
      }
      for (int j = i + odd.size_; j < size && borrow > 0; ++j) {
        const Limb before = out[j];
        out[j] -= borrow;
        borrow = before < borrow;
      }
      out[i] = digit;
    }
    return finished(*arena_, out, size, negative_ != divisor.negative_);
  }

  // Returns the remainder in [0, p) by the prime p = 2^61 - 1. Note that 2^64 = 8 modulo p.
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  std::uint64_t modulo_prime() const {
    std::uint64_t rest = 0;
    for (int i = size_ - 1; i >= 0; --i) {
      const Wide sum = static_cast<Wide>(rest) * 8 + limb_[i];
      rest = static_cast<std::uint64_t>(sum & prime) + static_cast<std::uint64_t>(sum >> 61);
      if (rest >= prime) rest -= prime;
    }
    return negative_ && rest > 0 ? prime - rest : rest;
  }

  // Returns the largest double not above value * 2^-scale, for a value >= 0 and a result <= 1.
  // Sets `is_exact` to whether the two are equal.
  double floor_to_double(int scale, bool& is_exact) const {
    is_exact = size_ == 0;
    if (size_ == 0) return 0;
    const int bits = bit_length(), top = bits - 1 - scale;  // 2^top <= value < 2^(top+1)
    const int precision = std::min(53, top + 1075);
    if (precision <= 0) return 0;
    const int drop = bits - precision;  // lowest bits that do not fit
    is_exact = drop <= 0 || trailing_zeros() >= drop;
    std::uint64_t mantissa = 0;
    for (int i = std::min(precision, bits) - 1; i >= 0; --i)
      mantissa = 2 * mantissa + bit(std::max(drop, 0) + i);
    const int exponent = std::max(drop, 0) - scale;
    // Multiplies by two exact factors, since 2^exponent may be below the smallest double.
    return static_cast<double>(mantissa) * power_of_two(exponent / 2) *
           power_of_two(exponent - exponent / 2);
  }

  // Returns the value times 2^-scale, which must be at most 1 in magnitude, with a relative error
  // below 2^-51 (two limbs and their sum are rounded), or 0 if its magnitude is below 2^-890.
  double approximate(int scale) const {
    if (size_ == 0) return 0;
    const int low = std::max(0, size_ - 2);
    double value = static_cast<double>(limb_[size_ - 1]);
    if (low < size_ - 1) value = value * 0x1p64 + static_cast<double>(limb_[low]);
    const int exponent = 64 * low - scale;
    return exponent < -1020 ? 0 : (negative_ ? -value : value) * power_of_two(exponent);
  }

 private:
  static double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
  std::uint64_t bit(int i) const { return limb_[i / 64] >> (i % 64) & 1; }
  int trailing_zeros() const {
    int i = 0;
    while (limb_[i] == 0) ++i;
    return 64 * i + std::countr_zero(limb_[i]);
  }
  ArenaInteger shifted_down(int shift) const {
    const int words = shift / 64, bits = shift % 64, size = std::max(size_ - words, 0);
    Limb* out = arena_->allocate(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const Limb above = i + words + 1 < size_ ? limb_[i + words + 1] : 0;
      out[i] = bits == 0 ? limb_[i + words] : limb_[i + words] >> bits | above << (64 - bits);
    }
    return finished(*arena_, out, size, negative_);
  }
  static ArenaInteger finished(Arena& arena, const Limb* limb, int size, bool negative) {
    while (size > 0 && limb[size - 1] == 0) --size;
    ArenaInteger result(arena);
    result.limb_ = limb;
    result.size_ = size;
    result.negative_ = negative;
    return result;
  }
  static Limb multiply_row(Limb* out, const ArenaInteger& a, Limb factor) {
    Limb carry = 0;
    for (int i = 0; i < a.size_; ++i) {
      const Wide product = static_cast<Wide>(a.limb_[i]) * factor + carry;
      out[i] = static_cast<Limb>(product);
      carry = static_cast<Limb>(product >> 64);
    }
    return carry;
  }
  static Limb multiply_add_row(Limb* out, const ArenaInteger& a, Limb factor) {
    Limb carry = 0;
    for (int i = 0; i < a.size_; ++i) {
      const Wide product = static_cast<Wide>(a.limb_[i]) * factor + out[i] + carry;
      out[i] = static_cast<Limb>(product);
      carry = static_cast<Limb>(product >> 64);
    }
    return carry;
  }
  static int compare_magnitude(const ArenaInteger& a, const ArenaInteger& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
    for (int i = a.size_ - 1; i >= 0; --i)
      if (a.limb_[i] != b.limb_[i]) return a.limb_[i] < b.limb_[i] ? -1 : 1;
    return 0;
  }
  static ArenaInteger combine(const ArenaInteger& a, const ArenaInteger& b, bool b_negative) {
    if (b.size_ == 0) return a;
    if (a.size_ == 0) {
      ArenaInteger result = b;
      result.negative_ = b_negative;
      return result;
    }
    if (a.negative_ == b_negative)
      return a.size_ >= b.size_ ? add_magnitudes(a, b, b_negative)
                                : add_magnitudes(b, a, b_negative);
    const int order = compare_magnitude(a, b);
    if (order == 0) return ArenaInteger(*a.arena_);
    return order > 0 ? subtract_magnitudes(a, b, a.negative_)
                     : subtract_magnitudes(b, a, b_negative);
  }
  static ArenaInteger add_magnitudes(const ArenaInteger& a, const ArenaInteger& b, bool negative) {
    Limb* out = a.arena_->allocate(static_cast<std::size_t>(a.size_) + 1);
    Limb carry = 0;
    for (int i = 0; i < a.size_; ++i) {
      const Wide sum = static_cast<Wide>(a.limb_[i]) + (i < b.size_ ? b.limb_[i] : 0) + carry;
      out[i] = static_cast<Limb>(sum);
      carry = static_cast<Limb>(sum >> 64);
    }
    out[a.size_] = carry;
    return finished(*a.arena_, out, a.size_ + 1, negative);
  }
  static ArenaInteger subtract_magnitudes(const ArenaInteger& a, const ArenaInteger& b,
                                          bool negative) {
    Limb* out = a.arena_->allocate(static_cast<std::size_t>(a.size_));
    Limb borrow = 0;
    for (int i = 0; i < a.size_; ++i) {
      const Wide difference =
          static_cast<Wide>(a.limb_[i]) - (i < b.size_ ? b.limb_[i] : 0) - borrow;
      out[i] = static_cast<Limb>(difference);
      borrow = static_cast<Limb>(difference >> 64) & 1;
    }
    return finished(*a.arena_, out, a.size_, negative);
  }

  Arena* arena_ = nullptr;
  const Limb* limb_ = nullptr;
  int size_ = 0;
  bool negative_ = false;
};

}  // namespace graze::exact
