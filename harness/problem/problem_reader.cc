#include "problem/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "problem/families.h"
#include "problem/fields.h"
#include "problem/read_domain.h"

namespace kgrade {
namespace {

constexpr std::size_t most_formulas = 200;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = {
      "slug",      "title",   "difficulty", "author",     "tags",      "family", "parameters",
      "dtypes",    "let",     "require",    "defaults",   "cases",     "fuzz",   "flops",
      "bytes",     "extents", "precision",  "thresholds", "libraries", "source", "torch",
      "reference", "terms",   "domain",     "without",    "harmless"};
  return keys;
}

// Reads the keys into a Problem, except `family`, path, statement and digest. Each key without a file of its
// own has a member function. `root` is a map. `file` is the place of errors about missing keys.
class ProblemReader {
 public:
  ProblemReader(const YamlNode& root, std::string file, Diagnostics& diagnostics)
      : root_(root), file_(std::move(file)), diagnostics_(diagnostics) {}

  Problem read() {
    read_head();
    const bool sound = read_signature();
    const bool sound_formulas = read_formulas();
    read_grading();
    // With unsound parameters these would only repeat errors.
    if (sound) {
      read_domains(root_, problem_, diagnostics_);
      read_cases(root_, problem_, diagnostics_);
      if (const YamlNode* torch = root_.find("torch"))
        problem_.torch = read_torch(*torch, problem_, diagnostics_);
      if (sound_formulas) check_names(problem_, diagnostics_);
      check_values_of_dtypes(problem_, diagnostics_);
      check_computed_inputs();
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
    if (const YamlNode* reference = root_.find("reference")) read_reference(*reference);
  }

  bool read_signature() {
    const YamlNode* parameters = require("parameters", "parameters:");
    if (parameters == nullptr) return false;
    problem_.parameters = read_parameters(*parameters, problem_.has_model(), diagnostics_);
    if (!parameters->is_sequence() || problem_.parameters.size() != parameters->children.size()) return false;
    const YamlNode* extents = root_.find("extents");
    return extents == nullptr || read_extents(*extents, problem_.parameters, diagnostics_);
  }

  // False if a name that other expressions use may be missing.
  bool read_formulas() {
    const YamlNode* let = root_.find("let");
    const bool sound = let == nullptr || read_let(*let);
    if (const YamlNode* requirements = root_.find("require")) read_require(*requirements);
    if (const YamlNode* flops = root_.find("flops"))
      problem_.flops = read_expression(*flops, "'flops'", diagnostics_);
    if (const YamlNode* terms = root_.find("terms"))
      problem_.terms = read_expression(*terms, "'terms'", diagnostics_);
    if (const YamlNode* bytes = root_.find("bytes"))
      problem_.bytes = read_expression(*bytes, "'bytes'", diagnostics_);
    return sound;
  }

  void read_grading() {
    read_dtypes(root_, problem_, diagnostics_);
    if (const YamlNode* precision = root_.find("precision")) read_precision(*precision);
    if (const YamlNode* libraries = root_.find("libraries")) read_libraries(*libraries);
    if (const YamlNode* harmless = root_.find("harmless")) read_harmless(*harmless);
  }

  void read_harmless(const YamlNode& node) {
    if (!expect_map(node, "'harmless'", "`{operands-in-tf32: why}`", max_parameters, diagnostics_)) return;
    for (const YamlNode& entry : node.children) {
      if (const auto reason = read_text(entry, fmt::format("'{}'", entry.key), diagnostics_))
        problem_.harmless.emplace(entry.key, LeftOut{*reason, entry.key_location});
    }
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

  void read_reference(const YamlNode& node) {
    read_into(node, problem_.reference);
    const std::filesystem::path file(problem_.reference);
    if (problem_.reference.empty() || (file.extension() == ".py" && file == file.filename())) return;
    diagnostics_.add(
        node.place(), fmt::format("'reference' is {}", in_quotes(problem_.reference)),
        "write the name of a Python file beside this one, as in 23_Softmax.py, or leave it out for "
        "reference/<slug>.cu");
  }

  // Reports computed weights of a Model, because get_inputs() only makes the inputs of forward().
  void check_computed_inputs() {
    for (const Parameter& parameter : problem_.parameters) {
      if (!parameter.init || parameter.init->kind != Init::Kind::computed) continue;
      const bool is_weight = problem_.torch && problem_.torch->weight_of(parameter.name) != nullptr;
      if (!(problem_.has_model() && is_weight)) continue;
      diagnostics_.add(
          parameter.location,
          fmt::format("'init' of '{}' is computed, and get_inputs() gives no weights", parameter.name),
          "write uniform(lo, hi) or another distribution");
    }
  }

  // An empty author counts as missing.
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
      if (auto condition = read_condition(child, "'require'", diagnostics_)) {
        problem_.require.push_back(*std::move(condition));
      }
    }
  }

  void read_precision(const YamlNode& node) {
    read_into(node, problem_.precision);
    const std::vector<std::string> known = {"exact", "fp32", "fp32 only", "tf32", "bf16"};
    if (problem_.is_exact()) return check_exact(node);
    problem_.only_fp32 = problem_.precision == "fp32 only";
    if (problem_.only_fp32) {
      problem_.precision = "fp32";
      if (const YamlNode* thresholds = root_.find("thresholds")) check_only_fp32(*thresholds);
      return;
    }
    if (std::find(known.begin(), known.end(), problem_.precision) != known.end()) return;
    diagnostics_.add(node.place(), fmt::format("unknown precision {}", in_quotes(problem_.precision)),
                     suggestion_of_known(problem_.precision, known));
  }

