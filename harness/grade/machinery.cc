#include "grade/machinery.h"

#include "build/emulated/emulated_toolchain.h"
#include "build/nvcc_toolchain.h"
#include "measure/ceilings_cache.h"
#include "measure/nvml.h"

namespace kgrade {
namespace {

Result<std::unique_ptr<Toolchain>> emulated_toolchain(const Layout& layout,
                                                      std::shared_ptr<const Sandbox> sandbox) {
  auto compiler = find_host_compiler();
  if (!compiler) return compiler.errors();
  return std::unique_ptr<Toolchain>(
      std::make_unique<EmulatedToolchain>(*compiler, layout.emulated_include, std::move(sandbox)));
}

Result<std::unique_ptr<Toolchain>> cuda_toolchain(int ordinal, std::shared_ptr<const Sandbox> sandbox) {
  const auto nvcc = find_nvcc();
  if (!nvcc) {
    return Error{"nvcc is not installed", "install the CUDA Toolkit and put its bin folder into PATH", {}};
  }
  const CudaProbe found = probe_cuda();
  const auto index = static_cast<std::size_t>(ordinal);
  // Whatever is wrong with the choice is said when the device is opened.
  const std::string architecture = index < found.devices.size() ? found.devices[index].architecture : "sm_80";
  return std::unique_ptr<Toolchain>(std::make_unique<NvccToolchain>(*nvcc, architecture, std::move(sandbox)));
}

}  // namespace

bool is_confined(const Machinery& machinery) {
  return machinery.sandbox != nullptr && machinery.sandbox->confines();
}

GradeFailure lack_of_sandbox() {
  return {
      exit_machine,
      {{"--require-sandbox: this machine allows no namespaces, and contestants would not be confined",
        "`kgrade doctor` says what each layer needs; without the option grading works on those that are left",
        {}}}};
}

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout) {
  const DeviceChoice resolved = resolve_choice(choice);
  const bool emulated = resolved.kind == DeviceChoice::Kind::emulated;
  auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(layout.launcher));
  return {!emulated,
          [resolved, layout] { return open_device(resolved, layout.workers.string()); },
          [resolved, layout, emulated, sandbox] {
            return emulated ? emulated_toolchain(layout, sandbox) : cuda_toolchain(resolved.ordinal, sandbox);
          },
          std::make_shared<SteadyClock>(),
          sandbox,
          [](const DeviceInfo& device) {
            return device.measures_speed ? open_nvml(device.uuid)
                                         : no_telemetry("the emulated device has none");
          },
          ceilings_folder()};
}

}  // namespace kgrade
