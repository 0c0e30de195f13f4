// A cache of built contestants: a folder that any number of runs read and write at once. The key of a
// contestant is a hash of everything that it was built from.
//
// Every entry is one file, which is written under another name and then renamed. An entry is used only if its
// library has the SHA-256 that the entry names. Errors here never end a run: a contestant whose entry cannot
// be read is built anew, and an entry that cannot be written is not kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

inline constexpr std::uint64_t usual_cache_limit = std::uint64_t{2} << 30;

struct CachedContestant {
  std::string library;   // the bytes of the shared library
  std::string log;       // of the compiler
  std::string shown_as;  // the source's name in the log
  double seconds = 0;    // how long the build took
  // If the build failed, one line that says why. There is no library in this case.
  std::string failure = {};
  std::string failed_as = {};  // the status of the failed build, as a word of the caller's
  double made_at = 0;          // seconds since 1970, if the build failed
};

struct CacheUse {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

class ContestantCache {
 public:
  // The folder is made when it is needed, and only this user may access it. Above `limit` bytes, the least
  // recently used entries are removed.
  explicit ContestantCache(std::filesystem::path folder, std::uint64_t limit = usual_cache_limit);

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t limit() const { return limit_; }

  // Why the folder is not used. Empty if it is used or can be made. A folder that another user owns or may
  // write to is not used, because its contents cannot be trusted.
  std::string problem() const;

  // `key`: 64 hexadecimal digits.
  std::optional<CachedContestant> find(const std::string& key) const;
  void keep(const std::string& key, const CachedContestant& contestant) const;

  // A lock for a key, held while its contestant is looked for and built, so that no other process builds it
  // too. Waits while another process holds the lock. The result has no descriptor if the file system has no
  // locks.
  UniqueFd lock(const std::string& key) const;

  CacheUse use() const;
  // Removes all entries. Entries that are being read stay readable.
  void clear() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  bool make_folder(const std::filesystem::path& path) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace kgrade
