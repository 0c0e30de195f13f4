// A file beside the one that it is to become, under an unused name.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/unique_fd.h"

namespace kgrade {

// Goes with the object, and by a signal, unless it was renamed before.
class PartialFile {
 public:
  // For the owner alone (mode 0600). Without a descriptor, and with errno set, where none can be made.
  static PartialFile beside(const std::filesystem::path& path);
  PartialFile(PartialFile&& other) noexcept
      : name_(std::exchange(other.name_, {})), fd_(std::move(other.fd_)) {}
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  explicit operator bool() const { return !name_.empty(); }
  const char* name() const { return name_.c_str(); }
  // Open for reading and writing until it is taken.
  const UniqueFd& descriptor() const { return fd_; }
  UniqueFd take_descriptor() { return std::move(fd_); }
  // Replaces what is there. 0, or errno.
  int rename_to(const std::filesystem::path& path);

 private:
  PartialFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  std::string name_;  // empty: there is no file
  UniqueFd fd_;
};

}  // namespace kgrade
