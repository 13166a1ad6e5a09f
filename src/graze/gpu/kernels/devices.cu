#include <cuda_runtime.h>

#include "graze/gpu/engine.h"
#include "graze/gpu/kernels/memory.h"

namespace graze::gpu {

Fault list_devices(std::vector<DeviceName>& devices) {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    cudaGetLastError();
    return {FaultKind::no_device, std::string("no usable GPU: ") + cudaGetErrorString(error)};
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, i) == cudaSuccess &&
        properties.major * 10 + properties.minor >= 75)
      devices.push_back({i, properties.name, properties.totalGlobalMem});
  }
  if (devices.empty())
    return {FaultKind::no_device, "no GPU of compute capability 7.5 or newer was found"};
  return {};
}

Fault fetch_positions(int device, const double* from, std::size_t count, double* to, void* stream) {
  GRAZE_TRY(cudaSetDevice(device), "choosing the device");
  GRAZE_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "the work of the caller");
  GRAZE_TRY(cudaMemcpy(to, from, count * sizeof(double), cudaMemcpyDeviceToHost),
            "copying positions");
  return {};
}

}  // namespace graze::gpu
