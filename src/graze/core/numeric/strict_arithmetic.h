#pragma once

// Refuses to compile certified code where the compiler may change what an expression on doubles
// means. float_environment.h does the same for the host's modes at run time.

#include <cfloat>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "graze: certified code must not be compiled with -ffast-math or a part of it"
#endif

// In a contracted a*b - c*d one product is rounded and the other is not, so that equal products
// have two values. No macro of the compiler shows contraction. CMakeLists.txt defines this macro
// together with the flag -ffp-contract=off, and nothing else defines it.
#ifndef GRAZE_NO_CONTRACTION
#error "graze: certified code needs -ffp-contract=off, and then GRAZE_NO_CONTRACTION defined"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static_assert(FLT_EVAL_METHOD == 0 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024,
              "graze: doubles must be IEEE doubles, also in between");
