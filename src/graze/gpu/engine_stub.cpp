#include "graze/gpu/engine.h"

// The engine of a build without CUDA.
namespace graze::gpu {
namespace {

Fault built_without_cuda() {
  return {FaultKind::no_device,
          "this build of graze has no GPU support; the CMake option GRAZE_GPU=ON adds it"};
}

}  // namespace

Fault list_devices(std::vector<DeviceName>&) {
  return built_without_cuda();
}

Fault make_engine(const EngineSettings&, const Topology&, std::unique_ptr<Engine>&) {
  return built_without_cuda();
}

Fault make_query_engine(int, std::unique_ptr<QueryEngine>&) {
  return built_without_cuda();
}

Fault fetch_positions(int, const double*, std::size_t, double*, void*) {
  return built_without_cuda();
}

Fault answer_queries(int, std::uint32_t, const double*, std::size_t, double, ImpactBody*,
                     std::vector<std::uint64_t>&) {
  return built_without_cuda();
}

}  // namespace graze::gpu
