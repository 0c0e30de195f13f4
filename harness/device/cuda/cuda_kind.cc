#include "compile/nvcc_toolchain.h"
#include "device/cuda/cuda_device.h"

namespace kgrade {
namespace {

Result<std::unique_ptr<Device>> open_cuda(const DeviceChoice& choice, const std::string& worker_directory) {
  return cuda::open(choice.ordinal, worker_directory);
}

Result<std::unique_ptr<Toolchain>> make_nvcc(const DeviceChoice& choice, const Layout&,
                                             std::shared_ptr<const Sandbox> sandbox) {
  const auto nvcc = find_nvcc();
  if (!nvcc) return machine_error("nvcc is not installed", nvcc_remedy);
  const DeviceInfo device = cuda::probe().devices.at(static_cast<std::size_t>(choice.ordinal));
  return std::unique_ptr<Toolchain>(
      std::make_unique<NvccToolchain>(*nvcc, device.architecture, std::move(sandbox)));
}

std::vector<Need> needs_of_cuda(const Layout& layout) {
  return {need_of_program(layout, "kgrade-worker-cuda")};
}

}  // namespace

DeviceKind cuda_kind() {
  return {DeviceChoice::Kind::cuda, "a GPU", &open_cuda, &make_nvcc, &needs_of_cuda, &cuda::probe};
}

}  // namespace kgrade
