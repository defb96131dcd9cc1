#include "report.h"

#include <fmt/format.h>

#include <cmath>

#include "algos/catalogue.h"
#include "base/text_format.h"
#include "table.h"

namespace starling::bench {
namespace {

using cli::Json;

// Rounds to nanoseconds, the finest that clocks show.
double milliseconds(Seconds time) { return static_cast<double>(std::llround(time.value * 1e9)) / 1e6; }

Json distributionJson(const Distribution& distribution) {
  return {{"mean", milliseconds(distribution.mean)},
          {"min", milliseconds(distribution.minimum)},
          {"p50", milliseconds(distribution.median)},
          {"p99", milliseconds(distribution.p99)}};
}

Json eachJson(std::span<const Seconds> times) {
  Json each = Json::array();
  for (const Seconds time : times) each.push_back(milliseconds(time));
  return each;
}

Json modelJson(const CostModel& model) {
  return {{"alpha_us", 1e6 * model.alpha.value},     {"overhead_us", 1e6 * model.overhead.value},
          {"release_us", 1e6 * model.release.value}, {"beta_ns", 1e9 * model.beta},
          {"gamma_ns", 1e9 * model.gamma},           {"shared", model.shared}};
}

Json perRankJson(const std::optional<PerRank>& figures) {
  if (!figures) return nullptr;
  return {{"mean", figures->mean}, {"max", figures->maximum}};
}

Seconds sumOf(std::span<const PhaseSum> phases) {
  Seconds sum;
  for (const PhaseSum& phase : phases) sum += phase.post_arrival;
  return sum;
}

Json phasesJson(std::span<const PhaseSum> phases) {
  Json sums;
  for (const PhaseSum& phase : phases) sums[phase.name] = milliseconds(phase.post_arrival);
  sums["all"] = milliseconds(sumOf(phases));
  return sums;
}

Json parametersJson(const std::string& choice) {
  Json parameters = Json::object();
  const Result<Choice> parsed = parseChoice(choice);
  if (!parsed.isOk()) return parameters;
  const auto rows = findAlgorithm(parsed.value().algorithm)->parameters;
  for (std::size_t i = 0; i < rows.size(); ++i) parameters[rows[i].name] = parsed.value().parameters[i];
  return parameters;
}

// Makes one level of names for columns, as "elapsed_ms.mean".
Json flattened(const Json& record) {
  Json flat;
  for (const auto& [name, value] : record.items()) {
    if (!value.is_object()) {
      flat[name] = value;
    } else if (name == "parameters") {
      flat[name] = value.dump();
    } else {
      for (const auto& [inner, figure] : value.items()) flat[name + "." + inner] = figure;
    }
  }
  return flat;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100.0 * *share) : "-";
}

}  // namespace

Json headerRecord(const Header& header, const Arguments& arguments) {
  Json record;
  record["record"] = "header";
  record["benchmark"] = "starling-bench";
  record["version"] = STARLING_VERSION;
  record["ranks"] = header.environment.ranks;
  record["nodes"] = header.environment.nodes;
  record["ranks_per_node"] = header.environment.ranks_per_node;
  record["processor"] = header.environment.processor;
  record["mpi"] = header.environment.mpi_version;
  record["transport"] = header.environment.transport;
  record["clock"] = header.clock;
  record["beta_ns"] = cli::optionalJson(arguments.beta_ns);
  if (arguments.model) record["model"] = modelJson(header.model);
  record["seed"] = arguments.seed;
  record["iterations"] = arguments.iterations;
  record["warmup"] = arguments.warmup;
  record["arguments"] = header.command;
  return record;
}

