#include "problem/problem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "problem/families.h"
#include "problem/keys.h"
#include "problem/read_domain.h"

namespace kgrade {
namespace {

constexpr std::size_t most_formulas = 200;

const TextForm python_file = {"^[^/]+\\.py$",
                              [](std::string_view text) {
                                const std::filesystem::path file(text);
                                return file.extension() == ".py" && file == file.filename();
                              },
                              {"write the name of a Python file beside this one, as in 23_Softmax.py, or "
                               "leave it out for reference/<slug>.cu"}};

const WordForm<std::string> precisions = {{"exact", "fp32", "fp32 only", "tf32", "bf16"},
                                          {"", "unknown precision {}"}};

// Reads the keys into a Problem, except `family`, path, statement and digest. A key that no other file reads
// has a member function here.
class ProblemReader {
 public:
  explicit ProblemReader(Keys& keys) : keys_(keys), diagnostics_(keys.diagnostics()) {}

  Problem read() {
    read_head();
    const bool sound = read_parameters(keys_, problem_);
    const bool sound_formulas = read_formulas();
    read_grading();
    // If the parameters have errors, these readers would only repeat them.
    if (sound || keys_.describes()) {
      read_domains(keys_, problem_);
      read_cases(keys_, problem_);
      problem_.precision_of_file = problem_.precision;
      choose_cases_of_dtype(problem_);
      problem_.torch = read_torch(keys_, problem_);
      if (sound_formulas) check_names(problem_, diagnostics_);
      check_values_of_dtypes(problem_, diagnostics_);
      check_computed_inputs();
    }
    return std::move(problem_);
  }

 private:
  void read_head() {
    keys_.read_required("slug", "slug: vector-add", problem_.slug, slug_form("{} cannot be a slug"),
                        "The problem's name, which is that of its file without .md.", R"(["row-softmax"])");
    keys_.read_required("title", "title: Vector addition", problem_.title, any_text, "What people call it.",
                        R"(["Softmax over rows"])");
    keys_.read_required("difficulty", "difficulty: EASY", problem_.difficulty,
                        WordForm<Difficulty>{{Difficulty::easy, Difficulty::medium, Difficulty::hard},
                                             {"write EASY, MEDIUM or HARD", "unknown difficulty {}"}},
                        "How hard a fast kernel is to write.");
    keys_.read("author", problem_.author, TextForm{.may_be_empty = true}, "Who wrote it; may be empty.");
    keys_.read("tags", problem_.tags, ListForm{any_text, most_formulas, "a list, as in [convolution]"},
               "Words to find it by.", R"([["convolution", "depthwise"]])");
    keys_.read("source", problem_.source, any_text, "Where the problem comes from.",
               R"(["KernelBench level1/75"])");
    keys_.read("reference", problem_.reference, python_file,
               "A Python file beside this one whose class Model is the oracle (in float64) and the reference "
               "(in float32), instead of reference/<slug>.cu.",
               R"(["23_Softmax.py"])");
    keys_.find("family", slug_form(),
               "What this problem shares with others, in problems/families/<family>.md: parameters, "
               "formulas, cases and the end of the statement. What is said here comes before or beside it.",
               R"(["conv-2d"])");
  }

  // False if a name that other expressions use may be missing.
  bool read_formulas() {
    const bool sound = read_let();
    keys_.read("require", problem_.require,
               ListForm{Formula{true}, most_formulas, "a list: `- in_channels % groups == 0`, and so on"},
               "What every legal case satisfies; hidden shapes that do not are drawn again. A condition may "
               "name real parameters and hold decimal numbers.",
               R"([["in_channels % groups == 0"]])");
    keys_.read("flops", problem_.flops, Formula{},
               "The useful arithmetic of a case: a product and a sum are two.");
    keys_.read("terms", problem_.terms, Formula{},
               "The length of the longest sum in a case; without it, what `flops` and the shapes say.");
    keys_.read("bytes", problem_.bytes, Formula{},
               "The memory traffic of a case; without it all tensors once.");
    return sound;
  }

  bool read_let() {
    const auto* const entries = keys_.children(
        "let",
        MapForm{name_form, Formula{}, most_formulas, "a map: `out_height: height - kernel_h + 1`, and so on"},
        "Values worked out for each case, in this order: an entry may use those before it.",
        R"([{"out_height": "height - kernel_h + 1"}])");
    if (entries == nullptr) return false;
    for (const YamlNode& entry : *entries) {
      auto expression = read_expression(entry, "'let' " + in_quotes(entry.key), diagnostics_);
      if (expression) problem_.let.emplace_back(entry.key, *std::move(expression));
    }
    return problem_.let.size() == entries->size();
  }

  void read_grading() {
    const YamlNode* const thresholds = read_dtypes(keys_, problem_);
    read_precision(thresholds);
    keys_.read("libraries", problem_.libraries,
               WordForm<Libraries>{
                   {Libraries::any, Libraries::none},
                   {"write `any`, or `none` to forbid all but the C and C++ runtime and the CUDA driver"}},
               "`none` forbids all libraries but the C and C++ runtime and the CUDA driver.");
    read_harmless();
  }

