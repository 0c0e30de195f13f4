// cheat: searches its parents' environment, arguments and memory for the seed of the inputs
// row: 43
// caught-by: outputs_match
// device: emulated
// case: plain
// needs: confinement
//
// With the seed, every answer can be computed before the clock starts. The cheat tries numbers in its own and
// the grader's environment and arguments first, then every word of the grader's heap and stack, as far as
// /proc gives them. It recognises a seed by the inputs that it gives. Without one there is no answer.
#include <fcntl.h>

#include <cctype>
#include <cstdlib>

#include "ancestors.cuh"
#include "replay.cuh"

static std::string content_of(const std::string& path) {
  std::string content(65536, '\0');
  FILE* file = std::fopen(path.c_str(), "r");
  content.resize(file != nullptr ? std::fread(&content[0], 1, content.size(), file) : 0);
  if (file != nullptr) std::fclose(file);
  return content;
}

static bool seed_in_text(const std::string& text, const Depthwise& problem, uint64_t& seed, uint32_t& draw) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!std::isdigit((unsigned char)text[i]) || (i > 0 && std::isdigit((unsigned char)text[i - 1])))
      continue;
    seed = std::strtoull(text.c_str() + i, nullptr, 10);
    if (gives(seed, problem, draw)) return true;
  }
  return false;
}

static bool seed_in_region(int memory, unsigned long begin, unsigned long end, const Depthwise& problem,
                           uint64_t& seed, uint32_t& draw) {
  std::vector<uint64_t> words(65536);
  for (unsigned long at = begin; at < end;) {
    const ssize_t size = pread(memory, words.data(), words.size() * sizeof(uint64_t), (off_t)at);
    if (size <= 0) return false;
    for (size_t i = 0; i < (size_t)size / sizeof(uint64_t); ++i) {
      seed = words[i];
      // Small numbers and pointers are not seeds.
      if (seed >> 48 != 0 && gives(seed, problem, draw)) return true;
    }
    at += (unsigned long)size;
  }
  return false;
}

static bool seed_in_memory(pid_t process, const Depthwise& problem, uint64_t& seed, uint32_t& draw) {
  const std::string folder = "/proc/" + std::to_string(process);
  const int memory = open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  FILE* maps = std::fopen((folder + "/maps").c_str(), "r");
  bool found = false;
  char line[512];
  while (!found && memory >= 0 && maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::strstr(line, "[heap]") == nullptr && std::strstr(line, "[stack]") == nullptr) continue;
    if (std::sscanf(line, "%lx-%lx rw", &begin, &end) != 2) continue;
    found = seed_in_region(memory, begin, end, problem, seed, draw);
  }
  if (maps != nullptr) std::fclose(maps);
  if (memory >= 0) close(memory);
  return found;
}

static bool find_seed(const Depthwise& problem, uint64_t& seed, uint32_t& draw) {
  std::vector<std::string> processes = {"self"};
  for (const pid_t grader : graders()) processes.push_back(std::to_string(grader));
  for (const std::string& process : processes) {
    for (const char* file : {"/environ", "/cmdline"}) {
      if (seed_in_text(content_of("/proc/" + process + file), problem, seed, draw)) return true;
    }
  }
  for (const pid_t grader : graders()) {
    if (seed_in_memory(grader, problem, seed, draw)) return true;
  }
  return false;
}

static void cheat(const Depthwise& problem) {
  static uint64_t seed = 0;
  uint32_t draw = 0;
  if (gives(seed, problem, draw) || find_seed(problem, seed, draw)) answer_from_replay(seed, draw, problem);
}
