#include "base/partial_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/cleanup.h"

namespace kgrade {

PartialFile PartialFile::beside(const std::filesystem::path& path) {
  std::string name = path.string() + ".XXXXXX";
  UniqueFd fd = Cleanup::of_this_process().make_file(name);
  if (!fd) name.clear();
  return {std::move(name), std::move(fd)};
}

int PartialFile::rename_to(const std::filesystem::path& path) {
  if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
  Cleanup::of_this_process().forget(std::exchange(name_, {}));
  return 0;
}

PartialFile::~PartialFile() {
  if (name_.empty()) return;
  ::unlink(name_.c_str());
  Cleanup::of_this_process().forget(name_);
}

}  // namespace kgrade
