// A problem file as an immutable value: the frontmatter (the contract) and the statement.
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

#include "base/dtype.h"
#include "base/result.h"
#include "problem/expression.h"
#include "problem/torch_module.h"

namespace kgrade {

class Families;

// A call's message has room for so many (contest/protocol.h).
inline constexpr std::size_t max_parameters = 512;

enum class Difficulty { easy, medium, hard };
// `hidden` is never in a file: problem/hidden_cases.h draws such cases.
enum class CaseRole { sample, test, bench, hidden };
// What a contestant may use besides its own code. With `none` it may neither link nor open (dlopen) a library
// other than
// - the C and C++ runtime: libc, libm, libdl, libpthread, librt, libstdc++, libgcc_s and the dynamic loader,
// - the driver's libcuda, with what it opens itself, and the CUDA runtime that nvcc links statically,
// - what the harness itself puts into every contestant.
// Vendor libraries (cuBLAS, cuDNN, CUTLASS's compiled parts, NVRTC, ...) are what is meant; headers are
// source text and compiled in.
enum class Libraries { any, none };

std::string_view to_string(Difficulty difficulty);  // "EASY", as in the file
std::string_view to_string(CaseRole role);          // "sample"
std::string_view to_string(Libraries libraries);    // "any"

// Of choice() and values().
inline constexpr std::size_t most_choices = 8;

// How the elements of an input are drawn. Written as a call:
// - uniform(lo, hi), normal(mean, sd), constant(value), ones, zeros, and choice(a, b, ...) of equally likely
// numbers,
// - integers(lo, hi), both ends included and either an integer expression, and labels(n): integers(0, n - 1);
// of a
//   tensor of integers within its type, of others up to 2^24 in size,
// - bernoulli(p): 1 with a probability of p, or else 0,
// - uniform_fan_in(n): uniform(-1/sqrt(n), 1/sqrt(n)), PyTorch's default for the weights of a convolution,
// - adjacency(p, missing): the weights of a graph's edges, whole numbers from 1 to 100; each edge is there
// with a
//   probability of p, else its element is `missing`; the diagonal is 0,
// - symmetric(d), triangular(d, upper), triangular(d, lower): square matrices in the last two axes, of any d
// above,
// - e4m3(d), e5m2(d), e8m0(d): bytes that hold the codes of numbers of any of the first two lines, of which
// none is NaN,
// - computed: what the reference's inputs() writes, or get_inputs() of a problem that has a Model. `shape:
// values(a, b, ...)` is a tensor of so many integer expressions and its contents at once.
struct Init {
  enum class Kind {
    uniform,
    normal,
    integers,
    constant,
    choice,
    bernoulli,
    uniform_fan_in,
    adjacency,
    values,
    computed
  };
  enum class Structure { none, symmetric, upper, lower };
  Kind kind = Kind::uniform;
  double first = 0;   // lo, mean, lo, value, -, p, p
  double second = 1;  // hi, standard deviation, hi, -, -, -, missing
  std::vector<double> choices = {};
  // Of integers whose ends a case decides, both; of values all; of uniform_fan_in its n.
  std::vector<Expression> expressions = {};
  Structure structure = Structure::none;
  std::optional<SmallFloat> encoding = {};
  std::string text = {};  // as written

  // Elements are drawn each for itself.
  bool has_single_elements() const { return structure == Structure::none && kind < Kind::adjacency; }
};

// How codes of few bits stand for numbers: code times scale, divided by a scalar of the problem.
struct Quantisation {
  SmallFloat code = SmallFloat::e2m1;
  std::int64_t block = 1;  // elements of one scale
  std::string scales;      // the output that holds them
  SmallFloat scale_code = SmallFloat::e8m0;
  bool is_swizzled = false;  // scales lie in tiles (device/contents.h), else row by row
  std::string divisor;       // a scalar of a real type; empty: 1
};

// How an output is held against what is expected. Written as `norm` (by the norm of what it is off by),
// `exact`, ties(x) or ties(x, axis): indices of elements of the input `x`, along an axis or of all its
// elements, of which one is as good as another where the elements are equal. quantised(x, e2m1, 32, scale,
// e8m0) are codes of the input `x` in blocks along its last axis, with a scale for each block in the output
// `scale`: what they stand for may be further from `x` than what the expected ones stand for by as much as
// the class allows. That output is compared with them, and has `scales` here.
struct Comparison {
  enum class Kind { norm, exact, ties, quantised, scales };
  Kind kind = Kind::norm;
  std::string values;                // of ties and quantised
  std::optional<std::int64_t> axis;  // of ties; negative ones count from the end
  Quantisation quantisation = {};    // of quantised
  std::string text = "norm";         // as written
  Location location;
};

// What an output holds when a call begins. Written as what an input is drawn from, as in `zeros`, or as the
// name of an input of the same type and shape.
struct Beginning {
  std::string input;  // empty: as the parameter's `init` says
  Location location;
};

// By the norm of what an output, or what it stands for, is off by.
constexpr bool has_norm(Comparison::Kind kind) {
  return kind == Comparison::Kind::norm || kind == Comparison::Kind::quantised;
}

struct Parameter {
  std::string name;
  std::string type;  // "[VAR]" (the element type under test) or a name that problem/scalar_type.h lists
  bool pointer = false;
  bool is_const = false;
  std::vector<Expression> shape;    // of a pointer; empty when the file has none
  std::optional<Init> init;         // of a const pointer, or of one that begins so
  Comparison compare;               // of a pointer that is not const: by the norm, and integers exactly
  std::optional<Beginning> begins;  // likewise; else it holds arbitrary values before a call
  Location location;
  bool is_argument = true;  // false: an integer of a case that the entry point does not have (`extents`)

