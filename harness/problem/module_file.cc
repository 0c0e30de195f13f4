#include "problem/module_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/dtype.h"
#include "base/text.h"
#include "problem/fields.h"
#include "problem/problem.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_dimensions = 16;
constexpr std::size_t longest_slug = 100;

// The text in double quotes. A quoted text of JSON is also valid in YAML.
std::string yaml_text(const Json& text) { return text.dump(-1, ' ', true, Json::error_handler_t::replace); }

// Thrown to refuse a file. Many places throw it, and one place catches and reports it.
struct Refused {
  std::string message;
  std::string remedy;
};

[[noreturn]] void refuse(std::string message, std::string remedy = "") {
  throw Refused{std::move(message), std::move(remedy)};
}

const Json& member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(fmt::format("cannot be described: no '{}'", key));
  return *found;
}

std::string text_of(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_string()) refuse(fmt::format("cannot be described: '{}' is no text", key));
  return value.get<std::string>();
}

// A tensor without dimensions has one element.
std::string shape_text(const Json& tensor, const std::string& name) {
  const Json& shape = member(tensor, "shape");
  if (!shape.is_array()) refuse(fmt::format("cannot be described: the shape of '{}' is no list", name));
  if (shape.size() > most_dimensions)
    refuse(fmt::format("'{}' has more than {} dimensions", name, most_dimensions));
  std::vector<std::string> extents;
  for (const Json& extent : shape) {
    if (!extent.is_number_integer() || extent.get<std::int64_t>() < 1)
      refuse(fmt::format("'{}' has no elements", name), "give it a shape without zeros");
    extents.push_back(std::to_string(extent.get<std::int64_t>()));
  }
  return extents.empty() ? "[1]" : fmt::format("[{}]", fmt::join(extents, ", "));
}

// The type of a tensor's elements in C++.
std::string type_text(const Json& tensor, const std::string& name) {
  const std::string type = text_of(tensor, "dtype");
  const ScalarType* const known = find_scalar_type(cuda_name(type));
  if (known == nullptr || !known->element)
    refuse(fmt::format("'{}' is of type {}, which kgrade does not have", name, type),
           "use a floating type of 8 to 64 bits, an integer type or bool");
  return std::string(known->name);
}

// The `compare` of an output that holds indices of an input's elements, as argmax returns.
std::string compare_text(const Json& output) {
  const auto ties = output.find("ties");
  if (ties == output.end() || ties->is_null()) return "";
  const std::string input = text_of(*ties, "input");
  const Json& axis = member(*ties, "axis");
  std::string inside = axis.is_null() ? input : fmt::format("{}, {}", input, axis.get<std::int64_t>());
  if (ties->value("distinct", false)) inside += ", distinct";
  return ", compare: " + yaml_text(fmt::format("ties({})", inside));
}

std::string init_text(const Json& tensor, const std::string& name) {
  const Json& draw = member(tensor, "draw");
  if (draw.is_null()) return "computed";
  const std::string kind = text_of(draw, "kind");
  const double first = member(draw, "first").get<double>();
  if (kind == "constant") return fmt::format("constant({})", first);
  const double second = member(draw, "second").get<double>();
  // Integers beyond this size are not exact in a double.
  constexpr double largest_integer = 1LL << 53;
  if (kind == "integers" && std::max(std::abs(first), std::abs(second)) > largest_integer)
    refuse(fmt::format("the input '{}' is drawn from integers that are too large", name),
           "draw them below 2**53");
  if (kind == "integers")
    return fmt::format("integers({}, {})", static_cast<std::int64_t>(first),
                       static_cast<std::int64_t>(second));
  if (kind != "uniform" && kind != "normal") refuse("cannot be described: a draw of kind " + kind);
  return fmt::format("{}({}, {})", kind, first, second);
}

