#pragma once

#include <cfenv>

#include "graze/core/numeric/strict_arithmetic.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

namespace graze {

// Sets the modes that every error bound assumes: round to nearest, gradual underflow, no traps. The
// destructor restores the modes of the caller. One object serves a batch, not each query.
class FloatEnvironment {
 public:
#if defined(__x86_64__) || defined(_M_X64)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if (saved_ != standard) _mm_setcsr(standard);
  }
  ~FloatEnvironment() {
    _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned standard = 0x1f80;  // all exceptions masked, nearest, no FTZ, no DAZ
  unsigned saved_;
#elif defined(__wasm__)
  // WebAssembly has this environment and no other.
  FloatEnvironment() {}
  ~FloatEnvironment() {}
#else
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() {
    std::fesetenv(&saved_);
  }

 private:
  std::fenv_t saved_;
#endif

 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;
};

}  // namespace graze
