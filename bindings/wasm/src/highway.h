// Makes Highway 1.0, which has no doubles on WebAssembly, use its vectors of SSE4: Emscripten
// implements the intrinsics of SSE4 by 128-bit SIMD. Included before the sources that use Highway.
#pragma once

#define HWY_COMPILE_ONLY_STATIC  // one instruction set, without a choice at run time
#define HWY_DISABLE_PCLMUL_AES

// The header that finds the architecture must find that of the intrinsics.
#pragma push_macro("__EMSCRIPTEN__")
#pragma push_macro("__wasm__")
#undef __EMSCRIPTEN__
#undef __wasm__
#define __x86_64__ 1
#include <hwy/detect_compiler_arch.h>
#undef __x86_64__
#pragma pop_macro("__wasm__")
#pragma pop_macro("__EMSCRIPTEN__")

// WebAssembly has no such attributes of functions: 128-bit SIMD is on everywhere.
#include <hwy/base.h>
#undef HWY_PUSH_ATTRIBUTES
#undef HWY_POP_ATTRIBUTES
#undef HWY_HAS_ATTRIBUTE
#define HWY_PUSH_ATTRIBUTES(targets)
#define HWY_POP_ATTRIBUTES
#define HWY_HAS_ATTRIBUTE(name) 0
