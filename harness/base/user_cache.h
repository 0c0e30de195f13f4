// Where this user's programs keep what can be made again.
#pragma once

#include <filesystem>
#include <string_view>

namespace kgrade {

// kgrade/<part> below the user's cache folder, as the XDG Base Directory Specification has it: of
// $XDG_CACHE_HOME, or of $HOME/.cache; only absolute paths count. Empty when there is neither.
std::filesystem::path user_cache_folder(std::string_view part, std::string_view xdg_cache_home,
                                        std::string_view home);
std::filesystem::path user_cache_folder(std::string_view part);  // by this process's environment

}  // namespace kgrade
