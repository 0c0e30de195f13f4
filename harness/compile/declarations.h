// What candidates say of themselves: the element type that they are written for, and the precision class
// that they compete in.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/problem.h"

namespace kgrade {

struct Declarations {
  std::optional<std::string> dtype;
  std::optional<std::string> precision;
};

// NAME of the lines `// kgrade: dtype NAME` and `// kgrade: precision NAME`, in any order, among the comments
// and empty lines that the file begins with, or of a document the block that is graded
// (compile/submission.h). Nothing where there are none, or no such file. An Error, with its place, for a line
// `// kgrade:` that says anything else, for the second one of a kind, and in CUDA C++ for one below the first
// line of code; in Python the worker refuses that.
Result<Declarations> read_declarations(const std::filesystem::path& candidate);

// The problem as it is for answers that have to reach another class, above or below its own. An Error for a
// name other than exact, fp32, tf32 and bf16, and where one of the two is exact: such a problem has no other
// class, and no other problem has this one.
Result<Problem> with_precision(Problem problem, std::string_view name);

// The problem with both: a file and this make up what a run grades. Errors as of with_dtype() and
// with_precision().
Result<Problem> as_asked(Problem problem, std::string_view dtype, std::string_view precision);

// Candidates that one run can grade: a run has one type and asks for one class.
struct CandidateGroup {
  Problem problem;  // with these
  std::vector<std::filesystem::path> candidates;
  // Of those that declare what is unknown, or a type that the problem does not list. They are graded all the
  // same, and that is their verdict.
  std::map<std::filesystem::path, Error> faults = {};
};

// True when a run for the one can grade candidates of the other; both are of one file.
bool asks_for_the_same(const Problem& one, const Problem& other);

// All candidates in `dtype` where one is given, else each in the type that it declares, or else in the
// problem's first; each with the class that it declares, or else the problem's. Groups, and candidates in
// them, in the order in which they were given. A candidate that declares what is wrong is among those of the
// first group, and of its faults. An Error for a `dtype` that the problem does not list.
Result<std::vector<CandidateGroup>> group_candidates(const Problem& problem,
                                                     const std::vector<std::filesystem::path>& candidates,
                                                     const std::optional<std::string>& dtype);

}  // namespace kgrade
