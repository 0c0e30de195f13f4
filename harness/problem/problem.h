// A problem as an immutable value: the frontmatter of its file (the contract) and the statement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/draw_kind.h"
#include "base/dtype.h"
#include "base/enum_words.h"
#include "base/result.h"
#include "problem/expression.h"
#include "problem/torch_module.h"

namespace kgrade {

class Families;

// The most parameters of a problem. The message for a call has room for this many (contest/protocol.h).
inline constexpr std::size_t max_parameters = 512;

enum class Difficulty { easy, medium, hard };
template <>
inline constexpr std::array<std::string_view, 3> enum_words<Difficulty> = {"EASY", "MEDIUM", "HARD"};

// No file has `hidden` cases: problem/hidden_cases.h draws them.
enum class CaseRole { sample, test, bench, hidden };
template <>
inline constexpr std::array<std::string_view, 4> enum_words<CaseRole> = {"sample", "test", "bench", "hidden"};

// What a contestant may use besides its own code. With `none` it may neither link nor open (dlopen) any
// library except
// - the C and C++ runtime: libc, libm, libdl, libpthread, librt, libstdc++, libgcc_s and the dynamic loader,
// - the driver's libcuda with the libraries that it opens itself, and the CUDA runtime, which nvcc links
//   statically,
// - libraries that the harness itself puts into every contestant.
//
// So vendor libraries are forbidden: cuBLAS, cuDNN, CUTLASS's compiled parts, NVRTC. Headers are allowed,
// because they are compiled in.
enum class Libraries { any, none };
template <>
inline constexpr std::array<std::string_view, 2> enum_words<Libraries> = {"any", "none"};

// The most arguments of choice() and values().
inline constexpr std::size_t most_choices = 8;

// How the elements of an input are drawn. A file writes this as a call:
// - uniform(lo, hi), normal(mean, sd), constant(value), ones, zeros, and choice(a, b, ...) of equally likely
//   numbers,
// - integers(lo, hi), both ends included, each a number or an expression; labels(n) is integers(0, n - 1).
//   The ends must fit the type of an integer tensor, or lie within 2^24 for other tensors,
// - bernoulli(p): 1 with probability p, otherwise 0,
// - uniform_fan_in(n): uniform(-1/sqrt(n), 1/sqrt(n)), PyTorch's default for the weights of a convolution,
// - adjacency(p, missing): the weights of a graph's edges, whole numbers from 1 to 100. Each edge exists with
//   probability p, otherwise its element is `missing`. The diagonal is 0,
// - symmetric(d), triangular(d, upper), triangular(d, lower): square matrices in the last two axes, with
//   elements from any d above,
// - e4m3(d), e5m2(d), e8m0(d): bytes that hold the codes of numbers from any d of the first two lines, never
//   NaN,
// - computed: the reference's inputs() writes the input, or get_inputs() of a problem that has a Model.
//
// `shape: values(a, b, ...)` gives a tensor its extent and its contents, one integer expression per element.
struct Init {
  using Kind = DrawKind;
  using Structure = MatrixStructure;
  Kind kind = Kind::uniform;
  // The numbers of the call, by kind:
  // - uniform, integers: lo and hi,
  // - normal: the mean and the standard deviation,
  // - constant: the value; bernoulli: p,
  // - adjacency: p and `missing`.
  double first = 0;
  double second = 1;
  std::vector<double> choices = {};
  // The arguments of values() and uniform_fan_in(), and of integers() if the case decides its ends.
  std::vector<Expression> expressions = {};
  Structure structure = Structure::none;
  std::optional<SmallFloat> encoding = {};
  std::string text = {};  // as written

