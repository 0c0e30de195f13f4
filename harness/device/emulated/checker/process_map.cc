#include "device/emulated/checker/process_map.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>

#include "device/emulated/runtime/limits.h"

namespace kgrade_emulated {
namespace {

using Visitor = std::function<void(const dl_phdr_info&)>;

void for_each_file(const Visitor& visit) {
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* visitor) {
        (*static_cast<const Visitor*>(visitor))(*info);
        return 0;
      },
      const_cast<Visitor*>(&visit));
}

template <class Range>
bool is_in(const std::vector<Range>& sorted, std::uintptr_t address) {
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), address,
                                      [](std::uintptr_t a, const Range& range) { return a < range.begin; });
  return after != sorted.begin() && address < std::prev(after)->end;
}

template <class Range>
void insert_sorted(std::vector<Range>& ranges, const Range& range) {
  const auto place = std::upper_bound(ranges.begin(), ranges.end(), range,
                                      [](const Range& a, const Range& b) { return a.begin < b.begin; });
  ranges.insert(place, range);
}

LoadedFile loaded_file(const dl_phdr_info& info) {
  LoadedFile file;
  file.base = info.dlpi_addr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t from = info.dlpi_addr + segment.p_vaddr;
    if (file.begin == 0) file.begin = from;
    file.end = from + segment.p_memsz;
    if ((segment.p_flags & PF_W) == 0) continue;
    file.data_begin = from;
    file.data_end = file.end;
  }
  return file;
}

constexpr std::uintptr_t page_bytes = 4096;

}  // namespace

void ProcessMap::refresh() {
  loaded_.clear();
  for_each_file([this](const dl_phdr_info& info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      if (segment.p_type == PT_LOAD) {
        const std::uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
        insert_sorted(loaded_, Range{begin, begin + segment.p_memsz});
      }
      if (segment.p_type == PT_TLS && info.dlpi_tls_data != nullptr) {
        const auto begin = reinterpret_cast<std::uintptr_t>(info.dlpi_tls_data);
        insert_sorted(loaded_, Range{begin, begin + segment.p_memsz});
      }
    }
  });
  const NativeStack stack = native_stack_of_this_thread();
  host_stack_ = {stack.lowest, stack.lowest + stack.bytes};
}

void ProcessMap::set_arguments(const void* begin, std::size_t bytes) {
  arguments_.begin = reinterpret_cast<std::uintptr_t>(begin);
  arguments_.end = arguments_.begin + bytes;
}

void ProcessMap::allow(const void* begin, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  insert_sorted(allowed_, Range{from, from + bytes});
}

bool ProcessMap::holds(std::uintptr_t address, bool write) const {
  const auto is_within = [address](const Range& range) {
    return address >= range.begin && address < range.end;
  };
  if (is_within(arguments_) || (!write && is_within(host_stack_))) return true;
  return is_in(allowed_, address) || is_in(loaded_, address);
}

LoadedFile loaded_file_of(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  LoadedFile found;
  for_each_file([&](const dl_phdr_info& info) {
    const LoadedFile file = loaded_file(info);
    if (wanted >= file.begin && wanted < file.end) found = file;
  });
  return found;
}

// A system call that writes from an unreadable address to a file fails without a fault.
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
