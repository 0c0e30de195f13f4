// The addresses of this process that a kernel may touch freely: the images and thread-local variables of
// loaded files, the arguments of the launch, and memory that the runtime allows. A kernel may read the host's
// own stack, since the expression that names the kernel may use variables there, but may not write to it.
//
// Also finds out which addresses of this process can be read at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/unique_fd.h"

namespace kgrade_emulated {

class ReadablePages {
 public:
  // Asks the operating system once per page. A page that is unmapped later still counts as readable.
  bool holds(std::uintptr_t address);

 private:
  kgrade::UniqueFd file_;  // the memory file to which bytes are copied
  std::unordered_set<std::uintptr_t> known_;
};

class ProcessMap {
 public:
  // Reads the images and the calling thread's stack and thread-local storage again.
  void refresh();
  // Allows more memory.
  void allow(const void* begin, std::size_t bytes);
  // Sets the arguments of the running launch.
  void set_arguments(const void* begin, std::size_t bytes);
  bool holds(std::uintptr_t address, bool write) const;
  bool is_on_host_stack(std::uintptr_t address) const {
    return address >= host_stack_.begin && address < host_stack_.end;
  }

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };

  Range arguments_{0, 0};
  Range host_stack_{0, 0};
  std::vector<Range> loaded_;   // sorted by begin
  std::vector<Range> allowed_;  // sorted by begin
};

// The place where an address's file is loaded.
struct LoadedFile {
  std::uintptr_t base = 0;  // added to the addresses that the file names
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t data_begin = 0;  // of the writable part
  std::uintptr_t data_end = 0;
};
LoadedFile loaded_file_of(const void* address);

}  // namespace kgrade_emulated
