#include "grade/contestants.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <system_error>
#include <utility>

#include "base/machine_faults.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/confined_compiler.h"
#include "compile/python_interpreter.h"
#include "verify/checks.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

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

Result<BuildOutcome> build_trusted(const Toolchain& toolchain, const Problem& problem, Role role,
                                   const BuildRequest& request, const Layout& layout) {
  if (role != Role::oracle) return build_with_control(toolchain, problem, role, request, layout);
  BuildRequest with_inputs = request;
  if (!definition_of_inputs(problem, request.dtype).empty())
    with_inputs.defines[std::string(inputs_macro)] = "1";
  auto outcome = build_with_control(toolchain, widened(problem), Role::oracle, with_inputs, layout);
  if (outcome && outcome->status != BuildStatus::built)
    outcome->message += advice_to_reference(problem, request, *outcome);
  return outcome;
}

Result<BuildOutcome> build_candidate(const Toolchain& toolchain, const Problem& problem,
                                     const CandidateSource& candidate, const BuildRequest& request,
                                     const Layout& layout) {
  BuildOutcome refused;
  refused.message = why_not_cuda(candidate, problem).value_or("");
  if (!refused.message.empty()) return refused;
  auto outcome = build_with_control(toolchain, problem, Role::candidate, request, layout);
  if (outcome) {
    const std::string reason = why_not_found(candidate.files, outcome->log);
    outcome->log = shortened_log(outcome->log);
    // The compiler's "no such file" does not say that a header was there but may not be read.
    if (outcome->status == BuildStatus::compile_error && !reason.empty()) {
      outcome->message += "; " + reason;
      outcome->log += "note: " + reason + "\n";
    }
  }
  return outcome;
}

Result<BuildOutcome> build_in_python(const Toolchain& toolchain, const PythonTools& python,
                                     const Problem& problem, const CandidateSource& candidate,
                                     const BuildRequest& request) {
  const auto& solution = candidate.submission->solution;
  if (!solution) return build_python(toolchain, python, problem, candidate.submission->text, request);
  const auto text = text_for(problem, *solution);
  if (text && solution->unsupported.empty()) return build_python(toolchain, python, problem, *text, request);
  BuildOutcome refused;
  if (text) refused.status = BuildStatus::unsupported;
  refused.message =
      fmt::format("{} {}", candidate.path.string(), text ? solution->unsupported : in_one_line(text.error()));
  return refused;
}

// Writes the code of a document into a file, in its own folder beside the folder of the build, because the
// folder of the build may be emptied in between. Null if the candidate is not a document. Each line keeps its
// number, and messages, __FILE__ and debug information name the document.
std::unique_ptr<TemporaryDirectory> take_block(const CandidateSource& candidate, BuildRequest& request) {
  if (!candidate.lines()) return nullptr;
  auto folder = std::make_unique<TemporaryDirectory>();
  const fs::path code = resolved(folder->path()) / request.source.filename();
  // A block follows the line of its fence, so the first line is free.
  const std::string text = fmt::format("#line 2 \"{}\"{}", request.shown_as, candidate.submission->text);
  if (!write_file_atomically(code, text))
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "cannot write " + code.string());
  request.source = request.readable->front() = code;
  return folder;
}

BuildRequest request_with(const OwnFiles& own, const fs::path& source, const fs::path& output, Dtype dtype) {
  BuildRequest request;
  // A confined compiler sees the folder without links that may lead to it.
  request.source = own.files.front();
  request.shown_as = source.string();
  request.output_directory = output;
  request.dtype = dtype;
  request.include_directories = {own.folder};
  request.readable = own.files;
  return request;
}

// Whether the author of a problem checks its reference, which includes operators that no candidate may see.
bool is_reference(const CandidateSource& candidate, const Problem& problem, const Layout& layout) {
  std::error_code failure;
  return !candidate.is_python() &&
         fs::equivalent(candidate.path, layout.reference_source(problem), failure) && !failure;
}

}  // namespace

