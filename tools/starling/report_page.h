// Makes one HTML file of what a report shows.
#pragma once

#include <string>

#include "json_text.h"

namespace starling::cli {

// Returns a page that needs nothing else: style, script and libraries are in it. No text of the report acts as HTML.
// REQUIRES: "title", and "verdict", a list of sentences.
std::string reportPage(const Json& report);

// Returns JSON that can stand within a script of a page: ASCII, on one line, without '<'.
std::string jsonForScript(const Json& json);

// Returns the text as it can stand between tags and in attributes.
std::string escapedHtml(std::string_view text);

}  // namespace starling::cli
