// The seams of a run: tests put fakes in their place.
#pragma once

#include <functional>
#include <memory>

#include "base/clock.h"
#include "build/toolchain.h"
#include "device/device.h"
#include "device/registry.h"
#include "grade/layout.h"

namespace kgrade {

struct Machinery {
  // False: times mean nothing on the device that `open_device` will give. Known before it is opened.
  bool measures_speed = false;
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::function<Result<std::unique_ptr<Toolchain>>()> make_toolchain;
  std::shared_ptr<const Clock> clock;
};

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout);

}  // namespace kgrade
