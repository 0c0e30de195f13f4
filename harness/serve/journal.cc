#include "serve/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t largest_journal = std::uint64_t{16} << 30;

// Writes the whole text at the end of the file. Returns 0 or errno.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// Makes a rename in the folder of `path` durable. False, with errno set, if the rename may not be durable.
bool sync_folder(const fs::path& path) {
  const UniqueFd folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.get() >= 0 && ::fsync(folder.get()) == 0;
}

}  // namespace

Error Journal::cannot_write(int code) const {
  return machine_error(fmt::format("the journal cannot be written: {}", std::strerror(code)),
                       "make room, or name another folder with --state", {path_.string(), 0, 0});
}

Result<Journal> Journal::open(const fs::path& path, Sync sync) {
  const auto fail = [&path](const std::string& why) {
    return machine_error("the journal cannot be opened: " + why, "name another folder with --state",
                         {path.string(), 0, 0});
  };
  // The lock is a separate file, because rewrite() replaces the journal.
  UniqueFd lock(::open((path.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.get() < 0) return fail(std::strerror(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return fail("another `kgrade serve` uses it");
  UniqueFd file(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (file.get() < 0) return fail(std::strerror(errno));
  if (!sync_folder(path)) return fail(std::strerror(errno));
  if (!sync) sync = ::fdatasync;
  return Journal(path, std::move(lock), std::move(file), std::move(sync));
}

Result<std::vector<std::string>> Journal::read() {
  const auto text = read_text_file(path_, largest_journal);
  if (!text) return text.errors();
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text->find('\n', begin)) != text->npos; begin = end + 1)
    lines.push_back(text->substr(begin, end - begin));
  if (begin < text->size() && ::ftruncate(file_.get(), static_cast<off_t>(begin)) != 0)
    return cannot_write(errno);
  durable_ = begin;
  return lines;
}

void Journal::append(std::string_view line) {
  pending_ += line;
  pending_ += '\n';
}

Result<bool> Journal::commit() {
  if (is_doubtful_ && !pending_.empty()) {
    std::string text(durable_, '\0');
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t count =
          ::pread(file_.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return cannot_write(count < 0 ? errno : EIO);
      done += static_cast<std::size_t>(count);
    }
    if (const auto replaced = replace(text + pending_); !replaced) return replaced;
  } else if (!pending_.empty()) {
    is_doubtful_ = true;
    if (const int code = write_all(file_.get(), pending_); code != 0) {
      // A part of the lines may be in the file.
      is_doubtful_ = ::ftruncate(file_.get(), static_cast<off_t>(durable_)) != 0;
      return cannot_write(code);
    }
    if (sync_(file_.get()) != 0) return cannot_write(errno);
    is_doubtful_ = false;
    durable_ += pending_.size();
  }
  pending_.clear();
  return sync_name();
}

Result<bool> Journal::rewrite(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  if (const auto replaced = replace(text); !replaced) return replaced;
  return sync_name();
}

Result<bool> Journal::replace(const std::string& text) {
  const fs::path fresh = path_.string() + ".new";
  UniqueFd file(::open(fresh.c_str(), O_RDWR | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0) return cannot_write(errno);
  if (const int code = write_all(file.get(), text); code != 0) return cannot_write(code);
  if (sync_(file.get()) != 0 || ::rename(fresh.c_str(), path_.c_str()) != 0) return cannot_write(errno);
  file_ = std::move(file);
  durable_ = text.size();
  is_doubtful_ = false;
  is_renamed_ = true;
  return true;
}

Result<bool> Journal::sync_name() {
  if (is_renamed_ && !sync_folder(path_)) return cannot_write(errno);
  is_renamed_ = false;
  return true;
}

}  // namespace kgrade
