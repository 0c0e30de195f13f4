// A gate that the device itself opens, when all that was queued before is done: the call behind it need not
// wait until the referee has heard of that.
#pragma once

#include "device/cuda/virtual_memory.h"
#include "device/gate.h"

namespace kgrade::cuda {

class CudaGate : public Gate {
 public:
  // Null when the kernel has no memory left.
  static std::unique_ptr<Gate> make(std::shared_ptr<const Driver> driver);
  ~CudaGate() override;

  // As open(), in the order of the default stream. False where the device cannot write to the page.
  bool queue_opening(std::uint32_t number);

 private:
  CudaGate(Page page, std::shared_ptr<const Driver> driver)
      : Gate(std::move(page)), driver_(std::move(driver)) {}
  void register_page();

  std::shared_ptr<const Driver> driver_;
  CUdeviceptr address_ = 0;  // of the page on the device; 0: it does not see it
};

}  // namespace kgrade::cuda
