#include "algorithms_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulation.h"
#include "simulator/simulated_choice.h"
#include "timeline.h"

namespace starling::cli {
namespace {

constexpr std::size_t kDrawingWidth = 72;

// All drawings show this call: a vector takes half of the time by which rank 1 is late.
Scenario exampleCall(const Algorithm& algorithm) {
  Scenario scenario;
  scenario.ranks = 4;
  scenario.count = 32 << 10;
  scenario.late = {{1, Seconds{2e-3}}};
  scenario.model = {.alpha = {1e-6}, .beta = 8e-9};
  if (algorithm.suits_topology != nullptr) scenario.ranks_per_node = 2;
  return scenario;
}

constexpr const char* kHowToRead =
    "Each section draws a call of 4 ranks with 32Ki floats, of which rank 1 comes 2 ms late, in 4 segments where "
    "there\n"
    "are segments, and on two nodes where nodes matter: what `starling simulate --ranks 4 --count 32Ki --alpha 1us "
    "--late\n"
    "1:2ms --timeline NAME` prints. A line is a virtual rank and, in brackets, its rank.\n";

std::string drawnChoice(const Algorithm& algorithm) {
  const std::string name = algorithm.name;
  return hasSegments(algorithm, defaultParameters(algorithm)) ? name + ":segments=4" : name;
}

// Draws one call.
std::string formatDrawing(const Algorithm& algorithm) {
  const Result<Comparison> traced = trace(exampleCall(algorithm), {drawnChoice(algorithm)});
  if (!traced.isOk()) return traced.status().message() + "\n";
  const Comparison& comparison = traced.value();
  const Prediction& prediction = comparison.predictions.front();
  const Drawing drawing{prediction.choice, &prediction.call};
  return formatTimeline(std::span(&drawing, 1), comparison.arrivals, comparison.table, kDrawingWidth);
}

Table overview() {
  Table table({{"ID", Align::kRight}, {"NAME"}, {"ARRIVALS"}, {"TOPOLOGY"}, {"RANK ORDER"}, {"TRADE-OFF"}});
  for (const Algorithm& algorithm : catalogue()) {
    table.addRow({std::to_string(algorithm.id), algorithm.name, yesOrNo(algorithm.uses_arrivals),
                  yesOrNo(algorithm.suits_topology != nullptr), yesOrNo(algorithm.keeps_rank_order),
                  algorithm.trade_off});
  }
  return table;
}

}  // namespace

Table parameterTable(const Algorithm& algorithm) {
  Table table({{"PARAMETER"},
               {"MINIMUM", Align::kRight},
               {"MAXIMUM", Align::kRight},
               {"DEFAULT", Align::kRight},
               {"UNIT"},
               {"MEANING"}});
  for (const Parameter& parameter : algorithm.parameters) {
    table.addRow({parameter.name, std::to_string(parameter.minimum), std::to_string(parameter.maximum),
                  std::to_string(parameter.fallback), parameter.unit, parameter.help});
  }
  return table;
}

std::string formatSection(const Algorithm& algorithm) {
  std::string text = fmt::format("## {}\n\n`{}` {}\n\n", algorithm.name, algorithm.name, algorithm.what);
  text += fmt::format("- Trade-off: {}.\n- Cost: {}.\n- Valid: {}.\n- Source: {}.\n", algorithm.trade_off,
                      algorithm.cost, algorithm.valid_text, algorithm.source);
  if (!algorithm.parameters.empty()) text += "\n" + parameterTable(algorithm).markdown();
  if (algorithm.build != nullptr) text += fmt::format("\n```\n{}```\n", formatDrawing(algorithm));
  return text;
}

std::string formatDocument() {
  std::string text = overview().markdown() + "\n" + kHowToRead;
  for (const Algorithm& algorithm : catalogue()) text += "\n" + formatSection(algorithm);
  return text;
}

}  // namespace starling::cli
