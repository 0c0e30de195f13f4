// A private folder (mode 0700) below $TMPDIR or /tmp that is removed with everything in it when the
// object goes. The folders of a run that is ended by SIGINT or SIGTERM are removed too.
#pragma once

#include <filesystem>

namespace kgrade {

class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws std::system_error when no folder can be made
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Removes all live temporary folders and re-raises the signal; install once, in main().
  static void remove_on_signals();

 private:
  std::filesystem::path path_;
};

}  // namespace kgrade
