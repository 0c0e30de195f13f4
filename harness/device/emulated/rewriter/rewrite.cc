#include "device/emulated/rewriter/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "device/emulated/rewriter/brackets.h"
#include "device/emulated/rewriter/directives.h"
#include "device/emulated/rewriter/launches.h"
#include "device/emulated/rewriter/lexer.h"
#include "device/emulated/rewriter/shared_variables.h"
#include "device/emulated/rewriter/unsupported.h"

namespace kgrade::emulated {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

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

std::optional<Error> error_of(const json& object) {
  const auto message = text_of(object, "error");
  const auto remedy = text_of(object, "remedy");
  const auto file = text_of(object, "file");
  const auto line = object.find("line");
  if (!message || !remedy || !file || line == object.end() || !line->is_number_unsigned())
    return std::nullopt;
  const auto number = line->get<std::uint64_t>();
  if (number > 1'000'000'000) return std::nullopt;
  return Error{*message, *remedy, {*file, static_cast<int>(number), 0}};
}

constexpr std::size_t most_files = 1000;
// The costs of an edit and of an #include, in steps of a search. An #include costs more, because it asks the
// file system.
constexpr std::size_t bytes_of_an_edit = 128;
constexpr std::size_t steps_of_an_include = 512;

// Whether a name shows that threads of a block may depend on each other.
bool is_cooperative(std::string_view name) {
  constexpr std::array<std::string_view, 11> prefixes = {
      "__shared__", "__sync",    "__shfl",       "__ballot",           "__any", "__all",
      "__match_",   "__reduce_", "__activemask", "cooperative_groups", "nvcuda"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// The body of a macro: the tokens after its name and parameters. Parameters follow the name without a space.
Tokens macro_body(const LexedSource& source, const Directive& directive) {
  const Tokens all = tokens_of(source, directive);
  if (all.empty()) return all;
  std::size_t begin = 1;
  if (all.size() > 1 && all[1].is("(") && all[1].begin == all[0].end()) {
    begin = matching_close(all, 1).value_or(all.size() - 1) + 1;
  }
  return all.subspan(begin);
}

// Rewrites CUDA's qualifier __noinline__. It cannot be a macro here, because libstdc++ writes
// __attribute__((__noinline__)).
void rewrite_noinline(Tokens tokens, Edits& edits) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__noinline__") || (i > 0 && tokens[i - 1].is("("))) continue;
    edits.replace(tokens[i].begin, tokens[i].end(), "__attribute__((noinline))");
  }
}

// Removes a byte order mark, which would stand in the middle of the rewritten text, and replaces every byte
// of another encoding with '?'. Compilers accept any byte in comments and strings, but a message that quotes
// such a byte could not be written as JSON.
std::string as_utf8(std::string text) {
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  if (!first_invalid_utf8(text)) return text;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  return text;
}

// Macros that stand for qualifiers, as in `#define KERNEL __global__ void` and `#define SHARED __shared__`:
// the rewriter has to see the declarations that they qualify.
class QualifierMacros {
 public:
  // Notes a macro without parameters whose body names a qualifier of CUDA's. `definition` holds the tokens
  // after #define.
  void add(Tokens definition) {
    if (definition.size() < 2) return;
    const bool has_parameters = definition[1].is("(") && definition[1].begin == definition[0].end();
    const Tokens body = definition.subspan(1);
    const bool qualifies = std::any_of(body.begin(), body.end(), [](const Token& token) {
      return token.is("__shared__") || token.is("__global__") || token.is("__device__") ||
             token.is("__host__");
    });
    // A whole declaration is rewritten where it is defined.
    if (has_parameters || !qualifies || body.back().is(";") || body.back().is("]")) return;
    bodies_.emplace(definition[0].text, joined(body));
  }

  // The tokens, with uses of these macros replaced by the macros' bodies. The new tokens have the position of
  // the use, and their text points into this object.
  std::vector<Token> expanded(Tokens tokens) const {
    constexpr std::size_t most_tokens = 4'000'000;
    std::vector<Token> result;
    result.reserve(tokens.size());
    for (const Token& token : tokens) {
      const auto macro = bodies_.empty() ? bodies_.end() : bodies_.find(token.text);
      // Text much longer than any source that a person writes stays as it is, and qualifiers in it may be
      // missed.
      if (macro == bodies_.end() || result.size() > most_tokens || is_search_over()) {
        result.push_back(token);
        continue;
      }
      spend_search(macro->second.size());
      for (Token part : lex(macro->second).tokens) {
        part.begin = token.begin;
        part.line = token.line;
        result.push_back(part);
      }
    }
    return result;
  }

 private:
  std::map<std::string, std::string, std::less<>> bodies_;
};

// One file that is being rewritten: its text, tokens and edits.
class FileRewriter {
 public:
  FileRewriter(const std::string& text, std::string shown_as, bool conditional, QualifierMacros& macros)
      : source_(lex(text)), shown_as_(std::move(shown_as)), conditional_(conditional), macros_(macros) {}

  const LexedSource& source() const { return source_; }
  Edits& edits() { return edits_; }

  std::optional<Error> rewrite() {
    if (auto error = rewrite_all()) return error;
    if (!is_search_over()) return std::nullopt;
    return Error{
        "takes too long to read: it has too many brackets, launches or declarations, or brackets that "
        "nothing closes",
        "",
        {shown_as_, 0, 0}};
  }

  // Returns an error if the code is sure to be compiled. Otherwise puts a marker before the code.
  std::optional<Error> report(const std::string& what, const Token& token, bool maybe_left_out) {
    if (!conditional_ && !maybe_left_out) {
      return unsupported_error(what, {shown_as_, token.line, 0});
    }
    if (!is_search_over()) edits_.insert(token.begin, marker(what));
    spend_search(bytes_of_an_edit);
    return std::nullopt;
  }

  std::optional<Error> report_header(const std::string& header, const Directive& directive) {
    if (!conditional_ && directive.depth == 0)
      return unsupported_error(header, {shown_as_, directive.line, 0});
    edits_.replace(directive.begin, directive.end, fmt::format("#error {}{}", unsupported_mark, header));
    return std::nullopt;
  }

  bool is_conditional(const Directive& directive) const { return conditional_ || directive.depth > 0; }

 private:
  std::optional<Error> rewrite_all() {
    for (const Directive& directive : source_.directives) {
      if (directive.name == "define") macros_.add(tokens_of(source_, directive));
    }
    std::vector<Token> outside_directives;
    std::copy_if(source_.tokens.begin(), source_.tokens.end(), std::back_inserter(outside_directives),
                 [](const Token& token) { return token.directive < 0; });
    const std::vector<Token> code = macros_.expanded(outside_directives);
    const std::vector<Scope> scopes = find_scopes(code);
    std::vector<Unsupported> found = find_unsupported_names(code);
    const auto launches = find_device_launches(code, find_launches(code), scopes);
    found.insert(found.end(), launches.begin(), launches.end());
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.token < b.token; });
    std::vector<std::size_t> unsupported;
    for (const Unsupported& item : found) {
      const Token& token = code[item.token];
      if (auto error = report(item.what, token, depth_at(token) > 0)) return error;
      unsupported.push_back(token.begin);
    }
    rewrite_architecture_conditions(source_, code, scopes, unsupported, edits_);
    rewrite_shared_variables(code, scopes, edits_);
    rewrite_launches(code, edits_);
    rewrite_noinline(code, edits_);
    rewrite_macros();
    return std::nullopt;
  }

  // The depth of #if around a token.
  int depth_at(const Token& token) const {
    const auto found = std::lower_bound(source_.tokens.begin(), source_.tokens.end(), token.begin,
                                        [](const Token& other, std::size_t at) { return other.begin < at; });
    return source_.depth[static_cast<std::size_t>(found - source_.tokens.begin())];
  }

  void rewrite_macros() {
    for (const Directive& directive : source_.directives) {
      if (directive.name != "define") continue;
      const Tokens body = macro_body(source_, directive);
      for (const Unsupported& item : find_unsupported_names(body)) {
        if (is_search_over()) break;
        spend_search(bytes_of_an_edit);
        edits_.insert(body[item.token].begin, marker(item.what));
      }
      Scope in_function;
      in_function.in_namespace = false;
      rewrite_shared_variables(body, std::vector<Scope>(body.size(), in_function), edits_);
      rewrite_launches(body, edits_);
      rewrite_kernelless_launch(body, edits_);
      rewrite_noinline(body, edits_);
    }
  }

  LexedSource source_;
  std::string shown_as_;
  bool conditional_;
  QualifierMacros& macros_;
  Edits edits_;
};

std::string copy_name(std::size_t number, const std::filesystem::path& original) {
  return fmt::format("{}_{}", number, original.filename().string());
}

class TreeRewriter {
 public:
  explicit TreeRewriter(const RewriteRequest& request)
      : request_(request), folder_(rewritten_source(request).parent_path()), readable_(request.readable) {}

