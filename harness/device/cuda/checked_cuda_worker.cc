#include "device/cuda/checked_cuda_worker.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "device/cuda/check.h"
#include "problem/problem.h"

namespace kgrade::cuda {
namespace {

// Between allocations, and free again during the call: a stray access that went from one tensor straight into
// the next would be in bounds to the tools. Small, as small tensors are: the driver (580) takes 1 MiB
// from elsewhere and leaves small allocations side by side.
constexpr std::size_t gap_bytes = std::size_t{64} << 10;

class Gaps {
 public:
  Gaps() = default;
  ~Gaps() {
    for (void* const gap : gaps_) cudaFree(gap);
  }
  Gaps(const Gaps&) = delete;
  Gaps& operator=(const Gaps&) = delete;

  bool add() {
    gaps_.push_back(nullptr);
    return ok(cudaMalloc(&gaps_.back(), gap_bytes));
  }

 private:
  std::vector<void*> gaps_;
};

}  // namespace

bool CheckedCudaWorker::prepare() {
  auto driver = Driver::open();
  if (!driver) return false;
  driver_ = *driver;
  return ok(cudaSetDevice(ordinal_)) && ok(cudaFree(nullptr));
}

std::uint64_t CheckedCudaWorker::map(UniqueFd descriptor, const LentBuffer& buffer) {
  auto memory = MappedMemory::import(driver_, ordinal_, descriptor.get(), buffer.bytes,
                                     buffer.writable ? Access::read_write : Access::read_only);
  if (!memory) return 0;
  loans_.push_back({std::move(*memory), buffer});
  return reinterpret_cast<std::uint64_t>(loans_.back().memory->data());
}

bool CheckedCudaWorker::make_copies() {
  Gaps gaps;
  for (Loan& loan : loans_) {
    if (!gaps.add() || !ok(cudaMalloc(&loan.copy, loan.terms.length))) return false;
    if (!loan.terms.holds_data) continue;
    if (!ok(cudaMemcpy(loan.copy, loan.tensor(), loan.terms.length, cudaMemcpyDeviceToDevice))) return false;
  }
  return gaps.add() && ok(cudaDeviceSynchronize());
}

bool CheckedCudaWorker::take_copies_back() {
  bool taken = true;
  for (Loan& loan : loans_) {
    if (loan.terms.writable) {
      taken = ok(cudaMemcpy(loan.tensor(), loan.copy, loan.terms.length, cudaMemcpyDeviceToDevice)) && taken;
    }
    taken = ok(cudaFree(loan.copy)) && taken;
    loan.copy = nullptr;
  }
  return ok(cudaDeviceSynchronize()) && taken;
}

// Whole, and waited for: nothing is queued ahead below a tool. Checked calls have one launch.
void CheckedCudaWorker::begin_call(Entry entry, Launches launches, std::uint32_t /*gate*/) {
  timed_ = {};
  if (!make_copies()) {
    timed_.device_failed = true;
    return;
  }
  std::array<unsigned long long, max_parameters> ours;
  std::copy_n(launches.front(), max_parameters, ours.begin());
  for (const Loan& loan : loans_) {
    ours.at(loan.terms.parameter) = reinterpret_cast<unsigned long long>(loan.copy);
  }
  const auto start = std::chrono::steady_clock::now();
  timed_.error = entry(ours.data());
  const cudaError_t status = cudaDeviceSynchronize();
  timed_.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (timed_.error == 0) timed_.error = status;
  timed_.device_failed = !take_copies_back() && timed_.error == 0;
}

void CheckedCudaWorker::conclude() {
  loans_.clear();
  cudaDeviceReset();
}

}  // namespace kgrade::cuda
