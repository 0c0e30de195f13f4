#include "device/cuda/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "device/compared_output.h"
#include "device/cuda/check.h"
#include "device/cuda/describe.h"
#include "device/cuda/referee_kernels.h"
#include "device/cuda/virtual_memory.h"
#include "problem/problem.h"

namespace kgrade::cuda {
namespace {

class GpuBuffer : public SharedBuffer {
 public:
  GpuBuffer(std::unique_ptr<MappedMemory> memory, UniqueFd descriptor)
      : memory_(std::move(memory)), descriptor_(std::move(descriptor)) {}
  int descriptor() const override { return descriptor_.get(); }
  std::uint64_t bytes() const override { return memory_->bytes(); }
  unsigned char* data() const { return memory_->data(); }

 private:
  std::unique_ptr<MappedMemory> memory_;
  UniqueFd descriptor_;
};

unsigned char* bytes_of(SharedBuffer& buffer, std::uint64_t begin = 0) {
  return static_cast<GpuBuffer&>(buffer).data() + begin;
}

device::Poison poison_of(const Filling& filling) { return {filling.poison, filling.dtype}; }

device::ComparedOutput compared(const OutputPair& output) {
  return compared_output(output,
                         [](SharedBuffer& buffer, std::uint64_t begin) { return bytes_of(buffer, begin); });
}

// Results of the referee's kernels, in device memory and, once they are read, in host memory. Both memories
// are allocated from the start, because a contestant may use up all memory that is left.
class Results {
 public:
  // There are three counters for each tensor of a call, in all its launches together: two for a BufferLook
  // and one for a comparison.
  static constexpr std::size_t max_counters = 3 * max_parameters;

  Results() {
    KGRADE_CUDA_CHECK(cudaMalloc(&device_, bytes));
    KGRADE_CUDA_CHECK(cudaMallocHost(&host_, bytes));
    KGRADE_CUDA_CHECK(cudaMalloc(&scratch_, scratch_bytes));
  }
  ~Results() {
    cudaFree(device_);
    cudaFreeHost(host_);
    cudaFree(scratch_);
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  // Returns `count` counters, which are zero for work that is queued after this.
  Counter* fresh_counters(std::size_t count) {
    if (count > max_counters) throw std::logic_error("too many counters");
    if (!zeroed_) zero();
    zeroed_ = false;
    counters_ = count;
    return static_cast<Counter*>(device_);
  }
  // Zeroes the next counters ahead of time.
  void zero() {
    KGRADE_CUDA_CHECK(cudaMemsetAsync(device_, 0, max_counters * sizeof(Counter)));
    zeroed_ = true;
  }
  // Queues comparison number `index`, with a fresh counter of its own.
  void compare(const device::ComparedOutput& output, std::size_t index, Counter* finished) {
    if (index >= max_parameters) throw std::logic_error("too many outputs");
    cuda::compare(output, static_cast<ElementErrors*>(scratch_), finished, errors_in(device_) + index);
  }

  // Queues the reading of all results so far, with this number of comparisons. The results can be used after
  // wait().
  void queue_reading(std::size_t comparisons = 0) {
    const std::size_t used = counters_ * sizeof(Counter) + comparisons * sizeof(ElementErrors);
    KGRADE_CUDA_CHECK(cudaMemcpyAsync(host_, device_, used, cudaMemcpyDeviceToHost));
  }
  static void wait() { KGRADE_CUDA_CHECK(cudaStreamSynchronize(nullptr)); }
  void read() {
    queue_reading();
    wait();
  }
  // Room in device memory for device::most_sampled values.
  double* samples() { return static_cast<double*>(scratch_); }
  Counter counter(std::size_t index) const { return static_cast<const Counter*>(host_)[index]; }
  const ElementErrors& errors_of(std::size_t index) const { return errors_in(host_)[index]; }

 private:
  static constexpr std::size_t bytes =
      max_counters * sizeof(Counter) + max_parameters * sizeof(ElementErrors);
  // The scratch memory holds parts of the running comparison, or samples.
  static constexpr std::size_t scratch_bytes =
      std::max(comparison_parts * sizeof(ElementErrors), device::most_sampled * sizeof(double));

  // Comparisons are stored right after the used counters, so that one short transfer reads everything.
  ElementErrors* errors_in(void* memory) const {
    return reinterpret_cast<ElementErrors*>(static_cast<Counter*>(memory) + counters_);
  }

  void* device_ = nullptr;
  void* host_ = nullptr;
  void* scratch_ = nullptr;
  std::size_t counters_ = 0;  // in use
  bool zeroed_ = false;       // the counters are zero and not in use yet
};

// A stretch of work on the default stream, timed by the device's clock.
class Stretch {
 public:
  using Duration = std::chrono::steady_clock::duration;

