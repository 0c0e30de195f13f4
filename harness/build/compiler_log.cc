#include "build/compiler_log.h"

#include <sstream>

namespace kgrade {
namespace {

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::string first_error_line(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = trimmed(line);
    if (line.find("error") != std::string::npos) return trimmed(line);
  }
  return first.empty() ? "the compiler failed without a message" : first;
}

}  // namespace kgrade
