#include <fmt/format.h>

#include <memory>

#include "algorithms_document.h"
#include "algos/catalogue.h"
#include "base/nearest_word.h"
#include "command_options.h"
#include "commands.h"
#include "listing.h"

namespace starling::cli {
namespace {

struct AlgorithmsArguments {
  std::string name;
  ListOptions list;
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

const ListShape<Algorithm>& catalogueShape() {
  static const ListShape<Algorithm> kShape = {
      {{"ID", ColumnKind::kNumber, "id", [](const Algorithm& algorithm) { return std::to_string(algorithm.id); }},
       {"NAME", ColumnKind::kText, "name", [](const Algorithm& algorithm) { return algorithm.name; }},
       {"PARAMETERS", ColumnKind::kText, "parameters", parameterNames},
       {"ARRIVALS", ColumnKind::kText, "uses_arrivals",
        [](const Algorithm& algorithm) { return yesOrNo(algorithm.uses_arrivals); }},
       {"RANK ORDER", ColumnKind::kText, "keeps_rank_order",
        [](const Algorithm& algorithm) { return yesOrNo(algorithm.keeps_rank_order); }},
       {"TRADE-OFF", ColumnKind::kText, "trade_off", [](const Algorithm& algorithm) { return algorithm.trade_off; }}},
      algorithmJson};
  return kShape;
}

void printDetails(const Algorithm& algorithm, const Look& look) {
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
  if (!algorithm.parameters.empty()) {
    fmt::print("{}", parameterTable(algorithm).textWithin(look.width, look.has_colours));
  }
}

Outcome describeOne(const AlgorithmsArguments& arguments, const Look& look) {
  const Algorithm* algorithm = findAlgorithm(arguments.name);
  if (algorithm == nullptr) {
    std::string known;
    for (const Algorithm& row : catalogue()) known += (known.empty() ? "" : ", ") + std::string(row.name);
    return Outcome::fault(
        fmt::format("there is no algorithm '{}': the catalogue has {}{}", arguments.name, known,
                    didYouMean(arguments.name, catalogue(), [](const Algorithm& row) { return row.name; })));
  }
  const Json json = algorithmJson(*algorithm);
  if (arguments.list.json) {
    fmt::print("{}", formatJson(json));
  } else if (arguments.list.csv) {
    fmt::print("{}", formatCsv(Json::array({json})));
  } else if (arguments.markdown) {
    fmt::print("{}", formatSection(*algorithm));
  } else {
    printDetails(*algorithm, look);
  }
  return Outcome::ok();
}

Outcome listAlgorithms(const AlgorithmsArguments& arguments, const Look& look) {
  if (!arguments.name.empty()) return describeOne(arguments, look);
  const auto rows = catalogue();
  const auto listed = arranged(catalogueShape(), std::vector(rows.begin(), rows.end()), arguments.list);
  fmt::print("{}", arguments.markdown ? formatDocument() : formatList(catalogueShape(), listed, arguments.list, look));
  return Outcome::ok();
}

}  // namespace

Action setUpAlgorithms(CLI::App& command, const Globals& globals) {
  const auto arguments = std::make_shared<AlgorithmsArguments>();
  command.add_option("NAME", arguments->name, "Describe this algorithm")->check(offering(algorithmNames()));
  addListOptions(command, arguments->list, catalogueShape().names());
  addMarkdownFlag(command, arguments->markdown);
  return [arguments, &globals] { return listAlgorithms(*arguments, globals.look()); };
}

}  // namespace starling::cli
