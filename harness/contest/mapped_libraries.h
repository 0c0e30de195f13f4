// Lists the libraries of a process from outside, by its mappings, which it cannot fake.
#pragma once

#include <sys/types.h>

#include <istream>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgrade {

// Names of files without their folders. Executable mappings from memory (memfd_create, /tmp, /dev/shm) are
// listed as "NAME (from memory)", which equals no file name. Bytes that are not printable ASCII are '?'.
using LibraryNames = std::set<std::string>;

// Reads /proc/PID/maps (proc(5)), and lists the files that are executable or named like a shared object. It
// leaves out the contestant itself, which the worker loads from a memory file of ours, or from a file in
// /tmp. A second such file is listed.
LibraryNames libraries_in(std::istream& maps);

// The names as a record lists them. A process can make up any number of names: this lists the first few from
// memory, the first 64 others, and "and N more" for the rest.
std::vector<std::string> listed(const LibraryNames& names);

// The libraries of a process. Nothing if there is no process or it has ended. Only hidden_mappings if the
// process keeps us from looking. A library that is closed again is not seen.
std::optional<LibraryNames> mapped_libraries(pid_t process);

inline constexpr const char* hidden_mappings = "mappings that it hides";

}  // namespace kgrade
