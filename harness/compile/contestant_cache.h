// Built contestants, kept by what they were made of: a folder that any number of runs read and write at once.
//
// Every entry is one file, written beside its place and renamed, and believed only if its library has the
// SHA-256 that it names. Nothing here ends a run: what cannot be read is built, what cannot be written is not
// kept.
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
  std::string log;       // of its compiler
  std::string shown_as;  // the source's name in it
  double seconds = 0;    // that building took
};

struct CacheUse {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
};

class ContestantCache {
 public:
  // The folder is made when it is needed, for this user alone. Over `limit` bytes, what has not been asked
  // for the longest goes.
  explicit ContestantCache(std::filesystem::path folder, std::uint64_t limit = usual_cache_limit);

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t limit() const { return limit_; }

  // Why the folder is not used; empty: it is, or can be made. A folder of another user, or one that others
  // may write to, could hold anything.
  std::string problem() const;

  // `key`: 64 hexadecimal digits.
  std::optional<CachedContestant> find(const std::string& key) const;
  void keep(const std::string& key, const CachedContestant& contestant) const;

  // Held while the contestant of a key is looked for and built, so that no other process builds it too;
  // another holder is waited for. Without a descriptor where the file system has no locks.
  UniqueFd lock(const std::string& key) const;

  CacheUse use() const;
  // Removes all entries; those that are being read stay readable.
  void clear() const;

 private:
  std::filesystem::path path_of(const std::string& key) const;
  bool make_folder(const std::filesystem::path& path) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace kgrade