  Stretch() {
    KGRADE_CUDA_CHECK(cudaEventCreate(&begin_));
    KGRADE_CUDA_CHECK(cudaEventCreate(&end_));
    begin();
    end();
  }
  ~Stretch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

  void begin() { KGRADE_CUDA_CHECK(cudaEventRecord(begin_)); }
  void end() { KGRADE_CUDA_CHECK(cudaEventRecord(end_)); }
  // Waits until all work of the stretch is done.
  void wait() const { KGRADE_CUDA_CHECK(cudaEventSynchronize(end_)); }
  // How long the stretch took, and how long after the end of another stretch it began. Wait for the stream
  // first.
  Duration length() const { return between(begin_, end_); }
  Duration since(const Stretch& earlier) const { return between(earlier.end_, begin_); }

 private:
  static Duration between(cudaEvent_t first, cudaEvent_t second) {
    float milliseconds = 0;
    KGRADE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, first, second));
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
  }

  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

class CudaDevice : public Device {
 public:
  CudaDevice(std::shared_ptr<const Driver> driver, int ordinal, std::string worker_directory)
      : driver_(std::move(driver)),
        ordinal_(ordinal),
        worker_directory_(std::move(worker_directory)),
        info_(describe(ordinal)),
        flush_bytes_(2 * info_.l2_bytes) {
    // Twice the L2, so that its earlier contents are gone under any replacement policy.
    KGRADE_CUDA_CHECK(cudaMalloc(&flush_buffer_, flush_bytes_));
  }
  ~CudaDevice() override { cudaFree(flush_buffer_); }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  DeviceInfo info() const override { return info_; }

  std::uint64_t free_bytes() const override {
    std::size_t free = 0;
    std::size_t total = 0;
    KGRADE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return free;
  }

  Result<std::unique_ptr<SharedBuffer>> allocate(std::uint64_t bytes) override {
    auto memory = MappedMemory::create(driver_, ordinal_, bytes);
    if (!memory) return memory.errors();
    auto descriptor = (*memory)->export_descriptor();
    if (!descriptor) return descriptor.errors();
    return std::unique_ptr<SharedBuffer>(
        std::make_unique<GpuBuffer>(std::move(*memory), std::move(*descriptor)));
  }

  void poison(std::span<const Filling> fillings) override {
    begin_refresh();
    poisoned_.clear();
    for (const Filling& filling : fillings) {
      const PoisonedRanges whole{
          bytes_of(*filling.buffer), {{0, filling.buffer->bytes()}, {0, 0}}, poison_of(filling)};
      poisoned_.push_back(filling.input ? zones_of(filling) : whole);
    }
    cuda::fill_poison(poisoned_.data(), poisoned_.size());
    results_.zero();  // now, while nothing is measured
  }

  using Device::reveal;
  std::chrono::nanoseconds reveal(std::span<const Filling> fillings, GateOpening opening) override {
    begin_refresh();
    inputs_.clear();
    for (const Filling& filling : fillings) {
      if (filling.input || filling.filled) inputs_.push_back(tensor_of(filling));
      if (filling.cleared)
        KGRADE_CUDA_CHECK(
            cudaMemsetAsync(bytes_of(*filling.buffer, filling.begin), 0, filling.end() - filling.begin));
    }
    cuda::fill_inputs(inputs_.data(), inputs_.size());
    if (cache_state() == CacheState::cold) {
      KGRADE_CUDA_CHECK(cudaMemsetAsync(flush_buffer_, static_cast<int>(++flushes_ & 0xff), flush_bytes_));
    }
    refresh_.end();
    auto* const gate = static_cast<CudaGate*>(opening.gate);
    const bool will_open = gate != nullptr && gate->queue_opening(opening.number);
    // Wait only for the refresh and not for the device, because another process may use the device by now.
    refresh_.wait();
    if (gate != nullptr && !will_open) gate->open(opening.number);
    refreshing_ = false;
    return std::chrono::steady_clock::now() - refresh_.length() - asked_;
  }

