// The keys of the frontmatter, one member function each.
#include "problem/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "problem/case_specs.h"
#include "problem/defaults.h"
#include "problem/dtypes.h"
#include "problem/fields.h"
#include "problem/names.h"
#include "problem/parameters.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

constexpr std::size_t most_formulas = 200;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = {"slug",      "title",      "difficulty", "author", "tags",
                                                "family",    "parameters", "dtypes",     "let",    "require",
                                                "defaults",  "cases",      "fuzz",       "flops",  "bytes",
                                                "precision", "thresholds", "libraries",  "source"};
  return keys;
}

class ProblemReader {
 public:
  ProblemReader(const YamlNode& root, std::string file, Diagnostics& diagnostics)
      : root_(root), file_(std::move(file)), diagnostics_(diagnostics) {}

  Problem read() {
    read_head();
    const bool sound = read_signature();
    const bool sound_formulas = read_formulas();
    read_grading();
    // Without sound parameters these would only repeat what is said already.
    if (sound) {
      read_values();
      if (sound_formulas) check_names(problem_, diagnostics_);
      check_values_of_dtypes(problem_, diagnostics_);
    }
    return std::move(problem_);
  }

 private:
  void read_head() {
    read_slug();
    if (const YamlNode* title = require("title", "title: Vector addition")) read_into(*title, problem_.title);
    read_difficulty();
    if (const YamlNode* author = root_.find("author")) read_author(*author);
    if (const YamlNode* tags = root_.find("tags")) problem_.tags = read_texts(*tags, "[convolution]");
    if (const YamlNode* source = root_.find("source")) read_into(*source, problem_.source);
  }

  bool read_signature() {
    const YamlNode* parameters = require("parameters", "parameters:");
    if (parameters == nullptr) return false;
    problem_.parameters = read_parameters(*parameters, diagnostics_);
    return parameters->is_sequence() && problem_.parameters.size() == parameters->children.size();
  }

  void read_values() {
    Defaults defaults;
    if (const YamlNode* node = root_.find("defaults")) {
      defaults = read_defaults(*node, problem_.parameters, diagnostics_);
    }
    if (const YamlNode* cases = root_.find("cases")) {
      problem_.cases = read_cases(*cases, problem_.parameters, defaults, diagnostics_);
    }
    if (const YamlNode* fuzz = root_.find("fuzz"))
      problem_.fuzz = read_fuzz(*fuzz, problem_.parameters, diagnostics_);
  }

  // False when a name that other expressions use may be missing.
  bool read_formulas() {
    const YamlNode* let = root_.find("let");
    const bool sound = let == nullptr || read_let(*let);
    if (const YamlNode* requirements = root_.find("require")) read_require(*requirements);
    if (const YamlNode* flops = root_.find("flops"))
      problem_.flops = read_expression(*flops, "'flops'", diagnostics_);
    if (const YamlNode* bytes = root_.find("bytes"))
      problem_.bytes = read_expression(*bytes, "'bytes'", diagnostics_);
    return sound;
  }

  void read_grading() {
    read_dtypes(root_, problem_, diagnostics_);
    if (const YamlNode* precision = root_.find("precision")) read_precision(*precision);
    if (const YamlNode* libraries = root_.find("libraries")) read_libraries(*libraries);
  }

  const YamlNode* require(std::string_view key, std::string_view example) {
    const YamlNode* found = root_.find(key);
    if (found == nullptr) {
      diagnostics_.add({file_, 1, 1}, fmt::format("the frontmatter has no '{}'", key),
                       fmt::format("write `{}`", example));
    }
    return found;
  }

  void read_into(const YamlNode& node, std::string& target) {
    if (const auto text = read_text(node, fmt::format("'{}'", node.key), diagnostics_)) target = *text;
  }

