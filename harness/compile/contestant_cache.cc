#include "compile/contestant_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <limits>
#include <vector>

#include "base/json_archive.h"
#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view magic = "kgrade contestant 1\n";
constexpr std::string_view suffix = ".contestant";
constexpr std::uint64_t largest_entry = std::uint64_t{1} << 30;
// A partly written entry of this age counts as left behind by a killed run.
constexpr std::chrono::hours oldest_partial{1};

struct EntryFile {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type used;
};

std::vector<EntryFile> entries_in(const fs::path& folder) {
  std::vector<EntryFile> entries;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code gone;
    const EntryFile entry{at->path(), at->file_size(gone), at->last_write_time(gone)};
    if (!gone && entry.path.extension() == suffix) entries.push_back(entry);
  }
  return entries;
}

void remove_old_partials(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code gone;
    const bool partial = at->path().filename().string().find(std::string(suffix) + ".") != std::string::npos;
    if (partial && now - at->last_write_time(gone) > oldest_partial && !gone) fs::remove(at->path(), gone);
  }
}

// The line of JSON that an entry has before the bytes of the library.
struct Entry {
  CachedContestant contestant;
  std::string sha256;  // of the library
};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Entry>& entry) {
  auto& contestant = entry.contestant;
  archive("log", contestant.log, text_up_to<largest_entry>);
  archive("shown_as", contestant.shown_as);
  archive("seconds", contestant.seconds);
  archive("sha256", entry.sha256, sha256_of);
  archive.or_default("failed_as", contestant.failed_as);
  archive.where("failed_as", contestant.failed_as.empty(), false, [&](auto& failed) {
    failed("failure", contestant.failure, text_up_to<largest_entry>);
    failed("made_at", contestant.made_at);
  });
}

// Reads a text that this cache wrote. Nothing if any byte of it has changed.
std::optional<CachedContestant> read_entry(const std::string& text) {
  const std::size_t end = text.find('\n', magic.size());
  if (!text.starts_with(magic) || end == text.npos) return std::nullopt;
  auto entry = parse_document<Entry>(std::string_view(text).substr(magic.size(), end - magic.size()));
  if (!entry) return std::nullopt;
  entry->contestant.library = text.substr(end + 1);
  if (entry->sha256 != sha256_hex(entry->contestant.library)) return std::nullopt;
  return std::move(entry->contestant);
}

// An upper bound on the bytes of all entries: a number in a file, to which every process adds the size of its
// entries. So a process need not look at all entries for every new entry. While the object lives, no other
// process changes the number.
class SizeEstimate {
 public:
  explicit SizeEstimate(const fs::path& folder)
      : file_(::open((folder / "size").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    int result = -1;
    do result = file_ ? ::flock(file_.get(), LOCK_EX) : 0;
    while (result != 0 && errno == EINTR);
    if (result != 0) file_ = UniqueFd();
  }

  // Adds to the sum and returns the new sum. Nothing if the old sum is unknown.
  std::optional<std::uint64_t> add(std::uint64_t bytes) const {
    std::array<char, digits + 1> text{};
    const ssize_t count = file_ ? ::pread(file_.get(), text.data(), text.size(), 0) : 0;
    std::uint64_t sum = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + digits, sum);
    if (count != digits || failure != std::errc{} || end != text.data() + digits) return std::nullopt;
    if (sum > std::numeric_limits<std::uint64_t>::max() - bytes) return std::nullopt;
    set(sum + bytes);
    return sum + bytes;
  }

  void set(std::uint64_t bytes) const {
    const std::string text = fmt::format("{:0{}}", bytes, digits);
    if (file_ && ::pwrite(file_.get(), text.data(), text.size(), 0) != digits)
      (void)::ftruncate(file_.get(), 0);
  }

 private:
  static constexpr int digits = 20;
  UniqueFd file_;
};

}  // namespace

ContestantCache::ContestantCache(fs::path folder, std::uint64_t limit)
    : folder_(std::move(folder)), limit_(limit) {}

