// Loads the problem files of a sweep in parallel, because a file in KernelBench's form takes a Python
// interpreter some seconds.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "base/result.h"
#include "problem/problem.h"

namespace kgrade {

// Loads a problem from its file. With several files, called by several threads at once.
using ProblemLoader = std::function<Result<Problem>(const std::filesystem::path&)>;

// Called before the first file and after each file, by one thread at a time.
using LoadingProgress = std::function<void(std::size_t done, std::size_t all)>;

// Loads each file once, as many at a time as there are cores.
std::map<std::filesystem::path, Result<Problem>> load_problems(
    const std::vector<std::filesystem::path>& files, const ProblemLoader& load,
    const LoadingProgress& progress = nullptr);

}  // namespace kgrade
