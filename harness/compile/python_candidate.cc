#include "compile/python_candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "base/base64.h"
#include "base/json_archive.h"
#include "base/text.h"
#include "compile/compiler_log.h"
#include "compile/confined_compiler.h"
#include "compile/layout.h"
#include "compile/matrix_units.h"
#include "problem/python_forms.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

json torch_json(const TorchModule& module) {
  json weights = json::object();
  for (const auto& [input, name] : module.weights) weights[input] = name;
  json arguments = json::array();
  for (const ModuleArgument& argument : module.init) arguments.push_back(argument.name);
  json forward = json::array();
  for (const std::string& argument : module.forward)
    forward.push_back(is_given_value(argument) ? json::parse(argument) : json(argument));
  return {{"init", arguments},
          {"forward", forward},
          {"init_line", init_form(module)},
          {"forward_line", forward_form(module)},
          {"axes", module.axes.empty() ? json::object() : json::parse(module.axes)},
          {"weights", weights},
          {"free", module.free},
          {"views", module.views},
          {"entry", module.entry},
          {"mode", std::string(to_string(module.mode))}};
}

// Names of files and sources may contain any bytes.
std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// The parts of the problem that a candidate must fit, for entry_points.py and contestant.py.
json contract_of(const Problem& problem, const std::string& shown_as) {
  json contract = {
      {"parameters", json::array()},    {"output_positions", json::array()},    {"torch", nullptr},
      {"of_file", problem.has_model()}, {"keeps_types", problem.keeps_types()}, {"shown_as", shown_as}};
  const auto parameters = problem.arguments();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const char* const role = parameter.is_input() ? "input" : parameter.is_output() ? "output" : "scalar";
    contract["parameters"].push_back({{"name", parameter.name}, {"role", role}, {"type", parameter.type}});
    if (parameter.is_output()) contract["output_positions"].push_back(i);
  }
  if (problem.torch) contract["torch"] = torch_json(*problem.torch);
  return contract;
}

// Adds the files beside the candidate (compile/candidate_source.h), because the candidate's worker cannot see
// the user's folders.
void add_files_beside(json& bundle, const BuildRequest& request) {
  json beside = json::object();
  json refused = json::object();
  const std::vector<fs::path> files = request.readable.value_or(std::vector<fs::path>{});
  for (std::size_t i = 1; i < files.size(); ++i) {
    const auto content = read_text_file(files[i]);
    const fs::path name = files[i].lexically_relative(files.front().parent_path());
    if (content) beside[name.string()] = base64(*content);
  }
  for (const RefusedFile& file : request.refused) refused[file.name] = file.reason;
  bundle["beside"] = std::move(beside);
  bundle["refused"] = std::move(refused);
}

// The modules beside the candidate, by name: they may use frameworks that the device cannot run.
json modules_beside(const BuildRequest& request) {
  json modules = json::object();
  const std::vector<fs::path> files = request.readable.value_or(std::vector<fs::path>{});
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].extension() != ".py") continue;
    const auto text = read_text_file(files[i]);
    if (text) modules[files[i].lexically_relative(files.front().parent_path()).string()] = *text;
  }
  return modules;
}

constexpr std::uint64_t longest_answer = std::uint64_t{64} << 20;

// The answer of inspect_candidate.py.
struct Examination {
  BuildOutcome outcome;
  int line = 0;                         // the line that the outcome's message is about
  std::string entry, stand_ins;         // as JSON
  std::vector<std::string> extensions;  // as JSON
};

void fields(JsonReader& archive, Examination& examination) {
  constexpr auto as_json = [](const JsonValue& value) { return value.dump(); };
  BuildOutcome& outcome = examination.outcome;
  std::string status;
  archive("status", status, one_of("ok", "compile_error", "signature_mismatch", "unsupported"));
  if (status == "signature_mismatch") outcome.status = BuildStatus::signature_mismatch;
  if (status == "unsupported") outcome.status = BuildStatus::unsupported;
  archive("message", outcome.message, text_up_to<longest_answer>);
  archive("line", examination.line, from_zero);
  if (status != "ok") return;
  outcome.status = BuildStatus::built;
  archive("entry", examination.entry, as_json);
  archive.object("entry", [&outcome](JsonReader& entry) {
    entry("name", outcome.python_entry, text_up_to<longest_answer>);
    std::string kind;
    entry("kind", kind, one_of("function", "data", "call", "module"));
    entry.or_default("is_nested", outcome.gets_forward);
    outcome.is_module = kind == "module";
    outcome.gets_forward = outcome.gets_forward || outcome.is_module || kind == "call";
    entry("writes", outcome.returns_outputs, [](const JsonValue& writes) { return !writes.truth(); });
  });
  archive("extensions", examination.extensions, as_json);
  archive("stand_ins", examination.stand_ins, as_json);
}

