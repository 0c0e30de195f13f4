// Checked runs: every memory access of a contestant is checked, and errors are written into a book. The
// contestant must be built for a checked run (EmulatedToolchain, BuildRequest field `checked`).
//
// The compiler reports accesses by calling __tsan_read4(), __tsan_write8() and their like, the interface of
// ThreadSanitizer's instrumentation (-fsanitize=thread, GCC and Clang alike). Here these functions are the
// emulated device's own: the compiler's run-time libraries are not needed and not linked.
#pragma once

#include <cstddef>

#include "device/finding_book.h"

namespace kgrade_emulated {

// Call this before the contestant's library is loaded. From then on, blocks run on one host thread. The book
// must outlive the process's last launch.
void start_checking(kgrade::FindingBook& book);
bool is_checking();

// Call this once the library is loaded, with an address inside the library, such as its entry point. Places
// in the book are offsets in the library's file.
void check_library_of(const void* address);

// Call this for a contestant in Python. The process also has memory of the frameworks, of which only the
// bounds reported below are known. The frameworks' own functions read and write device memory without
// reports. So the host may touch all device memory, lent memory counts as written, and an access to unknown
// memory is no finding if the memory can be read.
void share_with_frameworks();
// Call this once an extension's library is loaded, with the library's number in the order of builds
// (device/finding_book.h).
void check_extension_of(const void* address, std::uint64_t number);
// Notes memory of a tensor that an extension has received. A known region that contains this memory then
// counts as written.
void note_tensor_memory(const void* begin, std::size_t bytes);
// Forgets the tensor memory that begins at `begin`, or all tensor memory if null.
void forget_tensor_memory(const void* begin);

// Device memory that the worker lends to the next calls: [begin, begin + bytes) is the tensor itself, without
// guard zones.
struct LentMemory {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  int parameter = -1;
  bool written = false;  // holds data (an input); an output is not written before the contestant does
  bool writable = true;  // false: a write is an access out of bounds
};
void lend_checked(const LentMemory& memory);
void give_back_checked();  // all lent memory

// Call these around each call of the contestant's entry point. Before a call, outputs count as unwritten
// again. A leak is an allocation that two successive calls leave behind at the same place, so make each call
// twice.
void begin_checked_call();
void end_checked_call();

}  // namespace kgrade_emulated
