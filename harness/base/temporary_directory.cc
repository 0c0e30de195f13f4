#include "base/temporary_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/cleanup.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

bool lock(int fd, int operation) {
  int result = 0;
  do result = ::flock(fd, operation);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

UniqueFd open_folder(const fs::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// True if the folder has the mode that mkdtemp(3) gives it, and belongs to this user.
bool is_own(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0700;
}

// A lock on a file system that several machines share may hold on one machine only. The numbers come from
// statfs(2).
bool is_shared_by_machines(int fd) {
  constexpr std::array<unsigned long, 6> kinds = {
      0x6969,      // NFS
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB 2
      0x0BD00BD0,  // Lustre
      0x47504653,  // GPFS
      0x65735546,  // FUSE
  };
  struct statfs status {};
  if (::fstatfs(fd, &status) != 0) return true;
  const auto kind = static_cast<unsigned long>(static_cast<unsigned int>(status.f_type));
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// A folder with a living owner stays as it is, because its owner holds a shared lock. An owner that does not
// hold the lock yet notices that its folder is gone (TemporaryDirectory).
void remove_if_abandoned(const fs::path& path) {
  const UniqueFd folder = open_folder(path);
  if (!folder || !is_own(folder.get()) || is_shared_by_machines(folder.get())) return;
  if (!lock(folder.get(), LOCK_EX | LOCK_NB)) return;
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace

bool is_temporary_folder_name(std::string_view name) {
  const std::string_view pattern = temporary_folder_pattern;
  const std::string_view prefix = pattern.substr(0, pattern.find('X'));
  if (!name.starts_with(prefix) || name.size() != pattern.size()) return false;
  return std::all_of(name.begin() + prefix.size(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

UniqueFd hold_folder(const fs::path& path) {
  UniqueFd folder = open_folder(path);
  if (!folder || !lock(folder.get(), LOCK_SH)) return {};
  struct stat held {};
  struct stat there {};
  const bool is_removed = ::fstat(folder.get(), &held) != 0 || ::lstat(path.c_str(), &there) != 0 ||
                          held.st_ino != there.st_ino || held.st_dev != there.st_dev;
  return is_removed ? UniqueFd() : std::move(folder);
}

void remove_abandoned_folders(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    if (is_temporary_folder_name(at->path().filename().string())) remove_if_abandoned(at->path());
  }
}

std::filesystem::path TemporaryDirectory::base() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

TemporaryDirectory::TemporaryDirectory() {
  Cleanup& cleanup = Cleanup::of_this_process();
  cleanup.remove_abandoned(base());
  // Try again if another run removes the folder as abandoned before we hold the lock.
  std::error_code failure;
  do {
    cleanup.forget(path_);
    path_ = cleanup.make_directory(base() / temporary_folder_pattern);
    hold_ = hold_folder(path_);
  } while (!hold_ && !std::filesystem::exists(path_, failure));
}

TemporaryDirectory::TemporaryDirectory(std::filesystem::path made_already)
    : path_(std::move(made_already)), hold_(hold_folder(path_)) {
  Cleanup::of_this_process().remember(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  Cleanup::of_this_process().forget(path_);
}

}  // namespace kgrade
