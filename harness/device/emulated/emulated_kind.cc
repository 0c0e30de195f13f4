// The emulated device in the list of devices (device/registry.h).
#include <utility>

#include "base/subprocess.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/emulated_device.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "device/registry.h"

namespace kgrade {
namespace {

Result<std::unique_ptr<Device>> open_emulated(const DeviceChoice& choice,
                                              const std::string& worker_directory) {
  return std::unique_ptr<Device>(
      std::make_unique<emulated::EmulatedDevice>(worker_directory, choice.order, choice.order_seed));
}

Result<std::unique_ptr<Toolchain>> make_emulated_toolchain(const DeviceChoice&, const Layout& layout,
                                                           std::shared_ptr<const Sandbox> sandbox) {
  auto compiler = find_host_compiler();
  if (!compiler) return compiler.errors();
  return std::unique_ptr<Toolchain>(
      std::make_unique<EmulatedToolchain>(*compiler, layout.share / "emulated", std::move(sandbox),
                                          layout.workers / "kgrade-rewrite", layout.workers / "precompiled"));
}

std::string first_line(const std::vector<std::string>& command) {
  const auto outcome =
      run_process({command, {"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}, "", {}, 4096});
  if (!outcome || !outcome->success()) return "";
  return outcome->output.substr(0, outcome->output.find('\n'));
}

Need host_compiler() {
  for (const char* name : {"g++", "clang++"}) {
    if (const auto found = find_program(name))
      return {true, "C++ compiler", first_line({found->string(), "--version"}), ""};
  }
  return {false, "C++ compiler", "none: the emulated device cannot build contestants", gxx_remedy};
}

std::vector<Need> needs_of_emulated(const Layout& layout) {
  return {host_compiler(), need_of_program(layout, "kgrade-rewrite"),
          need_of_program(layout, "kgrade-worker-emulated")};
}

}  // namespace

DeviceKind emulated_kind() {
  return {DeviceChoice::Kind::emulated, "the emulated device", &open_emulated, &make_emulated_toolchain,
          &needs_of_emulated};
}

}  // namespace kgrade
