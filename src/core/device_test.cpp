#include "geotherm/device.hpp"

#include <gtest/gtest.h>

namespace geotherm {
namespace {

TEST(Device, KindsAreNamedAndReadBack) {
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::automatic}) {
    EXPECT_EQ(device_kind_named(to_string(kind)), kind);
  }
  EXPECT_FALSE(device_kind_named("gpu"));
}

TEST(Device, TheCpuLeavesTheContextAsItIs) {
  ThreadPool pool(2);
  const DeviceContext on = on_device(DeviceKind::cpu, Context{.executor = &pool});
  EXPECT_EQ(on.context.executor, &pool);
  EXPECT_EQ(on.executor, nullptr);
}

TEST(Device, WhatIsAskedForByNameIsRefusedWhereItIsNotThere) {
  if (cuda_device()) GTEST_SKIP() << "there is a device";
  const std::string why_none = why_no_cuda_device();
  EXPECT_FALSE(why_none.empty());
  try {
    on_device(DeviceKind::cuda, {});
    FAIL() << "nothing was refused";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(why_none), std::string::npos);
  }
  if (!is_built_with_cuda()) {
    EXPECT_NE(why_none.find("-DGEOTHERM_WITH_CUDA=ON"), std::string::npos);
  }
}

TEST(Device, AutomaticFallsBackToTheCpuAndSaysWhy) {
  if (cuda_device()) GTEST_SKIP() << "there is a device";
  std::string said;
  Context asked;
  asked.on_log = [&](LogLevel, std::string_view text) { said = text; };
  const DeviceContext on = on_device(DeviceKind::automatic, asked);
  EXPECT_EQ(on.context.executor, nullptr);
  EXPECT_EQ(said.rfind("device: cpu (", 0), 0u) << said;
}

TEST(Device, ExactMemoryGrowsWithTheSquareAndHoldsAHundredThousandPointsInAHundredGibibytes) {
  constexpr double gibibyte = 1024.0 * 1024 * 1024;
  EXPECT_LT(exact_device_memory(100000), 100 * gibibyte);
  EXPECT_GT(exact_device_memory(100000), 2 * 4e10);  // two times, float32
}

}  // namespace
}  // namespace geotherm
