// The memory of a process, from its /proc/PID/maps.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace cheat {

struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool readable = false;
  bool writable = false;
  std::string name;  // of the file, "[heap]", "[stack]", or nothing

  size_t bytes() const { return end - begin; }
};

// `process` is "self" or a number. Empty if nothing can be seen.
inline std::vector<Region> regions_of(const std::string& process) {
  std::vector<Region> regions;
  FILE* file = fopen(("/proc/" + process + "/maps").c_str(), "re");
  if (file == nullptr) return regions;
  char line[1024];
  while (fgets(line, sizeof line, file) != nullptr) {
    unsigned long begin = 0, end = 0;
    char rights[8] = {};
    int name = 0;
    if (sscanf(line, "%lx-%lx %7s %*x %*s %*s %n", &begin, &end, rights, &name) < 3) continue;
    line[strcspn(line, "\n")] = 0;
    regions.push_back({begin, end, rights[0] == 'r', rights[1] == 'w', name > 0 ? line + name : ""});
  }
  fclose(file);
  return regions;
}

inline std::string own_program() {
  char path[1024];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, length > 0 ? (size_t)length : 0);
}

// The memory of the program that this process can write to: variables, heap and stacks, but neither devices
// nor lent buffers.
inline std::vector<Region> own_variables() {
  const std::string program = own_program();
  constexpr size_t largest = 64 << 20;
  std::vector<Region> own;
  for (const Region& region : regions_of("self")) {
    const bool nameless = region.name.empty() || region.name == "[heap]" || region.name == "[stack]";
    if (!region.readable || !region.writable || region.bytes() > largest) continue;
    if (nameless || region.name == program) own.push_back(region);
  }
  return own;
}

}  // namespace cheat
