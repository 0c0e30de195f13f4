// The gate of the CUDA device: a word of memory that host and device share. A worker waits for this word
// before it makes its call (device/gate.h).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "device/cuda/virtual_memory.h"
#include "device/gate.h"

namespace kgrade::cuda {

// A gate that the device itself can open when all earlier work is done, so that the waiting call does not
// depend on the speed of the referee.
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
