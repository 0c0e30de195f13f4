// What a user chooses for a grade. grade_options() is the one list of these options. The command line, the
// jobs of lanes, the requests of the service, the options in a record and Python's `kgrade.Options` follow
// from it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/hidden_cases.h"
#include "record/speed.h"

namespace kgrade {

struct GradeSettings {
  // Unset: as each candidate declares. A run gets its problem in the type and class that were asked for.
  std::optional<std::string> dtype;
  std::optional<std::string> precision;
  std::vector<std::string> inputs;  // the values of --inputs
  // By name, or in the form that parse_written_case() reads. Empty: the cases that the command chooses.
  std::vector<std::string> cases;
  // Unset: as many as the command draws on its own. A problem without `fuzz` has none to draw.
  std::optional<std::uint64_t> hidden_cases;
  std::optional<std::uint64_t> hidden_seed;  // unset: a random one, which the record keeps
  std::optional<std::uint64_t> seed;         // of the inputs; drawn at random when unset
  Effort effort = Effort::normal;
  bool clears_outputs = false;        // before each call, as some sites do
  bool warm = false;                  // the cache holds the inputs of a call
  std::optional<std::uint64_t> heat;  // unset: the usual number if quick speeds are measured, and otherwise 1
  WantedBaselines baselines = WantedBaselines::usual;
  std::optional<std::uint64_t> launches;     // per sample; unset: by the time of a launch
  std::optional<double> budget_seconds;      // of measuring a case in a process; unset: by the effort
  std::optional<double> time_limit_seconds;  // of one call
  std::string problems;                      // the folder given by --problems; empty: the usual one
  std::string python;                        // the value of --python; empty: the usual one
  bool require_sandbox = false;              // refuse to run without the sandbox's namespaces
  bool force = false;                        // run even what takes long on the emulated device

