#include "device/emulated/emulated_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/text.h"
#include "base/unique_fd.h"
#include "device/element_operations.h"

namespace kgrade::emulated {
namespace {

class MemoryFile : public SharedBuffer {
 public:
  MemoryFile(UniqueFd fd, unsigned char* data, std::uint64_t bytes)
      : fd_(std::move(fd)), data_(data), bytes_(bytes) {}
  ~MemoryFile() override { ::munmap(data_, bytes_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const override { return fd_.get(); }
  std::uint64_t bytes() const override { return bytes_; }
  unsigned char* data() { return data_; }

 private:
  UniqueFd fd_;
  unsigned char* data_;
  std::uint64_t bytes_;
};

unsigned char* bytes_of(SharedBuffer& buffer, std::uint64_t begin = 0) {
  return static_cast<MemoryFile&>(buffer).data() + begin;
}

float* floats_of(SharedBuffer& buffer, std::uint64_t begin) {
  return reinterpret_cast<float*>(bytes_of(buffer, begin));
}

Error no_memory(std::uint64_t bytes) {
  return {fmt::format("cannot get {} of memory: {}", format_bytes(bytes), ::strerror(errno)),
          "free some memory, or choose a smaller case with --case",
          {}};
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
  // A worker that shrank the file would make the referee fault.
  ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* data = ::mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return no_memory(rounded);
  return std::unique_ptr<SharedBuffer>(
      std::make_unique<MemoryFile>(std::move(fd), static_cast<unsigned char*>(data), rounded));
}

void EmulatedDevice::fill_random_bytes(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                                       const RandomStream& stream) {
  const device::ByteRange range{begin, end};
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    device::fill_block(bytes_of(buffer), range, stream, block);
  }
}

std::uint64_t EmulatedDevice::count_changed_bytes(SharedBuffer& buffer, std::uint64_t begin,
                                                  std::uint64_t end, const RandomStream& stream) {
  const device::ByteRange range{begin, end};
  std::uint64_t changed = 0;
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    changed += device::changed_bytes_in_block(bytes_of(buffer), range, stream, block);
  }
  return changed;
}

std::uint64_t EmulatedDevice::count_unwritten_words(SharedBuffer& buffer, std::uint64_t begin,
                                                    std::uint64_t end, const RandomStream& stream) {
  const device::ByteRange range{begin, end};
  std::uint64_t unwritten = 0;
  for (std::uint64_t block = device::first_block(range); block < device::end_block(range); ++block) {
    unwritten += device::unchanged_words_in_block(bytes_of(buffer), range, stream, block);
  }
  return unwritten;
}

void EmulatedDevice::fill_input(SharedBuffer& buffer, std::uint64_t begin, std::uint64_t elements,
                                const Distribution& distribution, const RandomStream& stream) {
  const device::InputRange range{elements, distribution, stream};
  for (std::uint64_t block = 0; block < (elements + 3) / 4; ++block) {
    device::fill_input_block(floats_of(buffer, begin), range, block);
  }
}

std::uint64_t EmulatedDevice::count_changed_elements(SharedBuffer& buffer, std::uint64_t begin,
                                                     std::uint64_t elements, const Distribution& distribution,
                                                     const RandomStream& stream) {
  const device::InputRange range{elements, distribution, stream};
  std::uint64_t changed = 0;
  for (std::uint64_t block = 0; block < (elements + 3) / 4; ++block) {
    changed += device::changed_elements_in_block(floats_of(buffer, begin), range, block);
  }
  return changed;
}

Comparison EmulatedDevice::compare(SharedBuffer& actual, std::uint64_t actual_begin, SharedBuffer& expected,
                                   std::uint64_t expected_begin, std::uint64_t elements) {
  const float* a = floats_of(actual, actual_begin);
  const float* e = floats_of(expected, expected_begin);
  Comparison total;
  for (std::uint64_t i = 0; i < elements; ++i) device::accumulate(total, a[i], e[i], i);
  return total;
}

std::uint64_t EmulatedDevice::count_wrong(SharedBuffer& actual, std::uint64_t actual_begin,
                                          SharedBuffer& expected, std::uint64_t expected_begin,
                                          std::uint64_t elements, double limit) {
  const float* a = floats_of(actual, actual_begin);
  const float* e = floats_of(expected, expected_begin);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < elements; ++i) wrong += device::is_wrong(a[i], e[i], limit);
  return wrong;
}

void EmulatedDevice::read(SharedBuffer& buffer, std::uint64_t begin, void* destination, std::uint64_t bytes) {
  ::memcpy(destination, bytes_of(buffer, begin), bytes);
}

std::vector<std::string> EmulatedDevice::worker_command_in(ThreadOrder order, std::uint64_t seed) const {
  return {worker_directory_ + "/kgrade-worker-emulated", std::string(to_string(order)), std::to_string(seed)};
}

}  // namespace kgrade::emulated
