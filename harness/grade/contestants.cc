#include "grade/contestants.h"

#include "build/emulated/emulated_toolchain.h"
#include "build/nvcc_toolchain.h"

namespace kgrade {
namespace {

BuildRequest request_for(Role role, const std::filesystem::path& source, const std::filesystem::path& output,
                         const Layout& layout) {
  BuildRequest request;
  request.source = std::filesystem::absolute(source);
  request.shown_as = source.string();
  request.output_directory = output;
  if (role == Role::candidate) {
    request.include_directories.push_back(request.source.parent_path());
    return request;
  }
  request.include_directories.push_back(layout.reference);
  request.defines = {{"KGRADE_ACCUMULATOR", role == Role::oracle ? "double" : "float"},
                     {"KGRADE_ELEMENT", "float"}};
  return request;
}

}  // namespace

Result<std::unique_ptr<Toolchain>> make_toolchain(const DeviceChoice& device, const std::string& architecture,
                                                  const Layout& layout) {
  if (device.kind == DeviceChoice::Kind::emulated) {
    auto compiler = find_host_compiler();
    if (!compiler) return compiler.errors();
    return std::unique_ptr<Toolchain>(
        std::make_unique<EmulatedToolchain>(*compiler, layout.emulated_include));
  }
  const auto nvcc = find_nvcc();
  if (!nvcc) {
    return Error{"nvcc is not installed", "install the CUDA Toolkit and put its bin folder into PATH", {}};
  }
  return std::unique_ptr<Toolchain>(std::make_unique<NvccToolchain>(*nvcc, architecture));
}

Build::Build(const Toolchain& toolchain, const Problem& problem, Role role,
             const std::filesystem::path& source, const Layout& layout, StageClock& stages) {
  running_ = std::async(std::launch::async, [&toolchain, &problem, &stages,
                                             request = request_for(role, source, directory_.path(), layout)] {
    const auto timer = stages.time("compile");
    return toolchain.build(problem, request);
  });
}

const Result<BuildOutcome>& Build::finish() {
  if (!outcome_) outcome_ = running_.get();
  return *outcome_;
}

}  // namespace kgrade