  bool operator==(const GradeSettings&) const = default;
};

// Commands that have an option.
enum : unsigned { by_grade = 1, by_check = 2, by_profile = 4, by_sweep = 8, by_serve = 16 };

// Whether the record of a sweep names the option. Recorded options separate results that count under
// different conditions.
enum class Recorded { never, if_chosen, always };

// A member of a request to the service.
struct Member {
  const char* name = nullptr;  // null: no client may set the option
  const char* description = "";
  std::array<const char*, 4> examples = {};  // of its text
};

struct GradeOption {
  const char* name;       // in the jobs of lanes, and in the record
  std::string_view flag;  // on the command line, with a placeholder for its value: "--seed N"
  unsigned by = 0;        // the commands that have it
  const char* help = "";  // what --help says
  Member member = {};
  Recorded recorded = Recorded::never;
};

// Which values an option may have.
struct AnySetting {};
struct WholeNumber {
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
  std::uint64_t most_of_clients = most;
};
struct AnySeed : WholeNumber {};
struct Seconds {
  double least = 0.001;
  double most = 86400;
};
// One of the values of an enumeration. If the word or the flag is empty, the value cannot be chosen in that
// place.
template <class E>
struct Choice {
  E value;
  std::string_view member = {};  // its word in a request
  std::string_view word = {};    // after the option's flag on the command line
  std::string_view flag = {};    // which chooses this value alone
  std::string_view help = {};    // of this flag
};

// Limits on a heat (grade/heat.h): processes wait for each other in the driver, and each takes half a
// gigabyte of a GPU's memory.
inline constexpr std::size_t most_in_heat = 8;
inline constexpr std::size_t most_in_heat_of_python = 4;
// Launches of one sample: a worker takes no more (contest/protocol.h).
inline constexpr std::size_t most_launches_of_sample = 8;
// How many hidden shapes are drawn if only a seed is given, and in a grade of all cases.
inline constexpr std::size_t usual_hidden_cases = 4;

// Calls archive(option, value, rule) for each option, in the order of --help. A new option that is recorded
// is left out of the record while it has its default. So results from before it still count.
template <class Archive, class Settings>
void grade_options(Archive&& archive, Settings& settings) {
  constexpr unsigned by_runs = by_grade | by_check | by_profile;
  archive({"dtype",
           "--dtype float32|float16|bfloat16",
           by_runs | by_sweep,
           "Element type of the candidates (default: what they declare, or the problem's first)",
           {"dtype",
            "The type of the tensors. If missing or empty, the type that the candidate declares.",
            {"float32", "float16", "bfloat16"}}},
          settings.dtype, AnySetting{});
  archive({"precision",
           "--precision exact|fp32|tf32|bf16|own",
           by_runs,
           "Precision class that answers must reach, whatever candidates declare; own: the problem's "
           "(default: what they declare, or the problem's)",
           {"precision",
            "The precision class that the candidate has to reach, whatever it declares. If missing or empty, "
            "the problem's own, which is usually `fp32`.",
            {"exact", "fp32", "tf32", "bf16"}}},
          settings.precision, AnySetting{});
  archive({"inputs", "--inputs [NAME=]INIT", by_runs | by_sweep,
           "Draw the inputs from INIT, such as 'normal(0, 2)', instead of what the problem draws them from; "
           "x=INIT changes one input (may be repeated). INIT is what `init` may be of floats in a problem "
           "file, with numbers for names"},
          settings.inputs, AnySetting{});
  archive({"cases",
           "--case CASE",
           by_runs,
           "Only this case, by name or by values, as in n=1000,m=3 (may be repeated)",
           {"cases", "Names of the cases to grade. If missing, the usual ones."}},
          settings.cases, AnySetting{});
  static_assert(usual_hidden_cases == 4);
  archive({"hidden_cases",
           "--hidden N",
           by_grade | by_check | by_sweep,
           "Draw N hidden shapes from the problem's `fuzz` ranges with a private seed (default: 4, none when "
           "cases are named)",
           {"hidden", "How many hidden shapes are drawn."},
           Recorded::always},
          settings.hidden_cases, WholeNumber{.most = most_hidden_cases, .most_of_clients = 64});
  archive({"hidden_seed",
           "--hidden-seed SEED",
           by_grade | by_check | by_sweep,
           "Draw the same hidden shapes again: the seed from a record",
           {"hidden_seed", "Of the hidden shapes, like `seed`."},
           Recorded::always},
          settings.hidden_seed, AnySeed{});
  archive({"seed",
           "--seed N",
           by_runs | by_sweep,
           "Seed of the inputs (default: random; the record keeps it)",
           {"seed",
            "Of the inputs. Drawn at random if missing. With tokens, only for owners who have the scope "
            "`seeds`. A text of digits is for clients whose numbers have fewer than 64 bits."},
           Recorded::always},
          settings.seed, AnySeed{});
  archive({"effort", "", by_grade | by_sweep, "", {"effort", "How long speed is measured."}}, settings.effort,
          std::array<Choice<Effort>, 3>{
              {{Effort::quick, "quick", "", "--quick",
                "Measure until speedups are known to within 1 %, for at most half a second per case"},
               {Effort::normal, "default"},
               {Effort::ranked, "ranked", "", "--ranked",
                "Measure until speedups are known to within 0.25 %, in five processes per contestant"}}});
  archive({"budget_seconds",
           "--budget SECONDS",
           by_grade | by_sweep,
           "Seconds that measuring a case may take in a process, for large cases and machines that are not "
           "quiet (default: 3; 0.4 with --quick, 6 with --ranked)",
           {},
           Recorded::if_chosen},
          settings.budget_seconds, Seconds{.most = 3600});
  archive({"clear_outputs",
           "--clear-outputs",
           by_grade | by_sweep,
           "Set outputs to zero before each call, for kernels that add to them; such records are not ranked",
           {},
           Recorded::if_chosen},
          settings.clears_outputs, AnySetting{});
  archive({"warm",
           "--warm",
           by_grade | by_sweep,
           "Leave the inputs in the cache, as for KernelBench's published figures (default: the cache is "
           "cold at every call)",
           {},
           Recorded::always},
          settings.warm, AnySetting{});
  static_assert(most_in_heat == 8 && most_in_heat_of_python == 4);
  archive(
      {"heat", "--heat N", by_grade | by_sweep,
       "With --quick, grade up to so many candidates, 1 to 8, side by side: each on inputs of its own, all "
       "beside the same calls of the reference (default: 8, and 4 in Python, where speed is measured)"},
      settings.heat, WholeNumber{1, most_in_heat});
  archive({"baselines",
           "--baselines none|pytorch|compile",
           by_grade | by_sweep,
           "none: compare with the reference only; pytorch: with --quick and on the emulated device, too, "
           "with the vendor's library and PyTorch, eager in fp32 and in TF32 (default: where there is time "
           "and times are speed); compile: also with torch.compile of both",
           {"baselines", "What is measured beside the candidate."},
           Recorded::always},
          settings.baselines,
          std::array<Choice<WantedBaselines>, 4>{
              {{WantedBaselines::none, "none", "none", "--no-baselines", "The same as --baselines none"},
               {WantedBaselines::usual, "usual"},
               {WantedBaselines::pytorch, "pytorch", "pytorch"},
               {WantedBaselines::compiled, "compiled", "compile"}}});
  archive({"launches", "--launches N", by_grade,
           "Launches per sample, 1 to 8, each on its own tensors (default: one, or more if one is too short "
           "to be timed well)"},
          settings.launches, WholeNumber{1, most_launches_of_sample});
  archive({"time_limit_seconds",
           "--time-limit SECONDS",
           by_runs | by_sweep,
           "Seconds that one call of a candidate may take (default: 20 times the reference's, at least 2 on "
           "a GPU and 10 on the emulated device)",
           {"time_limit_s", "Seconds that one call of the candidate may take."},
           Recorded::always},
          settings.time_limit_seconds, Seconds{});
  archive({"problems", "--problems DIR", by_runs | by_serve,
           "A further folder of problem files, which comes before `problems` in the working folder and those "
           "of kgrade"},
          settings.problems, AnySetting{});
  archive({"python", "--python PATH", by_runs | by_sweep | by_serve,
           "The Python that runs Python candidates, with PyTorch (default: $KGRADE_PYTHON, or else python3 "
           "in PATH)"},
          settings.python, AnySetting{});
  archive({"require_sandbox",
           "--require-sandbox",
           by_runs | by_sweep | by_serve,
           "Refuse to grade when the sandbox's namespaces are not available (exit code 3)",
           {},
           Recorded::always},
          settings.require_sandbox, AnySetting{});
  archive(
      {"force", "--force", by_runs, "Run named cases that take more than a minute on the emulated device"},
      settings.force, AnySetting{});
}

}  // namespace kgrade