  void read_slug() {
    const YamlNode* slug = require("slug", "slug: vector-add");
    if (slug == nullptr) return;
    read_into(*slug, problem_.slug);
    if (problem_.slug.empty() || is_slug(problem_.slug)) return;
    diagnostics_.add(slug->location, fmt::format("{} cannot be a slug", in_quotes(problem_.slug)),
                     "use lower-case letters, digits and hyphens, beginning with a letter or digit");
  }

  void read_difficulty() {
    const YamlNode* node = require("difficulty", "difficulty: EASY");
    if (node == nullptr) return;
    std::string text;
    read_into(*node, text);
    for (const Difficulty known : {Difficulty::easy, Difficulty::medium, Difficulty::hard}) {
      if (text != to_string(known)) continue;
      problem_.difficulty = known;
      return;
    }
    if (text.empty()) return;
    diagnostics_.add(node->location, fmt::format("unknown difficulty {}", in_quotes(text)),
                     "write EASY, MEDIUM or HARD");
  }

  // An empty author is as good as none.
  void read_author(const YamlNode& node) {
    const bool empty = node.kind == YamlNode::Kind::null || (node.is_scalar() && node.value.empty());
    if (!empty) read_into(node, problem_.author);
  }

  std::vector<std::string> read_texts(const YamlNode& node, std::string_view example) {
    std::vector<std::string> texts;
    const std::string what = fmt::format("'{}'", node.key);
    if (!expect_sequence(node, what, fmt::format("a list, as in {}", example), most_formulas, diagnostics_)) {
      return texts;
    }
    for (const YamlNode& child : node.children) {
      if (auto text = read_text(child, "an item of " + what, diagnostics_)) texts.push_back(*std::move(text));
    }
    return texts;
  }

  bool read_let(const YamlNode& node) {
    if (!expect_map(node, "'let'", "a map: `out_height: height - kernel_h + 1`, and so on", most_formulas,
                    diagnostics_)) {
      return false;
    }
    for (const YamlNode& entry : node.children) {
      auto expression = read_expression(entry, "'let' " + in_quotes(entry.key), diagnostics_);
      if (expression) problem_.let.emplace_back(entry.key, *std::move(expression));
    }
    return problem_.let.size() == node.children.size();
  }

  void read_require(const YamlNode& node) {
    if (!expect_sequence(node, "'require'", "a list: `- in_channels % groups == 0`, and so on", most_formulas,
                         diagnostics_)) {
      return;
    }
    for (const YamlNode& child : node.children) {
      if (auto condition = read_expression(child, "'require'", diagnostics_)) {
        problem_.require.push_back(*std::move(condition));
      }
    }
  }

  void read_precision(const YamlNode& node) {
    read_into(node, problem_.precision);
    const std::vector<std::string> known = {"fp32", "tf32", "bf16"};
    if (std::find(known.begin(), known.end(), problem_.precision) != known.end()) return;
    diagnostics_.add(node.place(), fmt::format("unknown precision {}", in_quotes(problem_.precision)),
                     suggestion_of_known(problem_.precision, known));
  }

  void read_libraries(const YamlNode& node) {
    std::string text;
    read_into(node, text);
    for (const Libraries known : {Libraries::any, Libraries::none}) {
      if (text != to_string(known)) continue;
      problem_.libraries = known;
      return;
    }
    if (text.empty()) return;
    diagnostics_.add(node.place(), fmt::format("'libraries' is {}", in_quotes(text)),
                     "write `any`, or `none` to forbid all but the C and C++ runtime and the CUDA driver");
  }

  const YamlNode& root_;
  std::string file_;
  Diagnostics& diagnostics_;
  Problem problem_;
};

}  // namespace

bool check_keys(const YamlNode& root, std::string_view what, Diagnostics& diagnostics) {
  if (!expect_map(root, what, "keys with values, as in `slug: vector-add`", 200, diagnostics)) return false;
  refuse_unknown_keys(root, known_keys(), what, diagnostics);
  return true;
}

Problem read_problem(const YamlNode& root, const std::string& file, Diagnostics& diagnostics) {
  return ProblemReader(root, file, diagnostics).read();
}

}  // namespace kgrade
