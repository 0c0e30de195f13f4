#include "grade/run.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <system_error>

#include "base/machine_faults.h"
#include "base/text.h"
#include "base/user_cache.h"
#include "compile/caching_toolchain.h"
#include "compile/nvcc_toolchain.h"
#include "device/emulated/toolchain/emulated_toolchain.h"
#include "measure/nvml.h"
#include "measure/roofline.h"

namespace kgrade {
namespace {

Result<std::unique_ptr<Toolchain>> emulated_toolchain(const Layout& layout,
                                                      std::shared_ptr<const Sandbox> sandbox) {
  auto compiler = find_host_compiler();
  if (!compiler) return compiler.errors();
  return std::unique_ptr<Toolchain>(std::make_unique<EmulatedToolchain>(*compiler, layout.emulated_include,
                                                                        std::move(sandbox), layout.rewriter));
}

Result<std::unique_ptr<Toolchain>> cuda_toolchain(int ordinal, std::shared_ptr<const Sandbox> sandbox) {
  // Before anything is compiled for it.
  const auto device = find_cuda_device(ordinal);
  if (!device) return device.errors();
  const auto nvcc = find_nvcc();
  if (!nvcc) {
    return Error{"nvcc is not installed", "install the CUDA Toolkit and put its bin folder into PATH", {}};
  }
  return std::unique_ptr<Toolchain>(
      std::make_unique<NvccToolchain>(*nvcc, device->architecture, std::move(sandbox)));
}

// A contestant that runs unconfined could put a library of its own into the cache, under another one's key.
Result<std::unique_ptr<Toolchain>> with_cache(Result<std::unique_ptr<Toolchain>> toolchain,
                                              const Sandbox& sandbox) {
  auto cache = contestant_cache();
  if (!toolchain || !cache || !sandbox.confines()) return toolchain;
  std::string identity = program_identity() + "; " + (*toolchain)->identity();
  return std::unique_ptr<Toolchain>(
      std::make_unique<CachingToolchain>(std::move(*toolchain), std::move(*cache), std::move(identity)));
}

}  // namespace

GradeFailure failure_of(const std::exception& thrown) {
  if (const auto* const system = dynamic_cast<const std::system_error*>(&thrown)) {
    const std::string remedy = remedy_for_machine(system->code().value());
    return {exit_machine,
            {{thrown.what(), remedy.empty() ? "kgrade doctor says what this machine lacks" : remedy, {}}}};
  }
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return {exit_machine, {{"kgrade is out of memory", remedy_for_machine(ENOMEM), {}}}};
  return {exit_internal,
          {{std::string("internal error: ") + thrown.what(),
            "this is a fault of kgrade or of the device; please report it with the command line",
            {}}}};
}

GradeFailure failure_of(const Errors& errors) {
  const bool names_a_place = !errors.empty() && !errors.front().location.file.empty();
  return {names_a_place ? exit_usage : exit_machine, errors};
}

std::optional<ContestantCache> contestant_cache() {
  const char* const limit = std::getenv("KGRADE_CACHE_LIMIT");
  const auto bytes = limit != nullptr ? parse_bytes(limit) : std::nullopt;
  const char* const chosen = std::getenv("KGRADE_CACHE_DIR");
  if (chosen != nullptr && *chosen == 0) return std::nullopt;
  return ContestantCache(
      chosen != nullptr ? std::filesystem::absolute(chosen) : user_cache_folder("contestants"),
      bytes.value_or(usual_cache_limit));
}

std::optional<Error> wrong_cache_limit() {
  const char* const limit = std::getenv("KGRADE_CACHE_LIMIT");
  if (limit == nullptr || *limit == 0 || parse_bytes(limit)) return std::nullopt;
  return Error{fmt::format("KGRADE_CACHE_LIMIT: '{}' is no size", limit),
               "write a number of bytes such as 500M or 4G, or unset it",
               {}};
}

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
  const auto clock = std::make_shared<SteadyClock>();
  const double began = clock->now();
  const DeviceChoice resolved = resolve_choice(choice);
  const bool emulated = resolved.kind == DeviceChoice::Kind::emulated;
  auto sandbox = Sandbox::shared(layout.launcher);
  return {!emulated,
          [resolved, layout] { return open_device(resolved, layout.workers.string()); },
          [resolved, layout, emulated, sandbox] {
            return with_cache(
                emulated ? emulated_toolchain(layout, sandbox) : cuda_toolchain(resolved.ordinal, sandbox),
                *sandbox);
          },
          clock,
          began,
          sandbox,
          [](const DeviceInfo& device) {
            return device.measures_speed ? open_nvml(device.uuid)
                                         : no_telemetry("the emulated device has none");
          },
          ceilings_folder()};
}

}  // namespace kgrade
