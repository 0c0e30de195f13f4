// cheat: ends the process from the resolver of an indirect function, before any constructor runs
// row: 29
// caught-by: load
// device: any
//
// At that time its libraries are being relocated, and imported functions are not available yet: a few bytes
// of machine code make the system call.
#include <stdint.h>

#include "contestant.cuh"

namespace {

// exit_group(0)
#if defined(__x86_64__)
__attribute__((section(".text.leave"), aligned(16), used)) const unsigned char leave[] = {
    0x31, 0xff, 0xb8, 0xe7, 0x00, 0x00, 0x00, 0x0f, 0x05};  // xor edi, edi; mov eax, 231; syscall
#else
__attribute__((section(".text.leave"), aligned(16), used)) const unsigned char leave[] = {
    0xc8, 0x0b, 0x80, 0xd2, 0x00, 0x00, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};  // mov x8, 94; mov x0, 0; svc 0
#endif

using Function = void (*)();

}  // namespace

extern "C" Function kgrade_resolver() {
  reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(leave))();
  return nullptr;
}

extern "C" void kgrade_resolved() __attribute__((ifunc("kgrade_resolver")));

// The initial value of a variable is needed when the library is relocated, however calls are bound.
void (*volatile resolved)() = &kgrade_resolved;

void cheat::play(const Call&) { resolved(); }
