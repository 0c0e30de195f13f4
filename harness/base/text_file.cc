#include "base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "base/cleanup.h"
#include "base/machine_faults.h"
#include "base/text.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t bytes_of_a_piece = 1 << 20;  // that LineReader reads at once

Error file_error(const fs::path& path, const std::string& what, const std::string& remedy = "",
                 int line = 0) {
  return Error{what, remedy, Location{path.string(), line, 0}};
}

// The error for a call that failed with an errno. `remedy` is what the user can do about the file.
Error file_error(const fs::path& path, const char* what, int code, const std::string& remedy) {
  const std::string of_machine = is_lack_of_room(code) ? remedy_for_room(path) : remedy_for_machine(code);
  const Blame blame = blame_for_file(code);
  return {fmt::format("{}: {}", what, ::strerror(code)),
          blame == Blame::machine && !of_machine.empty() ? of_machine : remedy,
          {path.string(), 0, 0},
          blame};
}

// Makes writing to a pipe without a reader an error instead of a signal that ends the process.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{0, 0};
    while (!was_pending_ && ::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Writes all of `rest`. Returns 0 or the errno of the failure.
int write_all(int fd, std::string_view rest) {
  const NoPipeSignal guard;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      // A terminal or pipe may have been set to non-blocking by another program.
      pollfd entry{fd, POLLOUT, 0};
      ::poll(&entry, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// `old` describes the file that is replaced, or is null.
int replace_file(const fs::path& path, std::string_view content, const struct stat* old) {
  PartialFile partial = PartialFile::beside(path);
  if (!partial) return errno;
  const int fd = partial.descriptor().get();
  // Keep the owner if we may. So if root writes to a user's file, it stays the user's.
  if (old != nullptr && ::fchown(fd, old->st_uid, old->st_gid) != 0) errno = 0;
  // mkostemp makes files for the owner alone, but results are meant to be read by others.
  int failure = ::fchmod(fd, old != nullptr ? old->st_mode & 0777 : 0644) == 0 ? 0 : errno;
  if (failure == 0) failure = write_and_close(partial.take_descriptor(), content);
  return failure == 0 ? partial.rename_to(path) : failure;
}

// The N of /proc/self/fd/N, however its folder is named; -1 for any other path. This link must not be
// followed by its text, because that would replace the file behind a redirected output, which stays open.
int descriptor_named_by(const fs::path& path) {
  const std::string name = path.filename().string();
  int descriptor = -1;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), descriptor);
  if (name.empty() || parsed.ec != std::errc{} || parsed.ptr != name.data() + name.size()) return -1;
  std::error_code failure;
  const fs::path folder = fs::canonical(path.parent_path(), failure);
  return !failure && folder == fs::canonical("/proc/self/fd", failure) ? descriptor : -1;
}

// The end of a chain of symbolic links, whether or not it exists. Nothing if the chain does not end.
std::optional<fs::path> end_of_links(fs::path path) {
  for (int links = 0; links < 40; ++links) {  // as many as the kernel follows
    std::error_code failure;
    if (descriptor_named_by(path) >= 0) return path;
    const fs::path target = fs::read_symlink(path, failure);
    if (failure) return path;
    path = path.parent_path() / target;
  }
  return std::nullopt;
}

int write_to(const fs::path& path, std::string_view content) {
  const auto target = end_of_links(path);
  if (!target) return ELOOP;
  if (const int descriptor = descriptor_named_by(*target); descriptor >= 0) {
    std::fflush(nullptr);  // keep the order with output printed earlier
    return write_and_close(UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)), content);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return errno == ENOENT ? replace_file(*target, content, nullptr) : errno;
  if (S_ISREG(status.st_mode)) return replace_file(*target, content, &status);
  return write_and_close(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)), content);
}

// The Error for the errno of a file that cannot be examined.
Error unreadable(const fs::path& path, int code) {
  if (path.empty()) return file_error(path, "a file is asked for, and its name is empty", "name a file");
  if (code == ENOENT || code == ENOTDIR) return file_error(path, "no such file", "check the path");
  if (code == ELOOP)
    return file_error(path, "its symbolic links lead to each other and to no file", "name the file itself");
  const bool is_forbidden = code == EACCES || code == EPERM;
  return file_error(
      path, "cannot be read", code,
      is_forbidden ? "check the permissions of the file and of the folders above it" : "name another file");
}

}  // namespace

int write_and_close(UniqueFd fd, std::string_view content) {
  if (!fd) return errno;
  if (const int failure = write_all(fd.get(), content); failure != 0) return failure;
  return ::close(fd.release()) == 0 ? 0 : errno;
}

Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return unreadable(path, failure.value());
  if (std::filesystem::is_directory(status)) return file_error(path, "is a folder", "name a file in it");
  if (!std::filesystem::is_regular_file(status))
    return file_error(path, "is not a regular file", "name a file that holds text");
  if (std::filesystem::file_size(path, failure) > limit || failure) {
    return file_error(path, fmt::format("is larger than {}", format_bytes(limit)), "name a smaller file");
  }
  if (::access(path.c_str(), R_OK) != 0) return unreadable(path, errno);
  std::ifstream stream(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) return unreadable(path, errno != 0 ? errno : EIO);
  return content;
}

fs::path resolved(const fs::path& path) {
  std::error_code failure;
  fs::path result = fs::weakly_canonical(path, failure);
  return failure ? fs::absolute(path, failure).lexically_normal() : result;
}

Result<bool> write_file_atomically(const fs::path& path, std::string_view content) {
  const int failure = write_to(path, content);
  if (failure == 0) return true;
  if (failure == EISDIR) return file_error(path, "is a folder", "name a file in it");
  return file_error(path, "cannot be written", failure,
                    "name a file in an existing folder that you may write to");
}

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

Result<LineReader> LineReader::open(const std::filesystem::path& path, std::uint64_t limit) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status)) return file_error(path, "no such file");
  if (!std::filesystem::is_regular_file(status)) return file_error(path, "is not a regular file");
  LineReader reader(path, limit);
  reader.stream_.open(path, std::ios::binary);
  if (!reader.stream_.is_open()) return file_error(path, "cannot be read", "check its permissions");
  return reader;
}

bool LineReader::fill() {
  piece_.erase(0, begin_);
  begin_ = 0;
  const std::size_t kept = piece_.size();
  piece_.resize(kept + bytes_of_a_piece);
  stream_.read(piece_.data() + kept, bytes_of_a_piece);
  const auto count = static_cast<std::size_t>(stream_.gcount());
  piece_.resize(kept + count);
  return count > 0;
}

Result<std::optional<std::string>> LineReader::next() {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = piece_.find('\n', searched);
    const std::size_t length = (end == std::string::npos ? piece_.size() : end) - begin_;
    if (length > limit_) {
      return file_error(path_, fmt::format("the line is longer than {}", format_bytes(limit_)),
                        "name a file of which each line is a record", line_ + 1);
    }
    if (end != std::string::npos) {
      std::string line = piece_.substr(begin_, length);
      begin_ = end + 1;
      ++line_;
      return std::optional(std::move(line));
    }
    if (!fill()) break;
    searched = length;  // count from the new beginning
  }
  if (stream_.bad()) return file_error(path_, "cannot be read", "check its permissions");
  return std::optional<std::string>();
}

UniqueFd memory_file(std::string_view text) {
  UniqueFd file(::memfd_create("kgrade-text", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  while (file && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written <= 0) return UniqueFd();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

}  // namespace kgrade
