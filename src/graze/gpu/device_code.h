#pragma once

// Marks functions that run on the host and on the device. Everything that decides an answer is such
// a function, in a header that any C++ compiler accepts, so that the tests run it without a device.
#ifdef __CUDACC__
#define GRAZE_HD __host__ __device__
#else
#define GRAZE_HD
#endif
