#pragma once

#include <cstdint>
#include <string>

#include "graze/mesh.h"

namespace graze::bench {

// A step on a GPU by a gpu::StepSearch that has answered it before, beside the CPU on all threads:
// seconds of wall time, positions and impacts in memory of the host, without the start check.
struct GpuStep {
  std::string name;
  std::uint64_t triangles = 0, contacts = 0;
  double earliest_seconds = 0, all_seconds = 0;
  double cpu_earliest_seconds = 0, cpu_all_seconds = 0;
  std::string problem;  // why the GPU did not answer, or how its answers differ; often empty
};
GpuStep measure_gpu_step(std::string name, const MovingMesh& moving, int gpu);

}  // namespace graze::bench