  // Whether each element is drawn independently.
  bool has_single_elements() const { return structure == Structure::none && kind < Kind::adjacency; }
};

// How codes of few bits represent numbers: code times scale, divided by a scalar of the problem.
struct Quantisation {
  SmallFloat code = SmallFloat::e2m1;
  std::int64_t block = 1;  // elements per scale
  std::string scales;      // the output that holds them
  SmallFloat scale_code = SmallFloat::e8m0;
  bool is_swizzled = false;  // scales lie in tiles (device/contents.h), else row by row
  std::string divisor;       // a scalar of a real type; empty: 1
};

// How an output is compared with the expected output. In a file:
// - norm: by the norm of the difference,
// - exact: every element must be equal,
// - ties(x), ties(x, axis): the output holds indices of elements of the input `x`, along an axis or into all
//   elements. Indices of equal elements are equally good. With the word `distinct` after it, no index may
//   occur twice along the axis, and the expected indices are in the order of their elements,
// - quantised(x, e2m1, 32, scale, e8m0): the output holds codes of the input `x` in blocks of 32 along its
//   last axis, with one scale per block in the output `scale`. The decoded numbers may be further from `x`
//   than the expected ones, by as much as the class allows. The output `scale` is compared along with the
//   codes, and has the kind `scales` here.
// - property: check() of the problem's Python file says whether the outputs are right for the inputs. Then
//   all outputs are of this kind, and nothing is compared with the oracle's.
struct Comparison {
  enum class Kind { norm, exact, ties, quantised, scales, property };
  Kind kind = Kind::norm;
  std::string values;                // the input `x`
  std::optional<std::int64_t> axis;  // for ties; a negative axis counts from the end
  bool are_distinct = false;         // for ties
  Quantisation quantisation = {};    // of quantised
  std::string text = "norm";         // as written
  Location location;
};

// The contents of an output when a call begins. A file writes them as an Init, as in `zeros`, or as the name
// of an input of the same type and shape.
struct Beginning {
  std::string input;  // empty: drawn by the parameter's `init`
  Location location;
};

// The real numbers that an input may hold, both ends included. Without a domain, families of inputs stay
// within two standard deviations of what `init` draws (draw/input_families.h).
struct Domain {
  double least = 0;
  double largest = 0;
  std::string text;  // as written
};

// An entry for something that a file leaves out of grading or of lint.
struct LeftOut {
  std::string why;
  Location location;  // of the name
};

// Whether the error of an output, or of the numbers that its codes stand for, is measured by a norm.
constexpr bool has_norm(Comparison::Kind kind) {
  return kind == Comparison::Kind::norm || kind == Comparison::Kind::quantised;
}

struct Parameter {
  std::string name;
  std::string type;  // "[VAR]" (the element type under test) or a name that problem/scalar_type.h lists
  bool pointer = false;
  bool is_const = false;
  std::vector<Expression> shape;      // of a tensor; may be empty
  std::optional<Init> init;           // of an input, or of an output whose initial contents it draws
  Comparison compare;                 // of an output; the default is the norm, and exact for integers
  std::optional<Beginning> begins;    // of an output; unset: arbitrary values
  std::optional<Domain> domain;       // of an input
  std::map<Family, LeftOut> without;  // families that an input never has
  Location location;
  bool is_argument = true;  // false: an integer of cases that the entry point does not take (`extents`)

  bool is_tensor() const { return pointer; }
  bool is_input() const { return pointer && is_const; }
  bool is_output() const { return pointer && !is_const; }
  bool is_integer() const;  // is a scalar of an integer type
  bool is_computed() const { return init && init->kind == Init::Kind::computed; }
  // The type of a tensor's elements if it does not depend on [VAR]; otherwise nothing.
  std::optional<Dtype> own_dtype() const;
};

// The factor that a case applies to the elements of an input: 2^exponent. With a `spread`, each block of
// neighbouring elements has its own exponent, which differs from `exponent` by up to `spread`
// (draw/distribution.h).
struct Scaling {
  int exponent = 0;
  int spread = 0;
};

// The factors of a case's inputs, by the name of the input.
using Scalings = std::map<std::string, Scaling, std::less<>>;

std::string to_string(const Scaling& scaling);  // "2^-24", "2^-28 to 2^-20, by blocks"

// A tensor in a case of a Python file with several cases, which may differ in the forms of their tensors.
struct TensorForm {
  std::vector<std::int64_t> shape;
  std::optional<Dtype> dtype = {};  // of its elements; unset: [VAR]
  std::optional<Init> init = {};    // of an input
};

// What distinguishes a case of a Python file with several cases (problem/module_file.h).
struct ModuleCase {
  std::int64_t number = 0;          // in the file's CASES
  std::optional<Dtype> dtype = {};  // the only type in which the problem has this case; unset: any
  std::optional<std::int64_t> terms = {};
  std::map<std::string, TensorForm, std::less<>> tensors = {};  // all of them, by name
  // The parts of `torch` (problem/torch_module.h) as JSON. `forward` is a list of arguments.
  std::string given = {};
  std::string forward = {};
  std::string axes = {};
};

// The rule by which a public set of problems accepts an output. It gives a verdict of its own beside the
// grader's (verify/by_set.h), so that published figures can be compared. An element passes if
// |out - expected| <= absolute + relative * |expected|. That is the formula of torch.isclose() with
// equal_nan=False: equal infinities pass, and NaN never does.
struct SetRule {
  double absolute = 0;
  double relative = 0;
  double matched = 1;                  // the share of an output's elements that have to pass
  std::optional<double> largest = {};  // the largest |out - expected| of any element
  bool either = false;                 // the limit is the larger of the two terms, not their sum

