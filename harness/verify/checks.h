// The checks that every candidate goes through, by name, in the order in which they can fail: the list of
// them, and what the referee saw of a call or a library as a finding, the check that failed and the verdict
// that follows. The outputs have a file of their own, verify/judgement.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contest/arena.h"
#include "record/record.h"
#include "record/verdict.h"

namespace kgrade {

struct Judgement;      // verify/judgement.h
class ExpectedScales;  // verify/expected_scales.h

inline constexpr std::array<std::string_view, 19> check_names = {
    "compile",              // the source compiles
    "signature",            // `solution` has the problem's parameters
    "libraries",            // what it links and opens is allowed
    "load",                 // the library loads, and its static constructors return
    "completion",           // every call ends, in time, in a living process
    "protocol",             // its worker says nothing that a worker does not say
    "device_errors",        // no CUDA error is left behind
    "memory",               // no allocation fails
    "guard_zones",          // nothing is written around a buffer
    "inputs_unchanged",     // inputs hold what was drawn
    "clock",                // times are finite and positive, and the referee's clock bears most of them out
    "idle",                 // when a call is over, no work and no thread of it is left
    "outputs_match",        // every element of every output agrees with the oracle's
    "precision",            // and with the arithmetic that is asked for
    "fresh_contents",       // also where only a few elements differ from the call before
    "hidden_shapes",        // and on shapes unknown before
    "lower_bound",          // no time is shorter than memory and arithmetic allow
    "steady_clocks",        // nothing slows the device down while it is measured
    "reference_agreement",  // the reference is as fast beside the candidate as alone
};

// The checks from here on apply to some candidates only, the others always.
inline constexpr std::string_view first_occasional_check = "hidden_shapes";

class CheckList {
 public:
  CheckList();
  // Passes all checks that come before this one and have not failed.
  void pass_before(std::string_view name);
  // Passes all checks that always apply.
  void pass_all();
  // Passes this check unless it has failed.
  void pass(std::string_view name);
  // Keeps the first failure of a check.
  void fail(std::string_view name, const std::string& detail);
  std::vector<Check> checks() const { return checks_; }

 private:
  std::vector<Check> checks_;
};

// The check that stands for a verdict ("guard_zones" for out_of_bounds).
std::string_view check_behind(Verdict verdict);

struct CallFinding {
  Verdict verdict = Verdict::accepted;
  std::string_view check;
  std::string message;
  bool killed = false;  // by a signal from outside, as the kernel and other programs send it
};

// Everything but the outputs: faults, CUDA errors, the clock, guard zones, inputs. Nothing when all is well.
std::optional<CallFinding> review_call(const CallReport& report);
// "a launch failed: CUDA error 1 (invalid argument ...)", of a cudaError_t.
std::string failed_launch_text(int error);
// What is wrong with an output, behind the launch that failed in that call; `error` 0: none did.
std::string with_failed_launch(int error, const std::string& message);
// Before that, of a baseline, which is our own: its framework's threads and compilers come and go.
void forgive_threads(CallReport& report);

// A fault that says little by itself (a crash, an illegal address) may be a write to an input that is mapped
// read-only, or beyond a buffer: what a call in a worker with writable inputs changed tells which.
CallFinding explain_crash(const CallFinding& finding, const Lease::Corruption& corruption);

// True for findings that explain_crash can tell more about.
bool is_crash(const CallReport& report);

// The error where a contestant of our own ("oracle", "reference", "baseline") fails on a case. It names the
// case's place in the problem file, whose author has to mend the file or its reference; where the machine is
// to blame (no memory, a signal from outside) it names no place.
Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound,
                      const CallFinding& finding);
// The same where its buffers cannot be lent.
Error trusted_failure(std::string_view who, const Problem& problem, const Case& bound, const Answer& lent);

// A problem whose reference is a Model in Python, and that Model in float32 misses the class that is asked
// for: the contents or the formula lose too many digits, and the candidate is not to blame.
Error ill_conditioned(const Problem& problem, const Case& bound, const std::string& output,
                      const Judgement& judgement);
// The same without its case: "'y' is ill-conditioned: ...".
std::string why_ill_conditioned(const Problem& problem, const std::string& output,
                                const Judgement& judgement);
// An expected output of such a problem is NaN or infinite throughout.
Error without_numbers(const Problem& problem, const Case& bound, const std::string& output);
// What its user or author can do about contents that do not suit a problem with a Model.
std::string other_inputs_of(const Problem& problem);
// What is allowed to the reference: fp32, or of a file of others the class that is asked for, in which its
// Model may be close enough. In a 16-bit type a Model rounds between operators: it may use half of what the
// class bf16 allows, so that a candidate that is off by as much, in other directions, is accepted whatever
// class it asks for.
Judgement judge_reference(const OutputErrors& output, std::size_t index, const Problem& problem,
                          const Case& bound, const ExpectedScales& scales);
// Of a Model that this does not accept: whether it is precise enough over all elements together. Then the
// smaller elements of the output cannot be judged separately.
bool is_precise_as_a_whole(const OutputErrors& output, std::size_t index, const Problem& problem,
                           const Case& bound, const ExpectedScales& scales);

// "[0, 3, 5]": the coordinates of a flat index in a tensor.
std::string coordinates(std::uint64_t index, const std::vector<std::int64_t>& shape);

// Where an output is worst: the first of what should be finite and is not, or the reverse, else what is off
// by most.
std::string coordinates_of_worst(const OutputErrors& output);

// Whether a contestant may use the libraries that it uses: a sentence that names the first library that the
// problem does not allow (Libraries in problem/problem.h); nothing when there is none.
std::optional<std::string> forbidden_library(Libraries allowed, const LibraryUse& used);

}  // namespace kgrade
