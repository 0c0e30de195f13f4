#include "sandbox/filter_program.h"

#include <errno.h>
#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kgrade {
namespace {

#if defined(__x86_64__) && defined(__LP64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t architecture = 0;  // none that the numbers of calls were checked for
#endif

// The low half of an argument. Both architectures are little-endian.
constexpr std::uint32_t argument_offset(unsigned index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

// Before Linux 4.14 a filter could only end the thread.
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

}  // namespace

FilterProgram::FilterProgram() {
  append(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  append(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
  append(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  append(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
#ifdef __x86_64__
  constexpr std::uint32_t x32 = 0x40000000;
  append(BPF_JMP | BPF_JGE | BPF_K, x32, 0, 1);
  deny_here(ENOSYS);
#endif
}

void FilterProgram::append(unsigned code, std::uint32_t operand, unsigned if_true, unsigned if_false) {
  // An overlong program must not be cut short in silence: install() sees the size.
  if (size_ < capacity) {
    instructions_[size_] = {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(if_true),
                            static_cast<std::uint8_t>(if_false), operand};
  }
  ++size_;
}

void FilterProgram::deny_here(int error) {
  append(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA));
}

void FilterProgram::deny(unsigned call, int error) {
  append(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
  deny_here(error);
}

void FilterProgram::deny_above(unsigned call) {
  append(BPF_JMP | BPF_JGT | BPF_K, call, 0, 1);
  deny_here(ENOSYS);
}

void FilterProgram::begin_block(unsigned call, unsigned index, unsigned length) {
  append(BPF_JMP | BPF_JEQ | BPF_K, call, 0, length + 1);
  append(BPF_LD | BPF_W | BPF_ABS, argument_offset(index));
}

void FilterProgram::deny_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count) {
  begin_block(call, index, count + 2);
  for (unsigned i = 0; i < count; ++i) append(BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
  allow_rest();
  deny_here(EPERM);
}

void FilterProgram::allow_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count) {
  begin_block(call, index, count + 2);
  for (unsigned i = 0; i < count; ++i) append(BPF_JMP | BPF_JEQ | BPF_K, values[i], count - i, 0);
  deny_here(EPERM);
  allow_rest();
}

void FilterProgram::deny_any_bit(unsigned call, unsigned index, std::uint32_t bits) {
  begin_block(call, index, 3);
  append(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
  allow_rest();
  deny_here(EPERM);
}

void FilterProgram::demand_bit(unsigned call, unsigned index, std::uint32_t bits) {
  begin_block(call, index, 3);
  append(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
  deny_here(EPERM);
  allow_rest();
}

int FilterProgram::install(unsigned flags) {
  if (architecture == 0) return ENOSYS;
  if (size_ > capacity) return E2BIG;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const sock_fprog program{static_cast<unsigned short>(size_), instructions_};
  const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (result < 0) return errno;
  // With SECCOMP_FILTER_FLAG_TSYNC: the id of a thread that has a filter of its own and cannot follow.
  return result > 0 ? EBUSY : 0;
}

}  // namespace kgrade
