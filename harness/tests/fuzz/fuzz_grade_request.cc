#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/grade_job.h"
#include "tests/fuzz/targets.h"

namespace kgrade::fuzz {
namespace {

void expect_name(const std::string& name) {
  promise(!name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
              name.find('/') == name.npos && name.find('\0') == name.npos,
          "a name of a file is one, and no path");
}

void expect_sound(const GradeRequest& request) {
  if (request.slug.empty()) {
    expect_name(request.problem_name);
    promise(request.problem_name.ends_with(".py"), "a problem's file is in Python");
  } else {
    expect_name(request.slug);
    promise(request.problem_name.empty() && request.problem_source.empty(), "there is one problem");
  }
  expect_name(request.candidate_name);
  for (const auto& [name, text] : request.headers) {
    expect_name(name);
    promise(name != request.candidate_name, "no header replaces the candidate");
  }
  promise(request.bytes() <= std::size_t{2} << 20 && request.headers.size() <= 32 &&
              request.settings.cases.size() <= 100,
          "texts have limits");
  promise(request.run_limit_s >= 1 && request.run_limit_s <= 86400, "the run limit is in range");
  promise(request.deadline_s > 0 && request.deadline_s <= 30 * 86400.0, "the deadline is in range");
  promise(request.settings.hidden_cases.value_or(0) <= 64, "hidden shapes are few");
  const GradeSettings& settings = request.settings;
  for (const std::string& label :
       {settings.dtype.value_or(""), settings.precision.value_or(""), request.group, request.client_ref})
    promise(label.size() <= 200, "labels are short");
}

}  // namespace

int fuzz_grade_request(const std::uint8_t* data, std::size_t size) {
  const nlohmann::json json = parsed_json({reinterpret_cast<const char*>(data), size});
  const auto request = read_request(json, true);
  const auto unseeded = read_request(json, false);
  if (!request) {
    const std::string& message = request.error().message;
    promise(!message.empty() && message.size() < 2000, "an error has a short message");
    promise(
        std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }),
        "a message is one line");
    promise(!unseeded.ok(), "more rights allow more");
    return 0;
  }
  expect_sound(*request);
  promise(unseeded.ok() == !(request->settings.seed || request->settings.hidden_seed),
          "only seeds need the right to choose them");
  // A batch hands on its items as the JSON that it reads.
  const auto again = read_request(parsed_json(json_text(json)), true);
  promise(again.ok() && batch_key(*again) == batch_key(*request) &&
              again->candidate_source == request->candidate_source &&
              again->client_ref == request->client_ref,
          "a request that is written again is the same");
  return 0;
}

}  // namespace kgrade::fuzz
