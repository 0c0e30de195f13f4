#include "device/emulated/rewriter/rewriter_messages.h"

#include <nlohmann/json.hpp>

namespace kgrade::emulated {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// The first four arguments are SOURCE SHOWN_AS OUTPUT DEVICE_HEADERS; include directories follow, each after
// an include_option, and then readable paths, all after a single readable_option.
constexpr std::size_t fixed_arguments = 4;
constexpr const char* include_option = "-I";
constexpr const char* readable_option = "--readable";

std::optional<std::string> text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<int> line_of(const json& object) {
  const auto found = object.find("line");
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto line = found->get<std::uint64_t>();
  return line <= 1'000'000'000 ? std::optional(static_cast<int>(line)) : std::nullopt;
}

std::optional<Error> error_of(const json& object) {
  const auto message = text_of(object, "error");
  const auto remedy = text_of(object, "remedy");
  const auto file = text_of(object, "file");
  const auto line = line_of(object);
  if (!message || !remedy || !file || !line) return std::nullopt;
  return Error{*message, *remedy, {*file, *line, 0}};
}

}  // namespace

std::vector<std::string> to_arguments(const RewriteRequest& request) {
  std::vector<std::string> arguments = {request.source.string(), request.shown_as,
                                        request.output_directory.string(), request.device_headers.string()};
  for (const fs::path& folder : request.include_directories) {
    arguments.insert(arguments.end(), {include_option, folder.string()});
  }
  if (!request.readable) return arguments;
  arguments.emplace_back(readable_option);
  for (const fs::path& path : *request.readable) arguments.push_back(path.string());
  return arguments;
}

std::optional<RewriteRequest> to_request(const std::vector<std::string>& arguments) {
  if (arguments.size() < fixed_arguments) return std::nullopt;
  RewriteRequest request;
  request.source = arguments[0];
  request.shown_as = arguments[1];
  request.output_directory = arguments[2];
  request.device_headers = arguments[3];
  std::size_t i = fixed_arguments;
  for (; i + 1 < arguments.size() && arguments[i] == include_option; i += 2)
    request.include_directories.emplace_back(arguments[i + 1]);
  if (i == arguments.size()) return request;
  if (arguments[i] != readable_option) return std::nullopt;
  request.readable.emplace(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
  return request;
}

std::string to_answer(const Result<RewrittenTree>& result) {
  json answer;
  if (result) {
    answer = {{"files", result->files}, {"threads_cooperate", result->threads_cooperate}};
  } else {
    const Error& error = result.error();
    answer = {{"error", error.message},
              {"remedy", error.remedy},
              {"file", error.location.file},
              {"line", error.location.line}};
  }
  return answer.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::optional<Result<RewrittenTree>> read_answer(std::string_view text, const RewriteRequest& request) {
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) return std::nullopt;
  if (auto error = error_of(answer)) return Result<RewrittenTree>(std::move(*error));
  const auto files = answer.find("files");
  const auto cooperate = answer.find("threads_cooperate");
  if (files == answer.end() || !files->is_number_unsigned()) return std::nullopt;
  if (cooperate == answer.end() || !cooperate->is_boolean()) return std::nullopt;
  return RewrittenTree{rewritten_source(request), files->get<std::size_t>(), cooperate->get<bool>()};
}

}  // namespace kgrade::emulated