  bool is_tensor() const { return pointer; }
  bool is_input() const { return pointer && is_const; }
  bool is_output() const { return pointer && !is_const; }
  bool is_integer() const;  // a scalar of an integer type
  bool is_computed() const { return init && init->kind == Init::Kind::computed; }
  // What the elements of a tensor are, whatever [VAR] is; nothing where they are [VAR].
  std::optional<Dtype> own_dtype() const;
};

// What a case multiplies the elements of an input with: 2^exponent, or powers of two that differ from it by
// up to `spread`, a block of neighbours each (draw/distribution.h).
struct Scaling {
  int exponent = 0;
  int spread = 0;
};

// By input.
using Scalings = std::map<std::string, Scaling, std::less<>>;

std::string to_string(const Scaling& scaling);  // "2^-24", "2^-28 to 2^-20, by blocks"

// Values of scalar parameters as written in the file, integers for integer types, and what the file says of
// the inputs of this case alone.
struct CaseSpec {
  std::string name;
  CaseRole role = CaseRole::test;
  Bindings integers;
  std::map<std::string, double, std::less<>> reals;  // for parameters of type float and double
  Location location;
  double weight = 1;                                    // in scores over cases
  bool quick = true;                                    // false: too long for `kgrade grade --quick`
  Scalings scalings = {};                               // of hidden cases
  std::map<std::string, Init, std::less<>> inits = {};  // of inputs that this case draws in another way
};

// What hidden cases draw a scalar from. Written as 1..8, one number, [1, 3, 8], 8..64 step 8 or
// powers_of_2(8..1024); of a real parameter as 0.1..2.5, a number or a list of numbers.
struct FuzzRange {
  std::string parameter;
  std::int64_t low = 0;
  std::int64_t high = 0;                  // included
  std::vector<std::int64_t> values = {};  // all of them, in order, where they are fewer than low..high
  std::optional<std::vector<double>> reals = {};  // of a real parameter: both ends, or all of a list
  bool is_list_of_reals = false;
  std::string text = {};  // as written
  Location location;
};

// What some hidden cases multiply an input with. Written as scale(2^-24..2^24), both ends included, or as
// scale(a * b) of an input that belongs to the product of others: their exponents are added.
struct ScaleRange {
  std::string input;
  int lowest = 0;  // exponents
  int highest = 0;
  std::vector<std::string> factors = {};  // in the place of the two
  std::string text = {};                  // as written
  Location location;
};

// Upper bounds on ||out - expected|| / ||expected|| for the precision classes.
struct Thresholds {
  double fp32 = 1e-5;
  double tf32 = 1e-3;
  double bf16 = 1e-2;
};

// Of a problem that states none; problem/read_dtypes.cc derives them.
Thresholds default_thresholds(Dtype dtype);

struct Problem {
  std::filesystem::path path;
  std::string slug;
  std::string family;  // what it shares with other problems (problem/families.h); empty: nothing
  std::string title;
  Difficulty difficulty = Difficulty::easy;
  std::string author;  // empty when the file names none
  std::vector<std::string> tags;
  std::vector<Parameter> parameters;  // those of the entry point, and behind them the `extents`
  std::vector<std::string> dtypes;    // that [VAR] can be
  Dtype dtype = Dtype::float32;       // that it is: the first of them, unless with_dtype() chose another
  std::vector<std::pair<std::string, Expression>> let;  // in file order; later ones may use earlier ones
  std::vector<Expression> require;
  CaseSpec defaults;  // values of parameters that cases need not name; without a name
  std::vector<CaseSpec> cases;
  std::vector<FuzzRange> fuzz;
  std::vector<ScaleRange> scales;  // likewise of `fuzz`
  std::optional<Expression> flops;
  std::optional<Expression> terms;  // of the longest sum; Case::terms says what holds without it
  std::optional<Expression> bytes;  // memory traffic of a case in float32; without it all tensors once
  std::string precision = "fp32";
  Thresholds thresholds;                         // of `dtype`
  std::map<Dtype, Thresholds> dtype_thresholds;  // of those that are listed
  Libraries libraries = Libraries::any;
  std::optional<TorchModule> torch;  // how a module of PyTorch states the problem, if the file says it
  std::string source;
  // Other contents that were asked for than the file's own (problem/other_inputs.h), as --inputs has them,
  // and the slug of the file then.
  std::vector<std::string> inputs;
  std::string slug_of_file;
  // A Python file beside this one: its `Model` is oracle and reference. Empty: reference/<slug>.cu is.
  std::string reference;
  // Markdown, all that follows the frontmatter, line ends as \n; then that of the family.
  std::string statement;
  // Of the whole file. With a family: of two lines, this digest and that of the family's file.
  std::string content_sha256;

