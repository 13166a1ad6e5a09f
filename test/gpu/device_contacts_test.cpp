#include <gtest/gtest.h>

#include <algorithm>

#include "graze/gpu.h"
#include "graze/io/mesh_files.h"
#include "test/gpu/device_rows.h"
#include "test/gpu/on_engines.h"
#include "test/gpu/same_bits.h"
#include "test/support/data.h"
#include "test/support/meshes.h"

namespace graze::device_contacts_test {
namespace {

// Contacts that stay on the device.
class DeviceContacts : public test::OnEngines {
 protected:
  // Compares several searches for one step with the CPU. The first one learns the motion; the
  // second one finds how many contacts and open queries there are; the later ones expect as many.
  void compare(const OwnedMotion& motion, const StepOptions& options) {
    const test::DeviceRows start_rows(motion.start), end_rows(motion.end);
    const auto rows = [&](const test::DeviceRows& device, const std::vector<Vec3>& host) {
      return on_device() ? device.positions() : gpu::DevicePositions{host[0].data(), host.size()};
    };
    const AllImpacts expected = all_impacts(motion.moving(), options);
    gpu::StepSearch search(motion.mesh);
    for (int i = 0; i < 4; ++i) {
      const gpu::DeviceAnswer left = search.all_impacts_on_device(
          rows(start_rows, motion.start), rows(end_rows, motion.end), options);
      ASSERT_TRUE(left.outcome) << left.outcome.message;
      EXPECT_EQ(left.verdict, expected.verdict);
      EXPECT_TRUE(test::same_bits(left.toi, expected.toi));
      ASSERT_EQ(left.count, expected.impacts.size());
      std::vector<StepImpact> copy(left.count);
      if (on_device())
        test::copy_from_device(copy.data(), left.impacts, left.count * sizeof(StepImpact));
      else
        std::copy_n(static_cast<const StepImpact*>(left.impacts), left.count, copy.data());
      for (std::size_t k = 0; k < copy.size(); ++k)
        ASSERT_TRUE(test::same_bits(copy[k], expected.impacts[k])) << k;
      // The records of the host come the same way, but are not stored on the device.
      const gpu::ViewAnswer view = search.view_all_impacts(rows(start_rows, motion.start),
                                                           rows(end_rows, motion.end), options);
      ASSERT_EQ(view.impacts.size(), expected.impacts.size());
      for (std::size_t k = 0; k < view.impacts.size(); ++k)
        ASSERT_TRUE(test::same_bits(view.impacts[k], expected.impacts[k])) << k;
    }
    contacts_ += expected.impacts.size();
  }

  std::size_t contacts_ = 0;  // of all steps
};
GRAZE_ON_ENGINES(DeviceContacts);

// Steps with few contacts, some of which the host finds.
TEST_P(DeviceContacts, OfTheHostAreAmongThoseOfTheDevice) {
  test::HostEngine::work() = {};
  for (const test::MeshFamily& family : test::mesh_families)
    for (const std::uint32_t triangles : {2u, 24u})
      for (const bool start_check : {false, true}) {
        SCOPED_TRACE(family.name);
        StepOptions options;
        options.start_check = start_check;
        compare(test::random_mesh(family, triangles, 1), options);
        if (HasFatalFailure()) return;
      }
  EXPECT_GT(contacts_, 200u);
  if (!on_device()) {
    EXPECT_GT(test::HostEngine::work().answered_open, 10u);
    EXPECT_GT(test::HostEngine::work().opened_at_once, 10u);
  }
}

TEST_P(DeviceContacts, OfAClothInAFunnelAreThoseOfTheCpu) {
  GRAZE_SKIP_WITHOUT_DATA();
  const auto frames = test::data_folder() / "scenes" / "cloth-funnel" / "frames";
  io::MeshFrame start = io::read_mesh(frames / "227.ply"), end = io::read_mesh(frames / "228.ply");
  compare({std::move(start.mesh), std::move(start.positions), std::move(end.positions)},
          {.start_check = false});
  EXPECT_EQ(contacts_, 134u);
}

}  // namespace
}  // namespace graze::device_contacts_test
