// Keeps options from swallowing what stands behind them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace starling::cli {

// Makes every option of `app` that has a value refuse one that is an option of `app`, or of the app that it is a
// command of, and every FILE refuse other names that begin with a dash, but for "-" itself.
inline void refuseOptionsAsValues(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0 || option->get_positional()) continue;
    const std::string value = option->get_option_text().empty() ? "its value" : option->get_option_text();
    const auto fault_of = [&app, value](const std::string& text) -> std::string {
      if (text.size() < 2 || text.front() != '-') return "";
      const std::string name = text.substr(0, text.find('='));
      const CLI::App* parent = app.get_parent();
      const bool is_option = app.get_option_no_throw(name) != nullptr ||
                             (parent != nullptr && parent->get_option_no_throw(name) != nullptr);
      if (is_option) return value + " is missing: " + text + ", which follows, is an option itself";
      if (value == "FILE") return "a file's name that begins with a dash is written ./" + text;
      return "";
    };
    option->transform(CLI::Validator(fault_of, ""));
  }
}

}  // namespace starling::cli
