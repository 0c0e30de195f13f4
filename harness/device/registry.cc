#include "device/registry.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace kgrade {
namespace {

std::optional<DeviceKind> find_kind(DeviceChoice::Kind wanted) {
  const std::vector<DeviceKind> kinds = device_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const DeviceKind& kind) { return kind.kind == wanted; });
  return found == kinds.end() ? std::nullopt : std::optional(*found);
}

bool has_emulated() { return find_kind(DeviceChoice::Kind::emulated).has_value(); }

// The kind of a resolved choice. An Error if the build has no such kind, or the machine no such device.
Result<DeviceKind> kind_of(const DeviceChoice& resolved) {
  if (resolved.kind == DeviceChoice::Kind::cuda) {
    if (const auto device = find_cuda_device(resolved.ordinal); !device) return device.errors();
  }
  if (const auto kind = find_kind(resolved.kind)) return *kind;
  return machine_error("this build has no emulated device: it is the core alone",
                       "name a GPU with --device cuda, or configure with -DKGRADE_CORE=OFF and build again");
}

}  // namespace

Result<DeviceChoice> parse_device_choice(const std::string& text) {
  if (text == "auto") return DeviceChoice{};
  if (text == "emulated") return DeviceChoice{DeviceChoice::Kind::emulated};
  if (text == "cuda") return DeviceChoice{DeviceChoice::Kind::cuda};
  if (text.starts_with("cuda:")) {
    int ordinal = -1;
    const char* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data() + 5, end, ordinal);
    if (failure == std::errc() && rest == end && ordinal >= 0) {
      DeviceChoice choice{DeviceChoice::Kind::cuda};
      choice.ordinal = ordinal;
      return choice;
    }
  }
  return Error{"unknown device '" + text + "'", "write auto, cuda, cuda:N (N counts from 0) or emulated", {}};
}

CudaProbe probe_cuda() {
  const auto cuda = find_kind(DeviceChoice::Kind::cuda);
  if (!cuda) {
    return {false,
            {},
            machine_error("this build has no CUDA device",
                          "where there is a CUDA Toolkit, configure with -DKGRADE_CUDA=ON and build again")};
  }
  CudaProbe found = cuda->probe();
  if (found.problem && has_emulated()) found.problem->remedy += ", or --device emulated";
  return found;
}

Result<DeviceInfo> find_cuda_device(int ordinal) {
  const CudaProbe found = probe_cuda();
  if (found.problem) return *found.problem;
  const auto index = static_cast<std::size_t>(ordinal);
  if (index < found.devices.size()) return found.devices[index];
  return machine_error(fmt::format("there is no CUDA device {}", ordinal),
                       fmt::format("this machine has {}: write cuda:0 to cuda:{}", found.devices.size(),
                                   found.devices.size() - 1));
}

DeviceChoice resolve_choice(const DeviceChoice& choice) {
  if (choice.kind != DeviceChoice::Kind::automatic) return choice;
  DeviceChoice resolved = choice;
  resolved.kind = has_emulated() && probe_cuda().devices.empty() ? DeviceChoice::Kind::emulated
                                                                 : DeviceChoice::Kind::cuda;
  return resolved;
}

Result<std::unique_ptr<Device>> open_device(const DeviceChoice& choice, const std::string& worker_directory) {
  const DeviceChoice resolved = resolve_choice(choice);
  const auto kind = kind_of(resolved);
  return kind ? kind->open(resolved, worker_directory) : kind.errors();
}

Result<std::unique_ptr<Toolchain>> make_toolchain(const DeviceChoice& choice, const Layout& layout,
                                                  std::shared_ptr<const Sandbox> sandbox) {
  const DeviceChoice resolved = resolve_choice(choice);
  const auto kind = kind_of(resolved);
  return kind ? kind->make_toolchain(resolved, layout, std::move(sandbox)) : kind.errors();
}

Need need_of_program(const Layout& layout, const std::string& name) {
  const auto path = layout.workers / name;
  if (::access(path.c_str(), X_OK) == 0) return {true, name, path.string(), ""};
  return {false, name, "missing beside kgrade", "build again: cmake --build --preset release"};
}

}  // namespace kgrade
