#include "record/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>
#include <utility>

namespace kgrade {
namespace {

bool is_failure(const CaseRecord& c) { return c.run && c.verdict != Verdict::accepted; }

// True for verdicts whose bug `kgrade check` may find, with its line.
bool may_be_found_by_check(Verdict verdict) {
  switch (verdict) {
    case Verdict::wrong_answer:
    case Verdict::runtime_error:
    case Verdict::out_of_bounds:
    case Verdict::input_modified:
    case Verdict::time_limit:
      return true;
    case Verdict::accepted:
    case Verdict::low_precision:
    case Verdict::compile_error:
    case Verdict::signature_mismatch:
    case Verdict::memory_limit:
    case Verdict::unstable:
    case Verdict::cheating:
    case Verdict::unsupported:
      break;
  }
  return false;
}

// Options that select the case again.
std::string selection(const CaseRecord& c, const Record& record) {
  std::string text = "--case " + shell_word(c.name);
  if (c.role == CaseRole::hidden && record.hidden_seed)
    text += fmt::format(" --hidden-seed {}", *record.hidden_seed);
  // Name the type, because the candidate may not declare it.
  if (record.dtype != Dtype::float32) text += fmt::format(" --dtype {}", to_string(record.dtype));
  for (const std::string& input : record.inputs.value_or(std::vector<std::string>()))
    text += " --inputs " + shell_word(input);
  return text;
}

// A condition on a case's parameters.
struct Condition {
  std::string text;
  std::function<bool(const Bindings& parameters)> holds;
};

// True for a pair such as stride_h and stride_w, which differ only in the dimension.
bool are_siblings(const std::string& a, const std::string& b) {
  const std::size_t at = a.rfind('_');
  return a != b && at != std::string::npos && b.rfind('_') == at && a.substr(0, at) == b.substr(0, at);
}

// All conditions on these parameters, the more informative ones first.
std::vector<Condition> conditions_on(const std::vector<std::string>& names) {
  std::vector<Condition> conditions;
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      if (a < b && are_siblings(a, b))
        conditions.push_back({a + " != " + b, [a, b](const Bindings& of) { return of.at(a) != of.at(b); }});
    }
  }
  for (const int divisor : {2, 4, 8, 16, 32, 64, 128, 256}) {
    for (const std::string& name : names) {
      conditions.push_back(
          {divisor == 2 ? "an odd " + name : fmt::format("{} that is no multiple of {}", name, divisor),
           [name, divisor](const Bindings& of) { return of.at(name) % divisor != 0; }});
    }
  }
  for (const std::string& name : names) {
    conditions.push_back({name + " > 1", [name](const Bindings& of) { return of.at(name) > 1; }});
    conditions.push_back({name + " > 0", [name](const Bindings& of) { return of.at(name) > 0; }});
    conditions.push_back({name + " == 1", [name](const Bindings& of) { return of.at(name) == 1; }});
  }
  return conditions;
}

// Separates failed cases from accepted cases.
class Separation {
 public:
  explicit Separation(const CandidateRecord& candidate) {
    for (const CaseRecord& c : candidate.cases) {
      if (c.run) (is_failure(c) ? failed_ : accepted_).push_back(&c.parameters);
    }
  }

  // The names of the parameters that every case has.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    if (failed_.size() < 2 || accepted_.size() < 2) return names;
    for (const auto& [name, value] : *failed_.front()) {
      const auto has_it = [&key = name](const Bindings* of) { return of->find(key) != of->end(); };
      if (std::all_of(failed_.begin(), failed_.end(), has_it) &&
          std::all_of(accepted_.begin(), accepted_.end(), has_it))
        names.push_back(name);
    }
    return names;
  }

  bool is_made_by(const Condition& condition) const {
    const auto holds = [&condition](const Bindings* of) { return condition.holds(*of); };
    return std::all_of(failed_.begin(), failed_.end(), holds) &&
           std::none_of(accepted_.begin(), accepted_.end(), holds);
  }

 private:
  std::vector<const Bindings*> failed_;
  std::vector<const Bindings*> accepted_;
};

}  // namespace

const CaseRecord* smallest_failure(const CandidateRecord& candidate) {
  const CaseRecord* smallest = nullptr;
  for (const CaseRecord& c : candidate.cases) {
    if (!is_failure(c)) continue;
    const auto size = [](const CaseRecord& of) {
      return std::pair(of.role == CaseRole::hidden, of.tensor_bytes);
    };
    if (smallest == nullptr || size(c) < size(*smallest)) smallest = &c;
  }
  return smallest;
}

// A Python file that is the problem is also its own reference. A problem file that names a Python file as its
// reference is known by its slug.
std::string problem_word(const Record& record) {
  const ReferenceRecord& reference = record.reference;
  const bool is_file = reference.is_pytorch() && (record.inputs || record.problem_sha256 == reference.sha256);
  return is_file ? shell_word(reference.path) : record.problem_slug;
}

std::vector<std::string> next_commands(const CandidateRecord& candidate, const Record& record) {
  const CaseRecord* const failed = smallest_failure(candidate);
  if (failed == nullptr || !may_be_found_by_check(failed->verdict)) return {};
  if (candidate.path == "<stdin>") return {};  // standard input cannot be read again
  const std::string which =
      fmt::format("{} {} {}", problem_word(record), shell_word(candidate.path), selection(*failed, record));
  return {"kgrade check " + which, "kgrade grade " + which};
}

std::string shared_by_failures(const CandidateRecord& candidate) {
  const Separation separation(candidate);
  for (const Condition& condition : conditions_on(separation.names())) {
    if (separation.is_made_by(condition)) return condition.text;
  }
  return "";
}

std::string shell_word(const std::string& word) {
  const bool usual = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=,+:@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (usual) return word.starts_with('-') ? "./" + word : word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace kgrade
