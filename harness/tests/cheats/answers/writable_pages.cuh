// Makes read-only memory writable if the kernel allows it, as it may for a mapping of a file that was opened
// for writing.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

inline bool make_writable(const void* memory, size_t bytes) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t begin = (uintptr_t)memory / page * page;
  const uintptr_t end = ((uintptr_t)memory + bytes + page - 1) / page * page;
  return mprotect((void*)begin, end - begin, PROT_READ | PROT_WRITE) == 0;
}
