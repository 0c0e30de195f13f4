#include "sweep/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/machine_faults.h"
#include "base/text.h"
#include "lanes/lane.h"
#include "leaderboard/record_files.h"
#include "record/record_json.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

Error failed(const fs::path& path, const std::string& what, Blame blame = blame_for_file(errno)) {
  return {fmt::format("{}: {}", what, std::strerror(errno)),
          "check the folder, the permissions and the space on the disk",
          {path.string(), 0, 0},
          blame};
}

// Writes the text and returns 0 or the errno. The text is on the disk when this returns. Closes only a
// duplicate, so the file stays open and locked.
int write_durably(int fd, std::string_view text) {
  if (const int failure = write_and_close(UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)), text); failure != 0)
    return failure;
  return ::fdatasync(fd) == 0 || errno == EINVAL ? 0 : errno;
}

// The text after the last line break.
std::string unfinished_line(int fd, off_t size) {
  char byte = 0;
  off_t begin = size;
  while (begin > 0 && ::pread(fd, &byte, 1, begin - 1) == 1 && byte != '\n') --begin;
  std::string line(static_cast<std::size_t>(size - begin), 0);
  const ssize_t count = ::pread(fd, line.data(), line.size(), begin);
  line.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return line;
}

// Repairs the end of a file whose sweep was killed. A complete record without a line break gets one. An
// incomplete record is cut off. A line that a sweep did not write is an Error and stays unchanged.
std::optional<Error> mend_end(int fd, const fs::path& path, off_t size) {
  const std::string line = unfinished_line(fd, size);
  if (line.empty()) return std::nullopt;
  // Every line of a results file begins in this way.
  constexpr std::string_view begin = R"({"schema":"kgrade-record")";
  if (!line.starts_with(begin.substr(0, line.size()))) {
    return Error{"ends in a line that is no record of a sweep",
                 "name another file, or remove that line",
                 {path.string(), 0, 0}};
  }
  if (read_result(line, path)) {
    errno = write_durably(fd, "\n");
  } else {
    errno = ::ftruncate(fd, size - static_cast<off_t>(line.size())) == 0 ? 0 : errno;
  }
  if (errno != 0) return failed(path, "its last line cannot be mended");
  return std::nullopt;
}

// An Error if the file has broken lines and no record: then it is not a results file.
Result<RecordsRead> read_results_of_sweep(const fs::path& path) {
  auto read = read_what_can_be(path);
  if (read.ok() && read->records.empty() && !read->unreadable.empty()) return read->unreadable;
  return read;
}

}  // namespace

std::optional<Record> read_result(const std::string& line, const fs::path& from) {
  if (line.find('\n') != line.npos) return std::nullopt;
  auto record = parse_record(line, {from.string(), 0, 0}, RecordDetail::results);
  if (!record || !*record || (*record)->candidates.size() != 1) return std::nullopt;
  return std::move(**record);
}

Result<ResultFile> ResultFile::open(const fs::path& path, ResultMode mode) {
  // The output of a pipe cannot be read again.
  if (path == "-") {
    return Error{
        "--output: '-' would be standard output, from which no sweep can go on after an interruption",
        "name a file, such as sweep.jsonl",
        {}};
  }
  if (path.extension() != ".jsonl") {
    return Error{"results are kept in a file called *.jsonl, by which they are known to stand one a line",
                 fmt::format("call it {}.jsonl", path.stem().string()),
                 {path.string(), 0, 0}};
  }
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return failed(path, "cannot be opened");
  if (!S_ISREG(status.st_mode))
    return Error{"is no file that results could be added to", "name another one", {path.string(), 0, 0}};
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Error{
        "another sweep writes to it", "wait for its end, or name another file", {path.string(), 0, 0}};
  // Check again: another sweep could write until the lock was held.
  if (::fstat(fd.get(), &status) != 0) return failed(path, "cannot be opened");
  if (mode == ResultMode::create && status.st_size > 0) {
    return Error{
        "holds results already",
        "go on with them by --resume, replace them by --overwrite, or name another file with --output",
        {path.string(), 0, 0}};
  }
  if (status.st_size == 0) {
    // The name of a new file has to survive a loss of power. Some file systems cannot do this, or need not do
    // it.
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); opened)
      (void)::fsync(opened.get());
  }
  if (mode == ResultMode::overwrite && ::ftruncate(fd.get(), 0) != 0)
    return failed(path, "cannot be emptied");
  std::vector<Record> before;
  SkippedLines skipped;
  if (mode == ResultMode::resume) {
    // Change nothing in a file that is not a results file.
    if (auto read = read_results_of_sweep(path); !read) return read.errors();
    if (auto error = mend_end(fd.get(), path, status.st_size)) return *error;
    const auto found = read_results_of_sweep(path);
    if (!found) return found.errors();
    before.insert(before.end(), found->records.begin(), found->records.end());
    if (found->unreadable_count > 0) skipped = {found->unreadable.front(), found->unreadable_count};
  }
  return ResultFile(path, std::move(fd), std::move(before), std::move(skipped));
}

Result<bool> ResultFile::append(const std::string& record) {
  errno = write_durably(fd_.get(), record + "\n");
  // The file could be opened for writing, so the fault is not the user's.
  if (errno != 0) return failed(path_, "a result could not be written", Blame::machine);
  return true;
}

}  // namespace kgrade
