#include <algorithm>
#include <string>
#include <utility>

#include "record/case_json.h"
#include "record/shared_json.h"

namespace kgrade {

// How an arm is written. If the clock was judged, the reported times and the attested times are beside the
// counted times.
struct WrittenArm {
  std::vector<double> counted_ms;
  std::optional<std::vector<double>> reported_ms;
  std::optional<std::vector<double>> attested_ms;
  std::optional<Summary> summary;
};
struct WrittenBaseline : WrittenArm {
  std::string name;
};

// A block that does not count.
struct VoidBlock {
  std::size_t block = 0;
  std::string reason;
};

// A measurement is written with the names of the arms that the letters of its orders stand for.
struct WrittenMeasurement : Measurement {
  std::vector<std::string> arms;
};

namespace {

// The order of the arms as letters, one per arm, numbered as in CaseRecord: "cab" is easier to read than "2 0
// 1".
struct BlockRule {
  Block operator()(const JsonValue& json) const {
    Block block;
    for (const char letter : json.text(26)) block.order.push_back(static_cast<std::size_t>(letter - 'a'));
    std::vector<std::size_t> sorted = block.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (sorted[i] != i) json.complain("is no order of arms");
    }
    block.samples.resize(block.order.size());
    return block;
  }
  static nlohmann::ordered_json written(const Block& block) {
    std::string text;
    for (const std::size_t arm : block.order) text += static_cast<char>('a' + arm);
    return text;
  }
  static nlohmann::ordered_json schema() { return {{"type", "string"}, {"pattern", "^[a-w]{2,23}$"}}; }
};

// Arms are written as letters, so their number is limited.
constexpr std::size_t most_others = 20;

WrittenArm written_arm(const CaseRecord& c, std::size_t arm) {
  WrittenArm written;
  std::vector<double> reported, attested;
  for (const Sample& sample : samples_of(c, arm)) {
    written.counted_ms.push_back(sample.counted_ms());
    reported.push_back(sample.reported_ms);
    attested.push_back(sample.attested_ms);
  }
  if (c.clock) {
    written.reported_ms = std::move(reported);
    written.attested_ms = std::move(attested);
  }
  written.summary = summary_or_none(c.arms[arm].summary);
  return written;
}

std::vector<Sample> samples_in(const WrittenArm& written, const JsonValue& json) {
  std::vector<Sample> samples(written.counted_ms.begin(), written.counted_ms.end());
  if (!written.reported_ms || !written.attested_ms) return samples;
  if (written.reported_ms->size() != samples.size() || written.attested_ms->size() != samples.size()) {
    json.complain("has lists of different lengths");
    return samples;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].reported_ms = (*written.reported_ms)[i];
    samples[i].attested_ms = (*written.attested_ms)[i];
  }
  return samples;
}

// Spreads the samples over the blocks, two per block.
void spread_over_blocks(const JsonValue& json, const std::vector<Sample>& samples, std::size_t arm,
                        Measurement& into) {
  std::size_t next = 0;
  for (ProcessBlocks& process : into.processes) {
    for (Block& block : process.blocks) {
      if (next + 2 > samples.size() || arm >= block.samples.size())
        return json.complain("does not fit the blocks");
      block.samples[arm] = {samples[next], samples[next + 1]};
      next += 2;
    }
  }
  if (next != samples.size()) json.complain("does not fit the blocks");
}

void take_arm(const WrittenArm& written, const JsonValue& json, bool detailed, std::size_t arm,
              CaseRecord& c) {
  c.arms[arm].summary = written.summary.value_or(Summary{});
  if (!detailed) return;
  const std::vector<Sample> samples = samples_in(written, json);
  if (c.measurement) {
    spread_over_blocks(json, samples, arm, *c.measurement);
  } else {
    c.arms[arm].samples = samples;
  }
}

