#include "compile/python_interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <regex>
#include <utility>

#include "base/json_archive.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view answer_mark = "kgrade-python ";

// The question to the interpreter. Versions that are too old can also answer it. Packages are looked up, not
// imported. `pip install` without root rights puts packages into the user's own site-packages, which -I
// leaves out. The answer begins on a new line, even if something else was printed before.
constexpr const char* question = R"(
import importlib.util, json, os, re, site, sys, sysconfig
if sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())
def folder(package):
    try:
        spec = importlib.util.find_spec(package)
        return os.path.dirname(spec.origin) if spec and spec.origin else ''
    except Exception:
        return ''
def value(name, *path):
    try:
        with open(os.path.join(*path), encoding='utf-8', errors='replace') as file:
            found = re.search('^' + name + r'\b[^=\n]*=\s*[\'"]([^\'"\n]*)', file.read(), re.M)
        return found.group(1) if found else ''
    except Exception:
        return ''
torch, triton = folder('torch'), folder('triton')
shared = [os.path.join(prefix, part)
          for prefix in (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
          for part in ('bin', 'lib', 'lib64', 'include', 'pyvenv.cfg')]
packages = [path for path in sys.path if os.path.basename(path) in ('site-packages', 'dist-packages')]
print('\nkgrade-python ' + json.dumps({
    'program': sys.executable,
    'version': '.'.join(str(part) for part in sys.version_info[:3]),
    'torch': value('__version__', torch, 'version.py') if torch else '',
    'cuda': value('cuda', torch, 'version.py') if torch else '',
    'triton': value('__version__', triton, '__init__.py') if triton else '',
    'torch_folder': torch,
    'include': sysconfig.get_path('include') or '',
    'readable': shared + packages + [os.path.dirname(os.__file__), torch, triton, sys.executable]}))
)";

constexpr const char* choose_another = "name another Python with --python";

// The name of the interpreter as the user gave it, and where it was given, for messages.
struct Choice {
  std::string name;
  std::string option;  // "--python: ", "KGRADE_PYTHON: ", or nothing
};

Choice choice_of(const fs::path& chosen) {
  if (!chosen.empty()) return {chosen.string(), "--python: "};
  const char* variable = std::getenv("KGRADE_PYTHON");
  if (variable != nullptr && *variable != '\0') return {variable, "KGRADE_PYTHON: "};
  return {"python3", ""};
}

Error not_found(const Choice& choice) {
  std::error_code ignored;
  const std::string name = printable_line(choice.name);
  if (choice.option.empty())
    return machine_error("there is no python3 in PATH",
                         "install Python 3.9 or later and PyTorch, or name a Python with --python");
  if (fs::is_directory(choice.name, ignored))
    return machine_error(fmt::format("{}'{}' is a folder", choice.option, name),
                         "name the interpreter in it, such as bin/python");
  return machine_error(fmt::format("{}'{}' is no program that can be started", choice.option, name),
                       "name a Python interpreter");
}

Error no_answer(const fs::path& program, const ProcessOutcome& outcome) {
  // The first line of the program's output, which may be anything.
  const std::string_view text = trimmed(outcome.output);
  const std::string said = printable_line(text.substr(0, std::min<std::size_t>(text.find('\n'), 200)));
  std::string end = outcome.timed_out     ? "it did not answer in time"
                    : outcome.signal != 0 ? fmt::format("signal {}", outcome.signal)
                                          : fmt::format("exit code {}", outcome.exit_code);
  if (!outcome.timed_out && !said.empty()) end += fmt::format(", \"{}\"", said);
  return machine_error(fmt::format("{} does not work as Python 3: {}", printable_line(program.string()), end),
                       choose_another);
}

// The last answer in the output.
std::optional<std::string_view> answer_in(std::string_view output) {
  const std::size_t begin = output.rfind(fmt::format("\n{}", answer_mark));
  if (begin == output.npos) return std::nullopt;
  output.remove_prefix(begin + 1 + answer_mark.size());
  return output.substr(0, output.find('\n'));
}

// "2.11.0" for "2.11.0+cu130"; empty if the text does not begin with a version.
std::string version_in(const JsonValue& value) {
  const std::string text = value.text(most_text);
  static const std::regex pattern(R"(^[0-9]{1,4}\.[0-9]{1,4}[0-9A-Za-z.]{0,40})");
  std::smatch match;
  return std::regex_search(text, match, pattern) ? match[0].str() : "";
}

fs::path path_in(const JsonValue& value) { return value.text(most_text); }

// Resolves the links of the path except the last: a virtual environment is recognised by the folder of its
// link.
fs::path program_in(const JsonValue& value) {
  const fs::path path = path_in(value);
  if (!path.is_absolute()) return {};
  return resolved(path.parent_path()) / path.filename();
}

// The existing paths, without duplicates and without paths below others.
std::vector<fs::path> places_in(const JsonValue& value) {
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (const JsonValue& item : value.items(1000)) {
    const fs::path path = path_in(item);
    if (path.is_absolute() && fs::exists(path, ignored)) paths.push_back(resolved(path));
  }
  std::sort(paths.begin(), paths.end());
  std::vector<fs::path> places;
  for (const fs::path& path : paths) {
    // The paths are sorted, so paths below a folder follow that folder.
    if (path != path.root_path() && (places.empty() || !is_within(path, places.back())))
      places.push_back(path);
  }
  return places;
}

// "3.11.7" as 3 and 11.
std::pair<int, int> numbers_of(const std::string& version) {
  int major = 0;
  int minor = 0;
  std::sscanf(version.c_str(), "%4d.%4d", &major, &minor);
  return {major, minor};
}

