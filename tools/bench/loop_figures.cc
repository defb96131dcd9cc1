#include "loop_figures.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/text_format.h"
#include "estimators/statistics.h"
#include "table.h"

namespace starling::bench {
namespace {

using cli::Json;

// The OSU benchmarks time fewer calls of vectors that are longer than this.
constexpr std::int64_t kLongestShortVector = 8192;

Json commonRecord(const Header& header, const Arguments& arguments, const char* name) {
  Json record;
  record["record"] = name;
  record["ranks"] = header.environment.ranks;
  record["type"] = header.type;
  record["op"] = arguments.operation;
  record["sites"] = arguments.sites;
  return record;
}

std::string number(const Json& value, int digits) { return fmt::format("{:.{}f}", value.get<double>(), digits); }

std::string whole(const Json& value) { return std::to_string(value.get<std::int64_t>()); }

std::string overheadTable(const Json& records) {
  using cli::Align;
  cli::Table table({{"COUNT", Align::kRight},
                    {"BYTES", Align::kRight},
                    {"CALLS", Align::kRight},
                    {"PMPI", Align::kRight},
                    {"MPI", Align::kRight},
                    {"COPY", Align::kRight},
                    {"FLAGS", Align::kRight},
                    {"RATIO", Align::kRight},
                    {"HALF OF THE RATIOS"},
                    {"PAIRS", Align::kRight},
                    {"WRONG", Align::kRight}});
  for (const Json& record : records) {
    table.addRow({whole(record["count"]), whole(record["bytes"]), whole(record["calls"]),
                  number(record["pmpi_us"], 3) + " us", number(record["mpi_us"], 3) + " us",
                  number(record["copy_us"], 3) + " us",
                  record["flags_us"].is_null() ? "-" : number(record["flags_us"], 3) + " us",
                  number(record["ratio"], 3), number(record["ratio_25"], 3) + " to " + number(record["ratio_75"], 3),
                  whole(record["pairs"]), whole(record["wrong_elements"])});
  }
  return "medians of loops by turns, with copies of the vector on all ranks at once, and with flags by which all ranks "
         "wait for each other; the ratios are those of the pairs\n" +
         table.text();
}

std::string backToBackTable(const Json& records) {
  using cli::Align;
  cli::Table table({{"COUNT", Align::kRight},
                    {"BYTES", Align::kRight},
                    {"CALLS", Align::kRight},
                    {"MEAN", Align::kRight},
                    {"LEAST RANK", Align::kRight},
                    {"MOST RANK", Align::kRight},
                    {"WRONG", Align::kRight}});
  for (const Json& record : records) {
    table.addRow({whole(record["count"]), whole(record["bytes"]), whole(record["calls"]),
                  number(record["mean_us"], 2) + " us", number(record["least_us"], 2) + " us",
                  number(record["most_us"], 2) + " us", whole(record["wrong_elements"])});
  }
  return "means over calls\n" + table.text();
}

}  // namespace

std::int32_t suiteCalls(std::int64_t bytes) { return bytes <= kLongestShortVector ? 1000 : 100; }
std::int32_t suiteWarmup(std::int64_t bytes) { return bytes <= kLongestShortVector ? 200 : 10; }

Json recordOf(const Header& header, const Arguments& arguments, const LoopFigures& figures) {
  Json record = commonRecord(header, arguments, "loop");
  record["count"] = figures.count;
  record["bytes"] = figures.bytes;
  record["calls"] = figures.calls;
  record["mean_us"] = 1e-3 * figures.time.mean_ns;
  record["least_us"] = 1e-3 * figures.time.shortest_ns;
  record["most_us"] = 1e-3 * figures.time.longest_ns;
  record["wrong_elements"] = figures.wrong_elements;
  return record;
}

Json recordOf(const Header& header, const Arguments& arguments, const OverheadFigures& figures) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < figures.mpi_ns.size(); ++i) ratios.push_back(figures.mpi_ns[i] / figures.pmpi_ns[i]);
  Json record = commonRecord(header, arguments, "overhead");
  record["count"] = figures.count;
  record["bytes"] = figures.bytes;
  record["calls"] = figures.calls;
  record["pairs"] = figures.mpi_ns.size();
  record["pmpi_us"] = 1e-3 * quantile(figures.pmpi_ns, 0.5);
  record["mpi_us"] = 1e-3 * quantile(figures.mpi_ns, 0.5);
  record["copy_us"] = 1e-3 * quantile(figures.copy_ns, 0.5);
  record["flags_us"] = figures.flags_ns.empty() ? Json() : Json(1e-3 * quantile(figures.flags_ns, 0.5));
  record["ratio"] = quantile(ratios, 0.5);
  record["ratio_25"] = quantile(ratios, 0.25);
  record["ratio_75"] = quantile(ratios, 0.75);
  record["wrong_elements"] = figures.wrong_elements;
  return record;
}

std::string loopTable(const Header& header, const Arguments& arguments, const Json& records) {
  const Environment& environment = header.environment;
  const bool is_overhead = arguments.procedure == Procedure::kOverhead;
  return fmt::format("{} on {}, {}; {} {}, from {}, {}", formatCount(environment.ranks, "rank"),
                     formatCount(environment.nodes, "node"), environment.mpi_version, header.type, arguments.operation,
                     arguments.sites == 1 ? "one place" : fmt::format("{} places", arguments.sites),
                     is_overhead ? overheadTable(records) : backToBackTable(records));
}

}  // namespace starling::bench
