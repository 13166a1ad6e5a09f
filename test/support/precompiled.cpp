// Compiles the precompiled header that all test programs share (cmake/precompiled_test.h).
