#include "grade/bench.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "compile/caching_toolchain.h"
#include "compile/python_candidate.h"
#include "device/device.h"
#include "measure/nvml.h"
#include "measure/roofline.h"

namespace kgrade {
namespace {

constexpr std::chrono::seconds patience_of_memory{5};

// No cache without confinement: a contestant could put a library of its own into the cache, under another
// one's key.
Result<std::unique_ptr<Toolchain>> with_cache(Result<std::unique_ptr<Toolchain>> toolchain,
                                              const Sandbox& sandbox, FailedBuilds failed) {
  auto cache = contestant_cache();
  if (!toolchain || !cache || !sandbox.confines()) return toolchain;
  std::string identity = program_identity() + "; " + (*toolchain)->identity();
  return std::unique_ptr<Toolchain>(std::make_unique<CachingToolchain>(
      std::move(*toolchain), std::move(*cache), std::move(identity), failed));
}

}  // namespace

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

Bench::Bench(Machinery machinery) : machinery_(std::move(machinery)), began_(machinery_.began) {}

void Bench::begin_run() {
  began_ = clock().now();
  if (device_ != nullptr) await_freed_memory(*device_, patience_of_memory);
}

Failure Bench::open_toolchain(bool require_sandbox) {
  if (require_sandbox && !is_confined(machinery_))
    return Errors{machine_error(
        "--require-sandbox: this machine allows no namespaces, and contestants would not be confined",
        "`kgrade doctor` says what each layer needs; without the option grading works on those that are "
        "left")};
  if (toolchain_ != nullptr) return std::nullopt;
  auto toolchain = machinery_.make_toolchain();
  if (!toolchain) return toolchain.errors();
  toolchain_ = std::move(*toolchain);
  return std::nullopt;
}

Failure Bench::open_device(StageClock& stages) {
  if (device_ != nullptr) return std::nullopt;
  const auto timer = stages.time("device");
  auto device = machinery_.open_device();
  if (!device) return device.errors();
  device_ = std::move(*device);
  device_->confine_workers(machinery_.sandbox);
  return std::nullopt;
}

Errors Bench::find_python(const std::filesystem::path& chosen, const std::filesystem::path& scripts) {
  if (python_ && python_of_ == chosen) return {};
  python_.reset();
  auto tools = find_python_tools(chosen, scripts, machinery_.sandbox);
  if (!tools) return tools.errors();
  python_ = std::move(*tools);
  python_->zygote = zygote_for(*python_);
  python_of_ = chosen;
  return {};
}

Telemetry& Bench::telemetry() {
  if (telemetry_ == nullptr) {
    telemetry_ = machinery_.open_telemetry ? machinery_.open_telemetry(device_->info())
                                           : no_telemetry("there is none");
  }
  return *telemetry_;
}

Machinery real_machinery(const DeviceChoice& choice, const Layout& layout, FailedBuilds failed) {
  const auto clock = std::make_shared<SteadyClock>();
  const double began = clock->now();
  const DeviceChoice resolved = resolve_choice(choice);
  auto sandbox = Sandbox::shared(layout.launcher);
  return {resolved.kind == DeviceChoice::Kind::cuda,
          [resolved, layout] { return open_device(resolved, layout.workers.string()); },
          [resolved, layout, sandbox, failed] {
            return with_cache(make_toolchain(resolved, layout, sandbox), *sandbox, failed);
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

std::shared_ptr<Bench> real_bench(const DeviceChoice& choice, const Layout& layout, FailedBuilds failed) {
  return std::make_shared<Bench>(real_machinery(choice, layout, failed));
}

}  // namespace kgrade
