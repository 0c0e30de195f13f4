#include "verify/checks.h"

#include <algorithm>
#include <stdexcept>

namespace kgrade {

CheckList::CheckList() {
  for (const std::string_view name : check_names)
    checks_.push_back({std::string(name), CheckOutcome::not_run, ""});
}

void CheckList::pass_before(std::string_view name) {
  for (Check& check : checks_) {
    if (check.name == name) return;
    if (check.outcome == CheckOutcome::not_run) check.outcome = CheckOutcome::passed;
  }
}

void CheckList::pass_all() { pass_before(first_occasional_check); }

void CheckList::pass(std::string_view name) {
  for (Check& check : checks_) {
    if (check.name == name && check.outcome == CheckOutcome::not_run) check.outcome = CheckOutcome::passed;
  }
}

void CheckList::fail(std::string_view name, const std::string& detail) {
  pass_before(std::find(check_names.begin(), check_names.end(), name) <
                      std::find(check_names.begin(), check_names.end(), first_occasional_check)
                  ? name
                  : first_occasional_check);
  const auto check =
      std::find_if(checks_.begin(), checks_.end(), [&](const Check& c) { return c.name == name; });
  if (check == checks_.end()) throw std::logic_error("no check named " + std::string(name));
  if (check->outcome == CheckOutcome::failed) return;
  check->outcome = CheckOutcome::failed;
  check->detail = detail;
}

bool CheckList::has_failed(std::string_view name) const {
  return std::any_of(checks_.begin(), checks_.end(), [&](const Check& check) {
    return check.name == name && check.outcome == CheckOutcome::failed;
  });
}

std::string_view check_behind(Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:
    case Verdict::unsupported:
      return "compile";
    case Verdict::signature_mismatch:
      return "signature";
    case Verdict::time_limit:
      return "completion";
    case Verdict::runtime_error:
      return "device_errors";
    case Verdict::memory_limit:
      return "memory";
    case Verdict::out_of_bounds:
      return "guard_zones";
    case Verdict::input_modified:
      return "inputs_unchanged";
    case Verdict::low_precision:
      return "precision";
    case Verdict::cheating:
      return "clock";
    case Verdict::unstable:
      return "reference_agreement";
    case Verdict::accepted:
    case Verdict::wrong_answer:
      break;
  }
  return "outputs_match";
}

}  // namespace kgrade
