#include "device/cuda/cuda_gate.h"

#include <cuda_runtime_api.h>

#include "device/cuda/check.h"

namespace kgrade::cuda {

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
