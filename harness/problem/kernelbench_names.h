// What the names of KernelBench's files say. Its problems are KernelBench/level1/23_Softmax.py, and its tools
// write the candidates of a run as runs/<run>/level_1_problem_23_sample_0_kernel.py.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <vector>

namespace kgrade {

// What a name does not say is unset.
struct KernelBenchName {
  std::optional<int> level;
  std::optional<int> problem;  // its number within the level
  std::optional<int> sample;
  auto operator<=>(const KernelBenchName&) const = default;
};

// Of a problem's file: the number that its name begins with, and the level that its folder is called like
// (level1, level_1).
KernelBenchName read_problem_name(const std::filesystem::path& file);

// Of a candidate: level, problem and sample where a word says which number is which, in the file's name, or
// else in those of its folder and the folder of that. Without a word for it, a level and a problem's number
// are what a name like 1_23_fast.py begins with, and a problem's number what 23_fast.py begins with.
KernelBenchName read_candidate_name(const std::filesystem::path& candidate);

// The problems that a candidate may be of, by their places in `problems`: one where its names leave no doubt,
// none where they say nothing, or what there is no problem for. What says most counts: a number after the
// word "problem"; a name that begins with a problem's whole name (23_Softmax_fast.py); a folder that is
// called like a problem, with or without its number (softmax/fast.cu); the numbers that a name begins with.
std::vector<std::size_t> matching_problems(const std::filesystem::path& candidate,
                                           const std::vector<std::filesystem::path>& problems);

}  // namespace kgrade
