// Which libraries a process has, seen from outside: by its mappings, which it cannot lie about.
#pragma once

#include <sys/types.h>

#include <istream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgrade {

// Names of files without their folders. What comes from memory (memfd_create, /tmp, /dev/shm) and is
// executable is listed as "NAME (from memory)", which equals no file name. Bytes that are not
// printable ASCII are '?'.
using LibraryNames = std::set<std::string>;

// In the form of /proc/PID/maps (proc(5)): the files that are executable or called like a shared object. Not
// the contestant itself, which the worker loads from a memory file of ours, or from one in /tmp; a second
// such file is listed.
LibraryNames libraries_in(std::istream& maps);

// The names as a record lists them, of a process that can have made up any number: of those from memory the
// first few, of all others the first 64, and "and N more" for the rest.
std::vector<std::string> listed(const LibraryNames& names);

// Of a process. Nothing when there is none, or when it has ended but for its entry; hidden_mappings alone
// when it keeps us from looking. What is closed again by now is not seen.
std::optional<LibraryNames> mapped_libraries(pid_t process);

inline constexpr const char* hidden_mappings = "mappings that it hides";

}  // namespace kgrade
