#include "device/cuda/cuda_gate.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

#include "device/cuda/check.h"

namespace kgrade::cuda {

std::unique_ptr<Gate> CudaGate::make(std::shared_ptr<const Driver> driver) {
  if (driver->write_value == nullptr) return nullptr;
  auto page = make_page();
  if (!page) return nullptr;
  std::unique_ptr<CudaGate> gate(new CudaGate(std::move(*page), std::move(driver)));
  if (!gate->register_page()) return nullptr;
  return gate;
}

CudaGate::~CudaGate() {
  if (address_ != 0) cudaHostUnregister(word());
}

bool CudaGate::register_page() {
  void* seen = nullptr;
  if (ok(cudaHostRegister(word(), gate_bytes, cudaHostRegisterMapped)) &&
      ok(cudaHostGetDevicePointer(&seen, word(), 0))) {
    address_ = reinterpret_cast<CUdeviceptr>(seen);
    return true;
  }
  cudaGetLastError();
  return false;
}

void CudaGate::queue_opening(std::uint32_t number) {
  const CUresult code = driver_->write_value(nullptr, address_, number, CU_STREAM_WRITE_VALUE_DEFAULT);
  if (code != CUDA_SUCCESS) throw std::runtime_error("cuStreamWriteValue32: " + driver_->describe(code));
}

}  // namespace kgrade::cuda
