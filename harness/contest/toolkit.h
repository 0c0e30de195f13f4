// Finds the programs of the CUDA Toolkit below which workers run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

// A program by name: in PATH, or in the usual folders of the toolkit and of its parts.
std::optional<std::filesystem::path> find_tool(const std::string& name);

// "2025.3.1.0", as the program's --version says after the word "Version"; "unknown" if it does not.
std::string version_of_tool(const std::filesystem::path& program);

// What the program reads, for its sandbox: it may be a script that starts a program elsewhere in the toolkit.
std::vector<std::filesystem::path> needs_of_tool(const std::filesystem::path& program);

}  // namespace kgrade
