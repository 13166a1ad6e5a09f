#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graze/gpu.h"

#ifdef GRAZE_GPU_KERNELS
#include <cuda_runtime_api.h>
#endif

namespace graze::test {

// Positions in memory of the device. Null in a build without CUDA.
class DeviceRows {
 public:
  explicit DeviceRows(std::span<const Vec3> rows) : count_(rows.size()) {
#ifdef GRAZE_GPU_KERNELS
    cudaMalloc(&data_, rows.size_bytes() + 8);
    cudaMemcpy(data_, rows.data(), rows.size_bytes(), cudaMemcpyHostToDevice);
#endif
  }
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;
#ifdef GRAZE_GPU_KERNELS
  ~DeviceRows() {
    cudaFree(data_);
  }
#endif
  gpu::DevicePositions positions() const {
    return {static_cast<const double*>(data_), count_};
  }

 private:
  void* data_ = nullptr;
  std::size_t count_ = 0;
};

// A copy of an array, in memory of the device or, for the engine of the host, of the host.
template <class T>
class DeviceArray {
 public:
  DeviceArray(std::span<const T> values, [[maybe_unused]] bool on_device)
      : host_(values.begin(), values.end()), data_(host_.data()) {
#ifdef GRAZE_GPU_KERNELS
    if (!on_device) return;
    void* memory = nullptr;
    cudaMalloc(&memory, values.size_bytes() + 8);
    cudaMemcpy(memory, values.data(), values.size_bytes(), cudaMemcpyHostToDevice);
    data_ = static_cast<T*>(memory);
#endif
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
#ifdef GRAZE_GPU_KERNELS
  ~DeviceArray() {
    if (data_ != host_.data()) cudaFree(data_);
  }
#endif
  T* data() const {
    return data_;
  }
  // Returns the values.
  const std::vector<T>& fetch() {
#ifdef GRAZE_GPU_KERNELS
    if (data_ != host_.data())
      cudaMemcpy(host_.data(), data_, host_.size() * sizeof(T), cudaMemcpyDeviceToHost);
#endif
    return host_;
  }

 private:
  std::vector<T> host_;
  T* data_;
};

inline void copy_from_device([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                             [[maybe_unused]] std::size_t bytes) {
#ifdef GRAZE_GPU_KERNELS
  cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost);
#endif
}

// Returns the bytes of the device that are free; 0 in a build without CUDA.
inline std::size_t free_device_memory() {
  std::size_t free = 0;
#ifdef GRAZE_GPU_KERNELS
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  cudaGetLastError();
#endif
  return free;
}

// Locks memory of the host so that the device copies it directly, while the object lives.
class PinnedRows {
 public:
  explicit PinnedRows([[maybe_unused]] std::span<const Vec3> rows) {
#ifdef GRAZE_GPU_KERNELS
    data_ = const_cast<Vec3*>(rows.data());
    cudaHostRegister(data_, rows.size_bytes(), cudaHostRegisterDefault);
#endif
  }
  PinnedRows(const PinnedRows&) = delete;
  PinnedRows& operator=(const PinnedRows&) = delete;
#ifdef GRAZE_GPU_KERNELS
  ~PinnedRows() {
    cudaHostUnregister(data_);
  }
#endif

 private:
  [[maybe_unused]] void* data_ = nullptr;
};

}  // namespace graze::test