  // By which references and baselines are found, whatever the inputs.
  const std::string& source_slug() const { return slug_of_file.empty() ? slug : slug_of_file; }
  // Oracle and reference are the Model of a Python file, which returns its outputs.
  bool has_model() const { return !reference.empty(); }
  // The parameters of the entry point.
  std::span<const Parameter> arguments() const;
  // Asks for the class exact: no output may be off by any rounding. Only where all are compared so.
  bool is_exact() const { return precision == "exact"; }
  // There are outputs, and none of them is compared by a norm.
  bool compares_exactly() const;
  const CaseSpec* find_case(std::string_view name) const;
  const Parameter* find_parameter(std::string_view name) const;
};

// Reads the bytes of a problem file. `path` is used in messages only. Every fault of form is an error
// with line and column: no frontmatter, broken YAML, an unknown or missing or doubled key, a wrong type,
// a text that is not UTF-8, a case that leaves out a parameter or names an unknown one, two cases of one
// name, an expression that does not parse or names nothing. Keys that only grading needs may be missing.
// At most 50 errors, in the order of the file. YAML anchors, aliases and tags are refused, and so are a
// frontmatter of more than 256 KiB and more than max_parameters parameters, 200 `let`, 200 `require` or 1,000
// cases.
//
// What `family` names is looked for in `families`, and read as if it stood in the file (problem/families.h
// says how the two become one); without any, every name is unknown. The place of an error is in the file that
// has the fault.
Result<Problem> parse_problem(std::string_view content, const std::filesystem::path& path,
                              const Families* families = nullptr);

// With the families of the folder `families` beside the file.
Result<Problem> load_problem(const std::filesystem::path& path);

// The problem with another element type. An Error names those that are listed when this one is not. Of a
// problem whose reference is a Model, the class that a 16-bit type asks for is bf16: problem/read_dtypes.cc
// says why.
Result<Problem> with_dtype(Problem problem, std::string_view name);

// An `init` as it stands in a file, of a shape that is numbers.
Result<Init> parse_init(const std::string& text);
// Whether an input of the type can be drawn so: it has such values, and none overflows.
bool can_hold(Dtype dtype, const Init& init);

// A case of role `test` that stands in no file, written as `n=1000,m=3`: its name is that text, without
// blanks. Parameters that it does not name have their default, or else the value of the first sample case
// (without one: of the first test, or else bench). An Error says what is wrong in the text; whether `require`
// holds is for resolve_case() to say.
bool is_written_case(std::string_view text);  // it holds a =
Result<CaseSpec> parse_written_case(std::string_view text, const Problem& problem);

// What grading still needs and a valid interface may lack: shape and init of tensors, dtypes, cases with at
// least one bench and one test. Empty when the problem can be graded.
Errors missing_for_grading(const Problem& problem);

// The candidates' entry point as C++: `extern "C" void solution(const float* input, ..., size_t groups);`
// `element` replaces [VAR]; without it the problem's own type does.
std::string signature(const Problem& problem, std::string_view element);
// The headers that define its types, with [VAR] as `dtype`.
std::set<std::string_view> cuda_headers(const Problem& problem, Dtype dtype);
std::string signature(const Problem& problem);

}  // namespace kgrade
