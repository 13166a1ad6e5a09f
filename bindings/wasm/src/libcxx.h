// The parts of C++20 that the C++ library of Emscripten 3.1.6 (LLVM 13) lacks and that Graze uses,
// included before every source of the build for WebAssembly. The names are those of the standard,
// in its namespace, so that no other source depends on the gap. The build has one thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <version>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && __is_trivially_copyable(To) &&
                __is_trivially_copyable(From));
  return __builtin_bit_cast(To, from);
}
#endif

#ifndef __cpp_lib_smart_ptr_for_overwrite
template <class Array>
unique_ptr<Array> make_unique_for_overwrite(size_t size) {
  return unique_ptr<Array>(new remove_extent_t<Array>[size]);
}
#endif

#ifndef __cpp_lib_atomic_ref
template <class Value>
class atomic_ref {
 public:
  explicit atomic_ref(Value& value) : value_(&value) {}
  Value load(memory_order = memory_order_seq_cst) const { return *value_; }
  bool compare_exchange_weak(Value& expected, Value wanted,
                             memory_order = memory_order_seq_cst) const {
    if (__builtin_memcmp(value_, &expected, sizeof(Value)) != 0) {
      expected = *value_;
      return false;
    }
    *value_ = wanted;
    return true;
  }

 private:
  Value* value_;
};
#endif

#ifndef __cpp_lib_ranges
namespace ranges {

template <class First, class Second, class Predicate = std::equal_to<>>
bool equal(const First& first, const Second& second, Predicate predicate = {}) {
  return std::equal(std::begin(first), std::end(first), std::begin(second), std::end(second),
                    predicate);
}
template <class Range, class Predicate>
bool any_of(const Range& range, Predicate predicate) {
  return std::any_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool all_of(const Range& range, Predicate predicate) {
  return std::all_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool none_of(const Range& range, Predicate predicate) {
  return std::none_of(std::begin(range), std::end(range), predicate);
}

}  // namespace ranges
#endif

}  // namespace std
