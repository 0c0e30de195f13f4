// The environment of this process, for programs of its own that are to have all of it.
#pragma once

#include <unistd.h>

#include <string>
#include <vector>

namespace kgrade {

inline std::vector<std::string> whole_environment() {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  return environment;
}

}  // namespace kgrade
