#include "device/cuda/describe.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "compile/layout.h"
#include "device/cuda/check.h"

namespace kgrade::cuda {
namespace fs = std::filesystem;
namespace {

// Standard deviation from one process to the next, on an H200: 0.07 us in
// results/nvidia-h200/process-offset.json, and 0.08 us if kernels that read memory count as well
// (results/nvidia-h200/selftest.json).
constexpr double process_offset_ms = 0.00008;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  KGRADE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, ordinal));
  return value;
}

// A bound on the arithmetic of a multiprocessor: 8192 tensor multiply-adds of 16 bits per clock, which is
// more than any up to Blackwell's does. No other arithmetic that a contestant can use is faster.
constexpr double flops_per_clock = 2 * 8192;

// The most threads of a worker, including the driver's and the contestant's.
constexpr unsigned int most_threads = 512;

// The GPU's number in /dev: "Device Minor: 3" of /proc/driver/nvidia/gpus/<bus id>/information means
// /dev/nvidia3. Nothing if the driver does not report it.
std::optional<int> minor_number(int ordinal) {
  char bus_id[32] = "";
  if (cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal) != cudaSuccess) return std::nullopt;
  std::string name = bus_id;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream information("/proc/driver/nvidia/gpus/" + name + "/information");
  for (std::string line; std::getline(information, line);) {
    int number = -1;
    if (std::sscanf(line.c_str(), "Device Minor: %d", &number) == 1) return number;
  }
  return std::nullopt;
}

// The node of the GPU, or the nodes of all GPUs if ours is unknown.
std::vector<fs::path> gpu_nodes(int ordinal) {
  if (const auto minor = minor_number(ordinal)) return {fmt::format("/dev/nvidia{}", *minor)};
  std::vector<fs::path> nodes;
  std::error_code error;
  for (fs::directory_iterator entry("/dev", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.size() > 6 && name.starts_with("nvidia") &&
        std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      nodes.push_back(entry->path());
  }
  return nodes;
}

}  // namespace

DeviceInfo describe(int ordinal) {
  cudaDeviceProp properties{};
  KGRADE_CUDA_CHECK(cudaGetDeviceProperties(&properties, ordinal));
  int driver = 0;
  int runtime = 0;
  KGRADE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  KGRADE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  DeviceInfo info;
  info.kind = "cuda";
  info.name = properties.name;
  info.uuid = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) info.uuid += '-';
    info.uuid += fmt::format("{:02x}", static_cast<unsigned char>(properties.uuid.bytes[i]));
  }
  info.architecture = fmt::format("sm_{}{}", properties.major, properties.minor);
  info.driver_version = version_text(driver);
  info.runtime_version = version_text(runtime);
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  // Two transfers per clock over the whole bus. The clocks are in kilohertz.
  const double memory_clock = attribute(cudaDevAttrMemoryClockRate, ordinal);
  info.peak_bytes_per_second =
      memory_clock * 1e3 * 2 * attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8;
  info.peak_flops_per_second =
      flops_per_clock * properties.multiProcessorCount * attribute(cudaDevAttrClockRate, ordinal) * 1e3;
  info.measures_speed = true;
  info.process_offset_ms = process_offset_ms;
  return info;
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders = {"/usr/local/nvidia", "/run/opengl-driver/lib"};
  // The libraries that baselines call, and the libraries that these load in turn.
  for (const VendorLibrary& library : vendor_libraries()) {
    for (const fs::path& file : library.files) {
      const fs::path folder = file.parent_path();
      if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
  }
  const char* variable = std::getenv("LD_LIBRARY_PATH");
  std::istringstream list(variable != nullptr ? variable : "");
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.starts_with('/') && folder != "/") folders.emplace_back(folder);
  }
  return folders;
}

SandboxPolicy worker_policy(const fs::path& program, int ordinal) {
  SandboxPolicy policy;
  policy.readable = {program};
  // The driver reads these files about itself and the GPU's place in the machine.
  for (const char* path :
       {"/proc/driver/nvidia", "/proc/driver/nvidia-uvm", "/proc/devices", "/proc/cpuinfo", "/proc/meminfo",
        "/proc/modules", "/proc/sys/vm", "/proc/sys/kernel", "/sys/devices", "/sys/bus/pci", "/sys/class/drm",
        "/sys/module/nvidia", "/etc/nvidia", "/etc/OpenCL", "/usr/share/nvidia"}) {
    policy.readable.emplace_back(path);
  }
  policy.devices = gpu_nodes(ordinal);
  for (const char* node : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"}) {
    policy.devices.emplace_back(node);
  }
  policy.processes = most_threads;
  // Half of the host's memory. With control groups, a contestant gets no more than this.
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0)
    policy.memory_bytes = static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page);
  policy.names_threads = true;
  return policy;
}

}  // namespace kgrade::cuda
