// Says what is wrong with a command line, and what may have been meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace starling::cli {

// Returns one sentence for an error that parsing `arguments` by `app` has thrown.
std::string sentenceOf(const CLI::ParseError& error, CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace starling::cli
