#include "device/cuda/call_watch.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

// CUPTI is a part of the toolkit that may not be installed.
#if __has_include(<cupti.h>)
#include <cuda.h>
#include <cupti.h>
#define KGRADE_HAVE_CUPTI
#endif

namespace kgrade::cuda {
namespace {

class ProfilerRange : public CallWatch {
 public:
  void begin(int /*ordinal*/) override { cudaProfilerStart(); }
  void end() override { cudaProfilerStop(); }
};

#ifdef KGRADE_HAVE_CUPTI

// The file of the only recorder. It is global because CUPTI's callbacks have no argument for it.
std::FILE* records = nullptr;

// The functions of CUPTI, which are loaded from its library.
struct Cupti {
  decltype(&cuptiActivityRegisterCallbacks) set_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;

  bool open(const char* path) {
    void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    return find(set_callbacks, "cuptiActivityRegisterCallbacks") && find(enable, "cuptiActivityEnable") &&
           find(disable, "cuptiActivityDisable") && find(flush, "cuptiActivityFlushAll") &&
           find(next, "cuptiActivityGetNextRecord");
  }
};
Cupti cupti;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, buffer_bytes));
  *size = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;
}

void write(const CUpti_ActivityKernel9& kernel) {
  std::fprintf(records, "kernel\t%s\t%llu\t%llu\t%d\t%d\t%d\t%d\t%d\t%d\t%u\t%d\t%d\t%u\n",
               kernel.name != nullptr ? kernel.name : "", static_cast<unsigned long long>(kernel.start),
               static_cast<unsigned long long>(kernel.end), kernel.gridX, kernel.gridY, kernel.gridZ,
               kernel.blockX, kernel.blockY, kernel.blockZ, kernel.registersPerThread,
               kernel.staticSharedMemory, kernel.dynamicSharedMemory, kernel.localMemoryPerThread);
}

// Records of later versions begin with the members of CUpti_ActivityKernel9.
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cupti.next(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      write(*reinterpret_cast<const CUpti_ActivityKernel9*>(record));
  }
  std::free(buffer);
}

class ActivityRecorder : public CallWatch {
 public:
  ActivityRecorder(std::string file, std::string library)
      : file_(std::move(file)), library_(std::move(library)) {}

  void begin(int ordinal) override {
    records = std::fopen(file_.c_str(), "w");
    if (records == nullptr) return;
    write_limits(ordinal);
    if (!cupti.open(library_.c_str())) {
      std::fprintf(records, "error\tCUPTI cannot be loaded\n");
    } else if (const CUptiResult result = enable(); result != CUPTI_SUCCESS) {
      std::fprintf(records, "error\tCUPTI records nothing: error %d\n", static_cast<int>(result));
    } else {
      enabled_ = true;
    }
  }

  void end() override {
    if (records == nullptr) return;
    if (enabled_) {
      cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
      cupti.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    }
    std::fclose(std::exchange(records, nullptr));
  }

 private:
  static CUptiResult enable() {
    if (const CUptiResult result = cupti.set_callbacks(give_buffer, take_buffer); result != CUPTI_SUCCESS)
      return result;
    return cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  }

  static void write_limits(int ordinal) {
    const auto attribute = [ordinal](cudaDeviceAttr which) {
      int value = 0;
      return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
    };
    std::fprintf(records, "limits\t%d\t%d\t%d\t%d\t%d\n", attribute(cudaDevAttrMaxThreadsPerMultiProcessor),
                 attribute(cudaDevAttrMaxRegistersPerMultiprocessor),
                 attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
                 attribute(cudaDevAttrMaxBlocksPerMultiprocessor),
                 attribute(cudaDevAttrReservedSharedMemoryPerBlock));
  }

  std::string file_;
  std::string library_;
  bool enabled_ = false;
};

#endif

// PTX that the driver compiles, so that the worker needs no code for a certain device.
constexpr const char* source =
    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry kgrade_empty()\n{\n  ret;\n}\n";

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

}  // namespace

std::unique_ptr<CallWatch> call_watch(std::span<const char* const> words) {
  if (!words.empty() && std::strcmp(words[0], "--profile") == 0) return std::make_unique<ProfilerRange>();
#ifdef KGRADE_HAVE_CUPTI
  if (words.size() > 2 && std::strcmp(words[0], "--activity") == 0)
    return std::make_unique<ActivityRecorder>(words[1], words[2]);
#endif
  return nullptr;
}

bool launch_empty_kernel(int ordinal) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr || cudaSetDevice(ordinal) != cudaSuccess || cudaFree(nullptr) != cudaSuccess)
    return false;
  const auto load = find<decltype(&cuModuleLoadData)>(driver, "cuModuleLoadData");
  const auto function_of = find<decltype(&cuModuleGetFunction)>(driver, "cuModuleGetFunction");
  const auto launch = find<decltype(&cuLaunchKernel)>(driver, "cuLaunchKernel");
  if (load == nullptr || function_of == nullptr || launch == nullptr) return false;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  return load(&module, source) == CUDA_SUCCESS &&
         function_of(&function, module, "kgrade_empty") == CUDA_SUCCESS &&
         launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_SUCCESS &&
         cudaDeviceSynchronize() == cudaSuccess;
}

}  // namespace kgrade::cuda
