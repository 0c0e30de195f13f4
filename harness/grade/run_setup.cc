#include "grade/run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "base/cleanup.h"
#include "base/text.h"
#include "contest/lease.h"
#include "draw/seed.h"
#include "grade/contestants.h"

namespace kgrade {
namespace {

// The place of a case in the problem's file. A hidden case has none.
Location place_of(const Problem& problem, const std::string& name) {
  const CaseSpec* const found = problem.find_case(name);
  return found != nullptr ? found->location : Location{problem.path.string(), 0, 0};
}

}  // namespace

Errors check_memory(const std::vector<PlannedCase>& cases, const Problem& problem, const Device& device) {
  Errors errors;
  const std::uint64_t free = device.free_bytes();
  const bool is_python = problem.has_model();
  // The oracle's copies in float64 are twice as large.
  const std::uint64_t copies_of_oracle = is_python ? 3 : 1;
  // The inputs that the file computes count twice, because a copy of them is kept.
  constexpr std::uint64_t of_computed = 2;
  const char* const remedy = is_python ? "use a GPU with more memory, or give the problem smaller shapes"
                                       : "choose smaller cases with --case";
  // Files in KernelBench's form have one case, so a user cannot choose another.
  const Blame blame = is_python ? Blame::machine : Blame::user;
  for (const PlannedCase& planned : cases) {
    // Contestants that do not fit together take turns. The oracle keeps its outputs meanwhile.
    const std::uint64_t of_oracle = Lease::bytes_needed(planned.bound, true);
    const std::uint64_t needed =
        std::max(copies_of_oracle * of_oracle, of_oracle + Lease::bytes_needed(planned.bound, false)) +
        of_computed * ComputedInputs::bytes_needed(planned.bound);
    if (!planned.skipped.empty() || needed <= free) continue;
    errors.push_back(
        {fmt::format("case '{}' needs {} for the oracle, or for it and one contestant more, {} has {} free",
                     planned.bound.name, format_bytes(needed), device.info().name, format_bytes(free)),
         remedy, place_of(problem, planned.bound.name), blame});
  }
  return errors;
}

std::string hash_of_reference(const std::filesystem::path& source) {
  std::vector<std::filesystem::path> files = {source};
  std::error_code ignored;
  const std::filesystem::path operators = Layout::reference_folder(source) / "ops";
  for (const auto& entry : std::filesystem::directory_iterator(operators, ignored)) {
    if (entry.path().extension() == ".cuh") files.push_back(entry.path());
  }
  std::sort(files.begin() + 1, files.end());
  std::string all;
  for (const auto& file : files) {
    if (const auto content = read_text_file(file)) all += *content;
  }
  return sha256_hex(all);
}

std::vector<std::size_t> grading_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The standard fixes what the generator yields, but not the result of std::shuffle.
  std::mt19937_64 generator(seed);
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[generator() % left]);
  return order;
}

RunSetup::RunSetup(const Problem& problem, const RunOptions& options, std::shared_ptr<Bench> bench,
                   bool checked, bool also_checked)
    : problem_(problem),
      options_(options),
      bench_(std::move(bench)),
      checked_(checked),
      also_checked_(also_checked && !bench_->machinery().measures_speed),
      seed_(options.seed ? *options.seed : random_seed()),
      stages_(bench_->clock()) {}

