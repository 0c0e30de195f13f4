// Reads the level, problem and sample from the names of KernelBench's files. KernelBench's problems are
// KernelBench/level1/23_Softmax.py, and its tools write the candidates of a run as
// runs/<run>/level_1_problem_23_sample_0_kernel.py.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

// Numbers that a name does not give are unset.
struct KernelBenchName {
  std::optional<int> level;
  std::optional<int> problem;  // its number within the level
  std::optional<int> sample;
  auto operator<=>(const KernelBenchName&) const = default;
};

// Reads the name of a problem's file: the number that it begins with, and the level in the name of its folder
// (level1, level_1).
KernelBenchName read_problem_name(const std::filesystem::path& file);

// Reads the name of a candidate. Words say which number is the level, the problem or the sample, in the
// file's name, or else in the names of the two folders above it. Without such words, 1_23_fast.py begins with
// a level and a problem's number, and 23_fast.py with a problem's number.
KernelBenchName read_candidate_name(const std::filesystem::path& candidate);

// The words before the sample in the name of the file or folder that gives the sample: "gpt-x" for
// gpt-x-sample-0. Empty if these words are the problem's slug, a level, or a number, as in
// level_1_problem_23_sample_0 and 23_Softmax_sample_0. A slug before the other words is left out:
// softmax-gpt-x-sample-0 also gives "gpt-x".
std::string words_before_sample(const std::filesystem::path& candidate, const std::string& slug);

// The indices in `problems` of the problems that a candidate may be written for. The result has one index if
// the candidate's names are unambiguous, and is empty if the names say nothing or name no known problem. The
// strongest hint counts, in this order: a number after the word "problem"; a name that begins with a
// problem's whole name (23_Softmax_fast.py); a folder with the name of a problem, with or without its number
// (softmax/fast.cu); the numbers that a name begins with.
std::vector<std::size_t> matching_problems(const std::filesystem::path& candidate,
                                           const std::vector<std::filesystem::path>& problems);

}  // namespace kgrade
