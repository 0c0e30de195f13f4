#include "device/cuda/cuda_worker.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

#include "device/cuda/check.h"
#include "device/gate.h"
#include "problem/problem.h"

namespace kgrade::cuda {
namespace {

cudaEvent_t event(void* handle) { return static_cast<cudaEvent_t>(handle); }

bool make_event(void*& handle) {
  cudaEvent_t made = nullptr;
  if (!ok(cudaEventCreate(&made))) return false;
  handle = made;
  return true;
}

// The first launch of the present call that failed.
FirstFailedLaunch first_failed_launch;

// "scale" for an address that is the symbol of `scale(float*)`. Empty for a static kernel and for a handle,
// which have no symbol.
std::string name_of_kernel(const void* kernel) {
  Dl_info found{};
  if (::dladdr(kernel, &found) == 0 || found.dli_saddr != kernel || found.dli_sname == nullptr) return "";
  int status = 0;
  char* const plain = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status);
  std::string name = plain != nullptr ? plain : found.dli_sname;
  std::free(plain);
  if (name.starts_with("void ")) name.erase(0, 5);
  return name.substr(0, name.find('('));
}

// The size of the gaps between the tensors' allocations. A gap is allocated and freed before the call.
// Without gaps, a stray access from one tensor into the next would look to tools like an access in bounds.
// Gaps have the size of small allocations, because the driver (580) places allocations of 1 MiB elsewhere,
// and small tensors would then be neighbours.
constexpr std::size_t gap_bytes = std::size_t{64} << 10;

class Gaps {
 public:
  Gaps() = default;
  ~Gaps() {
    for (void* const gap : gaps_) cudaFree(gap);
  }
  Gaps(const Gaps&) = delete;
  Gaps& operator=(const Gaps&) = delete;

  cudaError_t add() {
    gaps_.push_back(nullptr);
    return cudaMalloc(&gaps_.back(), gap_bytes);
  }

 private:
  std::vector<void*> gaps_;
};

}  // namespace

void note_failed_launch(int error, const void* kernel, const unsigned int* grid, const unsigned int* block,
                        std::size_t dynamic_shared) {
  FailedLaunch failed;
  failed.error = error;
  if (grid != nullptr && block != nullptr) {
    failed.is_known = 1;
    std::copy_n(grid, 3, failed.grid);
    std::copy_n(block, 3, failed.block);
    failed.dynamic_shared = dynamic_shared;
  }
  set_text(failed.kernel, name_of_kernel(kernel));
  first_failed_launch.note(failed);
}

CudaWorker::~CudaWorker() = default;  // the process ends, and the driver frees everything

bool CudaWorker::prepare() {
  auto driver = Driver::open();
  if (!driver) return false;
  driver_ = *driver;
  int kept_bytes = 0;
  if (!ok(cudaSetDevice(ordinal_)) || !ok(cudaFree(nullptr)) ||
      !ok(cudaDeviceGetAttribute(&kept_bytes, cudaDevAttrMaxPersistingL2CacheSize, ordinal_)) ||
      !make_event(start_) || !make_event(stop_) || !make_event(captured_)) {
    return false;
  }
  keeps_lines_ = kept_bytes > 0;
  // Memory that cudaFreeAsync() frees is kept. Otherwise, the driver returns the memory to the system at each
  // synchronisation. This takes up to a millisecond at the end of every call, outside the timed events, and
  // getting the memory again takes as long. A framework, which has its own memory pool, pays this only once.
  // With this setting, every contestant pays it only once.
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = UINT64_MAX;
  if (!ok(cudaDeviceGetDefaultMemPool(&pool, ordinal_)) ||
      !ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all)))
    cudaGetLastError();  // clears the error of a device without pools
  return true;
}

bool CudaWorker::adopt_gate(UniqueFd gate) {
  if (driver_->wait_value == nullptr) return false;
  gate_page_ = ::mmap(nullptr, gate_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gate.get(), 0);
  if (gate_page_ == MAP_FAILED) return false;
  void* mapped = nullptr;
  if (!ok(cudaHostRegister(gate_page_, gate_bytes, cudaHostRegisterMapped)) ||
      !ok(cudaHostGetDevicePointer(&mapped, gate_page_, 0))) {
    cudaGetLastError();
    return false;
  }
  gate_ = reinterpret_cast<CUdeviceptr>(mapped);
  return true;
}

