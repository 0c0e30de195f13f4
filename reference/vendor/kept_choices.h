// Which plan was the fastest for a shape, as an earlier process found: searching again would take a second. The
// harness names a folder for one baseline, one version of its library, one GPU model and one driver in
// $KGRADE_PLANS. The folder has a file for each shape, with the plan's number among those offered, and its name.
// Without the variable, nothing is kept.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace baseline {

struct KeptChoice {
  std::size_t number = 0;
  std::string name;  // "engine 12, 2=5, 13=1"
};

// The file of a shape. Empty if nothing is kept.
inline std::string kept_file(const std::vector<std::int64_t>& shape) {
  const char* const folder = std::getenv("KGRADE_PLANS");
  if (folder == nullptr || *folder == '\0') return {};
  std::string path = std::string(folder) + "/shape";
  for (const std::int64_t number : shape) path += "_" + std::to_string(number);
  return path;
}

inline std::optional<KeptChoice> kept_choice(const std::vector<std::int64_t>& shape) {
  std::FILE* const file = std::fopen(kept_file(shape).c_str(), "r");
  if (file == nullptr) return std::nullopt;
  KeptChoice choice;
  char name[256];
  const bool is_whole =
      std::fscanf(file, "%zu ", &choice.number) == 1 && std::fgets(name, sizeof name, file) != nullptr;
  std::fclose(file);
  if (!is_whole) return std::nullopt;
  choice.name = name;
  while (!choice.name.empty() && choice.name.back() == '\n') choice.name.pop_back();
  return choice;
}

// Another process may be writing the same file.
inline void keep_choice(const std::vector<std::int64_t>& shape, const KeptChoice& choice) {
  const std::string path = kept_file(shape);
  if (path.empty()) return;
  const std::string partial = path + "." + std::to_string(getpid());
  std::FILE* const file = std::fopen(partial.c_str(), "w");
  if (file == nullptr) return;
  const bool is_written = std::fprintf(file, "%zu %s\n", choice.number, choice.name.c_str()) > 0;
  if (std::fclose(file) != 0 || !is_written || std::rename(partial.c_str(), path.c_str()) != 0)
    std::remove(partial.c_str());
}

}  // namespace baseline
