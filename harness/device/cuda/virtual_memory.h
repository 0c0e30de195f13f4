// The driver's virtual memory management (CUDA Driver API, section 6.14): physical memory that two processes
// share by file descriptor, mapped between unmapped pages. Referee and worker use it. The driver is opened at
// run time, so that a program built with a toolkit starts on a machine without a GPU.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace kgrade::cuda {

// The entry points of libcuda.so.1 that the harness calls.
struct Driver {
  decltype(&::cuMemAddressReserve) address_reserve;
  decltype(&::cuMemAddressFree) address_free;
  decltype(&::cuMemCreate) create;
  decltype(&::cuMemRelease) release;
  decltype(&::cuMemMap) map;
  decltype(&::cuMemUnmap) unmap;
  decltype(&::cuMemSetAccess) set_access;
  decltype(&::cuMemGetAllocationGranularity) granularity;
  decltype(&::cuMemExportToShareableHandle) export_handle;
  decltype(&::cuMemImportFromShareableHandle) import_handle;
  decltype(&::cuGetErrorString) error_string;
  // Null if the driver lacks them.
  decltype(&::cuStreamWaitValue32) wait_value = nullptr;
  decltype(&::cuStreamWriteValue32) write_value = nullptr;

  static Result<std::shared_ptr<const Driver>> open();
  std::string describe(CUresult code) const;
};

enum class Access { read_only, read_write };

// A mapping of memory. The destructor unmaps the memory and gives it back.
class MappedMemory {
 public:
  // New physical memory on device `ordinal`; `bytes` is rounded up to the device's granularity.
  static Result<std::unique_ptr<MappedMemory>> create(std::shared_ptr<const Driver> driver, int ordinal,
                                                      std::uint64_t bytes);
  // Memory that another process created. `bytes` is the number of bytes that the other process gives.
  static Result<std::unique_ptr<MappedMemory>> import(std::shared_ptr<const Driver> driver, int ordinal,
                                                      int descriptor, std::uint64_t bytes, Access access);
  ~MappedMemory();
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  unsigned char* data() const { return reinterpret_cast<unsigned char*>(address_); }
  std::uint64_t bytes() const { return bytes_; }
  // A descriptor with which another process can import the memory. Only for created memory.
  Result<UniqueFd> export_descriptor() const;

 private:
  MappedMemory(std::shared_ptr<const Driver> driver, std::uint64_t bytes, std::uint64_t granularity)
      : driver_(std::move(driver)), bytes_(bytes), granularity_(granularity) {}
  CUresult map(int ordinal, Access access);

  std::shared_ptr<const Driver> driver_;
  std::uint64_t bytes_;
  std::uint64_t granularity_;
  CUmemGenericAllocationHandle handle_ = 0;
  bool have_handle_ = false;
  bool mapped_ = false;
  CUdeviceptr reserved_ = 0;
  CUdeviceptr address_ = 0;
};

}  // namespace kgrade::cuda