  bool operator==(const SetRule&) const = default;
};

// "0.01 / 0.01": absolute and relative; with `either`, "0.01 or 0.01"; "0.01 / 0.01, 99 % of the elements,
// none off by more than 10".
std::string to_string(const SetRule& rule);

// A case as the file writes it: values of scalar parameters, and distributions of inputs that hold only in
// this case.
struct CaseSpec {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings integers;
  std::map<std::string, double, std::less<>> reals;  // for parameters of type float and double
  Location location;
  double weight = 1;                                    // in scores over cases
  bool quick = true;                                    // false: too long for `kgrade grade --quick`
  Scalings scalings = {};                               // of hidden cases
  std::map<std::string, Init, std::less<>> inits = {};  // distributions that hold only in this case
  std::optional<ModuleCase> module = {};
  std::optional<SetRule> by_set = {};  // of the set that the problem is from
};

// The values from which hidden cases draw a scalar. A file writes them as 1..8, one number, [1, 3, 8], 8..64
// step 8 or powers_of_2(8..1024). For a real parameter: 0.1..2.5, a number or a list of numbers.
struct FuzzRange {
  std::string parameter;
  std::int64_t low = 0;
  std::int64_t high = 0;                          // included
  std::vector<std::int64_t> values = {};          // in order; empty: all integers from low to high
  std::optional<std::vector<double>> reals = {};  // for a real parameter: both ends, or the list
  bool is_list_of_reals = false;
  std::string text = {};  // as written
  Location location;
};

// The factors that some hidden cases apply to an input. A file writes them as scale(2^-24..2^24), both ends
// included, or as scale(a * b) for an input whose factor is the product of the factors of inputs `a` and `b`.
struct ScaleRange {
  std::string input;
  int lowest = 0;  // exponents
  int highest = 0;
  std::vector<std::string> factors = {};  // inputs; replaces lowest and highest
  std::string text = {};                  // as written
  Location location;
};

// Upper bounds on ||out - expected|| / ||expected|| for the precision classes.
struct Thresholds {
  double fp32 = 1e-5;
  double tf32 = 1e-3;
  double bf16 = 1e-2;
};

// The thresholds of a problem whose file gives none. problem/read_dtypes.cc explains them.
Thresholds default_thresholds(Dtype dtype);

struct Problem {
  // --- What the problem is ---
  std::filesystem::path path;
  // The path into a public set if `path` is the one file in the cache that was made of the set's files; else
  // empty.
  std::filesystem::path set_path = {};
  std::string slug;
  std::string family;  // the name of its family (problem/families.h); empty: none
  std::string title;
  Difficulty difficulty = Difficulty::easy;
  std::string author;  // may be empty
  std::vector<std::string> tags;

  // --- The entry point ---
  std::vector<Parameter> parameters;  // of the entry point, then the `extents`
  std::vector<std::string> dtypes;    // the allowed types of [VAR]
  Dtype dtype = Dtype::float32;       // of [VAR]: the first, or chosen by with_dtype()

  // What holds in every case. Definitions of `let` are in file order; later ones may use earlier ones.
  std::vector<std::pair<std::string, Expression>> let;
  std::vector<Expression> require;

  // --- The cases ---
  CaseSpec defaults;                           // values of parameters that cases need not give; has no name
  std::vector<CaseSpec> cases;                 // those that `dtype` has
  std::vector<CaseSpec> cases_of_other_types;  // of a Python file whose cases differ in their types
  std::vector<FuzzRange> fuzz;
  std::vector<ScaleRange> scales;  // also from `fuzz`

  // --- The costs of a case ---
  std::optional<Expression> flops;
  std::optional<Expression> terms;  // of the longest sum; for the default see Case::terms
  std::optional<Expression> bytes;  // memory traffic of a case in float32; default: all tensors once

  // --- The rules for contestants ---
  std::string precision = "fp32";
  std::string precision_of_file = "fp32";        // as `precision`, for a Model in float32
  bool only_fp32 = false;                        // no candidate may compete in a lower class
  Thresholds thresholds;                         // of `dtype`
  std::map<Dtype, Thresholds> dtype_thresholds;  // of the listed types
  // The thresholds of outputs that have their own, by the output's name.
  std::map<std::string, std::map<Dtype, Thresholds>, std::less<>> output_thresholds;
  Libraries libraries = Libraries::any;
  // Short cuts that lint tries and that are harmless in this problem, by name.
  std::map<std::string, LeftOut> harmless;

