// A small assembler of seccomp filters: classic BPF over `struct seccomp_data`.
//
// The number of the system call stays in the accumulator until a block of checks for one call begins; such a
// block always ends in a verdict, so nothing has to be loaded again.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>

namespace kgrade {

class FilterProgram {
 public:
  // Begins with a check of the architecture. Calls of another one (of i386 on x86-64) end the process, since
  // their numbers mean something else; those of x32 do not exist.
  FilterProgram();

  // Every call of this number fails with `error`.
  void deny(unsigned call, int error);
  // Calls with a number above `call` fail with ENOSYS.
  void deny_above(unsigned call);
  // The verdict on what has not been denied; the last instruction.
  void allow_rest() { append(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }

  // Looks at argument `index` of one call, its low 32 bits: all arguments looked at here are of 32 bits or
  // have all their meaning there. With these values the call is denied and otherwise allowed, or the reverse.
  void deny_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count);
  void allow_values(unsigned call, unsigned index, const std::uint32_t* values, unsigned count);
  // Denied when one of these bits is set, or when none of them is.
  void deny_any_bit(unsigned call, unsigned index, std::uint32_t bits);
  void demand_bit(unsigned call, unsigned index, std::uint32_t bits);

  // seccomp(2) with SECCOMP_SET_MODE_FILTER, after no_new_privs; 0 or an errno value.
  int install(unsigned flags);

 private:
  static constexpr std::size_t capacity = 512;

  void append(unsigned code, std::uint32_t operand, unsigned if_true = 0, unsigned if_false = 0);
  void begin_block(unsigned call, unsigned index, unsigned length);
  void deny_here(int error);

  sock_filter instructions_[capacity];
  std::size_t size_ = 0;
};

}  // namespace kgrade
