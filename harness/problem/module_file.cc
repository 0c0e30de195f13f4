#include "problem/module_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/dtype.h"
#include "base/first_names.h"
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

// A tensor of the whole file, as its first case has it.
struct SharedTensor {
  std::string name;
  const Json* first = nullptr;
  Dtype dtype = Dtype::float32;  // the type of [VAR] in this case
  bool is_input = false;
};

// Writes the text for a description of one case, or of several. Every case of several has its own tensors in
// the text (problem/module_case.h).
class ProblemText {
 public:
  ProblemText(const Json& description, const std::string& slug, const std::string& file)
      : description_(description), slug_(slug), file_(file) {
    if (const auto cases = description.find("cases"); cases != description.end())
      for (const Json& one : *cases) cases_.push_back(&one);
    else
      cases_.push_back(&description);
    if (cases_.empty()) refuse("cannot be described: there is no case");
    choose_types();
    for (const char* kind : {"inputs", "weights", "outputs"}) collect_tensors(kind);
  }

  std::string write() {
    if (!is_slug(slug_))
      refuse("its name gives no slug", "rename it: letters and digits, as in 23_Softmax.py");
    std::string title = text_of(description_, "title");
    if (title.empty()) title = std::filesystem::path(file_).stem().string();
    text_ =
        fmt::format("---\nslug: {}\ntitle: {}\ndifficulty: EASY\nsource: {}\nreference: {}\nparameters:\n",
                    slug_, yaml_text(title), yaml_text(file_), yaml_text(file_));
    for (const SharedTensor& tensor : tensors_) add_tensor(tensor);
    add_scalars();
    // Integers are compared exactly.
    const bool is_exact = std::ranges::all_of(cases_, [](const Json* one) {
      const Json& outputs = member(*one, "outputs");
      return !outputs.empty() && std::ranges::all_of(outputs, [](const Json& output) {
        return integer_dtype_from(text_of(output, "dtype")).has_value();
      });
    });
    text_ += fmt::format("dtypes: [{}]\nprecision: {}\ncases:\n", fmt::join(dtypes_, ", "),
                         is_exact               ? "exact"
                         : has_narrow_tensors() ? "bf16"
                                                : "fp32");
    if (is_single())
      text_ += "  - {name: kernelbench, role: bench}\n";
    else
      for (const Json* one : cases_) add_case(*one);
    // If a small rounding can choose another code of 8 bits, answers may be as far off as in bfloat16.
    if (!is_exact && any_case("chooses_codes")) {
      const std::string bf16 = fmt::format("{{bf16: {}}}", default_thresholds(Dtype::bfloat16).bf16);
      text_ += dtype_ == Dtype::float32 ? fmt::format("thresholds: {}\n", bf16)
                                        : fmt::format("thresholds: {{{}: {}}}\n", to_string(dtype_), bf16);
    }
    if (const auto terms = terms_of(*cases_[0])) text_ += fmt::format("terms: {}\n", *terms);
    add_left_out_families();
    add_torch();
    text_ += fmt::format("---\n`Model` of {} says what to compute.\n", file_);
    add_notes();
    return text_;
  }

