#include "base/user_cache.h"

#include <cstdlib>

namespace kgrade {
namespace fs = std::filesystem;
namespace {

fs::path below(std::string_view base, const fs::path& rest) {
  const fs::path path(base);
  return path.is_absolute() ? path / rest : fs::path();
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path user_cache_folder(std::string_view part, std::string_view xdg_cache_home, std::string_view home) {
  const fs::path folder = below(xdg_cache_home, fs::path("kgrade") / part);
  return folder.empty() ? below(home, fs::path(".cache/kgrade") / part) : folder;
}

fs::path user_cache_folder(std::string_view part) {
  return user_cache_folder(part, variable("XDG_CACHE_HOME"), variable("HOME"));
}

}  // namespace kgrade
