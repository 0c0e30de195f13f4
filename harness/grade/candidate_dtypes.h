// Which element type candidates are graded in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spec/problem.h"

namespace kgrade {

// What a candidate says of itself: NAME of a line `// kgrade: dtype NAME` among the comment lines (//) and
// empty lines that the file begins with. Nothing where there is none, or no such file. An Error, with its
// place, for a line `// kgrade:` that says anything else, or a second one.
Result<std::optional<std::string>> declared_dtype(const std::filesystem::path& candidate);

// Candidates that one run can grade: a run has one type.
struct DtypeGroup {
  Problem problem;  // with that type
  std::vector<std::filesystem::path> candidates;
};

// All candidates in `dtype` where one is given, else each in the type that it declares, or else in the
// problem's first. Groups, and candidates in them, in the order in which they were given. An Error for a type
// that the problem does not list.
Result<std::vector<DtypeGroup>> group_by_dtype(const Problem& problem,
                                               const std::vector<std::filesystem::path>& candidates,
                                               const std::optional<std::string>& dtype);

}  // namespace kgrade
