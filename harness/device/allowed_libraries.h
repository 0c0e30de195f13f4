// The libraries of the machine that a contestant may use if its problem allows none (Libraries::none in
// problem/problem.h).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace kgrade {

// Whether a file of this name belongs to the C and C++ runtime, the dynamic loader, or the driver. The name
// may have a version.
bool is_allowed_without_libraries(std::string_view file_name);

// The allowed files in `folders` and in the subfolders that the loader or the driver uses, and the libraries
// that `program` needs to start. Links are not followed.
std::vector<std::filesystem::path> allowed_library_files(const std::vector<std::filesystem::path>& folders,
                                                         const std::filesystem::path& program);

}  // namespace kgrade
