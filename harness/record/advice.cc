#include "record/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace kgrade {
namespace {

bool is_failure(const CaseRecord& c) { return c.run && c.verdict != Verdict::accepted; }

// Whether a checked run may find the bug behind the verdict, and its line.
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
  // Where there is a GPU, the commands would otherwise run there.
  if (record.device.kind == "emulated") text += " --device emulated";
  return text;
}

// The scalar parameters of a case, integers and real numbers.
using Values = std::map<std::string, double, std::less<>>;

Values values_of(const CaseRecord& c) {
  Values values = c.real_parameters;
  for (const auto& [name, value] : c.parameters) values[name] = static_cast<double>(value);
  return values;
}

// A condition on a case's parameters.
struct Condition {
  std::string of;  // what it is about: a parameter, or a pair of them
  std::string text;
  std::function<bool(const Values& parameters)> holds;
};

// What may be said of a parameter.
struct Name {
  std::string text;
  bool is_real = false;
  bool is_flag = false;  // is 0 or 1 in every case, as a bool is
};

Condition is_equal(const std::string& name, double value) {
  return {name, fmt::format("{} == {:.6g}", name, value),
          [=](const Values& of) { return of.at(name) == value; }};
}

Condition is_above(const std::string& name, double limit) {
  return {name, fmt::format("{} > {:.6g}", name, limit),
          [=](const Values& of) { return of.at(name) > limit; }};
}

// All conditions on these parameters that need no values of the cases, the more informative ones first.
std::vector<Condition> conditions_on(const std::vector<Name>& names) {
  std::vector<Condition> conditions;
  for (const Name& first : names) {
    for (const Name& second : names) {
      const std::string& a = first.text;
      const std::string& b = second.text;
      // A pair such as stride_h and stride_w, which differ only in the dimension.
      const std::size_t at = a.rfind('_');
      if (a < b && at != a.npos && b.rfind('_') == at && a.substr(0, at) == b.substr(0, at))
        conditions.push_back(
            {a + "," + b, a + " != " + b, [a, b](const Values& of) { return of.at(a) != of.at(b); }});
    }
  }
  for (const Name& name : names) {
    if (!name.is_flag) continue;
    for (const double value : {1, 0}) conditions.push_back(is_equal(name.text, value));
  }
  for (const int divisor : {2, 4, 8, 16, 32, 64, 128, 256}) {
    for (const auto& [name, is_real, is_flag] : names) {
      if (is_real || is_flag) continue;
      conditions.push_back(
          {name, divisor == 2 ? "an odd " + name : fmt::format("{} that is no multiple of {}", name, divisor),
           [name = name, divisor](const Values& of) { return std::fmod(of.at(name), divisor) != 0; }});
    }
  }
  for (const auto& [name, is_real, is_flag] : names) {
    if (is_real || is_flag) continue;
    conditions.insert(conditions.end(), {is_above(name, 1), is_above(name, 0), is_equal(name, 1)});
  }
  return conditions;
}

// Separates failed cases from accepted cases.
class Separation {
 public:
  explicit Separation(const CandidateRecord& candidate) {
    for (const CaseRecord& c : candidate.cases) {
      if (!c.run) continue;
      (is_failure(c) ? failed_ : accepted_).push_back(values_of(c));
      for (const auto& real : c.real_parameters) reals_.insert(real.first);
    }
  }

  // The conditions that all failed cases meet and no accepted case meets, the first one of each parameter. At
  // most `most`.
  std::vector<std::string> conditions(std::size_t most) const {
    const std::vector<Name> known = names();
    std::set<std::string> seen;
    std::vector<std::string> found;
    for (const std::vector<Condition>& conditions : {conditions_on(known), limits_on(known)}) {
      for (const Condition& condition : conditions) {
        if (found.size() < most && !seen.contains(condition.of) &&
            std::all_of(failed_.begin(), failed_.end(), condition.holds) &&
            std::none_of(accepted_.begin(), accepted_.end(), condition.holds)) {
          seen.insert(condition.of);
          found.push_back(condition.text);
        }
      }
    }
    return found;
  }