Result<Examination> examine(const Toolchain& toolchain, const PythonTools& tools, const Problem& problem,
                            const std::string& source, const BuildRequest& request) {
  const fs::path text = request.output_directory / "candidate.py";
  const fs::path answer = request.output_directory / "examination.json";
  const fs::path contract = request.output_directory / "contract.json";
  if (auto written = write_file_atomically(text, source); !written) return written.errors();
  json known = contract_of(problem, request.shown_as);
  known["runs_gpu_code"] = !toolchain.cuda_toolkit().empty();
  known["modules_beside"] = modules_beside(request);
  if (auto written = write_file_atomically(contract, text_of(known)); !written) return written.errors();
  ProcessLimits limits;
  limits.wall = std::chrono::seconds(60);
  limits.address_space_bytes = std::uint64_t{2} << 30;
  limits.file_size_bytes = std::uint64_t{64} << 20;
  const auto process = tools.run({"-I", "-S", "-B"}, "inspect_candidate.py",
                                 {text.string(), contract.string(), answer.string()}, request, {}, limits);
  if (!process) return process.errors();
  const auto answered = read_text_file(answer, longest_answer);
  auto examined = answered ? parse_document<Examination>(*answered) : answered.errors();
  if (examined) return examined;
  // If there is no answer, the source has crashed the interpreter.
  Examination refused;
  refused.outcome.message =
      "cannot be examined: " +
      (answered
           ? "the interpreter gave no answer: " + examined.error().message
           : exceeded_limit(*process, limits, "the interpreter").value_or("the interpreter ended early"));
  return refused;
}

ZygoteSetup setup_of(const PythonTools& tools) {
  ZygoteSetup setup;
  setup.interpreter = {tools.interpreter.program.string(), "-I", "-B"};
  if (const auto bytecode = bytecode_of(tools.interpreter); !bytecode.empty())
    setup.interpreter.insert(setup.interpreter.end(), {"-X", "pycache_prefix=" + bytecode.string()});
  setup.script = tools.folder / "zygote.py";
  setup.launcher = tools.sandbox->launcher();
  setup.library = setup.launcher.parent_path() / "libkgrade-zygote.so";
  setup.programs = {tools.folder / "worker.py", tools.folder / "describe_module.py"};
  // The loader reads LD_LIBRARY_PATH when the zygote starts. The rest of the environment is replaced in each
  // worker.
  setup.environment = {"LC_ALL=C", "HOME=/tmp", "TMPDIR=/tmp"};
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"))
    setup.environment.push_back(fmt::format("LD_LIBRARY_PATH={}", folders));
  return setup;
}

// The most seconds that are spent on building extensions ahead. A file may have thousands of extensions in
// branches that never run. Extensions that were not built ahead are built when the candidate asks for them.
constexpr double longest_head_start = 300;

}  // namespace

Result<PythonTools> find_python_tools(const fs::path& chosen, const fs::path& folder,
                                      std::shared_ptr<const Sandbox> sandbox) {
  static std::mutex mutex;
  static std::map<fs::path, PythonInterpreter> known;
  const std::scoped_lock lock(mutex);
  auto found = known.find(chosen);
  if (found == known.end()) {
    auto interpreter = find_python_with_torch(chosen);
    if (!interpreter) return interpreter.errors();
    found = known.emplace(chosen, std::move(*interpreter)).first;
  }
  return PythonTools{found->second, folder, std::move(sandbox)};
}

ExtensionHeaders PythonTools::headers() const {
  return {folder / "include", interpreter.torch_folder, interpreter.include_folder};
}

Result<ProcessOutcome> PythonTools::run(const std::vector<std::string>& flags, const std::string& script,
                                        const std::vector<std::string>& arguments,
                                        const BuildRequest& request, std::vector<std::string> environment,
                                        const ProcessLimits& limits) const {
  std::vector<fs::path> readable = tool_paths(interpreter.program.string());
  readable.insert(readable.end(), interpreter.readable.begin(), interpreter.readable.end());
  readable.push_back(folder);
  std::vector<std::string> command = {interpreter.program.string()};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back((folder / script).string());
  command.insert(command.end(), arguments.begin(), arguments.end());
  environment.insert(environment.end(), {"LC_ALL=C.UTF-8", "TMPDIR=" + request.output_directory.string()});
  return ConfinedCompiler(sandbox, std::move(readable))
      .run(request, command, environment, limits, zygote ? zygote->spawner() : spawn);
}

