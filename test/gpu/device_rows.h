#pragma once

#include <cstddef>
#include <span>

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