 private:
  // The parameters that every case has.
  std::vector<Name> names() const {
    std::vector<Name> names;
    if (failed_.size() < 2 || accepted_.size() < 2) return names;
    for (const auto& [name, value] : failed_.front()) {
      const auto has_it = [&key = name](const Values& of) { return of.contains(key); };
      const auto is_bit = [&key = name](const Values& of) { return of.at(key) == 0 || of.at(key) == 1; };
      if (!all_of_all(has_it)) continue;
      const bool is_real = reals_.contains(name);
      names.push_back({name, is_real, !is_real && all_of_all(is_bit)});
    }
    return names;
  }

  template <class Test>
  bool all_of_all(const Test& test) const {
    return std::all_of(failed_.begin(), failed_.end(), test) &&
           std::all_of(accepted_.begin(), accepted_.end(), test);
  }

  // Limits that the cases themselves suggest. Among few cases, some parameter has such a limit by chance.
  // Upper limits come first: more kernels fail beyond a size than below one.
  std::vector<Condition> limits_on(const std::vector<Name>& names) const {
    constexpr double ways_per_name = 8;
    std::vector<Condition> conditions, others;
    double ways = 1;  // in which the failed cases can be chosen of all cases
    const std::size_t all = failed_.size() + accepted_.size();
    for (std::size_t i = 0; i < failed_.size(); ++i)
      ways *= static_cast<double>(all - i) / static_cast<double>(i + 1);
    if (ways < ways_per_name * static_cast<double>(names.size())) return conditions;
    for (const Name& name : names) {
      const auto by_value = [&key = name.text](const Values& a, const Values& b) {
        return a.at(key) < b.at(key);
      };
      const auto [least, most] = std::minmax_element(accepted_.begin(), accepted_.end(), by_value);
      const double low = least->at(name.text);
      const double high = most->at(name.text);
      conditions.push_back(is_above(name.text, high));
      others.push_back({name.text, fmt::format("{} < {:.6g}", name.text, low),
                        [key = name.text, low](const Values& of) { return of.at(key) < low; }});
      if (!name.is_real) continue;
      others.push_back(is_equal(name.text, failed_.front().at(name.text)));
      if (low == high)
        others.push_back({name.text, fmt::format("{} != {:.6g}", name.text, low),
                          [key = name.text, low](const Values& of) { return of.at(key) != low; }});
    }
    conditions.insert(conditions.end(), others.begin(), others.end());
    return conditions;
  }

  std::vector<Values> failed_;
  std::vector<Values> accepted_;
  std::set<std::string, std::less<>> reals_;
};

}  // namespace

const CaseRecord* smallest_failure(const CandidateRecord& candidate, bool with_examples) {
  const CaseRecord* smallest = nullptr;
  for (const CaseRecord& c : candidate.cases) {
    if (!is_failure(c)) continue;
    if (with_examples && (!c.wrong || c.wrong->examples.empty())) continue;
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
  if (!record.problem_named.empty()) return shell_word(record.problem_named);
  if (!record.problem_path.empty()) return shell_word(record.problem_path);
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
  // Calls on families of inputs come last, and a checked run makes no such calls.
  if (!failed->families.empty() && candidate.seed)
    return {fmt::format("kgrade grade {} --seed {}", which, *candidate.seed)};
  return {"kgrade check " + which, "kgrade grade " + which};
}

std::string shared_by_failures(const CandidateRecord& candidate) {
  constexpr std::size_t most_conditions = 3;
  const std::vector<std::string> all = Separation(candidate).conditions(most_conditions);
  if (all.size() < 2) return all.empty() ? "" : all.front();
  return fmt::format("{}; {} as well: {}", all.front(), all.size() == 2 ? "this fits" : "these fit",
                     fmt::join(all.begin() + 1, all.end(), ", "));
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
