// The kinds of devices of this build. Lists the devices, and opens one by the name that a user gives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/layout.h"
#include "compile/toolchain.h"
#include "device/device.h"
#include "device/thread_order.h"
#include "sandbox/sandbox.h"

namespace kgrade {

struct DeviceChoice {
  enum class Kind { automatic, cuda, emulated };
  Kind kind = Kind::automatic;
  int ordinal = 0;  // of the CUDA device
  // The next members are for the emulated device.
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t order_seed = 0;
};

// "auto", "cuda", "cuda:1", "emulated".
Result<DeviceChoice> parse_device_choice(const std::string& text);

// The report of `kgrade doctor` about CUDA: the devices, or why there are none and how to fix that.
struct CudaProbe {
  bool built = false;  // kgrade was built with the CUDA device
  std::vector<DeviceInfo> devices;
  std::optional<Error> problem;
};
CudaProbe probe_cuda();

// The CUDA device of that number, without a context on it. An Error if there is none.
Result<DeviceInfo> find_cuda_device(int ordinal);

// `worker_directory` holds the worker programs. `automatic` opens the first CUDA device, or the emulated
// device if there is none. An Error (exit code 3) if the chosen device does not exist.
Result<std::unique_ptr<Device>> open_device(const DeviceChoice& choice, const std::string& worker_directory);

// What builds contestants for the chosen device. An Error if there is no such device, or no compiler for it.
Result<std::unique_ptr<Toolchain>> make_toolchain(const DeviceChoice& choice, const Layout& layout,
                                                  std::shared_ptr<const Sandbox> sandbox);

// The device that open_device() chooses for `automatic`. This function creates no context on it.
DeviceChoice resolve_choice(const DeviceChoice& choice);

// One thing that a machine has or lacks, as `kgrade doctor` says it.
struct Need {
  bool present = false;
  std::string what;
  std::string detail;
  std::string remedy;  // if it is missing
};

// A program that belongs beside kgrade.
Need need_of_program(const Layout& layout, const std::string& name);

// What a kind of device brings. Choices are resolved ones, and their devices exist.
struct DeviceKind {
  DeviceChoice::Kind kind;
  std::string name;  // "the emulated device"
  Result<std::unique_ptr<Device>> (*open)(const DeviceChoice& choice, const std::string& worker_directory);
  Result<std::unique_ptr<Toolchain>> (*make_toolchain)(const DeviceChoice& choice, const Layout& layout,
                                                       std::shared_ptr<const Sandbox> sandbox);
  // What it needs of a machine in addition to devices and their compiler for CUDA.
  std::vector<Need> (*needs)(const Layout& layout);
  CudaProbe (*probe)() = nullptr;  // of CUDA alone
};

// The kinds that this build has: CMakeLists.txt lists them.
std::vector<DeviceKind> device_kinds();

}  // namespace kgrade
