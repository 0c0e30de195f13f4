#include "sandbox/mount_attributes.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "sandbox/give_up.h"
#include "sandbox/resolved_path.h"
#include "sandbox/system_call_numbers.h"

namespace kgrade {
namespace {

// struct mount_attr and MOUNT_ATTR_* of linux/mount.h, which older headers lack.
struct AttributeRequest {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t user_namespace = 0;
};

bool set_recursively(const std::string& path, const MountAttributes& attributes) {
  constexpr std::uint64_t read_only = 1;
  constexpr std::uint64_t no_set_user_id = 2;
  constexpr std::uint64_t no_devices = 4;
  constexpr std::uint64_t no_programs = 8;
  constexpr unsigned recursive = 0x8000;
  AttributeRequest request;
  request.set = no_set_user_id | (attributes.read_only ? read_only : 0) |
                (attributes.no_devices ? no_devices : 0) | (attributes.no_programs ? no_programs : 0);
  return ::syscall(call_mount_setattr, AT_FDCWD, path.c_str(), recursive, &request, sizeof request) == 0;
}

// proc(5): blanks and backslashes are written as three octal digits.
std::string unescape(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::vector<std::string> mounts_within(const std::string& folder, const std::string& proc) {
  std::vector<std::string> mounts;
  std::ifstream file(proc + "/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string skipped;
    std::string point;
    fields >> skipped >> skipped >> skipped >> skipped >> point;
    point = unescape(point);
    if (is_within(point, folder)) mounts.push_back(point);
  }
  return mounts;
}

unsigned long present_flags(const std::string& mount_point) {
  struct statvfs status {};
  if (::statvfs(mount_point.c_str(), &status) != 0) return 0;
  unsigned long flags = 0;
  for (const auto& [present, flag] : {std::pair<unsigned long, unsigned long>{ST_RDONLY, MS_RDONLY},
                                      {ST_NOSUID, MS_NOSUID},
                                      {ST_NODEV, MS_NODEV},
                                      {ST_NOEXEC, MS_NOEXEC},
                                      {ST_NOATIME, MS_NOATIME},
                                      {ST_NODIRATIME, MS_NODIRATIME},
                                      {ST_RELATIME, MS_RELATIME}}) {
    if ((status.f_flag & present) != 0) flags |= flag;
  }
  return flags;
}

void remount_all(const std::string& path, const MountAttributes& attributes, const std::string& proc) {
  const unsigned long added = MS_NOSUID | (attributes.read_only ? MS_RDONLY : 0) |
                              (attributes.no_devices ? MS_NODEV : 0) |
                              (attributes.no_programs ? MS_NOEXEC : 0);
  const std::vector<std::string> mounts = mounts_within(path, proc);
  if (mounts.empty()) give_up("cannot find the mounts below " + path, 0);
  for (const std::string& mount_point : mounts) {
    const unsigned long flags = MS_REMOUNT | MS_BIND | added | present_flags(mount_point);
    // What lies below a folder that we may not enter cannot be entered by the confined program either.
    if (::mount(nullptr, mount_point.c_str(), nullptr, flags, nullptr) != 0 && errno != EACCES) {
      give_up("cannot remount " + mount_point);
    }
  }
}

}  // namespace

void add_mount_attributes(const std::string& path, const MountAttributes& attributes, const std::string& proc,
                          bool remount_each) {
  if (!remount_each && set_recursively(path, attributes)) return;
  remount_all(path, attributes, proc);
}

}  // namespace kgrade