  void begin_inspection(std::span<const Filling> fillings, std::span<const OutputPair> outputs) override {
    inspected_ = fillings.size();
    compared_ = outputs.size();
    inspection_.begin();
    Counter* const counters = results_.fresh_counters(2 * inspected_ + compared_);
    // Outputs are compared first, so that a contestant cannot write them after the clock has stopped.
    for (std::size_t i = 0; i < compared_; ++i)
      results_.compare(compared(outputs[i]), i, counters + 2 * inspected_ + i);
    looks_.clear();
    for (std::size_t i = 0; i < inspected_; ++i) looks_.push_back(look_at(fillings[i], counters + 2 * i));
    cuda::inspect(looks_.data(), looks_.size());
    results_.queue_reading(compared_);
  }

  Inspection end_inspection() override {
    Results::wait();
    Inspection inspection;
    inspection.since_reveal = inspection_.since(refresh_);
    for (std::size_t i = 0; i < inspected_; ++i) {
      inspection.corruption.push_back({results_.counter(2 * i), results_.counter(2 * i + 1)});
    }
    for (std::size_t i = 0; i < compared_; ++i) inspection.errors.push_back(results_.errors_of(i));
    return inspection;
  }

  std::uint64_t count_unwritten(const Filling& filling) override {
    cuda::count_unwritten_elements(bytes_of(*filling.buffer), {filling.begin, filling.end()},
                                   poison_of(filling), results_.fresh_counters(1));
    results_.read();
    return results_.counter(0);
  }

  std::uint64_t count_wrong(const OutputPair& output, double limit) override {
    cuda::count_wrong(compared(output), limit, results_.fresh_counters(1));
    results_.read();
    return results_.counter(0);
  }

  RuleCount count_by_rule(const OutputPair& output, const SetRule& rule) override {
    Counter* const counters = results_.fresh_counters(2);
    cuda::count_by_rule(compared(output), rule.absolute, rule.relative, rule.either, counters, counters + 1);
    results_.read();
    return {output.elements, results_.counter(0), std::bit_cast<double>(results_.counter(1))};
  }

  std::vector<double> sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                             Dtype dtype) override {
    cuda::sample(bytes_of(buffer, begin), elements, dtype, results_.samples());
    std::vector<double> values(static_cast<std::size_t>(device::sample_size(elements)));
    KGRADE_CUDA_CHECK(cudaMemcpy(values.data(), results_.samples(), values.size() * sizeof(double),
                                 cudaMemcpyDeviceToHost));
    return values;
  }

  void read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) override {
    KGRADE_CUDA_CHECK(cudaMemcpy(destination, bytes_of(buffer, begin), bytes, cudaMemcpyDeviceToHost));
  }

  void write(SharedBuffer& buffer, std::uint64_t begin, const void* source, std::uint64_t bytes) override {
    KGRADE_CUDA_CHECK(cudaMemcpy(bytes_of(buffer, begin), source, bytes, cudaMemcpyHostToDevice));
    finish();
  }

  std::uint64_t room_to_move() const override { return std::uint64_t{1} << 20; }
  bool gates_calls() const override { return true; }
  std::unique_ptr<Gate> make_gate() override { return CudaGate::make(driver_); }

  // Poisons the flush buffer and checks every byte in it.
  std::optional<Error> prove_healthy() override {
    const device::Poison poison{{++flushes_, 0x4ea17, 0}};
    const device::ByteRange range{0, flush_bytes_};
    const PoisonedRanges whole{static_cast<unsigned char*>(flush_buffer_), {range, {0, 0}}, poison};
    cuda::fill_poison(&whole, 1);
    Counter* const counters = results_.fresh_counters(2);
    const BufferLook look{whole, {}, counters};
    cuda::inspect(&look, 1);
    cuda::count_unwritten_elements(whole.buffer, range, poison, counters + 1);
    results_.read();
    if (results_.counter(0) == 0 && results_.counter(1) == flush_bytes_ / 4) return std::nullopt;
    return machine_error(fmt::format("{} no longer computes what it should", info_.name),
                         "do not trust this GPU: look at its error counters (nvidia-smi -q)");
  }