  std::optional<TorchModule> torch;  // how a module of PyTorch states the problem
  std::string source;                // the origin of the problem, in the author's words; may be empty
  // The options of --inputs (problem/other_inputs.h) that replaced the file's own inputs. If there are any,
  // slug_of_file has the slug of the file.
  std::vector<std::string> inputs;
  std::string slug_of_file;
  // A Python file beside the problem's file. Its `Model` is the oracle and the reference. Empty:
  // reference/<slug>.cu is both.
  std::string reference;
  // The Markdown text after the frontmatter, with \n as line ends, followed by the family's statement.
  std::string statement;
  // The digest of the whole file. With a family, the digest of two lines: the digests of the problem's file
  // and the family's file.
  std::string content_sha256;

  // The slug that references and baselines are named after. --inputs does not change it.
  const std::string& source_slug() const { return slug_of_file.empty() ? slug : slug_of_file; }
  // Whether the oracle and the reference are the Model of a Python file. A Model returns its outputs.
  bool has_model() const { return !reference.empty(); }
  // Whether check() of the problem's Python file judges the outputs.
  bool has_property() const;
  // Whether Model keeps the types of its file. A file in float32 is cast to `dtype` instead.
  bool keeps_types() const;
  // The parameters of the entry point.
  std::span<const Parameter> arguments() const;
  // Whether the class is exact: no element may differ. No output of such a problem is compared by a norm.
  bool is_exact() const { return precision == "exact"; }
  // Whether there are outputs and none of them is compared by a norm or judged by check().
  bool compares_exactly() const;
  // The thresholds of an output, in `dtype`.
  const Thresholds& thresholds_of(std::string_view output) const;
  const CaseSpec* find_case(std::string_view name) const;
  const Parameter* find_parameter(std::string_view name) const;
};

// Reads the bytes of a problem file. `path` is only used in messages. At most 50 errors, in the order of the
// file. Every fault of form is an error with line and column:
// - no frontmatter, broken YAML, a text that is not UTF-8,
// - an unknown or missing or doubled key, a wrong type,
// - a case that leaves out a parameter or names an unknown one, two cases with the same name,
// - an expression that does not parse or names nothing,
// - YAML anchors, aliases and tags,
// - a frontmatter of more than 256 KiB, and more than max_parameters parameters, 200 `let`, 200 `require` or
//   1,000 cases.
//
// Keys that only grading needs may be missing.
//
// The family is looked up in `families` and merged with the problem (problem/families.h). If `families` is
// null, every family is unknown. The place of an error is in the file that has the fault.
Result<Problem> parse_problem(std::string_view content, const std::filesystem::path& path,
                              const Families* families = nullptr);

// Reads a problem file, with the families in the folder `families` beside it.
Result<Problem> load_problem(const std::filesystem::path& path);

// The problem with another element type, and with the cases of this type. If the type is not listed, the
// Error names the listed types. For a Model, 16-bit types ask for class bf16, float32 for the file's class.
Result<Problem> with_dtype(Problem problem, std::string_view name);

// Parses an `init` as a file would write it.
Result<Init> parse_init(const std::string& text);
// Whether the type can hold the values that `init` draws, without overflow.
bool can_hold(Dtype dtype, const Init& init);

// The case of role `test` that a user writes as `n=1000,m=3`. The case's name is this text without blanks.
// Other parameters have their default, or else the value of the first sample case (or of the first test, or
// else bench). An Error says what is wrong in the text. resolve_case() checks `require`.
bool is_written_case(std::string_view text);  // contains a =
Result<CaseSpec> parse_written_case(std::string_view text, const Problem& problem);

// Lists what a parsed problem lacks to be graded: shape and init of tensors, dtypes, and cases with at least
// one bench and one test. Empty if the problem can be graded.
Errors missing_for_grading(const Problem& problem);

// The candidates' entry point as C++: `extern "C" void solution(const float* input, ..., size_t groups);`
// `element` replaces [VAR].
std::string signature(const Problem& problem, std::string_view element);
// Like signature() above, with the problem's `dtype` as [VAR].
std::string signature(const Problem& problem);

// The CUDA headers that define the entry point's types, with [VAR] as `dtype`.
std::set<std::string_view> cuda_headers(const Problem& problem, Dtype dtype);

}  // namespace kgrade