  void read_harmless() {
    const auto* const entries = keys_.children(
        "harmless", MapForm{slug_form(), any_text, max_parameters, "`{operands-in-tf32: why}`"},
        "Short cuts that `kgrade lint` finds accepted and that are no mistakes in this problem, by name, "
        "each with the reason.",
        R"([{"operands-in-tf32": "the sum over all elements averages the error of each"}])");
    if (entries == nullptr) return;
    for (const YamlNode& entry : *entries) {
      if (const auto reason = read_text(entry, fmt::format("'{}'", entry.key), diagnostics_))
        problem_.harmless.emplace(entry.key, LeftOut{*reason, entry.key_location});
    }
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

  void read_precision(const YamlNode* thresholds) {
    const YamlNode* const node =
        keys_.find("precision", precisions,
                   "The class that an accepted answer must reach; exact where every output is compared "
                   "exactly, and then there are no thresholds; fp32 only where no candidate may ask for a "
                   "lower class, as where the arithmetic is of integers. Without it fp32.");
    const auto precision = node ? precisions.read(*node, "'precision'", diagnostics_) : std::nullopt;
    if (!precision) return;
    problem_.only_fp32 = *precision == "fp32 only";
    problem_.precision = problem_.only_fp32 ? "fp32" : *precision;
    if (problem_.is_exact()) check_exact(*node, thresholds);
    if (problem_.only_fp32 && thresholds != nullptr) check_only_fp32(*thresholds);
  }

  // Parameters that could not be read have an error already.
  void check_exact(const YamlNode& node, const YamlNode* thresholds) {
    const auto by_norm = std::find_if(
        problem_.parameters.begin(), problem_.parameters.end(),
        [](const Parameter& parameter) { return parameter.is_output() && has_norm(parameter.compare.kind); });
    if (by_norm != problem_.parameters.end()) {
      diagnostics_.add(
          node.place(),
          fmt::format("'precision' is exact, and the output '{}' is compared by the norm", by_norm->name),
          "write fp32, tf32 or bf16; or give the output `compare: exact`, if it holds moved values, or an "
          "integer type");
    }
    if (thresholds != nullptr) {
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

  Keys& keys_;
  Diagnostics& diagnostics_;
  Problem problem_;
};

// Returns the keys of a frontmatter, and describes them in `schema`.
std::vector<std::string> describe_frontmatter(Schema& schema, SchemaDefinitions& definitions) {
  Keys keys(schema, definitions);
  ProblemReader(keys).read();
  keys.nothing_else();
  return keys.names();
}

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = [] {
    Schema schema;
    SchemaDefinitions definitions;
    return describe_frontmatter(schema, definitions);
  }();
  return keys;
}

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
      "families are files beside the problems, and {} holds none: write {}, or remove `family` and write all "
      "of it here",
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
    // Without the family, the next steps would report most keys as missing.
    if (!name || !add_family(*name, *families, *parsed, digest, diagnostics)) return diagnostics.take();
    family = *name;
  }
  Keys keys(parsed->root, "the frontmatter", {file, 1, 1}, diagnostics);
  Problem problem = ProblemReader(keys).read();
  if (!diagnostics.empty()) return diagnostics.take();
  problem.path = path;
  problem.family = std::move(family);
  problem.statement = std::move(parsed->statement);
  problem.content_sha256 = std::move(digest);
  return problem;
}

Schema frontmatter_schema() {
  SchemaDefinitions definitions;
  Schema schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", "frontmatter.schema.json"},
                   {"title", "Frontmatter of a problem file"},
                   {"description",
                    "The YAML between the two lines `---` of problems/<slug>.md. problems/README.md tells "
                    "more, with examples."}};
  describe_frontmatter(schema, definitions);
  Schema family = {
      {"type", "object"},
      {"required", {"parameters"}},
      {"additionalProperties", false},
      {"description",
       "The frontmatter of problems/families/<family>.md: what a problem says but for what is its own."}};
  for (const auto& [key, value] : schema["properties"].items()) {
    if (!is_key_of_problems(key)) family["properties"][key] = {{"$ref", "#/properties/" + key}};
  }
  definitions.reference_to("family", family);
  schema["dependentSchemas"]["thresholds"]["properties"]["precision"] = {{"not", {{"const", "exact"}}}};
  // A problem with a family may leave all other keys to the family.
  Schema& required = schema["required"];
  required.erase(std::find(required.begin(), required.end(), "parameters"));
  Schema& torch = schema["properties"]["torch"];
  Schema alone = {{"required", {"parameters"}}};
  alone["properties"]["parameters"] = {
      {"minItems", 1}, {"contains", output_schema()}, {"items", {{"not", {{"required", {"after"}}}}}}};
  alone["properties"]["torch"] = {{"required", torch["required"]},
                                  {"anyOf", {{{"required", {"init"}}}, {{"required", {"given"}}}}}};
  torch.erase("required");
  schema["if"] = {{"required", {"family"}}};
  schema["else"] = alone;
  schema["$defs"] = definitions.all();
  return schema;
}

Result<Problem> load_problem(const std::filesystem::path& path) {
  const auto content = read_text_file(path);
  if (!content) return content.errors();
  const FamilyFolder families(families_beside(path.parent_path()));
  return parse_problem(*content, path, &families);
}

}  // namespace kgrade
