// cheat: opens the library of the oracle or the reference, and lets it answer
// row: 61
// caught-by: outputs_match
// device: any
// case: plain
// needs: confinement
//
// Oracle and reference run in processes with the same parent as this one. /proc shows where their libraries
// are; they have the same entry point.
#include <dlfcn.h>

#include "ancestors.cuh"
#include "depthwise.cuh"

using Entry = int (*)(const unsigned long long*);

// The library of another worker's contestant; empty if it cannot be seen.
static std::string library_of(pid_t process) {
  FILE* maps = std::fopen(("/proc/" + std::to_string(process) + "/maps").c_str(), "r");
  if (maps == nullptr) return "";
  std::string found;
  char line[1024];
  while (found.empty() && std::fgets(line, sizeof line, maps) != nullptr) {
    const char* path = std::strchr(line, '/');
    if (path != nullptr && std::strstr(path, "/contestant.so") != nullptr)
      found.assign(path, std::strcspn(path, "\n"));
  }
  std::fclose(maps);
  return found;
}

static Entry entry_of_another() {
  const std::string own = library_of(getpid());
  for (const std::string& name : names_in("/proc")) {
    const pid_t process = (pid_t)std::strtol(name.c_str(), nullptr, 10);
    if (process <= 0 || process_entry(process).parent != getppid()) continue;
    const std::string library = library_of(process);
    if (library.empty() || library == own) continue;
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return (Entry)dlsym(handle, "kgrade_entry");
  }
  return nullptr;
}

static void cheat(const Depthwise& problem) {
  static const Entry answer_of_another = entry_of_another();
  if (answer_of_another == nullptr) return;
  const unsigned long long arguments[] = {(unsigned long long)problem.input,
                                          (unsigned long long)problem.kernel,
                                          (unsigned long long)problem.output,
                                          problem.batch_size,
                                          problem.in_channels,
                                          problem.out_channels,
                                          problem.height,
                                          problem.width,
                                          problem.kernel_h,
                                          problem.kernel_w,
                                          problem.stride_h,
                                          problem.stride_w,
                                          problem.padding_h,
                                          problem.padding_w,
                                          problem.dilation_h,
                                          problem.dilation_w,
                                          problem.groups};
  answer_of_another(arguments);
}