class ProblemText {
 public:
  ProblemText(const Json& description, const std::filesystem::path& path)
      : description_(description), path_(path), dtype_(dtype_from(description.value("dtype", "float32"))) {
    if (!dtype_) refuse("cannot be described: 'dtype' is no type that a file may have");
    // A file in float32 can be cast to other types. Other files keep the types that they give their tensors.
    for (const Dtype dtype : var_dtypes) {
      const bool is_cast = dtype_ == Dtype::float32 && !has_narrow_tensors();
      if (is_cast || dtype == dtype_) dtypes_.push_back(to_string(dtype));
    }
  }

  std::string write() {
    const std::string slug = slug_of_module_file(path_);
    if (!is_slug(slug))
      refuse("its name gives no slug", "rename it: letters and digits, as in 23_Softmax.py");
    std::string title = text_of(description_, "title");
    if (title.empty()) title = path_.stem().string();
    text_ = fmt::format(
        "---\nslug: {}\ntitle: {}\ndifficulty: EASY\nsource: {}\nreference: {}\nparameters:\n", slug,
        yaml_text(title), yaml_text(path_.filename().string()), yaml_text(path_.filename().string()));
    for (const char* kind : {"inputs", "weights"}) {
      for (const Json& tensor : member(description_, kind)) add_tensor(tensor, true);
    }
    const Json& outputs = member(description_, "outputs");
    for (const Json& tensor : outputs) add_tensor(tensor, false);
    // Integers are compared exactly.
    const bool is_exact =
        !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const Json& output) {
          return integer_dtype_from(text_of(output, "dtype")).has_value();
        });
    text_ += fmt::format("dtypes: [{}]\nprecision: {}\ncases:\n  - {{name: kernelbench, role: bench}}\n",
                         fmt::join(dtypes_, ", "),
                         is_exact               ? "exact"
                         : has_narrow_tensors() ? "bf16"
                                                : "fp32");
    // If a small rounding can choose another code of 8 bits, answers may be as far off as in bfloat16.
    if (!is_exact && description_.value("chooses_codes", false)) {
      const std::string bf16 = fmt::format("{{bf16: {}}}", default_thresholds(Dtype::bfloat16).bf16);
      text_ += dtype_ == Dtype::float32 ? fmt::format("thresholds: {}\n", bf16)
                                        : fmt::format("thresholds: {{{}: {}}}\n", to_string(*dtype_), bf16);
    }
    if (const auto terms = description_.find("terms");
        terms != description_.end() && terms->is_number_integer())
      text_ += fmt::format("terms: {}\n", std::max<std::int64_t>(1, terms->get<std::int64_t>()));
    add_left_out_families();
    add_torch();
    text_ += fmt::format("---\n`Model` of {} says what to compute.\n", path_.filename().string());
    for (const Json& note : member(description_, "notes"))
      if (note.is_string()) text_ += "\n" + one_line(note.get<std::string>()) + "\n";
    return text_;
  }

 private:
  static std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return text;
  }

  // Whether forward() or one of its tensors has a floating type below float32.
  bool has_narrow_tensors() const { return description_.value("is_narrow", false); }

  void add_tensor(const Json& tensor, bool is_input) {
    const std::string name = text_of(tensor, "name");
    const bool is_var = text_of(tensor, "dtype") == to_string(*dtype_);
    const std::string type = is_var ? yaml_text(element_type_name) : yaml_text(type_text(tensor, name));
    if (is_input && is_var) leave_out_dtypes(init_text(tensor, name));
    text_ +=
        fmt::format("  - {{name: {}, type: {}, pointer: true, const: {}, shape: {}{}}}\n", yaml_text(name),
                    type, is_input, shape_text(tensor, name),
                    is_input ? fmt::format(", init: \"{}\"", init_text(tensor, name)) : compare_text(tensor));
  }

  // If forward() has an operator that is defined only for some numbers, inputs that are never negative get no
  // negative elements.
  void add_left_out_families() {
    const auto is_ranged = description_.find("is_ranged");
    if (is_ranged == description_.end() || *is_ranged != true) return;
    std::vector<std::string> inputs;
    for (const Json& input : member(description_, "inputs")) {
      const Json& draw = member(input, "draw");
      if (!draw.is_null() && text_of(draw, "kind") == "uniform" && member(draw, "first").get<double>() >= 0)
        inputs.push_back(fmt::format("{}: {{signs: an operator may refuse negative numbers}}",
                                     yaml_text(text_of(input, "name"))));
    }
    if (!inputs.empty()) text_ += fmt::format("without: {{{}}}\n", fmt::join(inputs, ", "));
  }

  // Removes the types that cannot hold the values of `init`.
  void leave_out_dtypes(const std::string& init) {
    const auto parsed = parse_init(init);
    if (parsed)
      std::erase_if(dtypes_, [&](std::string_view name) { return !can_hold(*dtype_from(name), *parsed); });
  }

  void add_torch() {
    const Json given = {{"positional", member(description_, "positional")},
                        {"keywords", member(description_, "keywords")}};
    std::vector<std::string> forward;
    for (const Json& argument : member(description_, "forward"))
      forward.push_back(
          yaml_text(argument.contains("input") ? member(argument, "input") : Json(argument.dump())));
    text_ += fmt::format("torch:\n  given: {}\n  forward: [{}]\n", yaml_text(given.dump()),
                         fmt::join(forward, ", "));
    Json axes = Json::object();
    for (const Json& input : member(description_, "inputs"))
      if (input.contains("axes")) axes[text_of(input, "name")] = member(input, "axes");
    if (!axes.empty()) text_ += fmt::format("  axes: {}\n", yaml_text(axes.dump()));
    std::vector<std::string> weights;
    for (const Json& weight : member(description_, "weights"))
      weights.push_back(fmt::format("{}: {}", yaml_text(text_of(weight, "name")),
                                    yaml_text(text_of(weight, "module_name"))));
    if (!weights.empty()) text_ += fmt::format("  weights: {{{}}}\n", fmt::join(weights, ", "));
    std::vector<std::string> changing;
    for (const Json& buffer : member(description_, "buffers"))
      if (buffer.value("changes", false)) changing.push_back(yaml_text(text_of(buffer, "module_name")));
    if (!changing.empty()) text_ += fmt::format("  free: [{}]\n", fmt::join(changing, ", "));
    std::vector<std::string> views;
    for (const Json& output : member(description_, "outputs"))
      if (output.value("of_input", false)) views.push_back(yaml_text(text_of(output, "name")));
    if (!views.empty()) text_ += fmt::format("  views: [{}]\n", fmt::join(views, ", "));
    text_ += fmt::format("  mode: {}\n", yaml_text(text_of(description_, "mode")));
    if (const auto operators = description_.find("operators");
        operators != description_.end() && operators->is_number_integer() && *operators > 0)
      text_ += fmt::format("  operators: {}\n", operators->get<std::int64_t>());
  }

  const Json& description_;
  const std::filesystem::path& path_;
  std::optional<Dtype> dtype_;            // of the tensors that become [VAR]
  std::vector<std::string_view> dtypes_;  // types that the file can be graded in
  std::string text_;
};

}  // namespace

bool is_module_file(const std::filesystem::path& path) { return path.extension() == ".py"; }

std::string slug_of_module_file(const std::filesystem::path& path) {
  const std::string folder = path.parent_path().filename().string();
  const std::string slug = slug_from(path.stem().string()).substr(0, longest_slug);
  // Each level numbers its problems from 1.
  return folder.starts_with("level") ? slug_from(folder).substr(0, longest_slug) + "-" + slug : slug;
}

Result<std::string> problem_text_of(std::string_view description, const std::filesystem::path& path) {
  const Json json = Json::parse(description, nullptr, false);
  Location place{path.string(), 0, 0};
  try {
    if (!json.is_object()) refuse("cannot be described: the interpreter gave no answer");
    if (json.contains("error")) {
      if (const auto line = json.find("line");
          line != json.end() && line->is_number_unsigned() && *line < 1'000'000'000)
        place.line = line->get<int>();
      return Error{text_of(json, "error"), "", place};
    }
    return ProblemText(json, path).write();
  } catch (const Refused& refused) {
    return Error{refused.message, refused.remedy, place};
  } catch (const Json::exception&) {
    return Error{"cannot be described: the interpreter's answer is none", "", place};
  }
}

}  // namespace kgrade