Failure RunSetup::read(const CaseSelection& select) {
  order_.resize(candidates().size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (options_.shuffled && !checked_ && bench_->machinery().measures_speed)
    order_ = grading_order(candidates().size(), seed_);
  if (const Errors missing = missing_for_grading(problem_); !missing.empty()) return missing;
  auto cases = select();
  if (!cases) return cases.errors();
  cases_ = std::move(*cases);
  reference_source_ = options_.layout.reference_source(problem_);
  if (std::filesystem::exists(reference_source_)) return std::nullopt;
  return Errors{{fmt::format("problem '{}' has no reference", problem_.slug),
                 "write it: the oracle is built from it",
                 {reference_source_.string(), 0, 0}}};
}

Failure RunSetup::start(std::initializer_list<Role> trusted) {
  options_.progress("compiling");
  if (auto failure = bench_->open_toolchain(options_.require_sandbox)) return failure;
  if (auto failure = find_python()) return failure;
  find_disassembler();
  for (const Role role : trusted) {
    trusted_.emplace_back(
        role, reference_source_,
        std::make_unique<Build>(toolchain(), problem_, role, reference_source_, options_.layout, stages_,
                                false, problem_.has_model() ? python() : nullptr));
  }
  start_builds_before(1);
  if (auto failure = bench_->open_device(stages_)) return failure;
  if (const Errors memory = check_memory(cases_, problem_, device()); !memory.empty()) return memory;
  if (problem_.has_model()) model_host_ = python_host();
  for (TrustedContestant& contestant : trusted_) {
    if (auto failure = contestant.start_runner(device(), problem_, model_host_ ? &*model_host_ : nullptr))
      return failure;
  }
  return std::nullopt;
}

PythonHost RunSetup::python_host() const { return host_of(*python(), toolchain(), any_uses_triton()); }

bool RunSetup::is_left_out(const CandidateSource& source) const {
  return source.is_python() && source.fault.empty() && python() == nullptr;
}

bool RunSetup::all_are_modules() const {
  return std::all_of(candidates().begin(), candidates().end(), std::mem_fn(&CandidateSource::is_module));
}

bool RunSetup::any_uses_triton() const {
  return std::any_of(candidates().begin(), candidates().end(), std::mem_fn(&CandidateSource::uses_triton));
}

Failure RunSetup::find_python() {
  const auto in_python = [](const CandidateSource& source) {
    return source.is_python() && source.fault.empty();
  };
  if (!problem_.has_model() && std::none_of(candidates().begin(), candidates().end(), in_python))
    return std::nullopt;
  if (Errors errors = require_python(); !errors.empty()) {
    no_python_ = std::move(errors);
    // Candidates that are not in Python are graded first.
    const bool all = problem_.has_model() || std::all_of(candidates().begin(), candidates().end(), in_python);
    return all ? no_python_ : std::nullopt;
  }
  return std::nullopt;
}

Errors RunSetup::require_python() {
  if (Errors errors = bench_->find_python(options_.python, options_.layout.python); !errors.empty())
    return errors;
  has_python_ = true;
  // Triton is imported while compilers run and the device is opened.
  if (python()->zygote != nullptr && any_uses_triton())
    python()->zygote->import_triton(!bench_->machinery().measures_speed);
  return {};
}

// Only for code that a GPU runs. A device without a CUDA Toolkit runs code of the host.
void RunSetup::find_disassembler() {
  const std::filesystem::path toolkit = toolchain().cuda_toolkit();
  names_matrix_units_ = !checked_ && !toolkit.empty() && has_low_precision(problem_);
  if (!names_matrix_units_) return;
  const auto interpreter = [this] {
    return has_python_ ? Result<PythonInterpreter>(python()->interpreter)
                       : kgrade::find_python(options_.python);
  };
  if (auto cuobjdump = find_cuobjdump(toolkit, interpreter))
    disassembler_ = std::make_shared<Disassembler>(std::move(*cuobjdump), bench_->machinery().sandbox);
}

std::unique_ptr<Build> RunSetup::build_checked(const CandidateSource& candidate) {
  const auto ahead = checked_ahead_.extract(&candidate);
  return ahead ? std::move(ahead.mapped()) : make_build(candidate, true);
}

std::unique_ptr<Build> RunSetup::make_build(const CandidateSource& candidate, bool checked) {
  auto units = disassembler_ && !checked ? std::make_unique<MatrixUnits>(disassembler_) : nullptr;
  return std::make_unique<Build>(toolchain(), problem_, candidate, options_.layout, stages_, checked,
                                 candidate.is_python() ? python() : nullptr, std::move(units));
}

void RunSetup::start_builds_before(std::size_t place) {
  const std::size_t end = std::min(place, order_.size());
  while (next_ + started_.size() < end) {
    const CandidateSource& candidate = candidates()[order_[next_ + started_.size()]];
    if (is_left_out(candidate) || !candidate.fault.empty()) {
      started_.push_back(std::make_unique<Build>(is_left_out(candidate) ? "left out" : candidate.fault));
      continue;
    }
    if (also_checked_) checked_ahead_[&candidate] = make_build(candidate, true);
    started_.push_back(make_build(candidate, checked_));
  }
}

void RunSetup::describe(RunRecord& record) const {
  record.tool = tool_info();
  record.started_at = utc_now();
  record.host = host_info();
  record.device = bench_->device().info();
  record.sandbox.confined = is_confined(bench_->machinery());
  if (const auto& sandbox = bench_->machinery().sandbox) record.sandbox.layers = sandbox->layers();
  record.problem_slug = problem_.slug;
  record.problem_title = problem_.title;
  record.problem_sha256 = problem_.content_sha256;
  record.problem_path = problem_.set_path.string();
  record.dtype = problem_.dtype;
  if (!problem_.inputs.empty()) record.inputs = problem_.inputs;
  const std::filesystem::path beside =
      reference_source_.lexically_relative(Layout::reference_folder(reference_source_));
  // A Python file is identified by its folder too: KernelBench's numbers begin again in each level.
  record.reference = {problem_.has_model() ? reference_source_.string() : "reference/" + beside.string(),
                      hash_of_reference(reference_source_)};
  record.toolchain = toolchain().describe();
  record.seed = seed_;
}

Failure RunSetup::load_trusted() {
  {
    // The workers were started together: when the first one has the device, the others are nearly ready.
    const auto timer = stages_.time("workers");
    for (TrustedContestant& contestant : trusted_) {
      if (auto failure = contestant.await_ready()) return failure;
    }
  }
  for (TrustedContestant& contestant : trusted_) {
    if (auto failure = contestant.load(stages_)) return failure;
  }
  return std::nullopt;
}

Failure RunSetup::each_group(std::size_t most, const Visit& visit) {
  Failure failure;
  while (next_ < order_.size() && !failure) {
    start_builds_before(next_ + most);
    std::vector<Built> group;
    for (; !started_.empty() && !failure; ++next_) failure = take_built(group);
    start_builds_before(next_ + 1);
    if (group.empty()) continue;
    if (auto trouble = visit(group)) return trouble;
    for (const Built& one : group) checked_ahead_.erase(&one.source);
  }
  return failure ? failure : no_python_;
}

// Candidates before one that cannot be graded are still graded.
Failure RunSetup::take_built(std::vector<Built>& group) {
  const std::size_t number = order_[next_];
  std::unique_ptr<Build> build = std::move(started_.front());
  started_.pop_front();
  if (options_.candidate_time != nullptr) options_.candidate_time->count_for(number);
  const auto& built = [&]() -> const Result<BuildOutcome>& {
    const CandidateTime::Span counted(options_.candidate_time);
    return build->finish();
  }();
  if (!built) return built.errors();
  const CandidateSource& source = candidates()[number];
  const auto change = source.fault.empty() ? change_of(source, options_.layout) : std::nullopt;
  if (change)
    return Errors{
        {fmt::format("candidate: {} while it was being {}", change->what, checked_ ? "checked" : "graded"),
         checked_ ? "check it again" : "grade it again",
         {change->file.string(), 0, 0}}};
  if (!is_left_out(source)) group.push_back({number, source, std::move(build)});
  return std::nullopt;
}

std::function<void(const std::string&)> RunSetup::progress_of(const CandidateSource& source) const {
  return [this, name = source.path.filename().string()](const std::string& what) {
    options_.progress(name + ": " + what);
  };
}

Failure RunSetup::guard(const std::function<Failure()>& run) {
  try {
    return run();
  } catch (const std::exception& thrown) {
    return errors_of(thrown);
  }
}

void RunSetup::close(RunRecord& record) {
  started_.clear();  // builds may still run after a failure, and their time counts
  checked_ahead_.clear();
  take_times(record);
  Cleanup::of_this_process().kill_all();
}

void RunSetup::take_times(RunRecord& record) {
  record.stages = stages_.stages();
  record.total_seconds = bench_->clock().now() - bench_->began();
}

}  // namespace kgrade
