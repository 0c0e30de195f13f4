#include "contest/worker_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/process_table.h"
#include "base/text.h"

namespace kgrade {

// Below a sandbox, each launcher has exactly one child, and the last child is the worker. The worker's
// contestant, which could start children, is not loaded yet.
void WorkerTree::find_below(pid_t started) {
  worker_ = started;
  const std::vector<ProcessEntry> table = process_table();
  launchers_.clear();
  for (bool deeper = true; deeper;) {
    const auto child = std::find_if(table.begin(), table.end(),
                                    [&](const ProcessEntry& entry) { return entry.parent == worker_; });
    deeper = child != table.end();
    if (!deeper) break;
    launchers_.push_back(worker_);
    worker_ = child->pid;
  }
}

// A process that the worker has started is the worker's child. A process whose parent has ended is a child of
// a launcher.
std::vector<pid_t> WorkerTree::started_by_contestant() const {
  std::vector<pid_t> parents = launchers_;
  parents.push_back(worker_);
  std::vector<pid_t> found;
  for (std::size_t i = 0; worker_ > 0 && i < parents.size(); ++i) {
    for (const pid_t child : children_of(parents[i])) {
      if (child == worker_ || std::find(launchers_.begin(), launchers_.end(), child) != launchers_.end())
        continue;
      parents.push_back(child);
      const auto entry = process_entry(child);
      if (entry && entry->state != 'Z') found.push_back(child);
    }
  }
  return found;
}

void WorkerTree::end_started() const {
  // The next round finds processes that are started meanwhile.
  constexpr int most_rounds = 100;
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<pid_t> others = started_by_contestant();
    if (others.empty()) return;
    for (const pid_t process : others) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

unsigned int WorkerTree::threads() const {
  if (worker_ < 0) return 0;
  const std::string folder = fmt::format("/proc/{}/task", worker_);
  // A folder has two links for itself, and one more for each folder in it. This is true in /proc too
  // (proc(5)).
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 && status.st_nlink > 2)
    return static_cast<unsigned int>(status.st_nlink) - 2;
  std::error_code error;
  unsigned int count = 0;
  for (std::filesystem::directory_iterator task(folder, error), end; !error && task != end;
       task.increment(error)) {
    ++count;
  }
  return count;
}

namespace {

constexpr std::size_t room_bytes = 64 * 1024;
constexpr std::size_t longest_line = 800;

// The position in the file. It is the same for our descriptor and for the worker's. Printing moves it
// forward. If the worker moves it in another way, its own output is lost.
std::size_t printed_bytes(int file) {
  const off_t place = ::lseek(file, 0, SEEK_CUR);
  return place > 0 ? std::min(static_cast<std::size_t>(place), room_bytes) : 0;
}

}  // namespace

WorkerOutput::WorkerOutput() : file_(::memfd_create("kgrade-output", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (!file_ || ::ftruncate(file_.get(), room_bytes) != 0) return;
  ::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

std::string WorkerOutput::last_line() const {
  std::string text(room_bytes, '\0');
  const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  const auto end = text.find_last_not_of(std::string("\0\n\r\t ", 5));
  if (end == std::string::npos) return "";
  text.resize(end + 1);
  if (const auto newline = text.rfind('\n'); newline != std::string::npos) text.erase(0, newline + 1);
  return printable(text.substr(0, longest_line));
}

void WorkerOutput::clear() const {
  const std::string nothing(room_bytes, '\0');
  if (::pwrite(file_.get(), nothing.data(), nothing.size(), 0) >= 0) ::lseek(file_.get(), 0, SEEK_SET);
}

std::string WorkerOutput::text() const {
  std::string text(printed_bytes(file_.get()), '\0');
  const ssize_t size = ::pread(file_.get(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

bool WorkerOutput::is_full() const { return printed_bytes(file_.get()) == room_bytes; }

namespace {

constexpr std::string_view deleted_mark = " (deleted)";

// "7f10-7f20 r-xp 00001000 fe:00 1234   /usr/lib/libm.so.6"
struct Mapping {
  bool executable = false;
  std::string file_number;  // device and inode: distinguishes files of one name
  std::string path;         // as the kernel shows it, without " (deleted)"

  std::string name() const { return path.substr(path.rfind('/') + 1); }
};

// Takes the next word off `rest`.
std::string_view take_word(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(word.size());
  return word;
}

std::string plain_ascii(std::string_view text) {
  constexpr std::size_t enough = 256;
  std::string result(text.substr(0, enough));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

// Nothing if the memory has no file.
std::optional<Mapping> parse(std::string_view line) {
  take_word(line);
  const std::string_view permissions = take_word(line);
  take_word(line);
  Mapping mapping;
  mapping.executable = permissions.size() > 2 && permissions[2] == 'x';
  mapping.file_number = std::string(take_word(line)) + ' ';
  mapping.file_number += take_word(line);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.empty() || line.front() != '/') return std::nullopt;
  if (line.ends_with(deleted_mark)) line.remove_suffix(deleted_mark.size());
  mapping.path = line;
  return mapping;
}

bool is_from_memory(const std::string& path) {
  return path.starts_with("/memfd:") || path.starts_with("/tmp/") || path.starts_with("/dev/shm/");
}

// Whether this is the file from which the worker loads its contestant (worker_process.cc, worker_main.cc).
bool is_called_contestant(const std::string& path) {
  constexpr std::string_view in_folder = "/tmp/kgrade-XXXXXX";
  return path == "/memfd:kgrade-contestant" ||
         (path.size() == in_folder.size() && path.starts_with("/tmp/kgrade-"));
}

// "libm.so", "libm.so.6", but not "ld.so.cache".
bool is_called_library(const std::string& name) {
  const std::size_t mark = name.rfind(".so");
  if (mark == std::string::npos || mark == 0) return false;
  const std::string_view rest = std::string_view(name).substr(mark + 3);
  return rest.empty() ||
         (rest.size() > 1 && rest[0] == '.' && std::isdigit(static_cast<unsigned char>(rest[1])) != 0);
}

constexpr std::string_view from_memory_mark = " (from memory)";

std::string from_memory(const Mapping& mapping) {
  constexpr std::string_view memory_file = "memfd:";
  std::string name = mapping.name();
  if (name.starts_with(memory_file)) name.erase(0, memory_file.size());
  return plain_ascii(name) + std::string(from_memory_mark);
}

}  // namespace

LibraryNames libraries_in(std::istream& maps) {
  LibraryNames names;
  std::set<std::string> contestants;
  for (std::string line; std::getline(maps, line);) {
    const auto mapping = parse(line);
    if (!mapping) continue;
    if (is_from_memory(mapping->path)) {
      if (!mapping->executable) continue;
      const bool is_contestant = is_called_contestant(mapping->path);
      if (is_contestant) contestants.insert(mapping->file_number);
      if (!is_contestant || contestants.size() > 1) names.insert(from_memory(*mapping));
    } else if (mapping->executable || is_called_library(mapping->name())) {
      names.insert(plain_ascii(mapping->name()));
    }
  }
  return names;
}

std::vector<std::string> listed(const LibraryNames& names) {
  constexpr std::size_t most_files = 64;
  constexpr std::size_t most_from_memory = 4;
  std::size_t files = 0;
  std::size_t memories = 0;
  std::vector<std::string> list;
  for (const std::string& name : names) {
    const bool is_memory = name.ends_with(from_memory_mark);
    if (is_memory ? ++memories <= most_from_memory : ++files <= most_files) list.push_back(name);
  }
  if (files > most_files) list.push_back("and " + std::to_string(files - most_files) + " more");
  if (memories > most_from_memory) {
    list.push_back("and " + std::to_string(memories - most_from_memory) + " more" +
                   std::string(from_memory_mark));
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::optional<LibraryNames> mapped_libraries(pid_t process) {
  if (process <= 0) return std::nullopt;
  const std::string path = "/proc/" + std::to_string(process) + "/maps";
  errno = 0;
  std::ifstream maps(path);
  if (!maps) {
    const bool hidden = errno == EACCES || errno == EPERM;
    return hidden ? std::optional<LibraryNames>({hidden_mappings}) : std::nullopt;
  }
  // A process that has ended has no mappings.
  if (maps.peek() == std::ifstream::traits_type::eof()) return std::nullopt;
  return libraries_in(maps);
}

}  // namespace kgrade