Json resultRecord(const Header& header, const Arguments& arguments, const Summary& summary) {
  Json record;
  record["record"] = "result";
  record["algorithm"] = summary.algorithm;
  record["parameters"] = parametersJson(summary.choice);
  record["choice"] = summary.choice;
  record["ranks"] = header.environment.ranks;
  record["count"] = summary.setting.count;
  record["type"] = header.type;
  record["collective"] = collectiveName(arguments.collective);
  record["op"] = arguments.operation;
  record["bytes"] = summary.bytes;
  record["pattern"] = formatPattern(arguments.pattern);
  record["delay_ms"] = summary.setting.delay_ms;
  record["late_rank"] = arguments.late_rank;
  record["predict"] = predictName(summary.predict);
  record["iterations"] = arguments.iterations;
  record["elapsed_ms"] = distributionJson(summary.elapsed);
  record["post_arrival_ms"] = distributionJson(summary.post_arrival);
  if (!summary.phases.empty()) record["post_arrival_sum_ms"] = phasesJson(summary.phases);
  if (!summary.elapsed_each.empty()) record["elapsed_each_ms"] = eachJson(summary.elapsed_each);
  if (summary.loop) record["loop_ms"] = milliseconds(*summary.loop);
  if (arguments.model) {
    record["modelled_ms"] = summary.modelled ? Json(milliseconds(*summary.modelled)) : Json(nullptr);
  }
  record["ratio_to_ring"] = cli::optionalJson(summary.ratio_to_ring);
  record["share_of_saving"] = cli::optionalJson(summary.share_of_saving);
  record["messages_per_rank"] = perRankJson(summary.messages);
  record["bytes_sent_per_rank"] = perRankJson(summary.bytes_sent);
  record["wrong_elements"] = summary.wrong_elements;
  record["warmup_calls"] = summary.warmup_calls;
  if (summary.chosen) {
    record["chosen"] = *summary.chosen;
    record["settled"] = summary.settled;
  }
  return record;
}

std::string csvOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries) {
  Json rows = Json::array();
  for (const Summary& summary : summaries) {
    Json row = resultRecord(header, arguments, summary);
    row["chosen"] = cli::optionalJson(summary.chosen);
    row["settled"] = summary.settled;
    row.erase("elapsed_each_ms");
    // All rows need the same columns.
    for (const char* name : {"messages_per_rank", "bytes_sent_per_rank"}) {
      if (row[name].is_null()) row[name] = {{"mean", nullptr}, {"max", nullptr}};
    }
    rows.push_back(flattened(row));
  }
  return cli::formatCsv(rows);
}

std::string tableOf(const Header& header, const Arguments& arguments, std::span<const Summary> summaries) {
  using cli::Align;
  std::vector<cli::Column> columns{{"ALGORITHM"},
                                   {"COUNT", Align::kRight},
                                   {"DELAY", Align::kRight},
                                   {"ELAPSED", Align::kRight},
                                   {"POST-ARRIVAL", Align::kRight},
                                   {"MEDIAN", Align::kRight},
                                   {"P99", Align::kRight},
                                   {"OVER RING", Align::kRight},
                                   {"SHARE OF SAVING", Align::kRight},
                                   {"WRONG", Align::kRight}};
  if (arguments.as_program) columns.push_back({"LOOP", Align::kRight});
  if (arguments.model) columns.push_back({"MODEL", Align::kRight});
  for (const PhaseSum& phase : summaries.front().phases) columns.push_back({"SUM " + phase.name, Align::kRight});
  if (!summaries.front().phases.empty()) columns.push_back({"SUM", Align::kRight});
  cli::Table table(std::move(columns));
  for (const Summary& summary : summaries) {
    const std::string chosen = summary.chosen ? fmt::format(" ({})", *summary.chosen) : "";
    std::vector<std::string> row{summary.choice + chosen,
                                 std::to_string(summary.setting.count),
                                 fmt::format("{} ms", summary.setting.delay_ms),
                                 formatDuration(summary.elapsed.mean),
                                 formatDuration(summary.post_arrival.mean),
                                 formatDuration(summary.post_arrival.median),
                                 formatDuration(summary.post_arrival.p99),
                                 formatRatio(summary.ratio_to_ring),
                                 percent(summary.share_of_saving),
                                 std::to_string(summary.wrong_elements)};
    if (arguments.as_program) row.push_back(formatDuration(summary.loop.value_or(Seconds{})));
    if (arguments.model) row.push_back(summary.modelled ? formatDuration(*summary.modelled) : "-");
    for (const PhaseSum& phase : summary.phases) row.push_back(formatDuration(phase.post_arrival));
    if (!summary.phases.empty()) row.push_back(formatDuration(sumOf(summary.phases)));
    table.addRow(std::move(row));
  }
  const Environment& environment = header.environment;
  return fmt::format("{} on {}, {}, {} clock; {}, {} {}, pattern {}, n = {} calls each, means unless said\n{}",
                     formatCount(environment.ranks, "rank"), formatCount(environment.nodes, "node"),
                     environment.mpi_version, header.clock, collectiveName(arguments.collective), header.type,
                     arguments.operation, formatPattern(arguments.pattern), arguments.iterations, table.text());
}

}  // namespace starling::bench