  std::optional<Ceilings> measure_ceilings() override { return cuda::measure_ceilings(); }

  std::vector<std::string> worker_command() const override {
    // Ordinals mean something else to a worker, because it sees only the node of its GPU. For a part of a
    // GPU, no UUID can be found out here.
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const bool is_part =
        visible != nullptr && std::string_view(visible).find("MIG") != std::string_view::npos;
    return {worker_directory_ + "/kgrade-worker-cuda", is_part ? std::to_string(ordinal_) : info_.uuid};
  }

 protected:
  SandboxPolicy worker_policy() const override {
    return cuda::worker_policy(worker_command().front(), ordinal_);
  }
  std::vector<std::filesystem::path> library_folders() const override { return cuda::library_folders(); }

 private:
  void begin_refresh() {
    if (std::exchange(refreshing_, true)) return;
    asked_ = std::chrono::steady_clock::now();
    refresh_.begin();
  }

  static void finish() { KGRADE_CUDA_CHECK(cudaDeviceSynchronize()); }

  // The guard zones around the tensor.
  static PoisonedRanges zones_of(const Filling& filling) {
    return {bytes_of(*filling.buffer),
            {{0, filling.begin}, {filling.end(), filling.buffer->bytes()}},
            poison_of(filling)};
  }

  static InputTensor tensor_of(const Filling& filling) {
    const unsigned char* const source =
        filling.source != nullptr ? bytes_of(*filling.source, filling.source_begin) : nullptr;
    return {bytes_of(*filling.buffer, filling.begin),
            {filling.elements, filling.contents, filling.dtype, source, filling.source_dtype}};
  }

  static BufferLook look_at(const Filling& filling, Counter* counters) {
    return {zones_of(filling), filling.input ? tensor_of(filling) : InputTensor{}, counters};
  }

  std::shared_ptr<const Driver> driver_;
  int ordinal_;
  std::string worker_directory_;
  DeviceInfo info_;
  Results results_;
  Stretch refresh_;
  Stretch inspection_;         // only its begin event is used
  std::size_t inspected_ = 0;  // fillings of the present inspection
  std::size_t compared_ = 0;
  std::vector<PoisonedRanges> poisoned_;  // this and the next two are members to keep their memory
  std::vector<InputTensor> inputs_;
  std::vector<BufferLook> looks_;
  std::chrono::steady_clock::time_point asked_;  // when the present refresh began
  bool refreshing_ = false;                      // poison() was called, and reveal() not yet
  void* flush_buffer_ = nullptr;
  std::uint64_t flush_bytes_;
  std::uint64_t flushes_ = 0;
};

}  // namespace

CudaProbe probe() {
  CudaProbe result;
  result.built = true;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    // If there is no driver, the runtime reports that the driver is too old. The driver's version is then 0
    // (cudaDriverGetVersion in the CUDA Runtime API).
    int version = 0;
    const bool has_no_driver = status == cudaErrorInsufficientDriver &&
                               cudaDriverGetVersion(&version) == cudaSuccess && version == 0;
    result.problem =
        machine_error(fmt::format("no CUDA device: {}", status == cudaSuccess ? "this machine has none"
                                                        : has_no_driver ? "no NVIDIA driver is installed"
                                                                        : cudaGetErrorString(status)),
                      "use a machine with an NVIDIA GPU and its driver");
    return result;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) result.devices.push_back(describe(ordinal));
  return result;
}

Result<std::unique_ptr<Device>> open(int ordinal, const std::string& worker_directory) {
  auto driver = Driver::open();
  if (!driver) return driver.errors();
  KGRADE_CUDA_CHECK(cudaSetDevice(ordinal));
  KGRADE_CUDA_CHECK(cudaFree(nullptr));  // creates the context
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(*driver), ordinal, worker_directory));
}

}  // namespace kgrade::cuda
