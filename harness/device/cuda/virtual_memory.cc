#include "device/cuda/virtual_memory.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/text.h"
#include "device/cuda/check.h"

namespace kgrade::cuda {
namespace {

CUmemAllocationProp shareable_memory(int ordinal) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = ordinal;
  return properties;
}

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<std::shared_ptr<const Driver>> Driver::open() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return machine_error("the CUDA driver (libcuda.so.1) is not installed",
                         "install the NVIDIA driver of this GPU");
  }
  auto driver = std::make_shared<Driver>();
  const bool complete =
      load(library, "cuMemAddressReserve", driver->address_reserve) &&
      load(library, "cuMemAddressFree", driver->address_free) &&
      load(library, "cuMemCreate", driver->create) && load(library, "cuMemRelease", driver->release) &&
      load(library, "cuMemMap", driver->map) && load(library, "cuMemUnmap", driver->unmap) &&
      load(library, "cuMemSetAccess", driver->set_access) &&
      load(library, "cuMemGetAllocationGranularity", driver->granularity) &&
      load(library, "cuMemExportToShareableHandle", driver->export_handle) &&
      load(library, "cuMemImportFromShareableHandle", driver->import_handle) &&
      load(library, "cuGetErrorString", driver->error_string);
  if (!complete) {
    return machine_error("the CUDA driver is too old: it lacks virtual memory management",
                         "install a driver of CUDA 11.2 or later");
  }
  // The versions for the legacy default stream, which contestants use.
  load(library, "cuStreamWaitValue32_v2", driver->wait_value);
  load(library, "cuStreamWriteValue32_v2", driver->write_value);
  return std::shared_ptr<const Driver>(std::move(driver));
}

std::string Driver::describe(CUresult code) const {
  const char* text = nullptr;
  error_string(code, &text);
  return fmt::format("{} (CUDA driver error {})", text != nullptr ? text : "unknown error",
                     static_cast<int>(code));
}

Result<std::unique_ptr<MappedMemory>> MappedMemory::create(std::shared_ptr<const Driver> driver, int ordinal,
                                                           std::uint64_t bytes) {
  const CUmemAllocationProp properties = shareable_memory(ordinal);
  std::size_t granularity = 0;
  CUresult status = driver->granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (status != CUDA_SUCCESS) return machine_error(driver->describe(status));
  const std::uint64_t rounded = (bytes + granularity - 1) / granularity * granularity;
  std::unique_ptr<MappedMemory> memory(new MappedMemory(driver, rounded, granularity));
  status = driver->create(&memory->handle_, rounded, &properties, 0);
  if (status == CUDA_SUCCESS) {
    memory->have_handle_ = true;
    status = memory->map(ordinal, Access::read_write);
  }
  if (status != CUDA_SUCCESS) {
    return machine_error(
        fmt::format("cannot get {} of GPU memory: {}", format_bytes(rounded), driver->describe(status)),
        "end other programs on this GPU, or choose a smaller case with --case");
  }
  return memory;
}

Result<std::unique_ptr<MappedMemory>> MappedMemory::import(std::shared_ptr<const Driver> driver, int ordinal,
                                                           int descriptor, std::uint64_t bytes,
                                                           Access access) {
  const CUmemAllocationProp properties = shareable_memory(ordinal);
  std::size_t granularity = 0;
  CUresult status = driver->granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  if (status != CUDA_SUCCESS) return machine_error(driver->describe(status));
  std::unique_ptr<MappedMemory> memory(new MappedMemory(driver, bytes, granularity));
  // The descriptor travels as a pointer-sized integer (CUDA Driver API, cuMemImportFromShareableHandle).
  void* handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
  status = driver->import_handle(&memory->handle_, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  if (status == CUDA_SUCCESS) {
    memory->have_handle_ = true;
    status = memory->map(ordinal, access);
  }
  if (status != CUDA_SUCCESS) return machine_error(driver->describe(status));
  return memory;
}

CUresult MappedMemory::map(int ordinal, Access access) {
  // One granule on either side stays unmapped, so that an access beyond either end faults.
  CUresult status = driver_->address_reserve(&reserved_, bytes_ + 2 * granularity_, granularity_, 0, 0);
  if (status != CUDA_SUCCESS) return status;
  address_ = reserved_ + granularity_;
  status = driver_->map(address_, bytes_, 0, handle_, 0);
  if (status != CUDA_SUCCESS) return status;
  mapped_ = true;
  CUmemAccessDesc description{};
  description.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  description.location.id = ordinal;
  description.flags =
      access == Access::read_only ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return driver_->set_access(address_, bytes_, &description, 1);
}

MappedMemory::~MappedMemory() {
  if (mapped_) driver_->unmap(address_, bytes_);
  if (have_handle_) driver_->release(handle_);
  if (reserved_ != 0) driver_->address_free(reserved_, bytes_ + 2 * granularity_);
}

Result<UniqueFd> MappedMemory::export_descriptor() const {
  int descriptor = -1;
  const CUresult status =
      driver_->export_handle(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  if (status != CUDA_SUCCESS) return machine_error(driver_->describe(status));
  return UniqueFd(descriptor);
}

std::unique_ptr<Gate> CudaGate::make(std::shared_ptr<const Driver> driver) {
  auto page = make_page();
  if (!page) return nullptr;
  std::unique_ptr<CudaGate> gate(new CudaGate(std::move(*page), std::move(driver)));
  if (gate->driver_->write_value != nullptr) gate->register_page();
  return gate;
}

CudaGate::~CudaGate() {
  if (address_ != 0) cudaHostUnregister(word());
}

void CudaGate::register_page() {
  void* seen = nullptr;
  if (ok(cudaHostRegister(word(), gate_bytes, cudaHostRegisterMapped))) {
    if (ok(cudaHostGetDevicePointer(&seen, word(), 0))) {
      address_ = reinterpret_cast<CUdeviceptr>(seen);
      return;
    }
    cudaHostUnregister(word());
  }
  cudaGetLastError();
}

bool CudaGate::queue_opening(std::uint32_t number) {
  return address_ != 0 &&
         driver_->write_value(nullptr, address_, number, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_SUCCESS;
}

}  // namespace kgrade::cuda
