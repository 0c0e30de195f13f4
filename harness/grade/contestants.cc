#include "grade/contestants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/bytecode_cache.h"
#include "compile/candidate_kind.h"
#include "compile/compiler_log.h"
#include "compile/files_beside.h"
#include "compile/submission.h"
#include "grade/control_build.h"
#include "verify/checks.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// `first`, and the reference folder of kgrade itself.
std::vector<fs::path> reference_folders(const fs::path& first, const Layout& layout) {
  std::vector<fs::path> folders = {resolved(first)};
  const fs::path shipped = resolved(layout.operators);
  if (!layout.operators.empty() && shipped != folders.front()) folders.push_back(shipped);
  return folders;
}

// Folders that no candidate may see.
std::vector<fs::path> secrets(const Layout& layout) {
  std::vector<fs::path> hidden = reference_folders(layout.reference, layout);
  for (const fs::path& folder : layout.problems) {
    const fs::path problems = resolved(folder);
    const fs::path parent = problems.parent_path();
    hidden.insert(hidden.end(), {problems, parent / "solutions"});
    if (std::find(hidden.begin(), hidden.end(), parent / "reference") == hidden.end())
      hidden.push_back(parent / "reference");
  }
  return hidden;
}

// Links the library in whose folder the baseline is. Without the library, a baseline that does not need it
// still builds.
void link_library(BuildRequest& request, const Layout& layout) {
  const VendorLibrary* const library = library_of_baseline(request.source, layout);
  if (library == nullptr || !library->is_there()) return;
  request.vendor_folders = {resolved(library->include)};
  request.include_directories.push_back(request.vendor_folders.front());
  // All files are loaded with the baseline and then found by name, wherever the loader would have looked for
  // them.
  for (const fs::path& file : library->files) {
    const fs::path folder = resolved(file.parent_path());
    if (std::find(request.vendor_folders.begin(), request.vendor_folders.end(), folder) ==
        request.vendor_folders.end())
      request.vendor_folders.push_back(folder);
    request.libraries.push_back({folder, file.filename().string()});
  }
  request.readable->insert(request.readable->end(), request.vendor_folders.begin(),
                           request.vendor_folders.end());
}

// The compiler's "no such file" does not say that a header was there but may not be read.
void explain(BuildOutcome& outcome, const std::string& reason) {
  if (outcome.status != BuildStatus::compile_error || reason.empty()) return;
  outcome.message += "; " + reason;
  outcome.log += "note: " + reason + "\n";
}

bool is_widened(const Parameter& parameter) {
  const auto own = parameter.own_dtype();
  return parameter.is_output() && own && is_narrow(*own) &&
         parameter.compare.kind != Comparison::Kind::scales;
}

// The problem for the oracle, which writes 16-bit outputs as floats (Case::stored_as).
Problem widened(Problem problem) {
  for (Parameter& parameter : problem.parameters) {
    if (is_widened(parameter)) parameter.type = "float";
  }
  return problem;
}

// Advice that the compiler does not give, on the two things that only a reference has.
std::string advice_to_reference(const Problem& problem, const BuildRequest& request,
                                const BuildOutcome& outcome) {
  for (const Parameter& parameter : problem.parameters) {
    if (outcome.status == BuildStatus::signature_mismatch && is_widened(parameter) &&
        outcome.message.find(fmt::format("'{}' must be float*", parameter.name)) != std::string::npos)
      return fmt::format("; write ops::written<{}>* (ops/types.cuh), which is float in the oracle",
                         parameter.type);
  }
  const std::string inputs = definition_of_inputs(problem, request.dtype);
  const bool is_about_inputs = outcome.message.find("inputs") != std::string::npos;
  return inputs.empty() || !is_about_inputs
             ? ""
             : "; inputs are computed by a function of the reference: " + inputs;
}

Result<BuildOutcome> build_oracle(const Toolchain& toolchain, const Problem& problem,
                                  const BuildRequest& request, const Layout& layout) {
  BuildRequest with_inputs = request;
  if (!definition_of_inputs(problem, request.dtype).empty())
    with_inputs.defines[std::string(inputs_macro)] = "1";
  auto outcome = build_with_control(toolchain, widened(problem), Role::oracle, with_inputs, layout);
  if (outcome && outcome->status != BuildStatus::built)
    outcome->message += advice_to_reference(problem, request, *outcome);
  return outcome;
}