Result<BuildOutcome> build_extension_of(const Toolchain& toolchain, const PythonTools& tools,
                                        const std::string& extension, const BuildRequest& request) {
  static std::atomic<int> builds = 0;
  auto parsed = parse_extension_request(extension);
  BuildOutcome outcome;
  if (!parsed) {
    outcome.message = parsed.error().message;
    outcome.log = outcome.message + "\n";
    return outcome;
  }
  BuildRequest own = request;
  own.output_directory = request.output_directory / fmt::format("extension-{}", ++builds);
  std::error_code failure;
  fs::create_directories(own.output_directory, failure);
  auto built = toolchain.build_extension(*parsed, tools.headers(), own);
  if (!built || parsed->torch_headers || built->status != BuildStatus::compile_error ||
      !says_that_something_is_missing(built->log))
    return built;
  parsed->torch_headers = true;
  own.output_directory = request.output_directory / fmt::format("extension-{}", ++builds);
  fs::create_directories(own.output_directory, failure);
  auto with_torch = toolchain.build_extension(*parsed, tools.headers(), own);
  // A toolchain may lack PyTorch's headers. The first log then says what is missing.
  if (with_torch && with_torch->status == BuildStatus::unsupported) return built;
  if (with_torch) with_torch->seconds += built->seconds;
  return with_torch;
}

Result<BuildOutcome> bundle_model(const Problem& problem, const std::string& source,
                                  const BuildRequest& request, Role role) {
  BuildOutcome outcome;
  outcome.status = BuildStatus::built;
  outcome.cached = outcome.is_module = outcome.returns_outputs = true;
  const json bundle = {{"source", source},
                       {"shown_as", request.shown_as},
                       {"contract", contract_of(problem, request.shown_as)},
                       {"role", std::string(to_string(role))}};
  outcome.library = request.output_directory / "model.json";
  if (auto written = write_file_atomically(outcome.library, text_of(bundle)); !written)
    return written.errors();
  return outcome;
}

Result<BuildOutcome> build_python(const Toolchain& toolchain, const PythonTools& tools,
                                  const Problem& problem, const std::string& source,
                                  const BuildRequest& request) {
  auto examined = examine(toolchain, tools, problem, source, request);
  if (!examined) return examined.errors();
  BuildOutcome outcome = std::move(examined->outcome);
  const int line = examined->line;
  if (line > 0 || outcome.status == BuildStatus::compile_error)
    outcome.message = request.shown_as + (line > 0 ? fmt::format(":{}: ", line) : ": ") + outcome.message;
  outcome.log = outcome.message.empty() ? "" : outcome.message + "\n";
  outcome.cached = true;
  if (outcome.status != BuildStatus::built) return outcome;
  // Extensions are built ahead. The failure of an extension is reported only when the candidate asks for that
  // extension. Checked builds are not cached and would be built again, so nothing is built ahead for them.
  if (request.checked) examined->extensions.clear();
  for (const std::string& extension : examined->extensions) {
    if (outcome.seconds > longest_head_start) break;
    const auto built = build_extension_of(toolchain, tools, extension, request);
    if (!built) return built.errors();
    outcome.seconds += built->seconds;
    outcome.cached = outcome.cached && built->cached;
    outcome.log += built->log;
  }
  json contract = contract_of(problem, request.shown_as);
  contract["reports_kernels"] = !toolchain.cuda_toolkit().empty() && has_low_precision(problem);
  // The source of the problem's Model is added: a candidate's weights may be identified by the initial values
  // of the Model's weights (initial_values.py).
  if (problem.has_model()) {
    if (const auto model = read_text_file(Layout::model_source(problem))) contract["model"] = *model;
  }
  json bundle = {{"source", source},
                 {"shown_as", request.shown_as},
                 {"contract", std::move(contract)},
                 {"entry", json::parse(examined->entry)},
                 {"stand_ins", json::parse(examined->stand_ins)}};
  add_files_beside(bundle, request);
  outcome.library = request.output_directory / "candidate.json";
  if (auto written = write_file_atomically(outcome.library, text_of(bundle)); !written) {
    return written.errors();
  }
  return outcome;
}

std::shared_ptr<Zygote> zygote_for(const PythonTools& tools) {
  if (tools.sandbox == nullptr || !tools.sandbox->makes_namespaces()) return nullptr;
  using Key = std::pair<std::filesystem::path, std::filesystem::path>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<Zygote>> known;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Zygote>& zygote = known[{tools.interpreter.program, tools.sandbox->launcher()}];
  if (zygote == nullptr || zygote->has_broken()) zygote = std::make_shared<Zygote>(setup_of(tools));
  return zygote;
}

}  // namespace kgrade
