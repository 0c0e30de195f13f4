// The driver's virtual memory management (CUDA Driver API, section 6.14): physical memory that two processes
// share by file descriptor, mapped between unmapped pages. Referee and worker use it. The driver is opened at
// run time, so that a program built with a toolkit starts on a machine without a GPU.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "device/gate.h"

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

// The gate of the CUDA device: a word of memory that host and device share. A worker waits for this word
// before it makes its call (device/gate.h). The device itself can open the gate when all earlier work is
// done, so that the waiting call does not depend on the speed of the referee.
class CudaGate : public Gate {
 public:
  // Null if memory runs out.
  static std::unique_ptr<Gate> make(std::shared_ptr<const Driver> driver);
  ~CudaGate() override;

  // Like open(), but the device opens the gate, in the order of the default stream. False if the device
  // cannot write to the page.
  bool queue_opening(std::uint32_t number);

 private:
  CudaGate(Page page, std::shared_ptr<const Driver> driver)
      : Gate(std::move(page)), driver_(std::move(driver)) {}
  void register_page();

  std::shared_ptr<const Driver> driver_;
  CUdeviceptr address_ = 0;  // of the page on the device; 0: the device does not see it
};

}  // namespace kgrade::cuda
