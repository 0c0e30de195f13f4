// Reads what candidates declare about themselves: the element type that they are written for, and the
// precision class that they compete in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/candidate_source.h"
#include "problem/problem.h"

namespace kgrade {

struct Declarations {
  std::optional<std::string> dtype;
  std::optional<std::string> precision;
};

// Reads the lines `// kgrade: dtype NAME` and `// kgrade: precision NAME`. They may come in any order among
// the comments and empty lines at the beginning of the file, or of a document's graded block
// (compile/submission.h). A name is unset if there is no line for it. An Error, with its place in `file`, for
// any other line `// kgrade:`, for a second line of a kind, and in CUDA C++ for a line below the first line
// of code. In Python the worker refuses such a line.
Result<Declarations> read_declarations(const Submission& submission, const std::filesystem::path& file);

// The problem with the asked element type (see with_dtype()) and class, above or below its own. An Error for
// a name other than exact, fp32, tf32 and bf16. Also an Error if exactly one of the two classes is `exact`,
// because a problem of class `exact` has no other class, and no other problem has this class. Also an Error
// for any class but fp32 if the problem has `precision: fp32 only`.
Result<Problem> as_asked(Problem problem, std::string_view dtype, std::string_view precision);

// Candidates that one run can grade together, because they have the same element type and class.
struct CandidateGroup {
  Problem problem;  // with this type and class
  std::vector<CandidateSource> candidates;
};

// The word with which a request asks for the problem's own class.
inline constexpr std::string_view own_class = "own";

// Whether two versions of one problem ask for the same type and class, so that one run can grade candidates
// for both.
bool asks_for_the_same(const Problem& one, const Problem& other);

// The problem in the type and class in which a candidate is graded: the type is `dtype` if given, or else the
// declared one, or else the problem's first; the class is `precision` if given, which may be own_class, or
// else the declared one, or else the problem's. An Error for a wrong declaration, and for a type or class
// that the problem does not have.
Result<Problem> as_declared(const Problem& problem, const CandidateSource& candidate,
                            const std::optional<std::string>& dtype,
                            const std::optional<std::string>& precision = std::nullopt);

// Groups candidates by the type and class that as_declared() gives them, and sets their reference_class and
// overruled_class. Groups and their candidates keep the given order. A candidate with a wrong declaration is
// in the first group, and its `fault` is the error. An Error for a `dtype` or `precision` that the problem
// does not have.
Result<std::vector<CandidateGroup>> group_candidates(
    const Problem& problem, std::vector<CandidateSource> candidates, const std::optional<std::string>& dtype,
    const std::optional<std::string>& precision = std::nullopt);

}  // namespace kgrade
