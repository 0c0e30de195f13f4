#include "contest/mapped_libraries.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string_view>

namespace kgrade {
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
