#include "record/case_json.h"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "record/shared_json.h"

namespace kgrade {

using Json = nlohmann::ordered_json;

// How a case's roofline is written.
struct WrittenRoofline {
  Floor floor;
  std::map<std::string, double> shares;  // by the name of the arm
};

namespace {

// Whole numbers are integer parameters of the kernel, and others are real parameters.
struct Parameters {
  Bindings whole;
  std::map<std::string, double, std::less<>> real;
};
struct ParameterRule {
  Parameters operator()(const JsonValue& json) const {
    Parameters parameters;
    for (const auto& [name, value] : json.members(most_members)) {
      if (value.is_whole()) {
        parameters.whole[name] = value.integer(INT64_MIN, INT64_MAX);
      } else {
        parameters.real[name] =
            value.number(-std::numeric_limits<double>::max(), std::numeric_limits<double>::max());
      }
    }
    return parameters;
  }
  static Json written(const Parameters& parameters) {
    Json json = Json::object();
    for (const auto& [name, value] : parameters.whole) json[name] = value;
    for (const auto& [name, value] : parameters.real) json[name] = value;
    return json;
  }
  static Json schema() { return {{"type", "object"}, {"additionalProperties", {{"type", "number"}}}}; }
};

// Times that do not enter any speedup. They expose speeds that are impossible (measure/clock_rule.h).
template <class Archive>
void evidence_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  constexpr std::tuple<const char*, Purpose, const char*> purposes[] = {
      {"repeated_ms", Purpose::repeated, "The candidate, called again with contents that it has just seen."},
      {"changed_ms", Purpose::changed, "The candidate on contents of which only a few elements are new."},
      {"unmeasured_ms", Purpose::warm_up, "The candidate on new contents, in calls without a sample."}};
  for (const auto& [name, purpose, description] : purposes) {
    std::vector<double> times;
    if constexpr (!Archive::reads) times = times_for(c.candidate(), purpose);
    archive(name, times, positive, description);
    if constexpr (Archive::reads) {
      for (const double ms : times) c.candidate().samples.push_back({ms, purpose});
    }
  }
  archive("reference_before_ms", c.reference_before_ms, positive,
          "The reference alone on the device, before the candidate was loaded.");
  archive("reference_after_ms", c.reference_after_ms, positive,
          "The reference alone on the device, after the candidate had ended.");
  std::optional<double> bound;
  if (c.lower_bound_ms > 0) bound = c.lower_bound_ms;
  archive("lower_bound_ms", bound, positive,
          "What the device's memory and arithmetic need at least. Null if unknown.");
  if constexpr (Archive::reads) c.lower_bound_ms = bound.value_or(0);
}

template <class Archive>
void roofline_field(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  std::optional<WrittenRoofline> written;
  if constexpr (!Archive::reads) {
    if (c.roofline) written = WrittenRoofline{c.roofline->floor, {}};
    for (std::size_t arm = 0; written && arm < c.arms.size(); ++arm)
      written->shares[c.arms[arm].name] = c.roofline->shares[arm];
  }
  archive(
      "roofline", written,
      "The least time that the case's bytes and operations need at the device's measured rates. Null if it "
      "is unknown or was not measured.");
  if constexpr (Archive::reads) {
    if (!written) return;
    c.roofline = CaseRoofline{written->floor, {}};
    for (const Arm& arm : c.arms) {
      const auto share = written->shares.find(arm.name);
      if (share == written->shares.end()) (void)(*archive.value().find("roofline"))["shares"][arm.name];
      c.roofline->shares.push_back(share == written->shares.end() ? 0 : share->second);
    }
  }
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenRoofline>& roofline) {
  archive("memory_ms", roofline.floor.memory_ms, not_negative);
  archive("arithmetic_ms", roofline.floor.arithmetic_ms, not_negative);
  archive.derived("floor_ms", roofline.floor.ms(), not_negative);
  archive.derived("bound_by", roofline.floor.bound_by());
  archive("shares", roofline.shares, NumberRule{0, 1e6},
          "Of each arm: the floor's share of the median. Above 1 if fewer operations are done than `flops` "
          "says.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Speedup>& speedup) {
  archive("against", speedup.against, text_up_to<200>, "The name of an arm.");
  fields(archive, speedup.ratio);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ClockRecord>& clock) {
  archive("attested_share", clock.attested_share, share_of_one,
          "The median share of a counted time of the candidate that the referee's clock attests.");
  archive("protocol_ms", clock.protocol_ms, not_negative,
          "What the protocol adds to a call, measured on the reference.");
  archive("samples", clock.samples);
  archive.object(
      "raised",
      [&](auto& raised) {
        raised("candidate", clock.raised_candidate);
        raised("reference", clock.raised_reference);
      },
      "Samples that count as longer than their worker reported.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongElement>& element) {
  archive("index", element.index);
  archive("expected", element.expected, "A number, inf, -inf or nan.");
  archive("got", element.got, "Like `expected`, or what the kernel did instead, such as never written.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrongOutput>& wrong) {
  archive("tensor", wrong.tensor);
  archive("elements", wrong.elements);
  archive("wrong", wrong.wrong);
  archive("never_written", wrong.never_written, "Wrong elements that the kernel never wrote.");
  archive("added_to", wrong.added_to, "Wrong elements that the kernel added to instead of overwriting them.");
  archive("pattern", wrong.pattern, "What the wrong elements have in common. Empty if unknown.");
  archive("examples", wrong.examples, "The first wrong elements. None of hidden and measured cases.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Printed>& printed) {
  archive("lines", printed.lines, items(0, 40), "The first lines, without control characters.");
  archive("more_lines", printed.more_lines);
  archive("cut_off", printed.cut_off, "More was printed than kgrade keeps.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<DrawnFamilies>& drawn) {
  archive("inputs", drawn.inputs,
          "How they differ from the case's distribution, such as `x: elements are multiplied by 4`.");
  archive("tells", drawn.tells,
          "If false, honest answers to these inputs may differ, so the candidate was not called.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<AppliedRule>& rule) {
  archive("decided_by", rule.decided_by, "The elements whose error came nearest to the bound.");
  archive("bound", rule.bound, positive, "For the class that the problem or the candidate asks for.");
  archive("terms", rule.terms, any_count, "The length of the longest sum in the case.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SetRule>& rule) {
  archive("absolute", rule.absolute, not_negative);
  archive("relative", rule.relative, not_negative);
  archive("matched", rule.matched, share_of_one, "The share of an output's elements that have to pass.");
  archive("largest", rule.largest, not_negative,
          "The largest |out - expected| that an element may have. Null: there is no limit.");
  archive.or_default("either", rule.either,
                     "True: an element passes if |out - expected| is within the larger of `absolute` and "
                     "`relative` * |expected|, not their sum.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseBySet>& by_set) {
  archive("accepted", by_set.accepted);
  archive("failed_elements", by_set.failed_elements, any_count, "Of all outputs.");
  archive("elements", by_set.elements, any_count, "Of all outputs.");
  error_field(
      archive, "largest_error", by_set.largest_error,
      "The largest |out - expected|. Null: an element is NaN, or finite in only one of the two outputs.");
  archive("rule", by_set.rule,
          "An element passes if |out - expected| <= absolute + relative * |expected|, and NaN never does.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  archive("name", c.name, case_name_of);
  archive("role", c.role);
  if (archive.wants_detail()) {
    Parameters parameters{c.parameters, c.real_parameters};
    archive("parameters", parameters, ParameterRule{});
    if constexpr (Archive::reads) {
      c.parameters = std::move(parameters.whole);
      c.real_parameters = std::move(parameters.real);
    }
  }
  archive.or_default("scales", c.scales, "How the inputs of this case differ from those of other cases.");
  archive("tensor_bytes", c.tensor_bytes, any_count, "Of all tensors, each counted once.");
  archive("flops", c.flops, any_count);
  std::optional<double> weight;
  if (c.weight != 1) weight = c.weight;
  archive.or_default("weight", weight, positive, "In scores over cases. 1 if it is left out.");
  if constexpr (Archive::reads) c.weight = weight.value_or(1);
  archive("run", c.run);
  std::optional<Verdict> verdict;  // null if the case did not run
  if (c.run) verdict = c.verdict;
  archive("verdict", verdict);
  if constexpr (Archive::reads) {
    if (c.run && !verdict) archive.value()["verdict"].complain("is missing in a case that ran");
    c.verdict = verdict.value_or(c.verdict);
  }
  archive("message", c.message);
  archive.where("run", c.run, true, [&](auto& run) { run_fields(run, c); });
}

// What is known only of a case that ran.
template <class Archive>
void run_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  archive("precision", c.precision);
  archive.object("error", [&](auto& error) {
    error_field(
        error, "relative", c.relative_error,
        "||actual - expected|| / ||expected||, or / the usual ||expected|| if that is larger. It is the "
        "largest over all elements, those that vary, and the smaller three quarters of these, and the worst "
        "of all calls. Null: beyond all bounds.");
    error_field(
        error, "max_scaled", c.max_scaled_error,
        "The largest |actual - expected| of an element, divided by its own |expected| or the root mean "
        "square of expected over its set of elements, whichever is larger. Null: beyond all bounds.");
    error.or_default("rule", c.rule, "How the output that came nearest to its bound was judged.");
  });
  archive.or_default(
      "by_set", c.by_set,
      "The case by the rule of the problem's set, in the first call that was checked. Left out "
      "if the case has no rule.");
  archive.or_default("wrong", c.wrong, "How an output was wrong. Only of cases with a wrong answer.");
  if (archive.wants_detail())
    archive.or_default("printed", c.printed,
                       "What the candidate printed in the first call of a sample case.");
  archive.or_default("families", c.families, items(1),
                     "Inputs that were drawn beside the case's own distribution, in their order.");
  archive.or_default("hardly_depends", c.hardly_depends, items(1),
                     "Outputs of a Model whose answer is the same for other inputs, or nearly.");
  archive("calls", c.calls, from_zero, "Calls of the candidate that returned. Each was checked.");
  archive("latency_hidden", c.latency_hidden);
  arm_fields(archive, c);
  archive("comparisons", c.speedups,
          "The reference is first, and the last one counts. Empty if times do not measure speed, or if the "
          "candidate "
          "is not accepted.");
  archive.or_default("other_comparisons", c.others, items(1), "With the other baselines, in their order.");
  archive.or_default(
      "clock", c.clock,
      "How much of the speed the referee's clock attests. Only of cases whose speed is measured.");
  roofline_field(archive, c);
  if (archive.wants_detail())
    archive.object(
        "evidence", [&](auto& evidence) { evidence_fields(evidence, c); },
        "Times that expose speeds that are impossible. No speedup is computed from them.");
}

template void fields(JsonWriter& archive, const CaseRecord& c);
template void fields(JsonReader& archive, CaseRecord& c);
template void fields(SchemaWriter& archive, const CaseRecord& c);

}  // namespace kgrade
