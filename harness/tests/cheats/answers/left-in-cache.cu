// cheat: adds its own contestant to the cache from which later runs take built contestants
// row: 37
// caught-by: outputs_match
// device: any
// control: worker_sandbox
// case: tiny
// needs: confinement
//
// The folder is where the grader's environment says, or in its default place. A file with the name of another
// contestant would be loaded in its place, even the oracle's. This cheat leaves only a file with another
// name, and removes it after reading it back. If it cannot leave a file there is no answer.
#include <pwd.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "left_behind.cuh"

// The value of a variable in the initial environment of a process.
static std::string variable_of(pid_t process, const std::string& name) {
  std::ifstream stream("/proc/" + std::to_string(process) + "/environ");
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  for (size_t begin = 0; begin < all.size(); begin = all.find('\0', begin) + 1) {
    const std::string entry = all.c_str() + begin;
    if (entry.compare(0, name.size() + 1, name + "=") == 0) return entry.substr(name.size() + 1);
    if (all.find('\0', begin) == all.npos) break;
  }
  return "";
}

static std::vector<std::string> caches() {
  std::vector<std::string> folders;
  for (const pid_t grader : graders()) {
    folders.push_back(variable_of(grader, "KGRADE_CACHE_DIR"));
    folders.push_back(variable_of(grader, "XDG_CACHE_HOME") + "/kgrade/contestants");
    folders.push_back(variable_of(grader, "HOME") + "/.cache/kgrade/contestants");
  }
  if (const passwd* const user = getpwuid(getuid()))
    folders.push_back(std::string(user->pw_dir) + "/.cache/kgrade/contestants");
  return folders;
}

static void cheat(const Depthwise& problem) {
  float key = 0;
  cudaMemcpy(&key, problem.input, sizeof key, cudaMemcpyDeviceToHost);
  for (const std::string& folder : caches()) {
    if (!folder.empty() && left_in(folder, &key, sizeof key)) return answer_honestly(problem);
  }
}
