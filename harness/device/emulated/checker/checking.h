// Checked runs: every memory access of a contestant that was built for it (EmulatedToolchain, BuildRequest
// field `checked`) is looked at, and what is wrong is written into a book.
//
// The compiler reports accesses by calling __tsan_read4(), __tsan_write8() and their like, the interface of
// ThreadSanitizer's instrumentation (-fsanitize=thread, GCC and Clang alike). Here these functions are the
// emulated device's own: the compiler's run-time libraries are not needed and not linked.
#pragma once

#include <cstddef>

#include "device/finding_book.h"

namespace kgrade_emulated {

// Before the contestant's library is loaded. From now on blocks run on one host thread. The book must outlive
// the process's last launch.
void start_checking(kgrade::FindingBook& book);
bool is_checking();

// Once the library is loaded: an address inside of it, such as its entry point. Places in the book are
// offsets in the file that this address belongs to.
void check_library_of(const void* address);

// For a contestant in Python. Its process also holds memory of the frameworks, whose bounds are known only as
// far as it is told here, and their own functions, which read and write device memory, report nothing. So the
// host may touch all of it, what is lent counts as written, and memory that is not known is no finding as
// long as it is there.
void share_with_frameworks();
// An extension's library, by its number in the order of builds (device/finding_book.h).
void check_extension_of(const void* address, std::uint64_t number);
// Memory of a tensor that an extension has got. Where it lies in memory that is already known, that counts as
// written.
void note_tensor_memory(const void* begin, std::size_t bytes);
// Of the piece of a tensor's memory that begins there; null: all of them.
void forget_tensor_memory(const void* begin);

// Device memory that the worker lends to the next calls: [begin, begin + bytes) is the tensor itself, without
// guard zones.
struct LentMemory {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  int parameter = -1;
  bool written = false;  // holds data (an input); an output is not written before the contestant does
  bool writable = true;  // a write to memory that is not is an access out of bounds
};
void lend_checked(const LentMemory& memory);
void give_back_checked();  // all of it

// Around each call of the contestant's entry point. Before a call outputs count as unwritten again. A leak is
// an allocation that a call leaves, at a place where the call before it left one too: make each call twice.
void begin_checked_call();
void end_checked_call();

}  // namespace kgrade_emulated
