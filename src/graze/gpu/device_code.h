#pragma once

// Marks functions that run on the host and on the device. Everything that decides an answer is such
// a function, in a header that any C++ compiler accepts, so that the tests run it without a device.
#ifdef __CUDACC__
#define GRAZE_HD __host__ __device__
#else
#define GRAZE_HD
#endif

// Before a loop: the device's compiler does not unroll it. A kernel that decides a few queries
// waits for its instructions longer than for its operands, so short code is fast there.
#ifdef __CUDACC__
#define GRAZE_ROLLED _Pragma("unroll 1")
#else
#define GRAZE_ROLLED
#endif