void CudaWorker::wait_at_gate(std::uint32_t gate) {
  if (gate_ != 0) kgrade::wait_at_gate(*static_cast<GateWord*>(gate_page_), gate);
}

std::uint64_t CudaWorker::map(UniqueFd descriptor, const Loan& loan) {
  auto memory = MappedMemory::import(driver_, ordinal_, descriptor.get(), loan.bytes,
                                     loan.writable ? Access::read_write : Access::read_only);
  if (!memory) return 0;
  mappings_.push_back(std::move(*memory));
  if (loan.captures)
    captures_.add({loan.launch, loan.parameter, mappings_.back()->data(), loan.length, loan.bytes});
  return reinterpret_cast<std::uint64_t>(mappings_.back()->data());
}

void CudaWorker::unmap_all() {
  captures_.clear();
  mappings_.clear();
}

bool CudaWorker::queue_before(std::uint32_t gate) {
  gated_ = gate != 0 && gate_ != 0;
  if (gated_ && driver_->wait_value(nullptr, gate_, gate, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) {
    return false;
  }
  return ok(cudaEventRecord(event(start_), nullptr));
}

bool CudaWorker::queue_after(Launches launches) {
  bool queued = ok(cudaEventRecord(event(stop_), nullptr));
  for (const Capture& capture : captures_) {
    if (capture.launch >= launches.size()) continue;
    const auto* const output = reinterpret_cast<const void*>(launches[capture.launch][capture.parameter]);
    queued = queued && ok(cudaMemcpyAsync(capture.memory, output, capture.bytes, cudaMemcpyDeviceToDevice));
  }
  return queued && ok(cudaEventRecord(event(captured_), nullptr));
}

void CudaWorker::begin_call(Entry entry, Launches launches, std::uint32_t gate) {
  error_ = 0;
  first_failed_launch.take();
  queued_ = queue_before(gate);
  if (!queued_) return;
  for (std::size_t i = 0; i < launches.size() && error_ == 0; ++i) error_ = entry(launches[i]);
  queued_ = queue_after(launches);
}

std::optional<CallTimes> CudaWorker::end_call() {
  CallTimes result;
  result.error = error_;
  const cudaError_t status = queued_ ? cudaEventSynchronize(event(captured_)) : cudaDeviceSynchronize();
  if (result.error == 0) result.error = status;
  result.failed_launch = first_failed_launch.take();
  float elapsed_ms = 0;
  const bool timed =
      queued_ && ok(status) && ok(cudaEventElapsedTime(&elapsed_ms, event(start_), event(stop_)));
  result.elapsed_ms = elapsed_ms;
  if (!timed && result.error == 0) return std::nullopt;
  result.latency_hidden = gated_ ? 1 : 0;
  return result;
}

std::uint64_t CudaWorker::settle() {
  cudaDeviceSynchronize();
  std::size_t set_aside = 0;
  if (!keeps_lines_ || !ok(cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize))) return 0;
  return set_aside;
}

void CudaWorker::evict_cache_lines() {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaCtxResetPersistingL2Cache();
}

// An error of the contestant's own kernels shows here too: the next call reports it.
bool CudaWorker::overwrite(std::uint64_t address, std::uint64_t bytes, unsigned char value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): arguments are addresses.
  const cudaError_t status = cudaMemset(reinterpret_cast<void*>(address), value, bytes);
  if (status != cudaErrorInvalidValue) cudaStreamSynchronize(nullptr);
  return status != cudaErrorInvalidValue;
}

bool CheckedCudaWorker::prepare() {
  auto driver = Driver::open();
  if (!driver) return false;
  driver_ = *driver;
  return ok(cudaSetDevice(ordinal_)) && ok(cudaFree(nullptr));
}

