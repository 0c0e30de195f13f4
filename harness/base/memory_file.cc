#include "base/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace kgrade {

UniqueFd memory_file(std::string_view text) {
  UniqueFd file(::memfd_create("kgrade-text", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written <= 0) return UniqueFd();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace kgrade
