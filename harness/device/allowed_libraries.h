// What is left of the machine's libraries to a contestant whose problem allows none (Libraries::none in
// problem/problem.h).
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace kgrade {

// By the name of a file, with or without a version: of the C and C++ runtime, the dynamic loader, or the
// driver.
bool is_allowed_without_libraries(std::string_view file_name);

// The allowed files in `folders`, and in those of their subfolders that the loader or the driver uses,
// together with what `program` itself needs to start. As they are found: links are not followed.
std::vector<std::filesystem::path> allowed_library_files(const std::vector<std::filesystem::path>& folders,
                                                         const std::filesystem::path& program);

}  // namespace kgrade
