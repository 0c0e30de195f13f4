#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/emulated_runtime.h"
#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/api_device.h"
#include "kgrade_emulated/api_memory.h"

using kgrade_emulated::set_last_error;

namespace {

constexpr int runtime_version = 13000;
constexpr int clock_khz = 1000000;  // of clock64()
constexpr int l2_bytes = 1 << 20;

void copy_name(char (&target)[256], std::string_view name) { std::memcpy(target, name.data(), name.size()); }

void set_sizes(cudaDeviceProp& properties) {
  namespace limits = kgrade_emulated::limits;
  properties.sharedMemPerBlock = limits::shared_bytes_per_block;
  properties.sharedMemPerBlockOptin = limits::shared_bytes_per_block_opt_in;
  properties.sharedMemPerMultiprocessor = limits::shared_bytes_per_multiprocessor;
  properties.regsPerBlock = limits::registers;
  properties.regsPerMultiprocessor = limits::registers;
  properties.maxThreadsPerBlock = static_cast<int>(limits::threads_per_block);
  properties.maxThreadsPerMultiProcessor = limits::threads_per_multiprocessor;
  properties.maxBlocksPerMultiProcessor = limits::blocks_per_multiprocessor;
  properties.totalConstMem = limits::constant_bytes;
  const unsigned int block[3] = {limits::block_x, limits::block_y, limits::block_z};
  const unsigned int grid[3] = {limits::grid_x, limits::grid_y, limits::grid_z};
  for (int axis = 0; axis < 3; ++axis) {
    properties.maxThreadsDim[axis] = static_cast<int>(block[axis]);
    properties.maxGridSize[axis] = static_cast<int>(grid[axis]);
  }
}

cudaDeviceProp device_properties() {
  cudaDeviceProp properties = {};
  copy_name(properties.name, "kgrade emulated device");
  std::size_t free_bytes = 0;
  cudaMemGetInfo(&free_bytes, &properties.totalGlobalMem);
  set_sizes(properties);
  properties.warpSize = 32;
  properties.memPitch = 2147483647;
  properties.clockRate = clock_khz;
  properties.memoryClockRate = clock_khz;
  properties.memoryBusWidth = 64;
  properties.major = 9;
  properties.textureAlignment = 512;
  properties.texturePitchAlignment = 32;
  properties.surfaceAlignment = 512;
  properties.multiProcessorCount = static_cast<int>(kgrade_emulated::host_threads());
  properties.integrated = 1;
  properties.canMapHostMemory = 1;
  properties.concurrentKernels = 1;
  properties.unifiedAddressing = 1;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.pageableMemoryAccess = 1;
  properties.hostNativeAtomicSupported = 1;
  properties.hostRegisterSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.memoryPoolsSupported = 1;
  properties.asyncEngineCount = 1;
  properties.deviceOverlap = 1;
  properties.reservedSharedMemPerBlock = 1024;
  properties.singleToDoublePrecisionPerfRatio = 2;
  properties.l2CacheSize = l2_bytes;
  return properties;
}

struct AttributeValue {
  cudaDeviceAttr attribute;
  int (*value)(const cudaDeviceProp& properties);
};

#define KGRADE_VALUE(attribute, member)                                                        \
  {                                                                                            \
    cudaDevAttr##attribute, [](const cudaDeviceProp& p) { return static_cast<int>(p.member); } \
  }
constexpr AttributeValue values[] = {
    KGRADE_VALUE(MaxThreadsPerBlock, maxThreadsPerBlock),
    KGRADE_VALUE(MaxBlockDimX, maxThreadsDim[0]),
    KGRADE_VALUE(MaxBlockDimY, maxThreadsDim[1]),
    KGRADE_VALUE(MaxBlockDimZ, maxThreadsDim[2]),
    KGRADE_VALUE(MaxGridDimX, maxGridSize[0]),
    KGRADE_VALUE(MaxGridDimY, maxGridSize[1]),
    KGRADE_VALUE(MaxGridDimZ, maxGridSize[2]),
    KGRADE_VALUE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    KGRADE_VALUE(TotalConstantMemory, totalConstMem),
    KGRADE_VALUE(WarpSize, warpSize),
    KGRADE_VALUE(MaxPitch, memPitch),
    KGRADE_VALUE(MaxRegistersPerBlock, regsPerBlock),
    KGRADE_VALUE(ClockRate, clockRate),
    KGRADE_VALUE(TextureAlignment, textureAlignment),
    KGRADE_VALUE(GpuOverlap, deviceOverlap),
    KGRADE_VALUE(MultiProcessorCount, multiProcessorCount),
    KGRADE_VALUE(Integrated, integrated),
    KGRADE_VALUE(CanMapHostMemory, canMapHostMemory),
    KGRADE_VALUE(SurfaceAlignment, surfaceAlignment),
    KGRADE_VALUE(ConcurrentKernels, concurrentKernels),
    KGRADE_VALUE(MemoryClockRate, memoryClockRate),
    KGRADE_VALUE(GlobalMemoryBusWidth, memoryBusWidth),
    KGRADE_VALUE(L2CacheSize, l2CacheSize),
    KGRADE_VALUE(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    KGRADE_VALUE(AsyncEngineCount, asyncEngineCount),
    KGRADE_VALUE(UnifiedAddressing, unifiedAddressing),
    KGRADE_VALUE(TexturePitchAlignment, texturePitchAlignment),
    KGRADE_VALUE(ComputeCapabilityMajor, major),
    KGRADE_VALUE(ComputeCapabilityMinor, minor),
    KGRADE_VALUE(StreamPrioritiesSupported, streamPrioritiesSupported),
    KGRADE_VALUE(GlobalL1CacheSupported, globalL1CacheSupported),
    KGRADE_VALUE(LocalL1CacheSupported, localL1CacheSupported),
    KGRADE_VALUE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    KGRADE_VALUE(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    KGRADE_VALUE(ManagedMemory, managedMemory),
    KGRADE_VALUE(HostNativeAtomicSupported, hostNativeAtomicSupported),
    KGRADE_VALUE(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    KGRADE_VALUE(PageableMemoryAccess, pageableMemoryAccess),
    KGRADE_VALUE(ConcurrentManagedAccess, concurrentManagedAccess),
    KGRADE_VALUE(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    KGRADE_VALUE(CooperativeLaunch, cooperativeLaunch),
    KGRADE_VALUE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    KGRADE_VALUE(HostRegisterSupported, hostRegisterSupported),
    KGRADE_VALUE(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    KGRADE_VALUE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    KGRADE_VALUE(MemoryPoolsSupported, memoryPoolsSupported),
};
#undef KGRADE_VALUE

// Other attributes of CUDA describe features that this device lacks: they are 0.
std::optional<int> attribute_value(cudaDeviceAttr attribute) {
  constexpr int last = cudaDevAttrOnlyPartialHostNativeAtomicSupported;
  if (attribute < 1 || attribute > last) return std::nullopt;
  const auto* const found =
      std::find_if(std::begin(values), std::end(values),
                   [&](const AttributeValue& entry) { return entry.attribute == attribute; });
  if (found == std::end(values)) return 0;
  return found->value(device_properties());
}

constexpr char pci_bus_id[] = "0000:00:00.0";

bool is_limit(cudaLimit limit) {
  return limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize;
}

using KeptLimits = std::array<std::atomic<std::size_t>, cudaLimitPersistingL2CacheSize + 1>;

// The limits by number. Their initial values are those of a GPU of this compute capability.
KeptLimits& kept_limits() {
  static KeptLimits limits = {1024, 8650752, 8388608, 2, 2048, 64, 0};
  return limits;
}

cudaError_t check_device(int device) {
  return set_last_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return check_device(device); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  *properties = device_properties();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  const std::optional<int> found = attribute_value(attribute);
  if (!found) return set_last_error(cudaErrorInvalidValue);
  *value = *found;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const auto checker = kgrade_emulated::active_checker()) checker->streams().host_waits_for_all();
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return check_device(device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (devices == nullptr) return set_last_error(cudaErrorInvalidValue);
  return check_device(std::all_of(devices, devices + count, [](int d) { return d == 0; }) ? 0 : -1);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }

cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
  if (id == nullptr || bytes < static_cast<int>(sizeof pci_bus_id)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  std::memcpy(id, pci_bus_id, sizeof pci_bus_id);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  *device = 0;
  return check_device(id != nullptr && std::string_view(id) == pci_bus_id ? 0 : -1);
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  return check_device(device != 0 ? device : peer);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  const cudaError_t error = check_device(peer);
  return error != cudaSuccess ? error : set_last_error(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const cudaError_t error = check_device(peer);
  return error != cudaSuccess ? error : set_last_error(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return set_last_error(cudaErrorInvalidDevice);
}

// Limits are stored and returned, but have no effect here.
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  if (!is_limit(limit)) return set_last_error(cudaErrorInvalidValue);
  kept_limits()[static_cast<std::size_t>(limit)] = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  if (value == nullptr || !is_limit(limit)) return set_last_error(cudaErrorInvalidValue);
  if (limit == cudaLimitDevRuntimeSyncDepth) return set_last_error(cudaErrorUnsupportedLimit);
  *value = kept_limits()[static_cast<std::size_t>(limit)];
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* configuration) {
  *configuration = cudaFuncCachePreferNone;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = runtime_version;
  return cudaSuccess;
}
