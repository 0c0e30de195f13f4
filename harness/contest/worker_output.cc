#include "contest/worker_output.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace kgrade {
namespace {

constexpr std::size_t room_bytes = 64 * 1024;
constexpr std::size_t longest_line = 800;

// The position in the file, which our descriptor and the worker's share. Printing moves it forward. If the
// worker moves it in another way, its own output is lost.
std::size_t printed_bytes(int file) {
  const off_t place = ::lseek(file, 0, SEEK_CUR);
  return place > 0 ? std::min(static_cast<std::size_t>(place), room_bytes) : 0;
}

}  // namespace

WorkerOutput::WorkerOutput() : file_(::memfd_create("kgrade-output", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_ || ::ftruncate(file_.get(), room_bytes) != 0) return;
  ::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

std::string WorkerOutput::last_line() const {
  std::string text(room_bytes, '\0');
  const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto end = text.find_last_not_of(std::string("\0\n\r\t ", 5));
  if (end == std::string::npos) return "";
  text.resize(end + 1);
  if (const auto newline = text.rfind('\n'); newline != std::string::npos) text.erase(0, newline + 1);
  return printable(text.substr(0, longest_line));
}

void WorkerOutput::clear() const {
  const std::string nothing(room_bytes, '\0');
  if (::pwrite(file_.get(), nothing.data(), nothing.size(), 0) >= 0) ::lseek(file_.get(), 0, SEEK_SET);
}

std::string WorkerOutput::text() const {
  std::string text(printed_bytes(file_.get()), '\0');
  const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

bool WorkerOutput::is_full() const { return printed_bytes(file_.get()) == room_bytes; }

}  // namespace kgrade
