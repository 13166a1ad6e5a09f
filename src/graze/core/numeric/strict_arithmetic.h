#pragma once

// Refuses to compile certified code where the compiler may change what an expression on doubles
// means. float_environment.h does the same for the host's modes at run time.

#include <cfloat>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "graze: certified code must not be compiled with -ffast-math or a part of it"
#endif

// A contracted a*b - c*d has one product rounded and one not, so that a variable used twice has two
// values. No macro of the compiler tells; this one comes with the flag -ffp-contract=off in
// CMakeLists.txt and with nothing else.
#ifndef GRAZE_NO_CONTRACTION
#error "graze: certified code needs -ffp-contract=off, and then GRAZE_NO_CONTRACTION defined"
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static_assert(FLT_EVAL_METHOD == 0 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024,
              "graze: doubles must be IEEE doubles, also in between");