  Result<RewrittenTree> run() {
    std::error_code failure;
    std::filesystem::create_directories(folder_, failure);
    if (failure) return Error{fmt::format("cannot make the folder {}", folder_.string()), "", {}};
    auto source = rewrite_file(request_.source, request_.shown_as, false);
    if (!source) return source.errors();
    tree_.source = *source;
    return std::move(tree_);
  }

 private:
  // The rewritten copy; each file is rewritten once, so that `#pragma once` and include guards work.
  Result<std::filesystem::path> rewrite_file(const std::filesystem::path& path, const std::string& shown_as,
                                             bool conditional) {
    std::error_code ignored;
    const std::filesystem::path identity = std::filesystem::weakly_canonical(path, ignored);
    if (const auto known = copies_.find(identity); known != copies_.end()) return known->second;
    if (copies_.size() >= most_files) {
      return Error{fmt::format("includes more than {} headers", most_files), "", {request_.shown_as, 0, 0}};
    }
    const std::filesystem::path copy = folder_ / copy_name(copies_.size(), path);
    copies_.emplace(identity, copy);
    ++tree_.files;
    auto content = read_text_file(path);
    if (!content) return content.errors();
    const std::string text = as_utf8(std::move(*content));
    FileRewriter file(text, shown_as, conditional, macros_);
    if (std::any_of(file.source().tokens.begin(), file.source().tokens.end(),
                    [](const Token& token) { return token.is_identifier() && is_cooperative(token.text); }))
      tree_.threads_cooperate = true;
    for (const Directive& directive : file.source().directives) {
      if (auto errors = rewrite_include(text, path, shown_as, directive, file)) return *errors;
    }
    if (auto error = file.rewrite()) return *error;
    auto written = write_file_atomically(
        copy, fmt::format("#line 1 {}\n{}", string_literal(shown_as), file.edits().apply(text)));
    if (!written) return written.errors();
    return copy;
  }

