#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "graze/gpu/engine.h"

// Memory, streams and errors of the device for code of the host.
namespace graze::gpu::device {

inline Fault fault_of(cudaError_t error, const char* what) {
  cudaGetLastError();  // clears it
  const std::string text = cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation)
    return {FaultKind::out_of_memory,
            std::string("the GPU has too little free memory for ") + what};
  if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
      error == cudaErrorInvalidDevice)
    return {FaultKind::no_device, "no usable GPU: " + text};
  return {FaultKind::failed, std::string("the GPU failed at ") + what + ": " + text};
}

#define GRAZE_TRY(call, what)                                                         \
  do {                                                                                \
    const cudaError_t error_of_call = (call);                                         \
    if (error_of_call != cudaSuccess) return device::fault_of(error_of_call, (what)); \
  } while (false)
// The same for a call that allocates.
#define GRAZE_ALLOCATE(call, what)                                                      \
  do {                                                                                  \
    if (allocation_fails()) return device::fault_of(cudaErrorMemoryAllocation, (what)); \
    GRAZE_TRY(call, what);                                                              \
  } while (false)
#define GRAZE_PASS(call)                                    \
  do {                                                      \
    if (Fault fault_of_call = (call)) return fault_of_call; \
  } while (false)

// Memory of the device that is freed with the object. `used` counts the bytes of all arrays of one
// engine, at most `limit` if that is not 0.
struct MemoryUse {
  std::size_t used = 0, limit = 0;
};
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Makes room for `count` elements; the old ones are lost.
  Fault resize(std::size_t count, MemoryUse& use, const char* what) {
    if (count == size_ && data_) return {};
    cudaFree(data_);
    use.used -= size_ * sizeof(T);
    data_ = nullptr;
    size_ = 0;
    const std::size_t most = std::max<std::size_t>(count, 1);
    if (use.limit > 0 && use.used + most * sizeof(T) > use.limit)
      return {FaultKind::out_of_memory,
              std::string("the memory limit of the search is too small for ") + what};
    void* memory = nullptr;
    GRAZE_ALLOCATE(cudaMalloc(&memory, most * sizeof(T)), what);
    data_ = static_cast<T*>(memory);
    size_ = most;
    use.used += size_ * sizeof(T);
    return {};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Memory of the host that the device reads and writes.
template <class T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(const SharedArray&) = delete;
  SharedArray& operator=(const SharedArray&) = delete;
  ~SharedArray() { cudaFreeHost(data_); }
  // Makes room for `count` elements with all bits 0.
  Fault make(std::size_t count, const char* what) {
    cudaFreeHost(data_);
    data_ = nullptr;
    size_ = 0;
    void* memory = nullptr;
    GRAZE_ALLOCATE(
        cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped | cudaHostAllocPortable),
        what);
    std::memset(memory, 0, count * sizeof(T));
    data_ = static_cast<T*>(memory);
    size_ = count;
    return {};
  }
  std::size_t size() const { return size_; }
  T* operator->() const { return data_; }
  T* host() const { return data_; }
  T* device() const {
    void* address = nullptr;
    cudaHostGetDevicePointer(&address, data_, 0);
    return static_cast<T*>(address);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (ready_) cudaEventDestroy(ready_);
    if (stream_) cudaStreamDestroy(stream_);
  }
  // `first`: its kernels start before those of other streams that are ready. A call after one that
  // failed makes what is missing.
  Fault make(bool first = false) {
    int least = 0, greatest = 0;
    GRAZE_TRY(cudaDeviceGetStreamPriorityRange(&least, &greatest), "a stream");
    if (!stream_)
      GRAZE_ALLOCATE(
          cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, first ? greatest : least),
          "a stream");
    if (!ready_)
      GRAZE_ALLOCATE(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "an event");
    return {};
  }
  // Lets this stream wait for the work of another one so far.
  Fault wait_for(cudaStream_t other) {
    GRAZE_TRY(cudaEventRecord(ready_, other), "an event");
    GRAZE_TRY(cudaStreamWaitEvent(stream_, ready_, 0), "an event");
    return {};
  }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;
};

}  // namespace graze::gpu::device
