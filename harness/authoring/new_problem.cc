#include "authoring/new_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <istream>
#include <ostream>

#include "authoring/case_proposals.h"
#include "authoring/draft.h"
#include "base/text.h"
#include "problem/case.h"
#include "problem/expression.h"
#include "problem/fields.h"
#include "problem/scalar_type.h"

namespace kgrade::authoring {
namespace {

// Splits at commas that are outside brackets.
std::vector<std::string> split_extents(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

// All scalars, including the names that shapes use without a declaration, in order.
std::vector<NewScalar> all_scalars(const NewProblem& problem) {
  std::vector<NewScalar> scalars;
  const auto known = [&](const std::string& name) {
    const auto same = [&](const NewScalar& scalar) { return scalar.name == name; };
    return std::any_of(scalars.begin(), scalars.end(), same) ||
           std::any_of(problem.scalars.begin(), problem.scalars.end(), same);
  };
  for (const std::vector<NewTensor>* tensors : {&problem.inputs, &problem.outputs}) {
    for (const NewTensor& tensor : *tensors) {
      for (const std::string& extent : tensor.shape) {
        const auto expression = Expression::parse(extent, {});
        if (!expression) continue;
        for (const std::string& name : expression->names()) {
          if (!known(name)) scalars.push_back({name, "size_t"});
        }
      }
    }
  }
  scalars.insert(scalars.end(), problem.scalars.begin(), problem.scalars.end());
  return scalars;
}

const ScalarType* type_of(const NewTensor& tensor) {
  return find_scalar_type(tensor.type.empty() ? element_type_name : tensor.type);
}

std::string default_init(const NewTensor& tensor) {
  const ScalarType* const type = type_of(tensor);
  if (type != nullptr && type->element && !has_zero(*type->element)) return "uniform(0.25, 4)";
  if (type == nullptr || !type->is_integer()) return "normal(0, 1)";
  return type->high == 1 ? "integers(0, 1)" : "integers(0, 99)";
}

std::string shape_text(const NewTensor& tensor) {
  return fmt::format("- `{}` of shape `[{}]`{}\n", tensor.name, fmt::join(tensor.shape, ", "),
                     tensor.type.empty() ? "" : ", of type `" + tensor.type + "`");
}

std::string statement_of(const NewProblem& problem) {
  std::string text = std::string(sentence_placeholder) + "\n\n## Input\n";
  for (const NewTensor& input : problem.inputs) text += shape_text(input);
  text += "\n## Output\n";
  std::string notes;
  std::vector<std::string> arbitrary;
  for (const NewTensor& output : problem.outputs) {
    text += shape_text(output);
    if (output.begins.empty()) {
      arbitrary.push_back("`" + output.name + "`");
    } else {
      notes += fmt::format("- Before the call `{}` holds `{}`.\n", output.name, output.begins);
    }
  }
  if (!arbitrary.empty())
    notes += fmt::format("- {} {} arbitrary values before the call.\n", fmt::join(arbitrary, " and "),
                         arbitrary.size() == 1 ? "holds" : "hold");
  return text +
         "\nAll tensors are row-major and contiguous: the last index moves fastest.\n\n## Definition\n" +
         std::string(formula_placeholder) + "\n\n## Notes\n" + notes;
}

DraftParameter tensor_parameter(const NewTensor& tensor, bool input) {
  const std::string type = tensor.type.empty() ? std::string(element_type_name) : tensor.type;
  DraftParameter parameter{tensor.name, type, true, input, tensor.shape, "", {}};
  if (input) parameter.init.text = tensor.init.empty() ? default_init(tensor) : tensor.init;
  parameter.begins = tensor.begins;
  return parameter;
}

// Sets a text of one tensor, as in "x=normal(0, 3)", or of all tensors.
Result<bool> set_text(std::vector<NewTensor>& tensors, std::string NewTensor::*member, std::string_view text,
                      std::string_view option, std::string_view kind) {
  const std::size_t equals = text.find('=');
  const std::string name = equals == text.npos ? "" : std::string(trimmed(text.substr(0, equals)));
  const std::string value(trimmed(equals == text.npos ? text : text.substr(equals + 1)));
  bool found = false;
  std::vector<std::string> names;
  for (NewTensor& tensor : tensors) {
    names.push_back(tensor.name);
    if (!name.empty() && tensor.name != name) continue;
    tensor.*member = value;
    found = true;
  }
  if (found) return true;
  const auto near = nearest(name, names);
  return Error{fmt::format("{} {}: there is no {} '{}'", option, text, kind, name),
               near ? fmt::format("did you mean '{}'?", *near)
                    : fmt::format("name one of the {}s, as in `{} \"x=normal(0, 3)\"`", kind, option),
               {}};
}

bool has_case_in_role(const std::vector<CaseSpec>& cases, CaseRole role) {
  return std::any_of(cases.begin(), cases.end(), [&](const CaseSpec& spec) { return spec.role == role; });
}

// Grading needs a test and a bench. If one was not proposed, the reason is an error in its case.
std::optional<Error> why_not_runnable(const Problem& problem, const std::vector<CaseSpec>& proposed) {
  if (has_case_in_role(proposed, CaseRole::test) && has_case_in_role(proposed, CaseRole::bench))
    return std::nullopt;
  Error error{"no case of usual sizes can be made of these shapes",
              "give every extent at least 1, as in `max(n - 8, 1)`",
              {}};
  Problem unchecked = problem;
  for (Parameter& parameter : unchecked.parameters) parameter.shape.clear();
  for (const CaseSpec& spec : propose_cases(unchecked)) {
    const auto resolved = resolve_case(problem, spec);
    if (resolved || has_case_in_role(proposed, spec.role)) continue;
    error.message += ": " + resolved.error().message;
    break;
  }
  return error;
}

// The questions that `kgrade new` asks on a terminal.
class Questions {
 public:
  Questions(NewProblem problem, std::istream& in, std::ostream& out)
      : problem_(std::move(problem)), in_(in), out_(out) {}

  Result<NewProblem> run() {
    if (problem_.title.empty())
      ask_once("Title (empty: made of the slug)", [&](const std::string& text) {
        problem_.title = text;
        return true;
      });
    ask_once("Difficulty: EASY, MEDIUM or HARD (empty: " + problem_.difficulty + ")",
             [&](const std::string& text) {
               if (text.empty()) return true;
               for (const Difficulty known : {Difficulty::easy, Difficulty::medium, Difficulty::hard}) {
                 if (text != to_string(known)) continue;
                 problem_.difficulty = text;
                 return true;
               }
               out_ << "  '" << text << "' is none of the three\n";
               return false;
             });
    if (problem_.inputs.empty() && problem_.outputs.empty()) {
      ask_tensors("Input", "--input", problem_.inputs);
      for (NewTensor& input : problem_.inputs) {
        ask_once("How '" + input.name + "' is drawn (empty: " + default_init(input) + ")",
                 [&](const std::string& text) {
                   input.init = text;
                   return true;
                 });
      }
      ask_tensors("Output", "--output", problem_.outputs);
    }
    if (ended_)
      return Error{"the answers ended before the questions did",
                   "answer them, or give options: `kgrade new --help`",
                   {}};
    return problem_;
  }

 private:
  // Asks until `accept` takes the answer.
  void ask_once(const std::string& question, const std::function<bool(const std::string&)>& accept) {
    std::string answer;
    do {
      if (ended_) return;
      out_ << question << ": " << std::flush;
      if (!std::getline(in_, answer)) {
        ended_ = true;
        out_ << "\n";
        return;
      }
    } while (!accept(std::string(trimmed(answer))));
  }

  void ask_tensors(const std::string& what, const std::string& option, std::vector<NewTensor>& tensors) {
    bool more = true;
    while (more && !ended_) {
      ask_once(what + " with its shape, as in x:rows,columns" + (tensors.empty() ? "" : " (empty: no more)"),
               [&](const std::string& text) {
                 more = !text.empty();
                 if (!more) return !tensors.empty();
                 auto tensor = parse_tensor(text, option);
                 if (tensor)
                   tensors.push_back(*std::move(tensor));
                 else
                   out_ << "  " << tensor.error().message << "\n";
                 return tensor.ok();
               });
    }
  }

  NewProblem problem_;
  std::istream& in_;
  std::ostream& out_;
  bool ended_ = false;
};

}  // namespace

Result<NewTensor> parse_tensor(std::string_view text, std::string_view option) {
  const std::size_t colon = text.find(':');
  const std::string place = fmt::format("{} {}", option, text);
  const std::string example =
      fmt::format("write it as in `{0} x:rows,columns` or `{0} x:rows,columns:int32`", option);
  NewTensor tensor;
  tensor.name = std::string(trimmed(text.substr(0, colon)));
  if (colon == text.npos || tensor.name.empty() || trimmed(text.substr(colon + 1)).empty())
    return Error{fmt::format("{}: no name with a shape", place), example, {}};
  const std::size_t second = text.find(':', colon + 1);
  tensor.shape = split_extents(text.substr(colon + 1, second == text.npos ? text.npos : second - colon - 1));
  if (second != text.npos) {
    tensor.type = cuda_name(trimmed(text.substr(second + 1)));
    const ScalarType* const type = find_scalar_type(tensor.type);
    if (type == nullptr || (!type->element && tensor.type != element_type_name))
      return Error{fmt::format("{}: no tensor has the type '{}'", place, tensor.type), example, {}};
    if (tensor.type == element_type_name) tensor.type.clear();
  }
  for (const std::string& extent : tensor.shape) {
    const auto expression = Expression::parse(extent, {});
    if (!expression)
      return Error{
          fmt::format("{}: the extent '{}' cannot be read: {}", place, extent, expression.error().message),
          example,
          {}};
    const auto constant = expression->evaluate({});
    if (constant && *constant < 1)
      return Error{
          fmt::format("{}: the extent '{}' is {}", place, extent, *constant), "give it at least 1", {}};
  }
  return tensor;
}

Result<NewScalar> parse_scalar(std::string_view text) {
  const std::size_t colon = text.find(':');
  NewScalar scalar;
  scalar.name = std::string(trimmed(text.substr(0, colon)));
  if (colon != text.npos) scalar.type = std::string(cuda_name(trimmed(text.substr(colon + 1))));
  if (scalar.type == element_type_name || find_scalar_type(scalar.type) == nullptr)
    return Error{fmt::format("--parameter {}: there is no type '{}'", text, scalar.type),
                 "write it as in `--parameter eps:float`",
                 {}};
  return scalar;
}

Result<bool> set_init(NewProblem& problem, std::string_view text) {
  return set_text(problem.inputs, &NewTensor::init, text, "--init", "input");
}

Result<bool> set_begins(NewProblem& problem, std::string_view text) {
  return set_text(problem.outputs, &NewTensor::begins, text, "--begins", "output");
}

Result<NewProblem> ask(NewProblem problem, std::istream& in, std::ostream& out) {
  return Questions(std::move(problem), in, out).run();
}

Result<Draft> draft_of(const NewProblem& problem) {
  if (const auto error = check_slug(problem.slug)) return *error;
  if (problem.inputs.empty() && problem.outputs.empty())
    return Error{"neither an input nor an output is given",
                 "give them, as in `--input x:rows,columns --output y:rows,columns`; on a terminal `kgrade "
                 "new` asks for them",
                 {}};
  if (problem.outputs.empty())
    return Error{"the problem has no output", "add it, as in `--output y:rows,columns`", {}};
  Draft draft;
  draft.slug = problem.slug;
  draft.title = problem.title;
  if (draft.title.empty()) {
    draft.title = problem.slug;
    std::replace(draft.title.begin(), draft.title.end(), '-', ' ');
    draft.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(draft.title[0])));
  }
  for (const Difficulty known : {Difficulty::easy, Difficulty::medium, Difficulty::hard}) {
    if (problem.difficulty == to_string(known)) draft.difficulty = known;
  }
  draft.tags = problem.tags;
  for (const NewTensor& input : problem.inputs) draft.parameters.push_back(tensor_parameter(input, true));
  for (const NewTensor& output : problem.outputs) draft.parameters.push_back(tensor_parameter(output, false));
  for (const NewScalar& scalar : all_scalars(problem))
    draft.parameters.push_back({scalar.name, scalar.type, false, false, {}, "", {}});
  draft.statement = statement_of(problem);
  // Leaves out `dtypes` if no tensor has the type under test. Asks for exact answers if nothing is rounded.
  const std::vector<DraftParameter>& all = draft.parameters;
  if (std::none_of(all.begin(), all.end(), [](const auto& p) { return p.type == element_type_name; }))
    draft.dtypes.clear();
  const auto is_integer = [](const DraftParameter& parameter) {
    const ScalarType* const type = find_scalar_type(parameter.type);
    return type != nullptr && type->is_integer();
  };
  if (std::all_of(all.begin(), all.end(), is_integer)) draft.precision = "exact";
  // The file does not exist yet, so the places in its errors would lead nowhere.
  const auto without_places = [](Errors errors) {
    for (Error& error : errors) error.location = {};
    return errors;
  };
  auto parsed = parse_problem(problem_text(draft), problem.slug + ".md");
  if (!parsed) return without_places(parsed.errors());
  // No case may choose more elements than there are.
  for (const Parameter& parameter : parsed->parameters) {
    if (const std::string from = chosen_from(*parsed, parameter.name); !from.empty())
      draft.require.push_back(
          {parameter.name + " <= " + from, "by the name: change it if it means another thing"});
  }
  if (!draft.require.empty()) parsed = parse_problem(problem_text(draft), problem.slug + ".md");
  if (!parsed) return without_places(parsed.errors());
  add_proposals(draft, *parsed);
  draft.fuzz_note = "hidden shapes are drawn from these ranges";
  if (draft.may_have_domain())
    draft.todos.push_back(
        "domain: {x: \"-90..90\"} allows any number from -90 to 90 in x, beyond what `init` draws");
  if (const auto error = why_not_runnable(*parsed, draft.cases)) return *error;
  return draft;
}

}  // namespace kgrade::authoring
