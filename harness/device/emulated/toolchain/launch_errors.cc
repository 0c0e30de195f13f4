#include "device/emulated/toolchain/launch_errors.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>
#include <string_view>

#include "base/text.h"
#include "base/with_commas.h"
#include "compile/compiler_log.h"

namespace kgrade {
namespace {

// clang writes "float *".
std::string type_as_written(std::string type) { return replace_all(std::move(type), " *", "*"); }

std::optional<std::string> what_is_wrong(const std::string& error) {
  static const std::regex argument(R"(launch_argument_mismatch<([0-9]+)[uUlL]*, ([^,'"]+), ([^,'"]+)>['"])");
  static const std::regex count(R"(launch_count_mismatch<([0-9]+)[uUlL]*, ([0-9]+)[uUlL]*>['"])");
  static const std::regex shared(
      R"(static_shared_memory_exceeded<([0-9]{1,18})[uUlL]*, ([0-9]{1,18})[uUlL]*>['"])");
  std::smatch match;
  if (std::regex_search(error, match, argument)) {
    return fmt::format("argument {} of the launch is {}, the kernel's parameter is {}", match[1].str(),
                       type_as_written(match[2]), type_as_written(match[3]));
  }
  if (std::regex_search(error, match, count)) {
    return fmt::format("the launch has {} arguments, the kernel has {} parameters", match[1].str(),
                       match[2].str());
  }
  if (std::regex_search(error, match, shared)) {
    return fmt::format(
        "{} bytes of static shared memory, of at most {}; for more, write `extern __shared__ float "
        "name[];`, allow it with cudaFuncSetAttribute, and pass its bytes as the third launch "
        "parameter",
        with_commas(std::stoull(match[1].str())), with_commas(std::stoull(match[2].str())));
  }
  if (error.find("launch_argument_mismatch<") != std::string::npos)
    return "an argument of the launch does not convert to the kernel's parameter";
  if (error.find("launch_without_kernel<") != std::string::npos)
    return "there is no kernel of this name that takes the arguments of the launch";
  if (error.find("call to 'shared_variable<") != std::string::npos ||
      error.find("function for call to 'shared_variable'") != std::string::npos) {
    return "the size of a __shared__ array must be a constant; for one that the launch sets, write "
           "`extern __shared__ float name[];` and pass its bytes as the third launch parameter";
  }
  return std::nullopt;
}

// "mine.cu:5" of "mine.cu:5:382:   required from here".
std::string place_in(const std::string& line) {
  static const std::regex place(R"(^([^:]+:[0-9]+):)");
  std::smatch match;
  return std::regex_search(line, match, place) ? match[1].str() : "";
}

// The place in the source that uses the failing template. g++ prints it before the error, clang after it.
std::string place_of(const std::string& log, const std::string& error) {
  std::string place = place_in(error);
  bool is_behind = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (is_behind && line.find(" error: ") != std::string::npos) break;
    if (trimmed(line) == error) is_behind = true;
    if (line.ends_with(is_behind ? "requested here" : "required from here")) place = place_in(line);
  }
  return place;
}

}  // namespace

std::optional<std::string> error_in_cudas_words(const std::string& log) {
  const std::string error = first_error_line(log);
  const auto what = what_is_wrong(error);
  if (!what) return std::nullopt;
  return fmt::format("{}: error: {}", place_of(log, error), *what);
}

}  // namespace kgrade
