// The bench is what runs need of a machine: the sandbox, a toolchain, a device and its telemetry, a Python.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "compile/caching_toolchain.h"
#include "compile/contestant_cache.h"
#include "compile/layout.h"
#include "compile/python_candidate.h"
#include "compile/toolchain.h"
#include "device/device.h"
#include "device/registry.h"
#include "grade/failure.h"
#include "measure/telemetry.h"
#include "record/stage_clock.h"
#include "sandbox/sandbox.h"

namespace kgrade {

// What a Bench is made of; tests replace the parts.
struct Machinery {
  // Whether times mean anything on the device that `open_device` will give. Known before the device is
  // opened.
  bool measures_speed = false;
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::function<Result<std::unique_ptr<Toolchain>>()> make_toolchain;
  std::shared_ptr<const Clock> clock;
  double began = 0;  // by the clock: when the first run was requested
  // Compilers and workers run in this sandbox; null if nothing is to be confined.
  std::shared_ptr<const Sandbox> sandbox = nullptr;
  // Opens the telemetry of an open device. Unset if there is none.
  std::function<std::unique_ptr<Telemetry>(const DeviceInfo&)> open_telemetry = {};
  // The folder that keeps the ceilings of devices; empty: none is kept.
  std::filesystem::path ceilings = {};
};

// Whether programs in the sandbox have their own file system, network and processes.
bool is_confined(const Machinery& machinery);

// The cache of contestants that this user has built: $KGRADE_CACHE_DIR, or the user's cache folder
// (base/text.h), limited to $KGRADE_CACHE_LIMIT ("500M", "4G"; 2 GiB if unset). Nothing if
// $KGRADE_CACHE_DIR is set and empty.
std::optional<ContestantCache> contestant_cache();
// What is wrong with $KGRADE_CACHE_LIMIT, if it is not a size.
std::optional<Error> wrong_cache_limit();

// `failed`: whether failed builds are kept in the cache for other processes.
Machinery real_machinery(const DeviceChoice& choice, const Layout& layout,
                         FailedBuilds failed = FailedBuilds::are_forgotten);

// The bench: the parts of a machine that runs need. Opens each part when it is first asked for, and keeps it
// open for all runs of one command, or for all jobs of a process that grades for others. One run at a time
// uses it.
class Bench {
 public:
  explicit Bench(Machinery machinery);

  const Machinery& machinery() const { return machinery_; }
  const Clock& clock() const { return *machinery_.clock; }
  // By the clock: when the present run was requested.
  double began() const { return began_; }
  // Call this before each run except the first. Waits until the memory of the previous run is free.
  void begin_run();

  // A failure is the machine's. With `require_sandbox`, missing namespaces are a failure.
  Failure open_toolchain(bool require_sandbox);
  // Opens the device, whose workers are confined. A failure is the machine's.
  Failure open_device(StageClock& stages);
  // For candidates and Models in Python. `chosen` is the value of --python, `scripts` is Layout::python.
  // Errors say why no Python will do.
  Errors find_python(const std::filesystem::path& chosen, const std::filesystem::path& scripts);

  // Call these after open_toolchain() and open_device().
  const Toolchain& toolchain() const { return *toolchain_; }
  Device& device() { return *device_; }
  Telemetry& telemetry();
  // Null before find_python(), or if that found none.
  const PythonTools* python() const { return python_ ? &*python_ : nullptr; }

 private:
  Machinery machinery_;
  double began_;
  std::unique_ptr<Toolchain> toolchain_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Telemetry> telemetry_;
  std::optional<PythonTools> python_;
  std::filesystem::path python_of_;
};

std::shared_ptr<Bench> real_bench(const DeviceChoice& choice, const Layout& layout,
                                  FailedBuilds failed = FailedBuilds::are_forgotten);

}  // namespace kgrade