std::vector<VoidBlock> void_blocks(const ProcessBlocks& process) {
  std::vector<VoidBlock> list;
  for (std::size_t i = 0; i < process.blocks.size(); ++i) {
    if (!process.blocks[i].voided.empty()) list.push_back({i, process.blocks[i].voided});
  }
  return list;
}

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<VoidBlock>& block) {
  archive("block", block.block, "The number of its order, from 0.");
  archive("reason", block.reason);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ProcessBlocks>& process) {
  archive("launches_per_sample", process.launches, from_one);
  archive(
      "ended", process.end,
      "Measuring ended because intervals were narrow enough, the time was over, too many blocks were void, "
      "or a contestant failed.");
  if (!archive.wants_detail()) return;
  archive(
      "orders", process.blocks, BlockRule{},
      "Of the first round of each block. The letters a, b, c stand for the arms; the second round has the "
      "reverse order.");
  std::vector<VoidBlock> list = void_blocks(process);
  archive("void", list, "Blocks that do not count.");
  if constexpr (Archive::reads) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].block < process.blocks.size()) {
        process.blocks[list[i].block].voided = list[i].reason;
      } else {
        archive.value()["void"].items(most_items)[i]["block"].complain("is none of the orders");
      }
    }
  }
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenMeasurement>& measurement) {
  archive("cache", measurement.cache, "What a call finds of its inputs in the cache.");
  if (!archive.wants_detail()) return;
  archive("goal", measurement.goal);
  archive("process_offset_ms", measurement.process_offset_ms, not_negative,
          "The standard deviation of what a process adds to each of its launches.");
  archive("processes", measurement.processes, items(1));
  archive.derived("arms", measurement.arms, items(2, most_others + 3),
                  "Those who are compared: the reference, the baseline that counts, others, the candidate.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenArm>& arm) {
  if (archive.wants_detail()) {
    archive("samples_ms", arm.counted_ms, positive,
            "Of one launch each, in the order of the calls. In a measured case two per block, also of void "
            "blocks.");
    archive.or_default("reported_ms", arm.reported_ms, not_negative,
                       "Of the same samples, by the worker. Only if the case has a clock.");
    archive.or_default("attested_ms", arm.attested_ms, not_negative,
                       "Of the same samples, by the referee's clock. The larger time of both counts.");
  }
  archive("summary", arm.summary, "Of the samples that count.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<WrittenBaseline>& baseline) {
  fields(archive, static_cast<typename Archive::template Value<WrittenArm>&>(baseline));
  archive("name", baseline.name, text_up_to<200>);
}

template <class Archive>
void arm_fields(Archive& archive, typename Archive::template Value<CaseRecord>& c) {
  WrittenArm candidate, reference;
  std::optional<WrittenBaseline> baseline;
  std::vector<WrittenBaseline> others;
  std::optional<WrittenMeasurement> measurement;
  if constexpr (!Archive::reads) {
    candidate = written_arm(c, c.arms.size() - 1);
    reference = written_arm(c, 0);
    for (std::size_t arm = 1; arm + 1 < c.arms.size(); ++arm) {
      WrittenBaseline written{written_arm(c, arm), c.arms[arm].name};
      if (c.arms[arm].is_beside) {
        others.push_back(std::move(written));
      } else {
        baseline = std::move(written);
      }
    }
    if (c.measurement) measurement.emplace(WrittenMeasurement{*c.measurement, {}});
    for (const Arm& arm : c.arms) {
      if (measurement) measurement->arms.push_back(arm.name);
    }
  }
  archive("candidate", candidate);
  archive("reference", reference);
  archive.or_default("baseline", baseline, "The fastest baseline of the candidate's class.");
  archive.or_default(
      "other_baselines", others, items(1, most_others),
      "Baselines that were measured in the same blocks and do not count, because they are slower "
      "or of another class.");
  archive.or_default("measurement", measurement, "How the samples were taken.");
  if constexpr (Archive::reads) {
    const bool detailed = archive.wants_detail();
    const auto at = [&](const char* name) { return archive.value().find(name).value_or(archive.value()); };
    if (measurement) c.measurement = std::move(*measurement);
    if (baseline) c.arms.insert(c.arms.begin() + 1, {baseline->name, {}, {}});
    std::size_t arm = c.arms.size() - 1;
    for (const WrittenBaseline& other : others) c.arms.insert(c.arms.end() - 1, {other.name, {}, {}, true});
    take_arm(reference, at("reference"), detailed, 0, c);
    if (baseline) take_arm(*baseline, at("baseline"), detailed, 1, c);
    for (const WrittenBaseline& other : others) take_arm(other, at("other_baselines"), detailed, arm++, c);
    take_arm(candidate, at("candidate"), detailed, arm, c);
  }
}

template void arm_fields(JsonWriter& archive, const CaseRecord& c);
template void arm_fields(JsonReader& archive, CaseRecord& c);
template void arm_fields(SchemaWriter& archive, const CaseRecord& c);

}  // namespace kgrade
