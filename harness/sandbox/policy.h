// What a confined program may do. Every layer that the machine offers enforces it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kgrade {

// The exit status of a confined program that the kernel killed because its run exceeded
// SandboxPolicy::memory_bytes. A signal alone would not show the reason.
inline constexpr int exit_out_of_memory = 124;

// One means of confinement: a feature of the kernel, or bubblewrap.
struct SandboxLayer {
  std::string name;  // "no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"
  bool active = false;
  std::string detail;  // "user, PID, mount, network, IPC, UTS", "ABI 7"
  std::string remedy;  // how to make an inactive layer work
};

struct SandboxPolicy {
  // Files and folders (with their contents) that may be read and executed. Missing ones are ignored.
  std::vector<std::filesystem::path> readable;
  // Paths that stay invisible although they are below a readable folder. Only mount namespaces can hide them.
  // So `readable` should be narrow enough without `hidden`.
  std::vector<std::filesystem::path> hidden;
  // This run's own folders, which exist and may be read and written.
  std::vector<std::filesystem::path> writable;
  // Device nodes that may be opened for reading and writing. Missing ones are ignored. /dev/null, zero, full,
  // random and urandom are always there.
  std::vector<std::filesystem::path> devices;
  // The program may start programs and processes, as a compiler driver does. Otherwise only the confined
  // program itself may be executed, and it cannot fork after deny_new_programs() (sandbox/seccomp.h).
  bool starts_programs = false;
  // The program may read its own /proc, which is a fresh mount for its own PID namespace.
  bool proc = true;
  // The program may name its threads through /proc/self/task. CUDA's driver does so and fails otherwise. With
  // starts_programs, its child programs may do so too, if /proc is their own.
  bool names_threads = false;
  std::uint64_t temporary_bytes = std::uint64_t{256} << 20;  // the size of the private, empty /tmp
  std::uint64_t memory_bytes = 0;  // of all processes together; needs control groups; 0: no limit
  unsigned processes = 0;          // the most processes, including threads; 0: no limit
};

}  // namespace kgrade
