#include "contest/worker_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kgrade {

UniqueFd sealed_copy(const std::filesystem::path& library) {
  // kgrade makes no links or fifos, but compilers run as a candidate's flags say.
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return UniqueFd();
  UniqueFd copy(::memfd_create("kgrade-contestant", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!copy) return UniqueFd();
  constexpr std::size_t at_once = std::size_t{1} << 30;
  ssize_t sent = 0;
  do {
    sent = ::sendfile(copy.get(), file.get(), nullptr, at_once);
  } while (sent > 0);
  const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  return sent == 0 && ::fcntl(copy.get(), F_ADD_SEALS, seals) == 0 ? std::move(copy) : UniqueFd();
}

std::string text_in(const UniqueFd& file, std::size_t most) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > most) return "";
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace kgrade
