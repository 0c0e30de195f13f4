#include "device/cuda/worker_policy.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "compile/vendor_library.h"

namespace kgrade::cuda {
namespace {

namespace fs = std::filesystem;

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

bool is_node_of_a_gpu(const std::string& name) {
  return name.size() > 6 && name.starts_with("nvidia") &&
         std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The node of the GPU, or the nodes of all GPUs if ours is unknown.
std::vector<fs::path> gpu_nodes(int ordinal) {
  if (const auto minor = minor_number(ordinal)) return {fmt::format("/dev/nvidia{}", *minor)};
  std::vector<fs::path> nodes;
  std::error_code error;
  for (fs::directory_iterator entry("/dev", error), end; !error && entry != end; entry.increment(error)) {
    if (is_node_of_a_gpu(entry->path().filename().string())) nodes.push_back(entry->path());
  }
  return nodes;
}

// Half of the host's memory. With control groups, a contestant gets no more than this.
std::uint64_t half_of_the_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page) : 0;
}

}  // namespace

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
  policy.memory_bytes = half_of_the_memory();
  policy.names_threads = true;
  return policy;
}

}  // namespace kgrade::cuda
