// What a confined program may do, said once and enforced by as many layers as the machine offers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kgrade {

// The exit status of a confined program that the kernel has killed because its run took more memory than it
// may (SandboxPolicy::memory_bytes): a signal alone does not say why.
inline constexpr int exit_out_of_memory = 124;

// One means of the kernel, or bubblewrap.
struct SandboxLayer {
  std::string name;  // "no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"
  bool active = false;
  std::string detail;  // "user, PID, mount, network, IPC, UTS", "ABI 7"
  std::string remedy;  // of an inactive one: what it would need
};

struct SandboxPolicy {
  // Files and folders (with all below) that may be read and executed. Those that do not exist are passed
  // over.
  std::vector<std::filesystem::path> readable;
  // Not to be seen, although they lie below something readable. Only mount namespaces can do this; the
  // readable set should be narrow enough without it.
  std::vector<std::filesystem::path> hidden;
  // Folders of this run's own that may be read and written. They exist.
  std::vector<std::filesystem::path> writable;
  // Device nodes that may be opened for reading and writing. Missing ones are passed over. /dev/null, zero,
  // full, random and urandom are always there.
  std::vector<std::filesystem::path> devices;
  // May start programs and processes (a compiler driver). Without it the one program that is confined may be
  // executed, and forking fails once it has called deny_new_programs() (sandbox/seccomp.h).
  bool starts_programs = false;
  // May look at its own /proc (a fresh one of its own PID namespace).
  bool proc = true;
  // May give names to its threads by way of /proc/self/task, as CUDA's driver does, which fails otherwise.
  // With starts_programs the programs that it starts may, too, where /proc is their own.
  bool names_threads = false;
  std::uint64_t temporary_bytes = std::uint64_t{256} << 20;  // room in the private, empty /tmp
  std::uint64_t memory_bytes = 0;  // of all its processes; cgroups only; 0: no limit
  unsigned processes = 0;          // at most so many, threads included; 0: no limit
};

}  // namespace kgrade