Result<BuildOutcome> build_contestant(const Toolchain& toolchain, const Problem& problem, Role role,
                                      const BuildRequest& request, const Layout& layout) {
  if (role == Role::oracle) return build_oracle(toolchain, problem, request, layout);
  if (role != Role::candidate) return build_with_control(toolchain, problem, role, request, layout);
  BuildOutcome refused;
  refused.message = why_not_cuda(request, problem).value_or("");
  if (!refused.message.empty()) return refused;
  auto outcome = build_with_control(toolchain, problem, role, request, layout);
  if (outcome) {
    // This also holds if the source is the code of a document.
    const fs::path file = request.include_directories.front() / request.source.filename();
    const std::string reason = why_not_found(files_of_candidate(file, layout), outcome->log);
    outcome->log = shortened_log(outcome->log);
    explain(*outcome, reason);
  }
  return outcome;
}

// Writes the code of a document into a file, in a folder beside that of the build, which may be emptied in
// between. Null if the source is not a document. Each line keeps its number, and messages, __FILE__ and debug
// information name the document.
std::unique_ptr<TemporaryDirectory> take_block(BuildRequest& request) {
  const auto found = read_submission(request.source);
  if (!found || !found->is_block() || found->kind != SubmissionKind::cuda) return nullptr;
  auto folder = std::make_unique<TemporaryDirectory>();
  const fs::path code = resolved(folder->path()) / request.source.filename();
  // A block follows the line of its fence, so the first line is free.
  const std::string text = fmt::format("#line 2 \"{}\"{}", request.shown_as, found->text);
  if (!write_file_atomically(code, text))
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "cannot write " + code.string());
  request.source = request.readable->front() = code;
  return folder;
}

OwnFiles files_of(Role role, const fs::path& source, const Layout& layout) {
  if (role == Role::candidate) return files_of_candidate(source, layout);
  return role == Role::baseline ? files_of_baseline(source) : own_files(source);
}

}  // namespace

namespace fs = std::filesystem;

OwnFiles files_of_candidate(const fs::path& source, const Layout& layout) {
  return is_in_python(source) ? files_beside(source, secrets(layout)) : own_files(source, secrets(layout));
}

Result<std::string> hash_of_candidate(const fs::path& source, const Layout& layout) {
  return hash_of(files_of_candidate(source, layout));
}

BuildRequest request_for(Role role, const fs::path& source, const fs::path& output, const Layout& layout,
                         Dtype dtype) {
  const OwnFiles own = files_of(role, source, layout);
  BuildRequest request;
  // A confined compiler sees the folder without links that may lead to it.
  request.source = own.files.front();
  request.shown_as = source.string();
  request.output_directory = output;
  request.dtype = role == Role::oracle ? Dtype::float32 : dtype;
  request.include_directories = {own.folder};
  request.readable = own.files;
  if (role == Role::candidate) {
    request.hidden = secrets(layout);
    request.refused = own.refused;
    return request;
  }
  if (role == Role::baseline) {
    request.plain_host_code = true;
    request.kernels = kernels_of_baseline(own.files.front());
    request.include_directories.push_back(own.folder.parent_path());
    link_library(request, layout);
    return request;
  }
  // The problem's own operators first, then kgrade's.
  for (const fs::path& folder : reference_folders(Layout::reference_folder(source), layout)) {
    request.include_directories.push_back(folder);
    request.readable->push_back(folder / "ops");
  }
  request.defines = {{"KGRADE_ACCUMULATOR", role == Role::oracle ? "double" : "float"},
                     {"KGRADE_ELEMENT", std::string(cuda_type(request.dtype))}};
  if (request.dtype == Dtype::float16) request.defines["KGRADE_FLOAT16"] = "1";
  if (request.dtype == Dtype::bfloat16) request.defines["KGRADE_BFLOAT16"] = "1";
  return request;
}

BuildRequest request_for(const BaselineSource& baseline, const fs::path& output, const Layout& layout) {
  BuildRequest request = request_for(Role::baseline, baseline.source, output, layout);
  request.defines = baseline.defines;
  return request;
}

Build::Build(const Toolchain& toolchain, const Problem& problem, Role role, const fs::path& source,
             const Layout& layout, StageClock& stages, bool checked, const PythonTools* python) {
  BuildRequest request = request_for(role, source, directory_.path(), layout, problem.dtype);
  request.checked = checked;
  if (python != nullptr) {
    start_python(toolchain, problem, role, *python, std::move(request), stages);
    return;
  }
  if (role == Role::candidate) document_ = take_block(request);
  start(toolchain, problem, role, std::move(request), layout, stages);
}

