// The checks of a candidate, by name, in the order in which they can fail. Turns the referee's report of a
// call, or of a library, into a finding: the failed check and the resulting verdict. Outputs are judged in
// verify/judgement.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contest/contest.h"
#include "record/record.h"
#include "record/verdict.h"

namespace kgrade {

struct Judgement;      // verify/judgement.h
class ExpectedScales;  // verify/expected_scales.h

inline constexpr std::array<std::string_view, 19> check_names = {
    "compile",              // the source compiles
    "signature",            // `solution` has the problem's parameters
    "libraries",            // the libraries that it links and opens are allowed
    "load",                 // the library loads, and its static constructors return
    "completion",           // every call ends, in time, in a living process
    "protocol",             // the worker sends only valid messages
    "device_errors",        // no CUDA error is left behind
    "memory",               // no allocation fails
    "guard_zones",          // nothing is written around a buffer
    "inputs_unchanged",     // inputs still hold the drawn values
    "clock",                // times are finite and positive, and the referee's clock confirms most of them
    "idle",                 // a call that is over leaves no work and no threads
    "outputs_match",        // every element of every output agrees with the oracle's
    "precision",            // every output is within the error of the required class
    "fresh_contents",       // outputs also match if only a few input elements are new
    "hidden_shapes",        // outputs also match on hidden shapes
    "lower_bound",          // no time is shorter than memory and arithmetic allow
    "steady_clocks",        // nothing slows the device down while it is measured
    "reference_agreement",  // the reference is as fast beside the candidate as alone
};

// This check and the ones after it apply to some candidates only. Earlier checks always apply.
inline constexpr std::string_view first_occasional_check = "hidden_shapes";

class CheckList {
 public:
  CheckList();
  // Passes all earlier checks that have not failed.
  void pass_before(std::string_view name);
  // Passes all checks that always apply.
  void pass_all();
  // Passes this check unless it has failed.
  void pass(std::string_view name);
  // Keeps the first failure of a check.
  void fail(std::string_view name, const std::string& detail);
  // Marks the check as not run, because an earlier one has failed.
  void withdraw(std::string_view name);
  std::vector<Check> checks() const { return checks_; }

 private:
  std::vector<Check> checks_;
};

// The check that belongs to a verdict: "guard_zones" for out_of_bounds.
std::string_view check_behind(Verdict verdict);

struct CallFinding {
  Verdict verdict = Verdict::accepted;
  std::string_view check;
  std::string message;
  bool killed = false;  // by a signal from outside: from the kernel or another program
};

// What a fault of a contestant's worker means for a candidate. `fault` is not none.
CallFinding finding_of(Fault fault, const std::string& detail);
// Reviews everything except the outputs: faults, CUDA errors, guard zones, inputs, the clock. Nothing if all
// is well.
std::optional<CallFinding> review_call(const CallReport& report);
// "a launch failed: CUDA error 9 (invalid launch configuration): kernel scale at mine.cu:20, ...", for a call
// with a failed launch; empty if none failed.
std::string failed_launch_text(const CallReport& report);
// Puts a failed launch of the same call before a message about an output. `launch` is failed_launch_text().
std::string with_failed_launch(const std::string& launch, const std::string& message);
// Clears threads and processes from the report of a baseline, before review_call(). Baselines are our own,
// and their frameworks start and end threads and compilers.
void forgive_threads(CallReport& report);

// Explains a crash or an illegal address, which may be a write to a read-only input or beyond a buffer.
// `corruption` is what a call in a worker with writable inputs changed.
CallFinding explain_crash(const CallFinding& finding, const Lease::Corruption& corruption);

// Whether explain_crash() may find out more.
bool is_crash(const CallReport& report);

// Whose fault it is if a contestant of our own fails: the machine's if there was no memory or a signal came
// from outside, otherwise that of the reference's author.
Blame blame_for_trusted(const CallFinding& finding);
Blame blame_for_trusted(const Answer& failed);
// The error if a contestant of our own ("oracle", "reference", "baseline") fails on a case. The error's place
// is the case in the problem file, because the author has to fix the file or its reference. The error has no
// place if the machine is to blame.
Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound,
                      const CallFinding& finding);
// The error if the buffers of a contestant of our own cannot be lent.
Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound, const Answer& lent);

// The error if the reference is a Model in Python that misses the required class in its own type. The inputs
// or the formula lose too many digits, and the candidate is not to blame.
Error ill_conditioned(const Problem& problem, const Case& bound, const std::string& output,
                      const Judgement& judgement);
// The message of ill_conditioned() without the case: "'y' is ill-conditioned: ...".
std::string why_ill_conditioned(const Problem& problem, const std::string& output,
                                const Judgement& judgement);
// The error if an expected output of a problem with a Model has no finite element.
Error without_numbers(const Problem& problem, const Case& bound, const std::string& output);
// A remedy for inputs that do not suit a problem with a Model.
std::string other_inputs_of(const Problem& problem);
// Judges the reference. It must be in the class fp32. A Model only has to be in the required class. In a
// 16-bit type a Model rounds between operators, so it may use half of the bound of the class bf16. Then a
// candidate that is off by as much in other directions is still accepted.
Judgement judge_reference(const OutputErrors& output, std::size_t index, const Problem& problem,
                          const Case& bound, const ExpectedScales& scales);
// For a Model that judge_reference() does not accept: whether it is precise enough over all elements
// together. If so, the smaller elements of the output cannot be judged separately.
bool is_precise_as_a_whole(const OutputErrors& output, std::size_t index, const Problem& problem,
                           const Case& bound, const ExpectedScales& scales);

// "[0, 3, 5]": the coordinates of a flat index in a tensor.
std::string coordinates(std::uint64_t index, const std::vector<std::int64_t>& shape);

// The coordinates of an output's worst element: the first element where only one of the two outputs is
// finite, or else the element with the largest error.
std::string coordinates_of_worst(const OutputErrors& output);

// A sentence that names the first used library that the problem does not allow (Libraries in
// problem/problem.h). Nothing if all are allowed.
std::optional<std::string> forbidden_library(Libraries allowed, const LibraryUse& used);

}  // namespace kgrade
