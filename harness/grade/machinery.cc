#include "grade/machinery.h"

#include "build/emulated/emulated_toolchain.h"
#include "build/nvcc_toolchain.h"

namespace kgrade {
namespace {

Result<std::unique_ptr<Toolchain>> emulated_toolchain(const Layout& layout) {
  auto compiler = find_host_compiler();
  if (!compiler) return compiler.errors();
  return std::unique_ptr<Toolchain>(std::make_unique<EmulatedToolchain>(*compiler, layout.emulated_include));
}

Result<std::unique_ptr<Toolchain>> cuda_toolchain(int ordinal) {
  const auto nvcc = find_nvcc();
  if (!nvcc) {
    return Error{"nvcc is not installed", "install the CUDA Toolkit and put its bin folder into PATH", {}};
  }
  const CudaProbe found = probe_cuda();
  const auto index = static_cast<std::size_t>(ordinal);
  // Whatever is wrong with the choice is said when the device is opened.
  const std::string architecture = index < found.devices.size() ? found.devices[index].architecture : "sm_80";
  return std::unique_ptr<Toolchain>(std::make_unique<NvccToolchain>(*nvcc, architecture));
}

}  // namespace

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout) {
  const DeviceChoice resolved = resolve_choice(choice);
  const bool emulated = resolved.kind == DeviceChoice::Kind::emulated;
  return {!emulated, [resolved, layout] { return open_device(resolved, layout.workers.string()); },
          [resolved, layout, emulated] {
            return emulated ? emulated_toolchain(layout) : cuda_toolchain(resolved.ordinal);
          },
          std::make_shared<SteadyClock>()};
}

}  // namespace kgrade