std::string ContestantCache::problem() const {
  if (folder_.empty()) return "there is no folder for it: neither $HOME nor $XDG_CACHE_HOME is set";
  struct stat status {};
  if (::stat(folder_.c_str(), &status) != 0) {
    return errno == ENOENT ? "" : fmt::format("'{}': {}", folder_.string(), std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode)) return fmt::format("'{}' is no folder", folder_.string());
  if (status.st_uid != ::geteuid()) return fmt::format("'{}' belongs to another user", folder_.string());
  if ((status.st_mode & 022) != 0)
    return fmt::format("others may write to '{}': chmod go-w", folder_.string());
  if (::access(folder_.c_str(), W_OK | X_OK) != 0)
    return fmt::format("'{}' cannot be written to", folder_.string());
  return "";
}

fs::path ContestantCache::path_of(const std::string& key) const {
  return folder_ / (key + std::string(suffix));
}

bool ContestantCache::make_folder(const fs::path& path) const {
  std::error_code failure;
  fs::create_directories(folder_.parent_path(), failure);
  ::mkdir(folder_.c_str(), 0700);
  if (path != folder_) ::mkdir(path.c_str(), 0700);
  return fs::is_directory(path, failure) && problem().empty();
}

std::optional<CachedContestant> ContestantCache::find(const std::string& key) const {
  if (!problem().empty()) return std::nullopt;
  const fs::path path = path_of(key);
  const auto text = read_text_file(path, largest_entry);
  if (!text) return std::nullopt;
  auto contestant = read_entry(*text);
  std::error_code ignored;
  if (!contestant) {
    fs::remove(path, ignored);
  } else {
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  }
  return contestant;
}

void ContestantCache::keep(const std::string& key, const CachedContestant& contestant) const {
  if (!make_folder(folder_)) return;
  using Json = nlohmann::ordered_json;
  const Json header = json_of(Entry{contestant, sha256_hex(contestant.library)});
  const std::string text = std::string(magic) + header.dump(-1, ' ', false, Json::error_handler_t::replace) +
                           "\n" + contestant.library;
  if (text.size() > largest_entry || text.size() > limit_) return;
  if (!write_file_atomically(path_of(key), text)) return;
  const SizeEstimate estimate(folder_);
  const auto bytes = estimate.add(text.size());
  if (bytes && *bytes <= limit_) return;
  shrink();
  estimate.set(use().bytes);
}

UniqueFd ContestantCache::lock(const std::string& key) const {
  const fs::path locks = folder_ / "locks";
  if (folder_.empty() || !make_folder(locks)) return {};  // an account without a folder has no cache
  // Keys share lock files, which bounds the number of files. Two keys with one file rarely wait for each
  // other.
  const fs::path path = locks / key.substr(0, 3);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return {};
  int result = 0;
  do result = ::flock(file.get(), LOCK_EX);
  while (result != 0 && errno == EINTR);
  return result == 0 ? std::move(file) : UniqueFd();
}

CacheUse ContestantCache::use() const {
  CacheUse use;
  for (const EntryFile& entry : entries_in(folder_)) {
    use.entries += 1;
    use.bytes += entry.bytes;
  }
  return use;
}

void ContestantCache::clear() const {
  std::error_code ignored;
  for (const EntryFile& entry : entries_in(folder_)) fs::remove(entry.path, ignored);
}

// Shrinks to nine tenths of the limit, so that the next entry does not make the cache shrink again.
void ContestantCache::shrink() const {
  std::vector<EntryFile> entries = entries_in(folder_);
  std::uint64_t bytes = 0;
  for (const EntryFile& entry : entries) bytes += entry.bytes;
  if (bytes <= limit_) return;
  remove_old_partials(folder_);
  std::sort(entries.begin(), entries.end(),
            [](const EntryFile& a, const EntryFile& b) { return a.used < b.used; });
  std::error_code ignored;
  for (const EntryFile& entry : entries) {
    if (bytes <= limit_ / 10 * 9) return;
    if (fs::remove(entry.path, ignored)) bytes -= entry.bytes;
  }
}

}  // namespace kgrade
