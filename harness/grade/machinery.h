// The seams of a run: tests put fakes in their place.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "compile/contestant_cache.h"
#include "compile/layout.h"
#include "compile/toolchain.h"
#include "device/device.h"
#include "device/registry.h"
#include "grade/run.h"
#include "measure/telemetry.h"
#include "sandbox/sandbox.h"

namespace kgrade {

struct Machinery {
  // False: times mean nothing on the device that `open_device` will give. Known before it is opened.
  bool measures_speed = false;
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::function<Result<std::unique_ptr<Toolchain>>()> make_toolchain;
  std::shared_ptr<const Clock> clock;
  // What compilers and workers run in; null where nothing is to be confined.
  std::shared_ptr<const Sandbox> sandbox = nullptr;
  // Of an open device; where unset there is none.
  std::function<std::unique_ptr<Telemetry>(const DeviceInfo&)> open_telemetry = {};
  // Where the ceilings of devices are kept; empty: nowhere.
  std::filesystem::path ceilings = {};
};

// True when what runs in the sandbox has file system, network and processes of its own.
bool is_confined(const Machinery& machinery);
// The failure of a run that may not do without.
GradeFailure lack_of_sandbox();

// Built contestants of this user: $KGRADE_CACHE_DIR, or the user's cache folder (base/user_cache.h), limited
// to $KGRADE_CACHE_LIMIT ("500M", "4G"; 2 GiB when that is unset). Nothing when $KGRADE_CACHE_DIR
// is set and empty.
std::optional<ContestantCache> contestant_cache();
// What is wrong with $KGRADE_CACHE_LIMIT: what is no size must not pass for another one.
std::optional<Error> wrong_cache_limit();

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout);

}  // namespace kgrade
