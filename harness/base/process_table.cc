#include "base/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <string>

#include "base/unique_fd.h"

namespace kgrade {

std::optional<ProcessEntry> process_entry(pid_t pid) {
  const UniqueFd file(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char text[1024];
  const ssize_t count = ::read(file.get(), text, sizeof text - 1);
  if (count <= 0) return std::nullopt;
  text[count] = '\0';
  // The name is in parentheses and may itself contain parentheses.
  const char* after_name = std::strrchr(text, ')');
  ProcessEntry entry;
  entry.pid = pid;
  if (after_name == nullptr || std::sscanf(after_name + 1, " %c %d %d %d", &entry.state, &entry.parent,
                                           &entry.group, &entry.session) != 4) {
    return std::nullopt;
  }
  return entry;
}

namespace {

// The entries of a folder whose names are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()),
                                                   [](DIR* open) { return ::closedir(open); });
  if (!folder) return numbers;
  while (const dirent* row = ::readdir(folder.get())) {
    const char* end = row->d_name + std::strlen(row->d_name);
    pid_t number = 0;
    const auto parsed = std::from_chars(row->d_name, end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task/";
  for (const pid_t task : numbers_in(tasks)) {
    const UniqueFd file(::open((tasks + std::to_string(task) + "/children").c_str(), O_RDONLY | O_CLOEXEC));
    std::string list;
    char part[1024];
    for (ssize_t count = 0; file && (count = ::read(file.get(), part, sizeof part)) > 0;)
      list.append(part, static_cast<std::size_t>(count));
    // The format is "17 18 ", with a blank after each number.
    const char* at = list.data();
    const char* const end = at + list.size();
    for (pid_t child = 0; at < end; ++at) {
      const auto parsed = std::from_chars(at, end, child);
      if (parsed.ec != std::errc{}) break;
      children.push_back(child);
      at = parsed.ptr;
    }
  }
  return children;
}

std::vector<ProcessEntry> process_table() {
  std::vector<ProcessEntry> table;
  for (const pid_t pid : numbers_in("/proc")) {
    if (const auto entry = process_entry(pid)) table.push_back(*entry);
  }
  return table;
}

}  // namespace kgrade
