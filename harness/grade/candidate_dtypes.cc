#include "grade/candidate_dtypes.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Of a file's beginning; what is declared further down is not looked for.
constexpr std::size_t most_characters = 16 * 1024;
constexpr std::string_view mark = "// kgrade:";

std::string beginning_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return "";
  std::ifstream stream(file, std::ios::binary);
  std::string text(most_characters, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

// NAME of "// kgrade: dtype NAME".
std::optional<std::string> dtype_in(const std::string& line) {
  std::istringstream words(line.substr(mark.size()));
  std::string key;
  std::string name;
  std::string more;
  if (!(words >> key >> name) || words >> more || key != "dtype" || !dtype_from(name)) return std::nullopt;
  return name;
}

Result<Problem> in_declared(const Problem& problem, const fs::path& candidate) {
  const auto declared = declared_dtype(candidate);
  if (!declared) return declared.errors();
  if (!*declared) return problem;
  auto bound = with_dtype(problem, **declared);
  if (bound) return bound;
  Error error = bound.error();
  error.message = fmt::format("the candidate is for {}: {}", **declared, error.message);
  error.location = {candidate.string(), 0, 0};
  return error;
}

}  // namespace

Result<std::optional<std::string>> declared_dtype(const fs::path& candidate) {
  std::istringstream lines(beginning_of(candidate));
  std::optional<std::string> declared;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (!line.starts_with("//")) break;
    if (!line.starts_with(mark)) continue;
    const auto name = dtype_in(line);
    if (!name || declared) {
      return Error{name ? "the candidate's type is declared twice" : "this line says nothing that is known",
                   name ? "keep one line `// kgrade: dtype ...`"
                        : "write `// kgrade: dtype float16`, with float32, float16 or bfloat16",
                   {candidate.string(), number, 1}};
    }
    declared = name;
  }
  return declared;
}

Result<std::vector<DtypeGroup>> group_by_dtype(const Problem& problem,
                                               const std::vector<fs::path>& candidates,
                                               const std::optional<std::string>& dtype) {
  if (dtype) {
    auto bound = with_dtype(problem, *dtype);
    if (!bound) return bound.errors();
    return std::vector<DtypeGroup>{{std::move(*bound), candidates}};
  }
  std::vector<DtypeGroup> groups;
  for (const fs::path& candidate : candidates) {
    auto bound = in_declared(problem, candidate);
    if (!bound) return bound.errors();
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const DtypeGroup& group) {
      return group.problem.dtype == bound->dtype;
    });
    if (same != groups.end()) {
      same->candidates.push_back(candidate);
    } else {
      groups.push_back({std::move(*bound), {candidate}});
    }
  }
  return groups;
}

}  // namespace kgrade