BuildRequest request_for(const CandidateSource& candidate, const fs::path& output, const Layout& layout,
                         Dtype dtype) {
  BuildRequest request = request_with(candidate.files, candidate.path, output, dtype);
  request.hidden = layout.hidden_from_candidates();
  request.refused = candidate.files.refused;
  return request;
}

BuildRequest request_for(Role role, const fs::path& source, const fs::path& output, const Layout& layout,
                         Dtype dtype) {
  const OwnFiles own = role == Role::baseline ? files_of_baseline(source) : own_files(source);
  BuildRequest request = request_with(own, source, output, role == Role::oracle ? Dtype::float32 : dtype);
  if (role == Role::baseline) {
    request.plain_host_code = true;
    request.kernels = kernels_of_baseline(own.files.front());
    request.include_directories.push_back(own.folder.parent_path());
    link_library(request, layout);
    return request;
  }
  // The problem's own operators first, then kgrade's.
  for (const fs::path& folder : layout.reference_folders(Layout::reference_folder(source))) {
    request.include_directories.push_back(folder);
    request.readable->push_back(folder / "ops");
  }
  request.defines = {{"KGRADE_ACCUMULATOR", role == Role::oracle ? "double" : "float"},
                     {"KGRADE_ELEMENT", std::string(cuda_type(request.dtype))}};
  if (request.dtype != Dtype::float32)
    request.defines["KGRADE_" + upper_case(to_string(request.dtype))] = "1";
  return request;
}

BuildRequest request_for(const BaselineSource& baseline, const fs::path& output, const Layout& layout) {
  BuildRequest request = request_for(Role::baseline, baseline.source, output, layout);
  request.defines = baseline.defines;
  return request;
}

Build::Build(const Toolchain& toolchain, const Problem& problem, const CandidateSource& candidate,
             const Layout& layout, StageClock& stages, bool checked, const PythonTools* python,
             std::unique_ptr<MatrixUnits> matrix_units)
    : matrix_units_(std::move(matrix_units)) {
  BuildRequest request =
      checked && is_reference(candidate, problem, layout)
          ? request_for(Role::reference, candidate.path, directory_.path(), layout, problem.dtype)
          : request_for(candidate, directory_.path(), layout, problem.dtype);
  request.checked = checked;
  if (python != nullptr) {
    extension_builder_ = [&toolchain, python, request,
                          units = matrix_units_.get()](const std::string& extension) -> BuiltExtension {
      const auto built = build_extension_of(toolchain, *python, extension, request);
      if (!built) return {{}, built.error().message, to_string(built.error())};
      if (built->status == BuildStatus::built) {
        if (units != nullptr) units->look_at_extension(built->library, extension);
        return {built->library, "", "", built->torch_headers};
      }
      return {{}, built->message, built->log.empty() ? built->message : built->log};
    };
    start(stages, [&toolchain, python, &problem, &candidate, request] {
      return build_in_python(toolchain, *python, problem, candidate, request);
    });
    return;
  }
  document_ = take_block(candidate, request);
  start(stages, [&toolchain, &problem, &candidate, request, layout, units = matrix_units_.get()] {
    auto outcome = build_candidate(toolchain, problem, candidate, request, layout);
    const bool is_built = outcome && outcome->status == BuildStatus::built;
    if (is_built && units != nullptr) units->look_at_library(outcome->library);
    return outcome;
  });
}

Build::Build(const Toolchain& toolchain, const Problem& problem, Role role, const fs::path& source,
             const Layout& layout, StageClock& stages, bool checked, const PythonTools* python) {
  BuildRequest request = request_for(role, source, directory_.path(), layout, problem.dtype);
  request.checked = checked;
  start(stages, [&toolchain, &problem, role, request, layout, python]() -> Result<BuildOutcome> {
    if (python == nullptr) return build_trusted(toolchain, problem, role, request, layout);
    const auto model = read_text_file(request.source);
    return model ? bundle_model(problem, *model, request, role) : model.errors();
  });
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
  const BuildRequest request = request_for(baseline, directory_.path(), layout);
  start(stages, [&toolchain, &problem, request, layout] {
    return build_trusted(toolchain, problem, Role::baseline, request, layout);
  });
}