  std::optional<Errors> rewrite_include(const std::string& text, const std::filesystem::path& path,
                                        const std::string& shown_as, const Directive& directive,
                                        FileRewriter& file) {
    const auto include = read_include(text, directive);
    if (!include || is_search_over()) return std::nullopt;
    spend_search(steps_of_an_include);
    const auto found = find_include(*include, path, request_.include_directories, readable_);
    if (found) {
      auto copy =
          rewrite_file(*found, shown_name(*include, *found, path, shown_as), file.is_conditional(directive));
      if (!copy) return copy.errors();
      file.edits().replace(include->begin, include->end, string_literal(copy->string()));
      return std::nullopt;
    }
    if (has_header(request_.device_headers, include->name)) return std::nullopt;
    if (const auto header = unsupported_header(include->name)) {
      if (auto error = file.report_header(*header, directive)) return Errors{*error};
    }
    return std::nullopt;
  }

  // The name of a header in messages. A header beside its includer is named with the includer's folder as the
  // user wrote it.
  static std::string shown_name(const Include& include, const std::filesystem::path& found,
                                const std::filesystem::path& including,
                                const std::string& including_shown_as) {
    if (found != (including.parent_path() / include.name).lexically_normal()) return found.string();
    const auto folder = std::filesystem::path(including_shown_as).parent_path();
    return (folder / include.name).lexically_normal().string();
  }

  const RewriteRequest& request_;
  std::filesystem::path folder_;
  ReadablePaths readable_;
  std::map<std::filesystem::path, std::filesystem::path> copies_;
  QualifierMacros macros_;
  RewrittenTree tree_;
};

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

std::filesystem::path rewritten_source(const RewriteRequest& request) {
  return request.output_directory / "rewritten" / copy_name(0, request.source);
}

Result<RewrittenTree> rewrite_tree(const RewriteRequest& request) {
  [[maybe_unused]] SearchBudget budget;
  return TreeRewriter(request).run();
}

Result<std::string> rewrite_text(const std::string& text, const std::string& shown_as) {
  [[maybe_unused]] SearchBudget budget;
  QualifierMacros macros;
  FileRewriter file(text, shown_as, false, macros);
  if (auto error = file.rewrite()) return *error;
  return file.edits().apply(text);
}

}  // namespace kgrade::emulated
