// The folder in which this user's programs keep files that can be made again.
#pragma once

#include <filesystem>
#include <string_view>

namespace kgrade {

// kgrade/<part> below the user's cache folder: $XDG_CACHE_HOME, or else $HOME/.cache (XDG Base Directory
// Specification). Only absolute paths count. Empty if there is neither.
std::filesystem::path user_cache_folder(std::string_view part, std::string_view xdg_cache_home,
                                        std::string_view home);
std::filesystem::path user_cache_folder(std::string_view part);  // from this process's environment

}  // namespace kgrade