std::uint64_t CheckedCudaWorker::map(UniqueFd descriptor, const Loan& loan) {
  auto memory = MappedMemory::import(driver_, ordinal_, descriptor.get(), loan.bytes,
                                     loan.writable ? Access::read_write : Access::read_only);
  if (!memory) return 0;
  if (loan.captures) {
    captured_.push_back(std::move(*memory));
    captures_.add({loan.launch, loan.parameter, captured_.back()->data(), loan.length, loan.bytes});
    return reinterpret_cast<std::uint64_t>(captured_.back()->data());
  }
  lent_.push_back({std::move(*memory), loan});
  return reinterpret_cast<std::uint64_t>(lent_.back().memory->data());
}

void CheckedCudaWorker::unmap_all() {
  lent_.clear();
  captures_.clear();
  captured_.clear();
}

cudaError_t CheckedCudaWorker::make_copies() {
  Gaps gaps;
  for (Lent& lent : lent_) {
    if (const cudaError_t failure = gaps.add(); !ok(failure)) return failure;
    if (const cudaError_t failure = cudaMalloc(&lent.copy, lent.loan.length); !ok(failure)) return failure;
    if (!lent.loan.holds_data) continue;
    const cudaError_t failure =
        cudaMemcpy(lent.copy, lent.tensor(), lent.loan.length, cudaMemcpyDeviceToDevice);
    if (!ok(failure)) return failure;
  }
  if (const cudaError_t failure = gaps.add(); !ok(failure)) return failure;
  return cudaDeviceSynchronize();
}

bool CheckedCudaWorker::take_copies_back() {
  bool taken = true;
  for (Lent& lent : lent_) {
    if (lent.loan.writable) {
      taken = ok(cudaMemcpy(lent.tensor(), lent.copy, lent.loan.length, cudaMemcpyDeviceToDevice)) && taken;
    }
    taken = ok(cudaFree(lent.copy)) && taken;
    lent.copy = nullptr;
  }
  return ok(cudaDeviceSynchronize()) && taken;
}

bool CheckedCudaWorker::capture_outputs(std::span<const unsigned long long> arguments) {
  bool captured = true;
  for (const Capture& capture : captures_) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): arguments are addresses.
    const auto* const output = reinterpret_cast<const void*>(arguments[capture.parameter]);
    captured = ok(cudaMemcpy(capture.memory, output, capture.bytes, cudaMemcpyDeviceToDevice)) && captured;
  }
  return captured;
}

// Makes the whole call and waits for it, because nothing is queued ahead below a tool. Checked calls have one
// launch.
void CheckedCudaWorker::begin_call(Entry entry, Launches launches, std::uint32_t /*gate*/) {
  timed_.reset();
  CallTimes timed;
  if (const cudaError_t failure = make_copies(); !ok(failure)) {
    // The contestant has not run yet. Memory may run out because other programs hold it.
    timed.error = failure;
    if (failure == cudaErrorMemoryAllocation) timed_ = timed;
    return;
  }
  std::array<unsigned long long, max_parameters> ours;
  std::copy_n(launches.front(), max_parameters, ours.begin());
  for (const Lent& lent : lent_) {
    ours.at(lent.loan.parameter) = reinterpret_cast<unsigned long long>(lent.copy);
  }
  first_failed_launch.take();
  const auto start = std::chrono::steady_clock::now();
  CallWatch* const watch = ++calls_ == watched_call ? watch_.get() : nullptr;
  if (watch != nullptr) watch->begin(ordinal_);
  timed.error = entry(ours.data());
  const cudaError_t status = cudaDeviceSynchronize();
  if (watch != nullptr) watch->end();
  timed.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (timed.error == 0) timed.error = status;
  timed.failed_launch = first_failed_launch.take();
  const bool captured = timed.error != 0 || capture_outputs(ours);
  const bool is_well = take_copies_back() && captured;
  if (is_well || timed.error != 0) timed_ = timed;
}

void CheckedCudaWorker::conclude() {
  lent_.clear();
  cudaDeviceReset();
}

}  // namespace kgrade::cuda
