#include "device/emulated/emulated_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "base/compiler.h"
#include "base/defences.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "device/compared_output.h"
#include "device/emulated/runtime/limits.h"
#include "device/input_blocks.h"
#include "device/poison.h"

namespace kgrade::emulated {
namespace {

// The most threads of a worker, including those of its contestant.
constexpr unsigned int most_threads = 256;

class MemoryFile : public SharedBuffer {
 public:
  MemoryFile(UniqueFd fd, UniqueFd read_only, unsigned char* data, std::uint64_t bytes)
      : fd_(std::move(fd)), read_only_(std::move(read_only)), data_(data), bytes_(bytes) {}
  ~MemoryFile() override { ::munmap(data_, bytes_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const override {
    ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SEAL);
    return fd_.get();
  }
  // The worker's account owns the file, as the referee's does, so a worker could make the file writable again
  // and reopen it. The seal prevents that, and the referee's own mapping stays writable.
  int read_only_descriptor() const override {
    const bool sealed = is_on(Defence::sealed_inputs) &&
                        ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
    if (!sealed) ::fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SEAL);  // before Linux 5.1
    return read_only_ ? read_only_.get() : fd_.get();
  }
  std::uint64_t bytes() const override { return bytes_; }
  unsigned char* data() { return data_; }

 private:
  UniqueFd fd_;
  UniqueFd
      read_only_;  // a separate open file: a process that has only this can never map the memory writable
  unsigned char* data_;
  std::uint64_t bytes_;
};

unsigned char* bytes_of(SharedBuffer& buffer, std::uint64_t begin = 0) {
  return static_cast<MemoryFile&>(buffer).data() + begin;
}

device::Poison poison_of(const Filling& filling) { return {filling.poison, filling.dtype}; }

device::InputRange range_of(const Filling& filling) {
  const unsigned char* const source =
      filling.source != nullptr ? bytes_of(*filling.source, filling.source_begin) : nullptr;
  return {filling.elements, filling.contents, filling.dtype, source, filling.source_dtype};
}

Error no_memory(std::uint64_t bytes) {
  return machine_error(fmt::format("cannot get {} of memory: {}", format_bytes(bytes), ::strerror(errno)),
                       "free some memory, or choose a smaller case with --case");
}

// "MemAvailable:  123 kB" of /proc/meminfo (proc(5)), in bytes; 0 when it cannot be read.
std::uint64_t meminfo_bytes(const std::string& key) {
  std::ifstream stream("/proc/meminfo");
  std::string word;
  while (stream >> word) {
    std::uint64_t kilobytes = 0;
    if (word == key && stream >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// The most memory that a worker may use, where control groups are available: the memory that
// limit_contestant() allows, and memory that is not counted there (shared memory and its /tmp). Lent buffers
// are the referee's.
std::uint64_t most_memory([[maybe_unused]] const SandboxPolicy& policy) {
#ifdef KGRADE_SANITIZED
  return 0;
#else
  namespace limits = kgrade_emulated::limits;
  const std::uint64_t host_threads = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t least =
      limits::device_memory_bytes + limits::host_memory_bytes + policy.temporary_bytes;
  const std::uint64_t half = meminfo_bytes("MemTotal:") / 2;
  // With many cores, the stacks of all blocks may need more than half of the memory. The limit is no more
  // than that.
  return std::min(least + host_threads * limits::stack_bytes_per_host_thread, std::max(least, half));
#endif
}

std::uint64_t changed_bytes(const Filling& filling, device::ByteRange range) {
  std::uint64_t changed = 0;
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    changed += device::changed_bytes_in_block(bytes_of(*filling.buffer), range, poison_of(filling), block);
  }
  return changed;
}

void fill_with_poison(const Filling& filling, device::ByteRange range) {
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    device::fill_block(bytes_of(*filling.buffer), range, poison_of(filling), block);
  }
}

device::ComparedOutput compared(const OutputPair& output) {
  return compared_output(output,
                         [](SharedBuffer& buffer, std::uint64_t begin) { return bytes_of(buffer, begin); });
}

std::uint64_t changed_elements(const Filling& filling) {
  const device::InputRange range = range_of(filling);
  std::uint64_t changed = 0;
  for (std::uint64_t block = 0; 4 * block < filling.elements; ++block) {
    changed += device::count_changed(bytes_of(*filling.buffer, filling.begin), filling.dtype,
                                     filling.elements, block, device::input_block(range, block));
  }
  return changed;
}

}  // namespace

DeviceInfo EmulatedDevice::info() const {
  DeviceInfo info;
  info.kind = "emulated";
  info.name =
      fmt::format("emulated device on {} CPU cores", std::max(1u, std::thread::hardware_concurrency()));
  info.multiprocessors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  info.memory_bytes = meminfo_bytes("MemTotal:");
  info.thread_order = to_string(order_);
  return info;
}

std::uint64_t EmulatedDevice::free_bytes() const { return meminfo_bytes("MemAvailable:"); }

Result<std::unique_ptr<SharedBuffer>> EmulatedDevice::allocate(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t rounded = (bytes + page - 1) / page * page;
  UniqueFd fd(::memfd_create("kgrade-buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(rounded)) != 0) return no_memory(rounded);
  // The file is sealed, because a worker that shrank it would make the referee fault.
  ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  void* data = ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return no_memory(rounded);
  // From now on only the superuser can reopen the file for writing through /proc.
  ::fchmod(fd.get(), 0444);
  UniqueFd read_only(::open(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), O_RDONLY | O_CLOEXEC));
  return std::unique_ptr<SharedBuffer>(std::make_unique<MemoryFile>(
      std::move(fd), std::move(read_only), static_cast<unsigned char*>(data), rounded));
}

void EmulatedDevice::poison(std::span<const Filling> fillings) {
  for (const Filling& filling : fillings) {
    fill_with_poison(filling, {0, filling.input ? filling.begin : filling.buffer->bytes()});
    if (filling.input) fill_with_poison(filling, {filling.end(), filling.buffer->bytes()});
  }
}

std::chrono::nanoseconds EmulatedDevice::reveal(std::span<const Filling> fillings, GateOpening /*opening*/) {
  for (const Filling& filling : fillings) {
    if (filling.cleared)
      std::memset(bytes_of(*filling.buffer, filling.begin), 0, filling.end() - filling.begin);
    if (!filling.input && !filling.filled) continue;
    const device::InputRange range = range_of(filling);
    for (std::uint64_t block = 0; 4 * block < filling.elements; ++block) {
      device::store_block(bytes_of(*filling.buffer, filling.begin), filling.dtype, filling.elements, block,
                          device::input_block(range, block));
    }
  }
  revealed_ = std::chrono::steady_clock::now();
  return {};
}

// Compares the outputs as soon as the clock has stopped, so that later writes have no effect.
void EmulatedDevice::begin_inspection(std::span<const Filling> fillings,
                                      std::span<const OutputPair> outputs) {
  inspected_ = fillings;
  inspection_ = {};
  inspection_.since_reveal = std::chrono::steady_clock::now() - revealed_;
  for (const OutputPair& output : outputs) {
    const device::ComparedOutput both = compared(output);
    ElementErrors total;
    for (std::uint64_t i = 0; i < both.elements; ++i) device::accumulate(total, both, i);
    inspection_.errors.push_back(total);
  }
}

Inspection EmulatedDevice::end_inspection() {
  Inspection inspection = std::move(inspection_);
  for (const Filling& filling : inspected_) {
    BufferCorruption corruption;
    corruption.guard_bytes = changed_bytes(filling, {0, filling.begin}) +
                             changed_bytes(filling, {filling.end(), filling.buffer->bytes()});
    if (filling.input) corruption.input_elements = changed_elements(filling);
    inspection.corruption.push_back(corruption);
  }
  return inspection;
}

std::uint64_t EmulatedDevice::count_unwritten(const Filling& filling) {
  const device::ByteRange range{filling.begin, filling.end()};
  std::uint64_t unwritten = 0;
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    unwritten +=
        device::unchanged_elements_in_block(bytes_of(*filling.buffer), range, poison_of(filling), block);
  }
  return unwritten;
}

std::uint64_t EmulatedDevice::count_wrong(const OutputPair& output, double limit) {
  const device::ComparedOutput both = compared(output);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < both.elements; ++i) wrong += device::is_wrong(both, i, limit);
  return wrong;
}

RuleCount EmulatedDevice::count_by_rule(const OutputPair& output, const SetRule& rule) {
  const device::ComparedOutput both = compared(output);
  RuleCount count{both.elements, 0, 0};
  for (std::uint64_t i = 0; i < both.elements; ++i) {
    const device::RuledElement element =
        device::ruled_element(both, i, rule.absolute, rule.relative, rule.either);
    count.failed += element.passes ? 0 : 1;
    count.largest_error = std::max(count.largest_error, element.error);
  }
  return count;
}

std::vector<double> EmulatedDevice::sample(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                                           Dtype dtype) {
  std::vector<double> values(static_cast<std::size_t>(device::sample_size(elements)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = device::load_number(dtype, bytes_of(buffer, begin), device::sampled_element(i, elements));
  return values;
}

void EmulatedDevice::read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) {
  ::memcpy(destination, bytes_of(buffer, begin), bytes);
}

void EmulatedDevice::write(SharedBuffer& buffer, std::uint64_t begin, const void* source,
                           std::uint64_t bytes) {
  ::memcpy(bytes_of(buffer, begin), source, bytes);
}

// A worker may have as many threads as a contestant could reasonably want. A worker needs no device node and
// no files.
SandboxPolicy EmulatedDevice::worker_policy() const {
  SandboxPolicy policy;
  policy.readable = {worker_command().front()};
  policy.processes = most_threads;
  policy.memory_bytes = most_memory(policy);
  return policy;
}

std::vector<std::string> EmulatedDevice::worker_command_in(ThreadOrder order, std::uint64_t seed) const {
  return {worker_directory_ + "/kgrade-worker-emulated", std::string(to_string(order)), std::to_string(seed)};
}

}  // namespace kgrade::emulated