Build::Build(const std::string& fault) {
  BuildOutcome refused;
  refused.message = fault;
  outcome_ = std::move(refused);
}

void Build::start(StageClock& stages, std::function<Result<BuildOutcome>()> build) {
  running_ = std::async(std::launch::async, [&stages, build = std::move(build)] {
    const auto timer = stages.time("compile");
    return build();
  });
}

const Result<BuildOutcome>& Build::finish() {
  if (outcome_) return *outcome_;
  outcome_ = running_.get();
  // A toolchain has errors only if it cannot work here. Its temporary files are not the user's.
  if (!*outcome_) outcome_ = blamed_on(Blame::machine, outcome_->errors());
  return *outcome_;
}

PythonHost host_of(const PythonTools& tools, const Toolchain& toolchain, bool imports_triton) {
  const PythonInterpreter& interpreter = tools.interpreter;
  PythonHost host{interpreter.program,      tools.folder / "worker.py",
                  interpreter.readable,     imports_triton,
                  bytecode_of(interpreter), {},
                  toolchain.cuda_toolkit(), tools.zygote};
  if (!host.cuda_toolkit.empty()) {
    const auto paths = cuda_toolkit_paths(host.cuda_toolkit / "bin/nvcc");
    host.readable.insert(host.readable.end(), paths.begin(), paths.end());
  }
  return host;
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

namespace {

void empty(const fs::path& folder) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
  }
}

// Builds the control: the reference for a candidate, and an empty function for a reference, which has no
// control of its own. Returns an error if the machine cannot build the control, otherwise nothing.
std::optional<Error> fault_of_machine(const Toolchain& toolchain, const Problem& problem, Role role,
                                      const Layout& layout) {
  const TemporaryDirectory build;
  const TemporaryDirectory spare;
  // This file takes spare_room_bytes of the disk, until it is closed and its folder is removed.
  const UniqueFd file(::open((spare.path() / "room").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const int failure = file ? ::posix_fallocate(file.get(), 0, static_cast<off_t>(spare_room_bytes)) : errno;
  if (is_lack_of_room(failure)) {
    const fs::path full = temporary_folder_of_user();
    return machine_error("no space is left in " + full.string() +
                             ", the folder for temporary files: builds count on " +
                             format_bytes(spare_room_bytes) + " there",
                         remedy_for_room(full));
  }
  std::string text = signature(problem);
  text.back() = ' ';  // the semicolon
  for (const std::string_view header : cuda_headers(problem, problem.dtype))
    text = fmt::format("#include <{}>\n{}", header, text);
  const auto written = write_file_atomically(build.path() / "control.cu", text + "{}\n");
  if (!written) return written.error();
  const fs::path folder = fs::canonical(build.path());
  const bool is_empty = role == Role::oracle || role == Role::reference;
  const fs::path source = is_empty ? folder / "control.cu" : layout.reference_source(problem);
  BuildRequest request = request_for(Role::reference, source, folder, layout, problem.dtype);
  request.anew = true;
  const auto built = toolchain.build(problem, request);
  if (!built) return built.error();
  return built->status == BuildStatus::built ? std::nullopt : built->machine_fault;
}

}  // namespace

Result<BuildOutcome> build_with_control(const Toolchain& toolchain, const Problem& problem, Role role,
                                        const BuildRequest& request, const Layout& layout) {
  // Builds run side by side. The control and the last try run alone: another build that fills the disk would
  // make them fail again.
  static std::shared_mutex disk;
  {
    const std::shared_lock beside_others(disk);
    auto outcome = toolchain.build(problem, request);
    const bool is_doubtful = outcome && outcome->status != BuildStatus::built && outcome->machine_fault;
    if (!is_doubtful) return outcome;
  }
  const std::unique_lock alone(disk);
  empty(request.output_directory);
  if (auto fault = fault_of_machine(toolchain, problem, role, layout)) return *fault;
  return toolchain.build(problem, request);
}

}  // namespace kgrade