 private:
  static std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return text;
  }

  static Dtype type_of(const Json& one) {
    const auto dtype = dtype_from(one.value("dtype", "float32"));
    if (!dtype) refuse("cannot be described: 'dtype' is no type that a file may have");
    return *dtype;
  }

  static std::optional<std::int64_t> terms_of(const Json& one) {
    const auto terms = one.find("terms");
    if (terms == one.end() || !terms->is_number_integer()) return std::nullopt;
    return std::max<std::int64_t>(1, terms->get<std::int64_t>());
  }

  bool is_single() const { return !description_.contains("cases"); }

  bool any_case(const char* key) const {
    return std::ranges::any_of(cases_, [key](const Json* one) { return one->value(key, false); });
  }

  // Whether forward() or one of its tensors has a floating type below float32, in a case of float32 if there
  // is any.
  bool has_narrow_tensors() const {
    return std::ranges::any_of(cases_, [this](const Json* one) {
      return one->value("is_narrow", false) && (type_of(*one) == Dtype::float32 || !has_float32_);
    });
  }

  // The type of most cases is the first one. A file whose cases all are in float32 can be cast to other
  // types. Other files keep the types that they give their tensors.
  void choose_types() {
    std::vector<std::pair<Dtype, int>> counts;
    for (const Json* one : cases_) {
      const auto found = std::ranges::find(counts, type_of(*one), &std::pair<Dtype, int>::first);
      if (found == counts.end())
        counts.emplace_back(type_of(*one), 1);
      else
        ++found->second;
    }
    std::ranges::stable_sort(counts, std::greater(), &std::pair<Dtype, int>::second);
    dtype_ = counts.front().first;
    has_float32_ = std::ranges::find(counts, Dtype::float32, &std::pair<Dtype, int>::first) != counts.end();
    has_several_types_ = counts.size() > 1;
    if (dtype_ != Dtype::float32 || has_several_types_ || has_narrow_tensors()) {
      for (const auto& [dtype, count] : counts) dtypes_.push_back(to_string(dtype));
    } else {
      for (const Dtype dtype : var_dtypes) dtypes_.push_back(to_string(dtype));
    }
    std::ranges::stable_sort(cases_, [this](const Json* a, const Json* b) {
      return type_of(*a) == dtype_ && type_of(*b) != dtype_;
    });
  }

  void collect_tensors(const char* kind) {
    for (const Json* one : cases_) {
      for (const Json& tensor : member(*one, kind)) {
        const std::string name = text_of(tensor, "name");
        const bool is_input = std::string_view(kind) != "outputs";
        const auto known = std::ranges::find(tensors_, name, &SharedTensor::name);
        if (known == tensors_.end()) {
          tensors_.push_back({name, &tensor, type_of(*one), is_input});
        } else if (known->is_input != is_input) {
          refuse(fmt::format("'{}' is an input in one case and an output in another", name));
        }
      }
    }
  }

  // Whether the tensor is of the type that the problem is graded in.
  bool is_var(const Json& tensor, Dtype dtype) const { return text_of(tensor, "dtype") == to_string(dtype); }

  void add_tensor(const SharedTensor& shared) {
    const Json& tensor = *shared.first;
    const bool varies = is_var(tensor, shared.dtype);
    const std::string type =
        varies ? yaml_text(element_type_name) : yaml_text(type_text(tensor, shared.name));
    if (shared.is_input && varies) leave_out_dtypes(init_text(tensor, shared.name));
    text_ += fmt::format(
        "  - {{name: {}, type: {}, pointer: true, const: {}, shape: {}{}}}\n", yaml_text(shared.name), type,
        shared.is_input, shape_text(tensor, shared.name),
        shared.is_input        ? fmt::format(", init: \"{}\"", init_text(tensor, shared.name))
        : any_case("property") ? ", compare: property"
        : in_any_case(shared, [&](const Json& other) { return compare_text(other) != compare_text(tensor); })
            ? ""
            : compare_text(tensor));
  }

  // Whether this holds for an output in any of the cases that have it.
  template <class Holds>
  bool in_any_case(const SharedTensor& tensor, const Holds& holds) const {
    return std::ranges::any_of(cases_, [&](const Json* one) {
      const Json& outputs = member(*one, "outputs");
      return std::ranges::any_of(outputs, [&](const Json& output) {
        return text_of(output, "name") == tensor.name && holds(output);
      });
    });
  }

  // Numbers that a candidate in CUDA gets as arguments. All cases have the same ones.
  void add_scalars() {
    for (const auto& [name, value] : scalars_of(*cases_[0]).items()) {
      const bool is_integer = std::ranges::all_of(
          cases_, [&](const Json* one) { return scalar_of(*one, name).is_number_integer(); });
      text_ += fmt::format("  - {{name: {}, type: {}, pointer: false}}\n", yaml_text(name),
                           value.is_boolean() ? "bool"
                           : is_integer       ? "int64_t"
                                              : "double");
    }
  }

  static const Json& scalars_of(const Json& one) {
    static const Json none = Json::object();
    const auto found = one.find("scalars");
    return found == one.end() ? none : *found;
  }

  static const Json& scalar_of(const Json& one, const std::string& name) {
    const Json& scalars = scalars_of(one);
    const auto found = scalars.find(name);
    if (found == scalars.end() || !(found->is_number() || found->is_boolean()))
      refuse(fmt::format("cannot be described: a case gives '{}' no number", name));
    return *found;
  }

  void add_case(const Json& one) {
    text_ += fmt::format("  - {{name: {}, role: {}", yaml_text(member(one, "name")), text_of(one, "role"));
    for (const auto& [name, ignored] : scalars_of(*cases_[0]).items())
      text_ += fmt::format(", {}: {}", yaml_text(name), scalar_of(one, name).dump());
    if (const auto rule = one.find("by_set"); rule != one.end() && rule->is_object())
      text_ += fmt::format(", by_set: {}", rule->dump());
    Json own = {{"case", member(one, "number")}};
    if (has_several_types_) own["dtype"] = to_string(type_of(one));
    if (const auto terms = terms_of(one)) own["terms"] = *terms;
    own["given"] = given_of(one);
    own["forward"] = member(one, "forward");
    own["axes"] = axes_of(one);
    own["tensors"] = Json::object();
    for (const SharedTensor& shared : tensors_) own["tensors"][shared.name] = form_in(one, shared);
    text_ += fmt::format(", module: {}}}\n", yaml_text(own.dump()));
  }

  // The form of a tensor in one case. A case without this tensor gets one element, which nothing reads.
  Json form_in(const Json& one, const SharedTensor& shared) const {
    for (const char* kind : {"inputs", "weights", "outputs"}) {
      for (const Json& tensor : member(one, kind)) {
        if (text_of(tensor, "name") != shared.name) continue;
        const Json& extents = member(tensor, "shape");
        shape_text(tensor, shared.name);  // refuses what is no shape
        Json form = {{"shape", extents.empty() ? Json::array({1}) : extents}};
        if (!is_var(tensor, type_of(one))) form["type"] = type_text(tensor, shared.name);
        if (shared.is_input) form["init"] = init_text(tensor, shared.name);
        return form;
      }
    }
    if (!shared.is_input)
      refuse(fmt::format("forward() returns '{}' in some cases only", shared.name),
             "let it return as many tensors in each case");
    return {{"shape", {1}}, {"init", "zeros"}};
  }

  // If forward() has an operator that is defined only for some numbers, inputs that are never negative get no
  // negative elements.
  void add_left_out_families() {
    if (!any_case("is_ranged")) return;
    std::vector<std::string> inputs;
    for (const Json& input : member(*cases_[0], "inputs")) {
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
    if (parsed && !has_several_types_)
      std::erase_if(dtypes_, [&](std::string_view name) { return !can_hold(*dtype_from(name), *parsed); });
  }

  static Json given_of(const Json& one) {
    return {{"positional", member(one, "positional")}, {"keywords", member(one, "keywords")}};
  }

  static Json axes_of(const Json& one) {
    Json axes = Json::object();
    for (const Json& input : member(one, "inputs"))
      if (input.contains("axes")) axes[text_of(input, "name")] = member(input, "axes");
    return axes;
  }

  void add_torch() {
    const Json& one = *cases_[0];
    std::vector<std::string> forward;
    for (const Json& argument : member(one, "forward"))
      forward.push_back(
          yaml_text(argument.contains("input") ? member(argument, "input") : Json(argument.dump())));
    text_ += fmt::format("torch:\n  given: {}\n  forward: [{}]\n", yaml_text(given_of(one).dump()),
                         fmt::join(forward, ", "));
    if (const Json axes = axes_of(one); !axes.empty())
      text_ += fmt::format("  axes: {}\n", yaml_text(axes.dump()));
    std::vector<std::string> weights;
    for (const Json& weight : member(one, "weights"))
      weights.push_back(fmt::format("{}: {}", yaml_text(text_of(weight, "name")),
                                    yaml_text(text_of(weight, "module_name"))));
    if (!weights.empty()) text_ += fmt::format("  weights: {{{}}}\n", fmt::join(weights, ", "));
    std::vector<std::string> changing;
    for (const Json& buffer : member(one, "buffers"))
      if (buffer.value("changes", false)) changing.push_back(yaml_text(text_of(buffer, "module_name")));
    if (!changing.empty()) text_ += fmt::format("  free: [{}]\n", fmt::join(changing, ", "));
    std::vector<std::string> views;
    for (const SharedTensor& tensor : tensors_)
      if (in_any_case(tensor, [](const Json& output) { return output.value("of_input", false); }))
        views.push_back(yaml_text(tensor.name));
    if (!views.empty()) text_ += fmt::format("  views: [{}]\n", fmt::join(views, ", "));
    text_ += fmt::format("  mode: {}\n", yaml_text(text_of(one, "mode")));
    if (one.contains("entry")) text_ += fmt::format("  entry: {}\n", yaml_text(member(one, "entry")));
    if (const auto random = one.find("random"); random != one.end())
      text_ += fmt::format("  random: {}\n", random->dump());
    std::int64_t operators = 0;
    for (const Json* each : cases_)
      operators = std::max(operators, each->value("operators", std::int64_t{0}));
    if (operators > 0) text_ += fmt::format("  operators: {}\n", operators);
  }

  // A counter of batches is read by nothing.
  static std::string names_of_buffers(const Json& one) {
    constexpr std::size_t most = 6;
    std::vector<std::string> names;
    for (const Json& buffer : member(one, "buffers"))
      if (const std::string name = one_line(text_of(buffer, "module_name"));
          !buffer.value("changes", false) && !name.ends_with("num_batches_tracked"))
        names.push_back(name);
    return first_names(names, most);
  }

  void add_notes() {
    std::vector<std::string> notes;
    for (const Json* one : cases_)
      for (const Json& note : member(*one, "notes"))
        if (note.is_string()) notes.push_back(one_line(note.get<std::string>()));
    if (const std::string buffers = names_of_buffers(*cases_[0]); !buffers.empty())
      notes.push_back(
          fmt::format("Model has buffers, which are no arguments: {}. A candidate other than a class can be "
                      "right only if it "
                      "makes up itself what forward() reads of them.",
                      buffers));
    const Json left_out = description_.value("left_out", Json::object());
    for (const auto& [name, reason] : left_out.items())
      notes.push_back(fmt::format("The case '{}' is left out: {}", name,
                                  reason.is_string() ? one_line(reason.get<std::string>()) : ""));
    for (std::size_t i = 0; i < notes.size(); ++i)
      if (std::ranges::find(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(i), notes[i]) ==
          notes.begin() + static_cast<std::ptrdiff_t>(i))
        text_ += "\n" + notes[i] + "\n";
  }

  const Json& description_;
  const std::string& slug_;
  const std::string& file_;
  std::vector<const Json*> cases_;  // those of the first type come first
  std::vector<SharedTensor> tensors_;
  Dtype dtype_ = Dtype::float32;          // of the tensors that become [VAR], in the first cases
  std::vector<std::string_view> dtypes_;  // types that the file can be graded in
  bool has_float32_ = false;              // whether a case is in float32
  bool has_several_types_ = false;        // whether the cases differ in the type
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
    return ProblemText(json, slug_of_module_file(path), path.filename().string()).write();
  } catch (const Refused& refused) {
    return Error{refused.message, refused.remedy, place};
  } catch (const Json::exception&) {
    return Error{"cannot be described: the interpreter's answer is none", "", place};
  }
}

}  // namespace kgrade
