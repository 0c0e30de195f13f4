// A part of many test cases, drawn by the commit as tools/drawn_problems.py draws problems: the next commit
// tries others. With KGRADE_ALL in the environment all of them, as `tools/test.sh --all` wants.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace kgrade::test {

// Empty outside of a checkout, where always the same ones are drawn.
inline std::string commit_of_checkout() {
  std::string commit;
  std::FILE* const pipe = ::popen("git -C '" KGRADE_SOURCE_DIR "' rev-parse HEAD 2>/dev/null", "r");
  if (pipe == nullptr) return commit;
  std::array<char, 64> text{};
  if (std::fgets(text.data(), text.size(), pipe) != nullptr) commit = text.data();
  ::pclose(pipe);
  return commit;
}

// `count` of the names, in their order.
inline std::vector<std::string> drawn(std::vector<std::string> names, std::size_t count) {
  if (std::getenv("KGRADE_ALL") != nullptr || names.size() <= count) return names;
  const std::string commit = commit_of_checkout();
  const auto rank = [&](const std::string& name) { return std::hash<std::string>()(commit + name); };
  std::vector<std::size_t> ranks;
  for (const std::string& name : names) ranks.push_back(rank(name));
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(count), ranks.end());
  const std::size_t first_left_out = ranks[count];
  std::erase_if(names, [&](const std::string& name) { return rank(name) >= first_left_out; });
  return names;
}

}  // namespace kgrade::test
