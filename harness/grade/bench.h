// What runs need of a machine: the sandbox, a toolchain, a device and its telemetry, a Python.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
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

// The seams of a bench.
struct Machinery {
  // False: times mean nothing on the device that `open_device` will give. Known before it is opened.
  bool measures_speed = false;
  std::function<Result<std::unique_ptr<Device>>()> open_device;
  std::function<Result<std::unique_ptr<Toolchain>>()> make_toolchain;
  std::shared_ptr<const Clock> clock;
  double began = 0;  // by the clock: when the first run was asked for
  // What compilers and workers run in; null where nothing is to be confined.
  std::shared_ptr<const Sandbox> sandbox = nullptr;
  // Opens the telemetry of an open device. Unset: there is none.
  std::function<std::unique_ptr<Telemetry>(const DeviceInfo&)> open_telemetry = {};
  // Where the ceilings of devices are kept; empty: nowhere.
  std::filesystem::path ceilings = {};
};

// True when what runs in the sandbox has file system, network and processes of its own.
bool is_confined(const Machinery& machinery);
// The failure of a run that requires a sandbox where there is none.
GradeFailure lack_of_sandbox();

// Built contestants of this user: $KGRADE_CACHE_DIR, or the user's cache folder (base/user_cache.h), limited
// to $KGRADE_CACHE_LIMIT ("500M", "4G"; 2 GiB when that is unset). Nothing when $KGRADE_CACHE_DIR
// is set and empty.
std::optional<ContestantCache> contestant_cache();
// What is wrong with $KGRADE_CACHE_LIMIT, if it is not a size.
std::optional<Error> wrong_cache_limit();

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout);

// Each part is opened when it is first asked for, and stays open for all runs: those of one command, or the
// jobs of a sweep's lane. One run at a time uses it.
class Bench {
 public:
  explicit Bench(Machinery machinery);

  const Machinery& machinery() const { return machinery_; }
  const Clock& clock() const { return *machinery_.clock; }
  // By the clock: when the present run was asked for.
  double began() const { return began_; }
  // Before each run but the first. Waits for the memory of the run before.
  void begin_run();

  // A failure is the machine's. `require_sandbox`: no namespaces are one.
  Failure open_toolchain(bool require_sandbox);
  // Likewise. Its workers are confined.
  Failure open_device(StageClock& stages);
  // For candidates and Models in Python. `chosen` as --python has it, `scripts` as Layout::python. Errors:
  // there is none that will do.
  Errors find_python(const std::filesystem::path& chosen, const std::filesystem::path& scripts);

  // After open_toolchain() and open_device():
  const Toolchain& toolchain() const { return *toolchain_; }
  Device& device() { return *device_; }
  Telemetry& telemetry();
  // Null before find_python(), or where that found none.
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

std::shared_ptr<Bench> real_bench(const DeviceChoice& choice, const Layout& layout);

}  // namespace kgrade