  // Parameters that could not be read have an error already.
  void check_exact(const YamlNode& node) {
    const auto by_norm = std::find_if(
        problem_.parameters.begin(), problem_.parameters.end(),
        [](const Parameter& parameter) { return parameter.is_output() && has_norm(parameter.compare.kind); });
    if (by_norm != problem_.parameters.end()) {
      diagnostics_.add(
          node.place(),
          fmt::format("'precision' is exact, and the output '{}' is compared by the norm", by_norm->name),
          "write fp32, tf32 or bf16; or give the output `compare: exact`, if it holds moved values, or "
          "an integer type");
    }
    if (const YamlNode* thresholds = root_.find("thresholds")) {
      diagnostics_.add(
          thresholds->key_location,
          "'precision' is exact, and 'thresholds' says how far off an answer may be: no element may be",
          "remove the thresholds");
    }
  }

  // Reports thresholds of classes that the problem does not have.
  void check_only_fp32(const YamlNode& thresholds) {
    for (const YamlNode& entry : thresholds.children) {
      if (entry.key == "tf32" || entry.key == "bf16")
        diagnostics_.add(entry.key_location,
                         fmt::format("'precision' is fp32 only, and 'thresholds' has {}", entry.key),
                         "remove this class, or write `precision: fp32`");
      check_only_fp32(entry);
    }
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

// Reports unknown keys. False if `root` is not a map.
bool check_keys(const YamlNode& root, std::string_view what, Diagnostics& diagnostics) {
  if (!expect_map(root, what, "keys with values, as in `slug: vector-add`", 200, diagnostics)) return false;
  refuse_unknown_keys(root, known_keys(), what, diagnostics);
  return true;
}

// The parsed file. On an error that makes further reading pointless, reports it and returns nothing. `what`
// names the frontmatter in messages.
std::optional<Frontmatter> parse_file(std::string_view content, const std::string& file,
                                      std::string_view what, Diagnostics& diagnostics) {
  auto frontmatter = read_frontmatter(content, file, diagnostics);
  if (!frontmatter) {
    diagnostics.add(frontmatter.errors());
    return std::nullopt;
  }
  if (!check_keys(frontmatter->root, what, diagnostics)) return std::nullopt;
  return std::move(*frontmatter);
}

// Whether the file is a family's, which is not a problem.
bool is_family(const YamlNode& root, const std::filesystem::path& path) {
  return path.parent_path().filename() == families_beside("").filename() && root.find("slug") == nullptr;
}

// A remedy for an author who may not know what a family is, because there is none yet.
std::string how_to_add_a_family(const std::string& name, const Families* families) {
  if (families == nullptr || !is_slug(name))
    return "there are no families: write NAME.md into the folder `families` beside this file";
  const std::filesystem::path file = families->path(name);
  return fmt::format(
      "families are files beside the problems, and {} holds none: write {}, or remove `family` and write "
      "all of it here",
      file.parent_path().string(), file.string());
}

// The name, if there is such a family. Only a name that was found is ever made a path.
std::optional<std::string> family_name(const YamlNode& node, const Families* families,
                                       Diagnostics& diagnostics) {
  const auto name = read_text(node, "'family'", diagnostics);
  if (!name) return std::nullopt;
  const auto known = families != nullptr ? families->names() : std::vector<std::string>();
  if (std::find(known.begin(), known.end(), *name) != known.end()) return name;
  diagnostics.add(node.place(), fmt::format("there is no family {}", in_quotes(*name)),
                  known.empty() ? how_to_add_a_family(*name, families) : suggestion_of_known(*name, known));
  return std::nullopt;
}

std::string joined_statements(std::string_view own, std::string_view family) {
  const std::string_view first = trimmed(own);
  return first.empty() ? std::string(family) : fmt::format("{}\n\n{}", first, family);
}

// Merges the family into `problem`. False if the family cannot be read.
bool add_family(const std::string& name, const Families& families, Frontmatter& problem, std::string& digest,
                Diagnostics& diagnostics) {
  const auto content = families.content(name);
  if (!content) {
    diagnostics.add(content.errors());
    return false;
  }
  const auto family = parse_file(*content, families.path(name).string(), "a family", diagnostics);
  if (!family) return false;
  problem.root = merge_family(family->root, problem.root, name, diagnostics);
  problem.statement = joined_statements(problem.statement, family->statement);
  digest = sha256_hex(fmt::format("{}\n{}\n", digest, sha256_hex(*content)));
  return true;
}

}  // namespace

Result<Problem> parse_problem(std::string_view content, const std::filesystem::path& path,
                              const Families* families) {
  const std::string file = path.string();
  Diagnostics diagnostics;
  auto parsed = parse_file(content, file, "the frontmatter", diagnostics);
  if (!parsed) return diagnostics.take();
  if (is_family(parsed->root, path)) {
    return Error{"the file is a family, no problem",
                 fmt::format("check the problems that say `family: {}`", path.stem().string()),
                 {file, 1, 1}};
  }
  std::string digest = sha256_hex(content);
  std::string family;
  if (const YamlNode* node = parsed->root.find("family")) {
    const auto name = family_name(*node, families, diagnostics);
    // Reading on without the family would report most keys as missing.
    if (!name || !add_family(*name, *families, *parsed, digest, diagnostics)) return diagnostics.take();
    family = *name;
  }
  Problem problem = ProblemReader(parsed->root, file, diagnostics).read();
  if (!diagnostics.empty()) return diagnostics.take();
  problem.path = path;
  problem.family = std::move(family);
  problem.statement = std::move(parsed->statement);
  problem.content_sha256 = std::move(digest);
  return problem;
}

Result<Problem> load_problem(const std::filesystem::path& path) {
  const auto content = read_text_file(path);
  if (!content) return content.errors();
  const FamilyFolder families(families_beside(path.parent_path()));
  return parse_problem(*content, path, &families);
}

}  // namespace kgrade
