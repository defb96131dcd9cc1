#include <fmt/format.h>

#include <memory>

#include "algorithms_document.h"
#include "algos/catalogue.h"
#include "command_options.h"
#include "commands.h"
#include "json_text.h"
#include "table.h"

namespace starling::cli {
namespace {

struct AlgorithmsArguments {
  std::string name;
  bool json = false;
  bool markdown = false;
};

std::string parameterNames(const Algorithm& algorithm) {
  std::string names;
  for (const Parameter& parameter : algorithm.parameters)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names.empty() ? "-" : names;
}

Json algorithmJson(const Algorithm& algorithm) {
  Json json;
  json["id"] = algorithm.id;
  json["name"] = algorithm.name;
  json["what"] = algorithm.what;
  json["trade_off"] = algorithm.trade_off;
  json["keeps_rank_order"] = algorithm.keeps_rank_order;
  json["uses_arrivals"] = algorithm.uses_arrivals;
  json["uses_topology"] = algorithm.suits_topology != nullptr;
  json["valid"] = algorithm.valid_text;
  json["cost"] = algorithm.cost;
  json["source"] = algorithm.source;
  json["parameters"] = Json::array();
  for (const Parameter& parameter : algorithm.parameters) {
    json["parameters"].push_back({{"name", parameter.name},
                                  {"minimum", parameter.minimum},
                                  {"maximum", parameter.maximum},
                                  {"default", parameter.fallback},
                                  {"unit", parameter.unit},
                                  {"help", parameter.help}});
  }
  return json;
}

Table catalogueTable() {
  Table table({{"ID", Align::kRight}, {"NAME"}, {"PARAMETERS"}, {"ARRIVALS"}, {"RANK ORDER"}, {"TRADE-OFF"}});
  for (const Algorithm& algorithm : catalogue()) {
    table.addRow({std::to_string(algorithm.id), algorithm.name, parameterNames(algorithm),
                  yesOrNo(algorithm.uses_arrivals), yesOrNo(algorithm.keeps_rank_order), algorithm.trade_off});
  }
  return table;
}

void printDetails(const Algorithm& algorithm) {
  const std::pair<const char*, std::string> fields[] = {
      {"id", std::to_string(algorithm.id)},
      {"what it does", algorithm.what},
      {"trade-off", algorithm.trade_off},
      {"cost", algorithm.cost},
      {"valid", algorithm.valid_text},
      {"follows the arrivals", yesOrNo(algorithm.uses_arrivals)},
      {"follows nodes or links", yesOrNo(algorithm.suits_topology != nullptr)},
      {"keeps rank order", yesOrNo(algorithm.keeps_rank_order)},
      {"source", algorithm.source},
  };
  fmt::print("{}\n", algorithm.name);
  for (const auto& [name, value] : fields) fmt::print("  {:<21} {}\n", name, value);
  if (!algorithm.parameters.empty()) fmt::print("{}", parameterTable(algorithm).text());
}

Outcome describeOne(const AlgorithmsArguments& arguments) {
  const Algorithm* algorithm = findAlgorithm(arguments.name);
  if (algorithm == nullptr) {
    std::string known;
    for (const Algorithm& row : catalogue()) known += (known.empty() ? "" : ", ") + std::string(row.name);
    return Outcome::fault(fmt::format("there is no algorithm '{}': the catalogue has {}", arguments.name, known));
  }
  if (arguments.json) {
    fmt::print("{}", formatJson(algorithmJson(*algorithm)));
  } else if (arguments.markdown) {
    fmt::print("{}", formatSection(*algorithm));
  } else {
    printDetails(*algorithm);
  }
  return Outcome::ok();
}

Outcome listAlgorithms(const AlgorithmsArguments& arguments) {
  if (!arguments.name.empty()) return describeOne(arguments);
  if (arguments.json) {
    Json rows = Json::array();
    for (const Algorithm& algorithm : catalogue()) rows.push_back(algorithmJson(algorithm));
    fmt::print("{}", formatJson(rows));
  } else if (arguments.markdown) {
    fmt::print("{}", formatDocument());
  } else {
    fmt::print("{}", catalogueTable().text());
  }
  return Outcome::ok();
}

}  // namespace

Action setUpAlgorithms(CLI::App& command, const Globals&) {
  const auto arguments = std::make_shared<AlgorithmsArguments>();
  command.add_option("NAME", arguments->name, "Describe this algorithm");
  CLI::Option* json = command.add_flag("--json", arguments->json, "Print JSON");
  command.add_flag("--markdown", arguments->markdown, "Print Markdown")->excludes(json);
  return [arguments] { return listAlgorithms(*arguments); };
}

}  // namespace starling::cli
