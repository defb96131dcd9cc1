#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <optional>
#include <utility>

#include "algos/catalogue.h"
#include "base/nearest_word.h"

namespace starling {
namespace {

template <typename Rows>
std::string listNames(const Rows& rows) {
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

// Ends a sentence that refuses a name: by the one that may be meant, where there is such.
template <typename Rows>
std::string meantAmong(std::string_view name, const Rows& rows) {
  const std::string meant = didYouMean(name, rows, [](const auto& row) { return row.name; });
  return meant.empty() ? "." : meant;
}

// Returns the text before the first `separator`, and the rest without it.
std::pair<std::string_view, std::string_view> cutAt(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::int64_t> parseWhole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns the parameter's place in the row, by its name or the one that it had before.
std::optional<std::size_t> findNamedOrRenamed(const Algorithm& algorithm, std::string_view name) {
  const auto parameter = std::ranges::find_if(
      algorithm.parameters, [name](const Parameter& p) { return !name.empty() && p.former_name == name; });
  if (parameter == algorithm.parameters.end()) return findParameter(algorithm, name);
  return static_cast<std::size_t>(parameter - algorithm.parameters.begin());
}

using IsSet = std::bitset<kMaxParameters>;

Status applySetting(const Algorithm& algorithm, std::string_view setting, ParameterValues& values, IsSet& is_set) {
  const auto [name, text] = cutAt(setting, '=');
  const std::optional<std::size_t> index = findNamedOrRenamed(algorithm, name);
  if (!index) {
    const std::string known = algorithm.parameters.empty() ? "it has none" : listNames(algorithm.parameters);
    return Status::error(fmt::format("{} has no parameter \"{}\"; known: {}{}", algorithm.name, name, known,
                                     meantAmong(name, algorithm.parameters)));
  }
  const Parameter& parameter = algorithm.parameters[*index];
  const std::optional<std::int64_t> value = parseWhole(text);
  if (!value || *value < parameter.minimum || *value > parameter.maximum) {
    return Status::error(fmt::format("{}: {} is \"{}\"; it must be a whole number from {} to {}.", algorithm.name, name,
                                     text, parameter.minimum, parameter.maximum));
  }
  if (is_set[*index]) return Status::error(fmt::format("{}: {} is given twice; leave one out.", algorithm.name, name));
  is_set[*index] = true;
  values[*index] = *value;
  return Status::ok();
}

}  // namespace

Result<Choice> parseChoice(std::string_view text) {
  const auto [name, settings] = cutAt(text, ':');
  const Algorithm* algorithm = findAlgorithm(name);
  if (algorithm == nullptr && name.find(',') != std::string_view::npos) {
    return Status::error(fmt::format("\"{}\" names several algorithms; name one of {}.", name, listNames(catalogue())));
  }
  if (algorithm == nullptr) {
    return Status::error(fmt::format("there is no algorithm \"{}\"; known: {}{}", name, listNames(catalogue()),
                                     meantAmong(name, catalogue())));
  }
  Choice choice{algorithm->id, defaultParameters(*algorithm)};
  if (name.size() == text.size()) return choice;
  IsSet is_set;
  std::string_view rest = settings;
  bool has_more = true;
  while (has_more) {
    const auto [setting, after] = cutAt(rest, ',');
    const Status applied = applySetting(*algorithm, setting, choice.parameters, is_set);
    if (!applied.isOk()) return applied;
    has_more = setting.size() < rest.size();
    rest = after;
  }
  return choice;
}

std::string formatChoice(const Choice& choice) {
  const Algorithm* algorithm = findAlgorithm(choice.algorithm);
  if (algorithm == nullptr) return fmt::format("unknown_{}", choice.algorithm);
  std::string text = algorithm->name;
  char separator = ':';
  for (std::size_t i = 0; i < algorithm->parameters.size(); ++i) {
    const Parameter& parameter = algorithm->parameters[i];
    if (choice.parameters[i] == parameter.fallback) continue;
    text += fmt::format("{}{}={}", separator, parameter.name, choice.parameters[i]);
    separator = ',';
  }
  return text;
}

}  // namespace starling
