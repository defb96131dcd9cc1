#include "mpi/settings.h"

#include <cstdlib>
#include <map>
#include <optional>

#include "base/log.h"

namespace starling {
namespace {

constexpr const char* kPinnedName = "pinned";
constexpr char kEnd = '\0';

}  // namespace

Settings readSettings(bool count) {
  ParsedOptions parsed = parseEnvironment();
  setLogLevel(parsed.options.verbosity);
  if (count) {
    for (const std::string& error : parsed.errors)
      logOnce(LogLevel::kWarning, error, error + (error.ends_with('?') ? " Its" : "; its") + " default is used");
    for (const auto& [name, hint] : unknownVariables(ownEnvironment())) {
      logOnce(LogLevel::kWarning, name,
              name + " is not read by Starling" + (hint.empty() ? ": `starling options` lists what is" : hint));
    }
  }
  const auto variable = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return {std::move(parsed.options), pinnedAlgorithm(variable)};
}

std::vector<std::uint8_t> encodeSettings(const Settings& settings) {
  // Settings travel as NAME=value of the option table, each with the one character behind it that no value has.
  std::string text = std::string(kPinnedName) + "=" + settings.pinned + kEnd;
  for (const OptionRow& row : optionTable()) {
    const char* value = std::getenv(row.variable);
    if (value != nullptr) text += std::string(row.variable) + "=" + value + kEnd;
  }
  return {text.begin(), text.end()};
}

Result<Settings> decodeSettings(std::span<const std::uint8_t> bytes) {
  std::map<std::string, std::string, std::less<>> values;
  const std::string text(bytes.begin(), bytes.end());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find(kEnd, at);
    const std::size_t equals = text.find('=', at);
    if (end == std::string::npos || equals == std::string::npos || equals > end) {
      return Status::error("the agreed settings are damaged");
    }
    values[text.substr(at, equals - at)] = text.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  Settings settings;
  settings.pinned = values[kPinnedName];
  settings.options = parseOptions([&values](const char* variable) -> std::optional<std::string> {
                       const auto found = values.find(std::string_view(variable));
                       return found == values.end() ? std::nullopt : std::optional(found->second);
                     }).options;
  if (!settings.pinned.empty() && settings.options.mode == Mode::kTune) settings.options.mode = Mode::kObserve;
  return settings;
}

}  // namespace starling
