#include "base/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
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
  // The name stands in parentheses and may hold any character, more of them too.
  const char* after_name = std::strrchr(text, ')');
  ProcessEntry entry;
  entry.pid = pid;
  if (after_name == nullptr || std::sscanf(after_name + 1, " %c %d %d %d", &entry.state, &entry.parent,
                                           &entry.group, &entry.session) != 4) {
    return std::nullopt;
  }
  return entry;
}

std::vector<ProcessEntry> process_table() {
  std::vector<ProcessEntry> table;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"),
                                                   [](DIR* open) { return ::closedir(open); });
  if (!folder) return table;
  while (const dirent* row = ::readdir(folder.get())) {
    const char* end = row->d_name + std::strlen(row->d_name);
    pid_t pid = 0;
    if (const auto parsed = std::from_chars(row->d_name, end, pid);
        parsed.ec != std::errc{} || parsed.ptr != end) {
      continue;
    }
    if (const auto entry = process_entry(pid)) table.push_back(*entry);
  }
  return table;
}

}  // namespace kgrade
