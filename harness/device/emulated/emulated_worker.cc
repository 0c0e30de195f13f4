#include "device/emulated/emulated_worker.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>

#include "base/compiler.h"
#include "base/subprocess.h"
#include "device/emulated/checker/checking.h"
#include "device/emulated/runtime/limits.h"
#include "kgrade_emulated/api_errors.h"

namespace kgrade::emulated {
namespace {

// The size of the inaccessible memory on both sides of a buffer, so that an access far beyond an end faults.
constexpr std::uint64_t margin_bytes = 1 << 20;

namespace limits = kgrade_emulated::limits;

std::size_t memory_bytes() { return kgrade_emulated::device_memory_bytes() + limits::host_memory_bytes; }

// The handler is global, since malloc() and operator new have no other state than that of the process.
kgrade_emulated::LimitHandler excess_handler = nullptr;

void out_of_memory() {
  if (excess_handler != nullptr) excess_handler(kgrade_emulated::Limit::memory, memory_bytes());
}

// The device opens few descriptors, and a contestant needs none.
constexpr unsigned int most_descriptors = 512;

void set_limit(__rlimit_resource resource, rlim_t now, rlim_t most) {
  const rlimit limit{now, most};
  ::setrlimit(resource, &limit);
}

}  // namespace

// Starts the device's own threads before the contestant is loaded, so that every later thread is the
// contestant's.
bool EmulatedWorker::prepare() {
  kgrade_emulated::start_host_threads();
  return true;
}

std::uint64_t EmulatedWorker::map(UniqueFd descriptor, const Loan& loan) {
  const std::uint64_t total = loan.bytes + 2 * margin_bytes;
  void* reserved = ::mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return 0;
  mappings_.push_back({reserved, total});
  char* address = static_cast<char*>(reserved) + margin_bytes;
  const int protection = loan.writable ? PROT_READ | PROT_WRITE : PROT_READ;
  if (::mmap(address, loan.bytes, protection, MAP_SHARED | MAP_FIXED, descriptor.get(), 0) == MAP_FAILED)
    return 0;
  if (loan.captures) {
    captures_.add({loan.launch, loan.parameter, address, loan.length, loan.bytes});
  } else if (book_ != nullptr) {
    kgrade_emulated::lend_checked({address + loan.begin, loan.length, static_cast<int>(loan.parameter),
                                   loan.holds_data != 0, loan.writable != 0});
  }
  return reinterpret_cast<std::uint64_t>(address);
}

void EmulatedWorker::unmap_all() {
  if (book_ != nullptr) kgrade_emulated::give_back_checked();
  for (const Mapping& mapping : mappings_) ::munmap(mapping.reserved, mapping.bytes);
  mappings_.clear();
  captures_.clear();
}

// All work is done when the entry returns, so there is nothing to wait for, and there is no gate.
void EmulatedWorker::begin_call(Entry entry, Launches launches, std::uint32_t /*gate*/) {
  timed_ = {};
  kgrade_emulated::take_failed_launch();
  const auto start = std::chrono::steady_clock::now();
  if (book_ != nullptr) kgrade_emulated::begin_checked_call();
  for (std::size_t i = 0; i < launches.size() && timed_.error == 0; ++i) timed_.error = entry(launches[i]);
  if (book_ != nullptr) kgrade_emulated::end_checked_call();
  timed_.elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  for (const Capture& capture : captures_) {
    if (capture.launch >= launches.size()) continue;
    const auto* const output = reinterpret_cast<const void*>(launches[capture.launch][capture.parameter]);
    std::memcpy(capture.memory, output, capture.bytes);
  }
  timed_.failed_launch = kgrade_emulated::take_failed_launch();
  if (timed_.error != 0 && kgrade_emulated::device_memory_was_refused())
    timed_.error = cudaErrorMemoryAllocation;
  if (timed_.error == cudaErrorMemoryAllocation) timed_.limit_bytes = kgrade_emulated::device_memory_bytes();
}

bool EmulatedWorker::watch(UniqueFd book) {
  void* memory = ::mmap(nullptr, sizeof(FindingBook), PROT_READ | PROT_WRITE, MAP_SHARED, book.get(), 0);
  if (memory == MAP_FAILED) return false;
  book_ = static_cast<FindingBook*>(memory);
  kgrade_emulated::start_checking(*book_);
  if (contestants_ == Contestants::in_python) kgrade_emulated::share_with_frameworks();
  return true;
}

// The entry of a contestant in Python is the worker's own; its extensions are reported one by one.
void EmulatedWorker::has_loaded(Entry entry) {
  if (book_ != nullptr && contestants_ == Contestants::libraries)
    kgrade_emulated::check_library_of(reinterpret_cast<const void*>(entry));
}

bool EmulatedWorker::overwrite(std::uint64_t address, std::uint64_t bytes, unsigned char value) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): arguments are addresses.
  std::memset(reinterpret_cast<void*>(address), value, bytes);
  return true;
}

void limit_contestant(kgrade_emulated::LimitHandler on_excess) {
  excess_handler = on_excess;
  kgrade_emulated::set_limit_handler(on_excess);
  std::set_new_handler(&out_of_memory);
  kgrade_emulated::limit_program();
  set_limit(RLIMIT_STACK, limits::host_stack_bytes, limits::host_stack_bytes);
  set_limit(RLIMIT_FSIZE, limits::file_bytes, limits::file_bytes);
  limit_descriptors(most_descriptors);
#ifndef KGRADE_SANITIZED
  // Lent buffers are shared memory and do not count. The limit is raised when the device makes its own
  // stacks. There is no limit with a sanitizer, because its shadow memory would count.
  const rlim_t stacks = kgrade_emulated::host_threads() * rlim_t{limits::stack_bytes_per_host_thread};
  set_limit(RLIMIT_DATA, memory_bytes(), memory_bytes() + stacks);
#endif
}

}  // namespace kgrade::emulated

// If malloc() returned a null pointer that the contestant does not check, the crash would come later. So the
// worker has its own malloc(), which reports that memory ran out. Contestants and operator new use it too.
// (__libc_malloc and similar names are the C library's own names for the functions that are replaced here.)
#if defined(__GLIBC__) && !defined(KGRADE_SANITIZED)
extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);

void* malloc(std::size_t bytes) {
  void* const memory = __libc_malloc(bytes);
  if (memory == nullptr) kgrade::emulated::out_of_memory();
  return memory;
}

void* calloc(std::size_t count, std::size_t bytes) {
  void* const memory = __libc_calloc(count, bytes);
  if (memory == nullptr) kgrade::emulated::out_of_memory();
  return memory;
}

void* realloc(void* old, std::size_t bytes) {
  void* const memory = __libc_realloc(old, bytes);
  if (memory == nullptr && bytes != 0) kgrade::emulated::out_of_memory();
  return memory;
}
}
#endif