Build::Build(const Toolchain& toolchain, const Problem& problem, const BaselineSource& baseline,
             const Layout& layout, StageClock& stages) {
  if (baseline.is_module()) {
    BuildRequest request;
    request.shown_as = baseline.source.string();
    request.output_directory = directory_.path();
    outcome_ = bundle_model(problem, baseline.module, request, Role::baseline);
    return;
  }
  start(toolchain, problem, Role::baseline, request_for(baseline, directory_.path(), layout), layout, stages);
}

Build::Build(const std::string& fault) {
  BuildOutcome refused;
  refused.message = fault;
  outcome_ = std::move(refused);
}

void Build::start(const Toolchain& toolchain, const Problem& problem, Role role, BuildRequest request,
                  const Layout& layout, StageClock& stages) {
  running_ = std::async(std::launch::async,
                        [&toolchain, &problem, &stages, role, layout, request = std::move(request)] {
                          const auto timer = stages.time("compile");
                          return build_contestant(toolchain, problem, role, request, layout);
                        });
}

void Build::start_python(const Toolchain& toolchain, const Problem& problem, Role role,
                         const PythonTools& tools, BuildRequest request, StageClock& stages) {
  extension_builder_ = [&toolchain, &tools, request](const std::string& extension) -> BuiltExtension {
    const auto built = build_extension_of(toolchain, tools, extension, request);
    if (!built) return {{}, built.error().message, to_string(built.error())};
    if (built->status == BuildStatus::built) return {built->library, "", ""};
    return {{}, built->message, built->log.empty() ? built->message : built->log};
  };
  running_ = std::async(
      std::launch::async,
      [&toolchain, &problem, &tools, &stages, role, request = std::move(request)]() -> Result<BuildOutcome> {
        const auto timer = stages.time("compile");
        if (role != Role::candidate) {
          const auto model = read_text_file(request.source);
          return model ? bundle_model(problem, *model, request, role) : model.errors();
        }
        const auto found = read_submission(request.source);
        if (!found) return found.errors();
        return build_python(toolchain, tools, problem, found->text, request);
      });
}

const Result<BuildOutcome>& Build::finish() {
  if (outcome_) return *outcome_;
  outcome_ = running_.get();
  // A toolchain has errors only if it cannot work here. Its temporary files are no files of the user.
  if (!*outcome_) outcome_ = blamed_on(Blame::machine, outcome_->errors());
  return *outcome_;
}

PythonHost host_of(const PythonTools& tools, bool imports_triton) {
  const PythonInterpreter& interpreter = tools.interpreter;
  return {interpreter.program, tools.folder / "worker.py", interpreter.readable,
          imports_triton,      bytecode_of(interpreter),   {},
          tools.zygote};
}

TrustedContestant::TrustedContestant(Role role, std::filesystem::path source, std::unique_ptr<Build> build)
    : name_(role == Role::oracle ? "oracle" : "reference"),
      source_(std::move(source)),
      build_(std::move(build)) {}

Failure TrustedContestant::start_runner(Device& device, const Problem& problem, const PythonHost* python) {
  auto runner = python != nullptr ? ContestantRunner::start(device, problem, *python)
                                  : ContestantRunner::start(device, problem);
  if (!runner) return runner.errors();
  runner_ = std::move(*runner);
  runner_->keep_small_buffers();
  return std::nullopt;
}

Failure TrustedContestant::await_ready() {
  const Answer ready = runner_->await_ready(load_patience);
  if (ready.ok()) return std::nullopt;
  return Errors{machine_error("a worker cannot use the device: " + ready.detail,
                              "run `kgrade doctor`; another program may hold the GPU")};
}

Failure TrustedContestant::load(StageClock& stages) {
  const Result<BuildOutcome>& built = this->built();
  if (!built) return built.errors();
  if (built->status != BuildStatus::built) {
    return Errors{{fmt::format("the {} does not build: {}", name_, built->message),
                   "the reference must define the function that `kgrade show` prints",
                   {source_.string(), 0, 0}}};
  }
  const auto timer = stages.time("load");
  return load(built->library);
}

Failure TrustedContestant::load(const fs::path& library) {
  const Answer loaded = runner_->load(library, load_patience);
  if (loaded.ok()) return std::nullopt;
  const Blame blame = blame_for_trusted(loaded);
  const char* const remedy =
      blame == Blame::machine
          ? "end programs that take memory; where the kernel ended the process, `dmesg` says so"
          : "mend what it does before its first call";
  return Errors{{fmt::format("the {} does not load: {}", name_, loaded.detail),
                 remedy,
                 {source_.string(), 0, 0},
                 blame}};
}

}  // namespace kgrade
