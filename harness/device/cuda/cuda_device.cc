#include "device/cuda/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/cuda/check.h"
#include "device/cuda/referee_kernels.h"
#include "device/cuda/virtual_memory.h"

namespace kgrade::cuda {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

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
  info.uuid = uuid_text(properties.uuid);
  info.architecture = fmt::format("sm_{}{}", properties.major, properties.minor);
  info.driver_version = version_text(driver);
  info.runtime_version = version_text(runtime);
  info.multiprocessors = properties.multiProcessorCount;
  info.memory_bytes = properties.totalGlobalMem;
  info.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  info.measures_speed = true;
  return info;
}

class GpuBuffer : public SharedBuffer {
 public:
  GpuBuffer(std::unique_ptr<MappedMemory> memory, UniqueFd descriptor)
      : memory_(std::move(memory)), descriptor_(std::move(descriptor)) {}
  int descriptor() const override { return descriptor_.get(); }
  std::uint64_t bytes() const override { return memory_->bytes(); }
  unsigned char* data() const { return memory_->data(); }

 private:
  std::unique_ptr<MappedMemory> memory_;
  UniqueFd descriptor_;
};

unsigned char* bytes_of(SharedBuffer& buffer, std::uint64_t begin = 0) {
  return static_cast<GpuBuffer&>(buffer).data() + begin;
}

float* floats_of(SharedBuffer& buffer, std::uint64_t begin) {
  return reinterpret_cast<float*>(bytes_of(buffer, begin));
}

class CudaDevice : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, int ordinal, std::string worker_directory)
      : driver_(std::move(driver)),
        ordinal_(ordinal),
        worker_directory_(std::move(worker_directory)),
        info_(describe(ordinal)) {}

  DeviceInfo info() const override { return info_; }

  std::uint64_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    KGRADE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
  }

  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override {
    auto memory = MappedMemory::create(driver_, ordinal_, bytes);
    if (!memory) return memory.errors();
    auto descriptor = (*memory)->export_descriptor();
    if (!descriptor) return descriptor.errors();
    return std::unique_ptr<SharedBuffer>(
        std::make_unique<GpuBuffer>(std::move(*memory), std::move(*descriptor)));
  }

  void fill_random_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                         const RandomStream& stream) override {
    cuda::fill_random_bytes(bytes_of(buffer), {begin, end}, stream);
  }

  std::uint64_t count_changed_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                    const RandomStream& stream) override {
    return cuda::count_changed_bytes(bytes_of(buffer), {begin, end}, stream);
  }

  std::uint64_t count_unwritten_words(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                      const RandomStream& stream) override {
    return cuda::count_unwritten_words(bytes_of(buffer), {begin, end}, stream);
  }

  void fill_input(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                  const Distribution& distribution, const RandomStream& stream) override {
    cuda::fill_input(floats_of(buffer, begin), {elements, distribution, stream});
  }

  std::uint64_t count_changed_elements(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                                       const Distribution& distribution,
                                       const RandomStream& stream) override {
    return cuda::count_changed_elements(floats_of(buffer, begin), {elements, distribution, stream});
  }

  Comparison compare(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                     std::uint64_t expected_begin, std::uint64_t elements) override {
    return cuda::compare(floats_of(actual, actual_begin), floats_of(expected, expected_begin), elements);
  }

  std::uint64_t count_wrong(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                            std::uint64_t expected_begin, std::uint64_t elements, double limit) override {
    return cuda::count_wrong(floats_of(actual, actual_begin), floats_of(expected, expected_begin), elements,
                             limit);
  }

  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override {
    KGRADE_CUDA_CHECK(cudaMemcpy(destination, bytes_of(buffer, begin), bytes, cudaMemcpyDeviceToHost));
  }

  std::vector<std::string> worker_command() const override {
    return {worker_directory_ + "/kgrade-worker-cuda", std::to_string(ordinal_)};
  }

 private:
  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  std::string worker_directory_;
  DeviceInfo info_;
};

}  // namespace

CudaProbe probe() {
  CudaProbe result;
  result.built = true;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    result.problem =
        Error{fmt::format("no CUDA device: {}",
                          status == cudaSuccess ? "this machine has none" : cudaGetErrorString(status)),
              "use a machine with an NVIDIA GPU and its driver, or --device emulated",
              {}};
    return result;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) result.devices.push_back(describe(ordinal));
  return result;
}

Result<std::unique_ptr<Device>> open(int ordinal, const std::string& worker_directory) {
  const CudaProbe found = probe();
  if (found.problem) return *found.problem;
  if (ordinal >= static_cast<int>(found.devices.size())) {
    return Error{fmt::format("there is no CUDA device {}", ordinal),
                 fmt::format("this machine has {}: write cuda:0 to cuda:{}", found.devices.size(),
                             found.devices.size() - 1),
                 {}};
  }
  auto driver = Driver::open();
  if (!driver) return driver.errors();
  KGRADE_CUDA_CHECK(cudaSetDevice(ordinal));
  KGRADE_CUDA_CHECK(cudaFree(nullptr));  // creates the context
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(*driver), ordinal, worker_directory));
}

}  // namespace kgrade::cuda
