#include "tests/cheats/suite.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

#include "compile/python_interpreter.h"
#include "device/registry.h"
#include "sandbox/sandbox.h"

namespace kgrade::test {
namespace {

namespace fs = std::filesystem;

// A cheat that is a file stays where it is: some look for files of the checkout from there. The others are in
// the copy.
std::vector<fs::path> sources() {
  const fs::path checkout = fs::path(KGRADE_SOURCE_DIR) / "harness/tests/cheats";
  std::vector<fs::path> files;
  for (const auto& folder : fs::directory_iterator(planted("cheats"))) {
    if (!folder.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      const fs::path kind = entry.path().extension();
      if (kind != ".cu" && kind != ".py") continue;
      const fs::path plain = checkout / folder.path().filename() / entry.path().filename();
      files.push_back(fs::exists(plain) ? plain : entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Suite read_suite() {
  Suite suite;
  for (const fs::path& file : sources()) {
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    CheatHeader header = read_cheat(file, text);
    suite.mistakes.insert(suite.mistakes.end(), header.mistakes.begin(), header.mistakes.end());
    if (header.cheat) suite.cheats.push_back(std::move(*header.cheat));
  }
  return suite;
}

#ifdef KGRADE_LAUNCHER
const Sandbox& sandbox_here() {
  static const Sandbox sandbox = Sandbox::probe(KGRADE_LAUNCHER);
  return sandbox;
}
#endif

}  // namespace

const Suite& suite() {
  static const Suite all = read_suite();
  return all;
}

std::vector<std::string> names_of_cheats(Language language) {
  std::vector<std::string> names;
  for (const Cheat& cheat : suite().cheats) {
    if (cheat.is_python == (language == Language::python)) names.push_back(cheat.name);
  }
  return names;
}

std::vector<std::string> names_of_controls(Language language) {
  std::vector<std::string> names = names_of_cheats(language);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) { return cheat_called(name).without.empty(); }),
              names.end());
  return names;
}

const Cheat& cheat_called(const std::string& name) {
  for (const Cheat& cheat : suite().cheats) {
    if (cheat.name == name) return cheat;
  }
  throw std::invalid_argument("no cheat " + name);
}

std::string device_kind() {
  const auto choice = parse_device_choice(test_device());
  if (!choice) throw std::invalid_argument("KGRADE_TEST_DEVICE names no device");
  return resolve_choice(*choice).kind == DeviceChoice::Kind::cuda ? "cuda" : "emulated";
}

bool machine_confines() {
#ifdef KGRADE_LAUNCHER
  return sandbox_here().confines();
#else
  return false;
#endif
}

bool machine_limits_memory() {
#ifdef KGRADE_LAUNCHER
  return sandbox_here().is_active("cgroup");
#else
  return false;
#endif
}

std::string what_python_lacks() {
  static const auto python = find_python_with_torch();
  return python ? "" : python.error().message;
}

std::string reason_to_skip(const Cheat& cheat, bool confined) {
  if (!cheat.runs_on(device_kind())) return "for device " + cheat.device;
  if (cheat.is_python && !what_python_lacks().empty()) return what_python_lacks();
  if (cheat.needs_confinement && !confined)
    return "this machine allows no namespaces, and nothing would keep it from the cheat";
  if (cheat.needs_control_group && !machine_limits_memory())
    return "this machine allows no control groups, and nothing would keep its memory from the cheat";
  return "";
}

std::vector<std::string> names_of_defences() {
  std::ifstream stream(std::string(KGRADE_SOURCE_DIR) + "/harness/base/defences.h");
  const std::regex enumerator(R"(^  ([a-z_]+),)");
  std::vector<std::string> names;
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_search(line, match, enumerator)) names.push_back(match[1]);
  }
  return names;
}

std::optional<Program> weakened_program([[maybe_unused]] const std::vector<std::string>& without) {
#ifdef KGRADE_WEAKENED_PROGRAM
  std::string variable = "KGRADE_WITHOUT=";
  for (const std::string& defence : without) variable += (variable.ends_with('=') ? "" : ",") + defence;
  return Program{KGRADE_WEAKENED_PROGRAM, {variable}};
#else
  return std::nullopt;
#endif
}

std::vector<std::string> failed_checks(const nlohmann::json& candidate) {
  std::vector<std::string> names;
  for (const auto& check : candidate["checks"]) {
    if (check["outcome"] == "failed") names.push_back(check["name"]);
  }
  return names;
}

std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace kgrade::test
