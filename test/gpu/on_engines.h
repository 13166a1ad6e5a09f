#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "graze/gpu.h"
#include "test/gpu/host_engine.h"

namespace graze::test {

// Runs each test with the engine of the host, which needs no device, and with a device if there is
// one.
class OnEngines : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!on_device()) {
      use_.emplace();
      return;
    }
    const gpu::Devices devices = gpu::devices();
    if (devices.list.empty()) GTEST_SKIP() << devices.outcome.message;
  }
  void TearDown() override { gpu::allocations_before_failure = -1; }
  bool on_device() const { return GetParam(); }

 private:
  std::optional<HostEngine::Use> use_;
};

}  // namespace graze::test

#define GRAZE_ON_ENGINES(Suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, testing::Values(false, true), \
                           [](const auto& device) { return device.param ? "Device" : "Host"; })