// The interpreter's name in messages: "Python 3.11.7 (/usr/bin/python3)".
std::string name_of(const PythonInterpreter& python) {
  return fmt::format("Python {} ({})", python.version, printable_line(python.program.string()));
}

std::string installing_torch(const PythonInterpreter& python, const char* option) {
  return fmt::format("run `{} -m pip install {}torch`, or {}", printable_line(python.program.string()),
                     option, choose_another);
}

// The imports of a worker (harness/python/kgrade_python/frameworks.py) and of the description of a problem's
// file. Computing with tensors that have no memory imports more of PyTorch.
constexpr const char* imports = R"(
import torch, torch.utils.cpp_extension
from torch._subclasses import FakeTensorMode
with FakeTensorMode(), torch.no_grad():
    torch.nn.BatchNorm1d(3)(torch.nn.Linear(2, 3)(torch.empty(4, 2))).sum()
try:
    import triton, triton.language
except ImportError:
    pass
)";

bool fill(const fs::path& folder, const PythonInterpreter& python) {
  ProcessRequest request;
  // -B is left out, because this process has to write the bytecode.
  request.command = {python.program.string(), "-I", "-X", "pycache_prefix=" + folder.string(), "-c", imports};
  // PyTorch makes a folder for compiled code and does not remove it.
  const TemporaryDirectory temporary;
  request.environment = whole_environment(temporary.path());
  request.limits.wall = std::chrono::seconds(120);
  const auto outcome = run_process(request);
  return outcome && !outcome->timed_out && outcome->signal == 0 && outcome->exit_code == 0;
}

fs::path find_or_fill(const PythonInterpreter& python) {
  std::error_code failure;
  if (python.torch_folder.empty() || fs::exists(python.torch_folder / "__pycache__", failure)) return {};
  const fs::path all = user_cache_folder("bytecode");
  if (all.empty()) return {};
  // The key does not contain file times, because Python itself checks whether bytecode is older than its
  // source.
  const std::string name = sha256_hex(fmt::format("{}\n{}\n{}\n{}", python.torch_folder.string(),
                                                  python.version, python.torch_version, imports));
  const fs::path folder = all / name;
  const fs::path filled = folder / "filled";
  if (fs::exists(filled, failure)) return folder;
  fs::create_directories(folder, failure);
  if (failure || !fill(folder, python)) return {};
  return std::ofstream(filled) ? folder : fs::path();
}

}  // namespace

static void fields(JsonReader& archive, PythonInterpreter& python) {
  archive("program", python.program, program_in);
  archive("version", python.version, version_in);
  archive("torch", python.torch_version, version_in);
  archive("cuda", python.torch_cuda_version, version_in);
  archive("triton", python.triton_version, version_in);
  std::string torch_folder;
  archive("torch_folder", torch_folder);
  if (!python.torch_version.empty()) python.torch_folder = resolved(torch_folder);
  archive.or_default("include", python.include_folder, path_in);
  archive("readable", python.readable, places_in);
}

Result<PythonInterpreter> find_python(const fs::path& chosen, std::chrono::seconds patience) {
  const Choice choice = choice_of(chosen);
  std::error_code ignored;
  const auto program = find_program(choice.name);
  if (!program || fs::is_directory(*program, ignored)) return not_found(choice);
  ProcessRequest request;
  // -I isolates the interpreter, so that the working folder and PYTHONPATH have no effect. The environment is
  // kept, because scripts of version managers need it to find their interpreters.
  request.command = {fs::absolute(*program, ignored).string(), "-I", "-B", "-c", question};
  request.environment = whole_environment();
  request.limits.wall = patience;
  const auto outcome = run_process(request);
  if (!outcome) return outcome.errors();
  const auto line = outcome->success() ? answer_in(outcome->output) : std::nullopt;
  auto python = parse_document<PythonInterpreter>(line.value_or(""));
  if (!python || python->program.empty() || python->version.empty()) return no_answer(*program, *outcome);
  return python;
}

bool is_python_named(const fs::path& chosen) { return !choice_of(chosen).option.empty(); }

Errors lacks_of(const PythonInterpreter& python) {
  const std::string name = name_of(python);
  if (numbers_of(python.version) < std::pair{3, 9})
    return {machine_error(
        fmt::format("{} is too old for Python candidates, which need Python 3.9 or later", name),
        choose_another)};
  if (python.torch_version.empty())
    return {
        machine_error(fmt::format("PyTorch is not installed for {}", name), installing_torch(python, ""))};
  if (numbers_of(python.torch_version).first < 2)
    return {
        machine_error(fmt::format("PyTorch {} of {} is too old: Python candidates need PyTorch 2.0 or later",
                                  python.torch_version, name),
                      installing_torch(python, "--upgrade "))};
  return {};
}

Result<PythonInterpreter> find_python_with_torch(const fs::path& chosen) {
  auto python = find_python(chosen);
  if (!python) return python;
  if (Errors errors = lacks_of(*python); !errors.empty()) return errors;
  return python;
}

CudaMatch match_cuda(const PythonInterpreter& python, const std::string& nvcc_version) {
  const auto torch = numbers_of(python.torch_cuda_version);
  const auto nvcc = numbers_of(nvcc_version);
  if (torch.first == 0 || nvcc.first == 0) return CudaMatch::unknown;
  if (torch.first != nvcc.first) return CudaMatch::other_major;
  return torch == nvcc ? CudaMatch::same : CudaMatch::other_minor;
}

fs::path bytecode_of(const PythonInterpreter& python) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, std::string>, fs::path> known;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = known.try_emplace({python.torch_folder, python.torch_version});
  if (is_new) place->second = find_or_fill(python);
  return place->second;
}

}  // namespace kgrade
