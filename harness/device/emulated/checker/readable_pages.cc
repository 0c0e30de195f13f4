#include "device/emulated/checker/readable_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace kgrade_emulated {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

}  // namespace

// Writing from an unreadable address to a file fails, and does not fault.
bool ReadablePages::holds(std::uintptr_t address) {
  const std::uintptr_t page = address / page_bytes;
  if (page == 0) return false;
  if (known_.count(page) != 0) return true;
  if (!file_) file_ = kgrade::UniqueFd(::memfd_create("kgrade-probe", MFD_CLOEXEC));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): accesses hold numbers.
  const auto* const memory = reinterpret_cast<const void*>(address);
  if (::pwrite(file_.get(), memory, 1, 0) < 0 && errno == EFAULT) return false;
  known_.insert(page);
  return true;
}

}  // namespace kgrade_emulated
